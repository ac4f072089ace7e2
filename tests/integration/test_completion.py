"""Completion in real shells: what is typed, a press of TAB, and the words that the command then gets."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from measuring import environment
from sonde.cli.commands import all_commands
from sonde.cli.shells import SHELLS
from terminal_session import TAB, TerminalSession

# Typed before TAB, and the last word after it.
CASES = [
    ("conte", "contexts"),
    ("help phas", "phases"),
    ("decisions consis", "consistent"),
    ("sample stu", "study"),
    ("contexts --metr", "--metric"),
    ("contexts --metric ti", "time"),
    ("contexts --metric=ti", "--metric=time"),
    ("bench show --better lo", "lower"),
    ("decisions show --tree opt", "optimizations"),
    ("phases --counters page-faults,simulated:l1", "page-faults,simulated:l1d-misses"),
    ("export kept.sonde --to spee", "speedscope"),
    ("completion f", "fish"),
    ("view k", "kept.sonde"),
    ("diff kept.sonde inn", "inner/"),
    ("view kept.sonde --html not", "notes.txt"),
    ("contexts -o kept.sonde --stam", "--stamps"),
    ("contexts app.py --stam", "--stam"),  # the program's own option
    ("contexts app.py not", "notes.txt"),
    ("contexts -m module not", "notes.txt"),
    ("contexts -- sondes-friend", "sondes-friendly-program"),
    ("bench --folder inn", "inner/"),
    ("bench --rounds no", "no"),  # a number, no file
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("kept.sonde", "notes.txt", "app.py", "known.txt"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    program = tmp_path / "bin" / "sondes-friendly-program"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return tmp_path


def _shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def _script(folder: Path, shell: str) -> Path:
    path = folder / "bin" / f"completion.{shell}"
    path.write_text(SHELLS[shell](tuple(all_commands())))
    return path


def _environment(folder: Path) -> dict[str, str]:
    # A home of its own, so that nobody's settings take part.
    return environment(
        PATH=f"{folder / 'bin'}:{os.environ['PATH']}", HOME=str(folder / "bin"), LC_ALL="C.UTF-8", PS1="> "
    )


def _start_bash(folder: Path) -> tuple[list[str], str]:
    return [_shell("bash"), "--norc", "--noprofile", "-i"], f". {_script(folder, 'bash')}"


def _start_zsh(folder: Path) -> tuple[list[str], str]:
    script = _script(folder, "zsh")
    return [
        _shell("zsh"),
        "-f",
        "-i",
    ], f"setopt no_auto_remove_slash; autoload -U compinit && compinit -u -D; . {script}"


@pytest.mark.parametrize("start", [_start_bash, _start_zsh])
def test_a_shell_inserts_what_sonde_would_understand(
    folder: Path, start: Callable[[Path], tuple[list[str], str]]
) -> None:
    command, script = start(folder)
    with TerminalSession(command, _environment(folder), columns=200) as session:
        session.type(f"cd {folder}; {script}; sonde() {{ printf '<%s>' \"$@\"; echo '.'; }}; echo rea''dy\n")
        session.expect("ready\n")
        for typed, last in CASES:
            session.type(f"sonde {typed}{TAB}\n")
            before = "".join(f"<{word}>" for word in typed.split()[:-1])
            session.expect(f"{before}<{last}>.\n")
        session.type("exit\n")
        session.end()


def test_fish_offers_what_sonde_would_understand(folder: Path) -> None:
    script = [f"source {_script(folder, 'fish')}"]
    for number, (typed, _) in enumerate(CASES):
        script += [f"echo case {number}", f"complete -C 'sonde {typed}'"]

    done = subprocess.run(
        [_shell("fish"), "--no-config", "-c", "\n".join(script)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env=_environment(folder),
    )

    assert done.stderr == ""
    told = {
        int(number): [line.partition("\t")[0] for line in lines]
        for number, *lines in (part.splitlines() for part in done.stdout.split("case ")[1:])
    }
    for number, (typed, last) in enumerate(CASES):
        expected = [] if last == typed.split()[-1] else [last]
        # Behind files of the kind that is wanted fish lists the others.
        assert [each for each in told[number] if each.startswith(typed.split()[-1])][:1] == expected, typed


def test_bash_lists_questions_beside_what_they_stand_for(folder: Path) -> None:
    done = subprocess.run(
        [
            _shell("bash"),
            "-c",
            f". {_script(folder, 'bash')}; compopt() {{ :; }}; COMP_LINE='sonde bench '; COMP_POINT=${{#COMP_LINE}}"
            "; COMP_WORDS=(sonde bench ''); COMP_CWORD=2; _sonde; echo ${COMPREPLY[*]}; complete -p sonde",
        ],
        capture_output=True,
        text=True,
        timeout=300,
        env=_environment(folder),
    )

    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "run show compare history import lint tune",
        "complete -o bashdefault -o default -F _sonde sonde",
    ]
