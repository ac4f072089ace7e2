"""A person at a terminal: a prompt, a line, an answer, and never the end of it all because a program crashed."""

import signal
import sys
from types import ModuleType

from sonde import __version__
from sonde.base.errors import SondeError
from sonde.instruments.vm.verb.shell.all_commands import read_line
from sonde.instruments.vm.verb.shell.completion import Known, completions
from sonde.instruments.vm.verb.shell.history import History
from sonde.instruments.vm.verb.shell.script import Printer, source
from sonde.instruments.vm.verb.shell.session import Session, say
from sonde.options.error_message import tell_error

_PROMPT = "sonde> "
_DELIMITERS = " \t"
"""Words end at blanks only: `f@fast` and `sroa,adce` are one."""


def run_interactively(session: Session, history: History) -> None:
    """Ask for lines and do them until `quit` or Ctrl-D.

    Raises:
        MissingCapability: LLVM is not there.
    """
    session.begin()
    readline = _prepared_readline(session, history)
    print(f"sonde {__version__}: help lists the commands, Tab completes, Ctrl-D leaves.")
    before = signal.signal(signal.SIGQUIT, signal.SIG_IGN)  # Ctrl-\\ is for what runs, not for the shell
    try:
        while (text := _asked(history, readline)) is not None:
            if not _is_done(session, text):
                break
    finally:
        signal.signal(signal.SIGQUIT, before)
        session.close()


def _asked(history: History, readline: ModuleType | None) -> str | None:
    """The next line; None at the end."""
    while True:
        try:
            text = input(_PROMPT)
        except KeyboardInterrupt:
            print()
            continue
        except EOFError:
            print()
            return None
        had_problem = history.problem is not None
        length = len(history.lines)
        history.add(text)
        if readline is not None and len(history.lines) > length:
            readline.add_history(text)
        if history.problem is not None and not had_problem:
            say(f"the history of this session is lost at its end: cannot write '{history.path}': {history.problem}")
        return text


def _is_done(session: Session, text: str) -> bool:
    """Do one line and print what comes of it. False: leave."""
    try:
        line = read_line(text)
        if line is None:
            return True
        if line.command.name == "quit":
            return False
        if line.command.name == "source":
            return not source(session, line, Printer())
        Printer().print_answer(line, session.do(line))
    except SondeError as error:
        sys.stdout.flush()
        tell_error(error)
    except KeyboardInterrupt:
        say("stopped")
    try:
        session.recovered()
    except KeyboardInterrupt:
        say("stopped; what was built is built again before the next command")
    return True


def _prepared_readline(session: Session, history: History) -> ModuleType | None:
    """Line editing with history and completion; None where Python was built without it."""
    try:
        import readline  # not there on every Python
    except ImportError:
        return None
    readline.set_auto_history(False)
    for line in history.lines:
        readline.add_history(line)
    known = Known(session.names, session.modules, _passes)
    found: list[str] = []

    def complete(_word: str, state: int) -> str | None:
        if state == 0:
            before = readline.get_line_buffer()[: readline.get_endidx()]
            found[:] = completions(before, known)
        return found[state] if state < len(found) else None

    readline.set_completer_delims(_DELIMITERS)
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    return readline


def _passes() -> list[str]:
    from sonde.llvm import PASS_NAMES, PIPELINE_PASSES  # both take as long as all else that a prompt needs
    from sonde.passes import PASSES

    return sorted((*PASS_NAMES, *PIPELINE_PASSES, *PASSES))
