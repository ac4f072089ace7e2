"""Pages whose commands are run and whose outputs are compared: what a reader types is what a test types.

A page is Markdown. Two kinds of its blocks count:

- `python title="load.py"`, and other languages with a title: a file that is written into the page's folder;
- `console`: lines that begin with `$ ` are typed into one shell, lines that begin with `> ` go on; what follows is what
  is printed, of both streams. `...` at the end of a line, or alone in it, stands for any output. Each command exits
  with 0, unless the next one is `echo $?`.

What differs from run to run is not compared: numbers, units, where Python lies, where lines are broken, and names that
are cut off to fit. The front matter of a page can have `needs: valgrind` (`test_pages_of_commands.CHECKS`).

A comment in the line above a block declares what is special about it:

- `<!-- needs: graal -->`: this `console` block is run only where the machine has that;
- `<!-- run by tests/integration/test_x.py -->`, `<!-- not run: REASON -->`: a block of commands or of output that is no
  `console` block. Blocks of the language `text` are drawings, formulas and layouts: nobody types or prints them.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from measuring import environment

ROOT = Path(__file__).parents[1]
PATIENCE_S = 300.0
"""For all commands of a page."""

_BLOCK = re.compile(
    r'^(?:<!-- (needs|run by|not run):? ([^\n]+) -->\n)?( *)```(\w*)(?: title="([^"]+)")?\n(.*?)^\3```$',
    re.MULTILINE | re.DOTALL,
)
_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.MULTILINE | re.DOTALL)
_DONE = "\x01"
"""Before the exit code, after each command."""
_ANY = re.compile(r"(?:^|(?<= ))\.\.\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Command:
    """What is typed, and what is promised to be printed."""

    typed: str
    printed: str


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    content: str
    declared: str
    """`needs`, `run by`, `not run`; empty: nothing."""
    by: str
    """What it needs, what runs it, why it is not run."""


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """What a page needs, writes and runs."""

    needs: tuple[str, ...]
    given: str
    """A folder of the repository; empty: nothing is there."""
    files: Mapping[str, str]
    commands: tuple[Command, ...]
    further_needs: tuple[str, ...]
    """What the blocks need that are run only where the machine has it."""


def read_blocks(text: str) -> list[Block]:
    """All fenced blocks of a page, in their order."""
    return [
        Block(language, title, content, declared, by)
        for declared, by, _, language, title, content in _BLOCK.findall(text)
    ]


def read_page(text: str, *, has: Collection[str] = ()) -> ConsolePage:
    """The page's files and commands, in their order.

    Args:
        text: of the page.
        has: needs of single blocks that the machine meets; other blocks with needs are left out.

    >>> read_page("```console\\n$ echo a\\na\\n$ true\\n```\\n").commands
    (Command(typed='echo a', printed='a'), Command(typed='true', printed=''))
    """
    front = _FRONT.match(text)
    needs, given = (
        re.findall(rf"^{key}: (.*)$", front[1] if front else "", re.MULTILINE) for key in ("needs", "given")
    )
    blocks = read_blocks(text)
    consoles = [block for block in blocks if block.language == "console" and not block.title]
    return ConsolePage(
        needs=tuple(" ".join(needs).replace(",", " ").split()),
        given="".join(given),
        files={block.title: block.content for block in blocks if block.title},
        commands=tuple(
            command
            for block in consoles
            if block.declared != "needs" or block.by in has
            for command in _commands(block.content)
        ),
        further_needs=tuple(dict.fromkeys(block.by for block in consoles if block.declared == "needs")),
    )


def _commands(block: str) -> list[Command]:
    found: list[tuple[list[str], list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif not found:
            raise ValueError(f"a console block begins with {line!r}, which is no command")
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return [Command("\n".join(typed), "\n".join(printed).strip()) for typed, printed in found]


def differences(page: ConsolePage, folder: Path, **variables: str) -> list[str]:
    """Run the commands in a folder, and say where they do not do what the page says."""
    if page.given:
        shutil.copytree(ROOT / page.given, folder, dirs_exist_ok=True)
    for name, content in page.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    found = []
    commands = page.commands
    outcomes = _run(commands, folder, variables)
    for number, (command, (printed, code)) in enumerate(zip(commands, outcomes, strict=False)):
        asks_for_code = number + 1 < len(commands) and commands[number + 1].typed == "echo $?"
        missing = first_missing(command.printed, printed)
        if missing is not None:
            found.append(f"$ {command.typed}\nprints no such thing as\n{missing}\nbut\n{printed}")
        elif code and not asks_for_code:
            found.append(f"$ {command.typed}\nexits with {code} and prints\n{printed}")
    if len(outcomes) < len(commands):
        found.append(f"$ {commands[len(outcomes)].typed}\nhas not ended within {PATIENCE_S:.0f} s")
    return found


def _run(commands: tuple[Command, ...], folder: Path, variables: Mapping[str, str]) -> list[tuple[str, int]]:
    """(what was printed, exit code) of each command that has ended; all are typed into one shell."""
    lines = [f"{command.typed}\ncode=$?; printf '{_DONE}%d\\n' $code; (exit $code)" for command in commands]
    path = os.pathsep.join([str(Path(sys.executable).parent), variables.get("PATH", os.environ["PATH"])])
    shell = subprocess.Popen(
        ["sh", "-c", "\n".join(lines)],
        cwd=folder,
        env=environment(**{**variables, "PATH": path, "NO_COLOR": "1"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        printed, _ = shell.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        printed, _ = shell.communicate()
    text = printed.decode("utf-8", "replace")
    return [(found[1], int(found[2])) for found in re.finditer(rf"(.*?){_DONE}(\d+)\n", text, re.DOTALL)]


def first_missing(promised: str, printed: str) -> str | None:
    """The first part of a promised text that is not in what was printed, in its place; None if all are.

    >>> first_missing("took 12 ms\\n...\\nthe end", "took 3.4 s in\\nall; the end")
    >>> first_missing("took 12 ms", "took 3.4 s in all")
    'took 12 ms'
    """
    parts = _ANY.split(promised)
    rest = _words(printed)
    for number, part in enumerate(parts):
        words = _words(part)
        is_last = number + 1 == len(parts)
        places = range(len(rest) - len(words) + 1) if number else range(1 if rest or not words else 0)
        if number and is_last and words:
            places = range(max(0, len(rest) - len(words)), len(rest) - len(words) + 1)
        place = next((at for at in places if _are_alike(words, rest[at : at + len(words)])), None)
        if place is None or (number == 0 and is_last and len(words) != len(rest)):
            return part.strip()
        rest = rest[place + len(words) :]
    return None


def _are_alike(promised: list[str], printed: list[str]) -> bool:
    return len(promised) == len(printed) and all(map(_is_alike, promised, printed))


def _is_alike(one: str, other: str) -> bool:
    """Whether two words are the same, but for what was cut out of them."""
    if "…" in one and "…" in other:
        return True
    if "…" in other:
        one, other = other, one
    head, cut, tail = one.partition("…")
    return one == other or bool(cut and other.startswith(head) and other.endswith(tail))


def _words(text: str) -> list[str]:
    """What is compared of a text.

    >>> _words("/opt/bin/python3.12 a.py: 1,234 calls, <0.1%  12.5 ms │ │")
    ['python', 'a.py:', '0', 'calls,', '0%', '0', 't']
    """
    text = re.sub(r"\S*/bin/python[\d.]*", "python", text)
    text = re.sub(r"[│├└┌┐┘┴┬⋮▲▼█▁▂▃▄▅▆▇]", " ", text)
    text = re.sub(r"[<±+−-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?[kMGx]?(?![\w.]*\.\w)\b", "0", text)
    text = re.sub(r"\b0 (?:ns|us|ms|s|min)\b", "0 t", text)
    text = re.sub(r"\b0 (?:B|KiB|MiB|GiB)\b", "0 B", text)
    return text.split()
