"""One session: understands lines, has the worker do them, and makes a new worker when a program took the old one."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sonde.base.errors import SondeError
from sonde.base.units import format_count, format_duration
from sonde.instruments.vm.verb.shell.all_commands import ReadLine, command_of
from sonde.instruments.vm.verb.shell.channel import Request
from sonde.instruments.vm.verb.shell.command import Answer
from sonde.instruments.vm.verb.shell.endings import error_of_ending, with_place
from sonde.instruments.vm.verb.shell.help_text import command_help, help_text
from sonde.instruments.vm.verb.shell.history import History
from sonde.instruments.vm.verb.shell.journal import Journal
from sonde.instruments.vm.verb.shell.parameters import Arguments, Value
from sonde.instruments.vm.verb.shell.settings import SETTINGS, Settings, check_setting
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.worker_process import StandardStreams, WorkerEnded, WorkerProcess
from sonde.report import Column

_SETTING_COLUMNS = Column("setting", "setting"), Column("value", "value"), Column("meaning", "")
WORKBENCH = "sonde.osr:OsrWorkbench"
"""MODULE:CLASS of what the worker holds."""
_HISTORY_LINES = 50


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a session runs."""

    streams: StandardStreams = field(default_factory=StandardStreams)
    """For the programs."""
    width: int | None = None
    """Of the terminal; None: there is none."""
    debug: bool = False
    stops_at_once: bool = True
    """Ctrl-C stops a program, even one that would handle it."""


