"""How a shell begins: at a terminal, with a file of commands, or with commands on standard input."""

import os
import subprocess
import sys

from sonde.instruments.vm.verb.shell.history import History, history_path
from sonde.instruments.vm.verb.shell.interactive import run_interactively
from sonde.instruments.vm.verb.shell.script import Printer, read_script, run_lines
from sonde.instruments.vm.verb.shell.session import WORKBENCH, Session, Surroundings
from sonde.instruments.vm.verb.shell.worker_process import StandardStreams


def open_shell(script: str | None, *, as_json: bool, debug: bool, bench: str = WORKBENCH) -> None:
    """Do commands until there are no more.

    Args:
        script: a file, `-` for standard input, or None: ask a person, if there is one at a terminal.
        bench: MODULE:CLASS of what holds the programs.
    Raises:
        SondeError: a command of a script failed, the script cannot be read, or LLVM is not there.
    """
    width = _terminal_width()
    if script is None and not as_json and sys.stdin is not None and sys.stdin.isatty():
        history = History(history_path())
        surroundings = Surroundings(width=width, debug=debug, stops_at_once=False)
        run_interactively(Session(surroundings, history=history, bench=bench), history)
        return
    from_stdin = script in (None, "-")
    # A program must not read the commands that follow; and its output must not come between the lines of JSON.
    streams = StandardStreams(subprocess.DEVNULL if from_stdin else None, sys.stderr if as_json else None)
    lines = sys.stdin if script is None or from_stdin else read_script(script).splitlines()
    session = Session(Surroundings(streams, width, debug), bench=bench)
    try:
        run_lines(session, lines, "-" if script is None else script, Printer(as_json))
    finally:
        session.close()


def _terminal_width() -> int | None:
    """Columns of the terminal that answers go to; None where lines may be long."""
    try:
        return os.get_terminal_size(1).columns or None
    except OSError:
        return None
