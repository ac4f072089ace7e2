"""What Tab offers: commands, and what the command at hand takes at this place."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.vm.verb.shell.all_commands import COMMANDS
from sonde.instruments.vm.verb.shell.command import Command
from sonde.instruments.vm.verb.shell.osr_words import complete
from sonde.instruments.vm.verb.shell.parameters import Kind
from sonde.instruments.vm.verb.shell.settings import SETTINGS
from sonde.instruments.vm.verb.shell.words import quoted

_LEVELS = ("O0", "O1", "O2", "O3")


@dataclass(frozen=True, slots=True)
class Known:
    """What can be named at the moment."""

    functions: Callable[[str], Sequence[str]]
    """Those that begin with a text; with versions where the text has an `@`."""
    modules: Callable[[], Sequence[str]]
    passes: Callable[[], Sequence[str]]


def completions(before: str, known: Known) -> list[str]:
    """What the last word of a line could become.

    Args:
        before: the line up to the cursor.

    >>> known = Known(functions=lambda prefix: ["isord"], modules=list, passes=list)
    >>> completions("sw", known), completions("call is", known), completions("opt isord O", known)
    (['switch '], ['isord('], ['O0', 'O1', 'O2', 'O3'])
    """
    *earlier, word = before.lstrip().removeprefix("-").lstrip().split(" ") if before.strip() else [""]
    earlier = [each for each in earlier if each]
    if not earlier:
        return [f"{name} " for name in COMMANDS if name.startswith(word)]
    command = COMMANDS.get(earlier[0])
    if command is None:
        return []
    if word.startswith("--"):
        return [f"{p.name} " for p in command.parameters if p.is_option and p.name.startswith(word)]
    match _kind_at(command, earlier[1:]):
        case "command":
            return [f"{name} " for name in COMMANDS if name.startswith(word)]
        case "setting":
            return [f"{name} " for name in SETTINGS if name.startswith(word)]
        case "name" | "function" | "versioned":
            return [f"{name} " for name in known.functions(word)]
        case "call":
            return [f"{name}(" for name in known.functions(word)] if "(" not in word else []
        case "module":
            return [f"{name} " for name in known.modules() if name.startswith(word)]
        case "pass":
            *done, last = word.split(",")
            head = "".join(f"{each}," for each in done)
            return [f"{head}{name}" for name in (*_LEVELS, *known.passes()) if name.startswith(last)]
        case "osr":
            return [f"{each} " for each in complete(earlier[1:], word, known.functions)]
        case "file":
            return _files(word)
        case _:
            return []


def _kind_at(command: Command, earlier: Sequence[str]) -> Kind | None:
    """The kind of the parameter that the next word belongs to."""
    options = {parameter.name: parameter for parameter in command.parameters if parameter.is_option}
    if earlier and earlier[-1] in options and options[earlier[-1]].kind != "flag":
        return options[earlier[-1]].kind
    place = 0
    skips = False
    for word in earlier:
        if skips or word in options:
            skips = word in options and options[word].kind != "flag"
            continue
        place += 1
    plain = [parameter for parameter in command.parameters if not parameter.is_option]
    if plain and plain[0].kind == "count" and place == 0:
        place = len(plain) - 1  # the number before a call is optional
    if place < len(plain):
        return plain[place].kind
    return plain[-1].kind if plain and plain[-1].is_many else None


def _files(word: str) -> list[str]:
    folder, start = os.path.split(word)
    try:
        entries = sorted(os.scandir(Path(folder).expanduser() if folder else "."), key=lambda entry: entry.name)
    except OSError:
        return []
    found = []
    for entry in entries:
        if entry.name.startswith(start) and (start.startswith(".") or not entry.name.startswith(".")):
            found.append(quoted(os.path.join(folder, entry.name)) + ("/" if entry.is_dir() else " "))  # noqa: PTH118
    return found