class Session:
    """Settings, what was built, and the worker that holds it."""

    def __init__(self, surroundings: Surroundings, *, history: History | None = None, bench: str = WORKBENCH) -> None:
        """`bench`: MODULE:CLASS, made in the worker. No history: nothing is remembered."""
        self.settings = Settings()
        self.history = history
        self._surroundings = surroundings
        self._bench = bench
        self._journal = Journal()
        self._program_runs = False
        self._worker: WorkerProcess | None = None
        self._lost: WorkerEnded | None = None
        self._own: dict[str, Callable[[Arguments], Answer]] = {
            "set": self._set,
            "history": self._show_history,
            "help": self._help,
        }

    def begin(self) -> None:
        """Start the worker before it is needed.

        Raises:
            MissingCapability: LLVM is not there.
        """
        self._worker = self._new_worker()
        self.names("")  # it answers, or says why not

    def do(self, line: ReadLine) -> Answer:
        """Do one command.

        Raises:
            SondeError: it cannot be done, or what it ran crashed, ended, or was stopped.
        """
        begin_ns = time.monotonic_ns()
        own = self._own.get(line.command.name)
        if own is not None:
            return own(line.arguments)
        timeout_ns = self.settings.timeout if line.command.runs_program else None
        worker = self.recovered()
        # What we have printed comes before what the program prints.
        sys.stdout.flush()
        worker.crashed_in = None
        try:
            reply = worker.ask(
                self._request(line),
                timeout_ns=timeout_ns,
                on_interrupt=None if self._surroundings.stops_at_once else _say_it_goes_on,
            )
        except WorkerEnded as ended:
            if self._program_runs:
                say("the program that was started is gone with it")
            self._lost, self._program_runs = ended, False
            if line.command.may_exit and ended.why == "exit":
                return Answer(f"exited {ended.number}", {"status": ended.number})
            if ended.why == "interrupt" and self._surroundings.stops_at_once:
                raise KeyboardInterrupt from None  # a script ends as a whole
            error = error_of_ending(line.text, ended, timeout_ns=timeout_ns, runs_program=line.command.runs_program)
            raise with_place(error, worker.crashed_in) from None
        except SondeError as error:
            raise with_place(error, worker.crashed_in) from None
        self._journal.note(line)
        if self._program_runs and not reply["running"] and line.command.name != "wait":
            say("the program that was started has ended; 'wait' tells how")
        self._program_runs = reply["running"]
        if self.settings.times:
            say(f"{line.command.name} took {format_duration(time.monotonic_ns() - begin_ns)}")
        return Answer(reply["text"], reply["data"])

    def recovered(self) -> WorkerProcess:
        """The worker; a new one, with everything built anew, when the last one has ended."""
        if self._worker is None:
            self._worker = self._new_worker()
        elif self._worker.has_ended:
            if self._lost is None:  # between two commands: a program in the background
                ended = self._worker.ending()
                say(with_place(error_of_ending("start", ended), self._worker.crashed_in).message)
            self._worker.stop()
            self._worker = self._rebuilt()
        self._lost = None
        return self._worker

    def names(self, prefix: str) -> list[str]:
        """Functions whose names begin so, for completion; none when the worker is gone."""
        return self._looked_up({"prefix": prefix})

    def modules(self) -> list[str]:
        """The modules that are loaded, for completion."""
        return self._looked_up({})

    def close(self) -> None:
        """End the worker; programs that still run end with it."""
        if self._worker is not None and not self._worker.has_ended:
            if self._program_runs:
                say("the program that was started still runs; it is stopped")
            self._worker.close(is_busy=self._program_runs)
        self._worker = None

    def _looked_up(self, arguments: dict[str, Value]) -> list[str]:
        """Ask the worker for names on the shell's own behalf; nothing comes of it when the worker is gone."""
        if self._worker is None or self._worker.has_ended:
            return []
        try:
            reply = self._worker.ask(Request(command="", arguments=arguments, width=None, is_quiet=False))
        except WorkerEnded as ended:
            self._lost = ended
            return []
        names = reply["data"]["names"]
        return [str(name) for name in names] if isinstance(names, list) else []

    def _rebuilt(self) -> WorkerProcess:
        """A new worker in which the journal was done again."""
        begin_ns = time.monotonic_ns()
        while True:
            worker = self._new_worker()
            ended_by = next((line for line in list(self._journal.lines) if not self._is_redone(worker, line)), None)
            if ended_by is None:
                break
            worker.stop()
        if self._journal.lines:
            names = [line.command.name for line in self._journal.lines]
            shown = ", ".join(names[:8]) + (f" and {format_count(len(names) - 8)} more" if len(names) > 8 else "")
            took = format_duration(time.monotonic_ns() - begin_ns)
            say(f"started anew, and did again in {took} what had been done: {shown}")
        else:
            say("started anew; nothing had been loaded")
        return worker

    def _is_redone(self, worker: WorkerProcess, line: ReadLine) -> bool:
        """Do a command of the journal again. False if that ended the worker."""
        try:
            worker.ask(self._request(line, is_quiet=True))
        except WorkerEnded as ended:
            if ended.why == "interrupt":
                raise KeyboardInterrupt from None
            self._journal.forget(line)
            say(f"'{line.text}' is left out from now on: {error_of_ending(line.text, ended).message}")
            return False
        except SondeError as error:
            self._journal.forget(line)
            say(f"'{line.text}' worked before, and does not now: {error}")
        return True

    def _new_worker(self) -> WorkerProcess:
        return WorkerProcess(self._bench, self._surroundings.streams, debug=self._surroundings.debug)

    def _request(self, line: ReadLine, *, is_quiet: bool = False) -> Request:
        return Request(
            command=line.command.name,
            arguments=line.arguments.values,
            width=self._surroundings.width,
            is_quiet=is_quiet,
        )

    def _set(self, arguments: Arguments) -> Answer:
        name, value = arguments.optional_text("setting"), arguments.optional_text("value")
        if name is not None and value is not None:
            self.settings = self.settings.changed(name, value)
        elif name is not None:
            check_setting(name)
        names = list(SETTINGS) if name is None else [name]
        shown = {each: self.settings.shown(each) for each in names}
        rows = [[each, shown[each], SETTINGS[each]] for each in names]
        return Answer("" if value else text_table(_SETTING_COLUMNS, rows, width=self._surroundings.width), shown)

    def _show_history(self, arguments: Arguments) -> Answer:
        lines = self.history.lines if self.history is not None else []
        lines = lines[-arguments.count("n", _HISTORY_LINES) :]
        return Answer("\n".join(lines), {"lines": [*lines]})

    def _help(self, arguments: Arguments) -> Answer:
        name = arguments.optional_text("command")
        text = help_text() if name is None else command_help(command_of(name))
        return Answer(text, {"help": text})


def say(text: str) -> None:
    """Tell the user something that is no command's answer."""
    sys.stdout.flush()
    print(f"sonde: {text}", file=sys.stderr, flush=True)


def _say_it_goes_on() -> None:
    say("the program handles Ctrl-C itself and goes on; Ctrl-C again stops it")
