"""Python programs by a profile function written in Python: slow, and simple enough to read in a minute.

It sees the main thread only.
"""

import os
import time
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from sonde.events import EventBatch, FunctionTable, function_of_code
from sonde.launch import Outcome, StartHook, with_start_hook

_IN_THE_PROGRAM = Path(__file__).with_name("in_the_program.py")


class TracedSource:
    """Runs a program whose start-up loads `in_the_program.py`, which writes calls to a file."""

    def unavailable(self) -> str | None:
        """Every CPython has profile functions."""
        return None

    def run_through(
        self, argv: tuple[str, ...], functions: FunctionTable, update: Callable[[EventBatch], None]
    ) -> Outcome:
        """Run `argv` to its end, then hand its calls on."""
        with TemporaryDirectory() as folder:
            events = Path(folder) / "events"
            environment = with_start_hook(os.environ, StartHook(_IN_THE_PROGRAM, Path(folder)))
            started_at, start_ns = time.time(), time.monotonic_ns()
            pid = os.posix_spawnp(argv[0], argv, environment)
            _, status = os.waitpid(pid, 0)
            if events.exists():
                update(_read(events, functions))
            return Outcome(pid, status, started_at, time.monotonic_ns() - start_ns)


def _read(path: Path, functions: FunctionTable) -> EventBatch:
    batch = EventBatch()
    for line in path.read_text(encoding="ascii").splitlines():
        time_ns, call_line, *code = literal_eval(line)
        if code:
            number = functions.number(function_of_code(*code))
            batch.enter(thread=0, function=number, call_line=call_line, time_ns=time_ns)
        else:
            batch.leave(thread=0, time_ns=time_ns)
    return batch


TRACED = TracedSource()
