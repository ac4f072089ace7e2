"""Running a program under any source, to a profile."""

from pathlib import Path

from sonde.events import FunctionTable
from sonde.instruments.contexts.analyses import ExactContexts, SpooledContexts
from sonde.instruments.contexts.profile import ContextProfile, Run
from sonde.instruments.contexts.sources.source import EventSource, Source
from sonde.instruments.contexts.sources.spool import Recording
from sonde.launch import Outcome


def measure_with(source: Source, argv: tuple[str, ...], folder: Path) -> tuple[Outcome, ContextProfile]:
    """Run `argv` to its end and count its calls exactly.

    Args:
        folder: where a source that leaves a spool may leave it; exists and is empty.
    """
    if isinstance(source, EventSource):
        functions = FunctionTable()
        contexts = ExactContexts(functions)
        outcome = source.run_through(argv, functions, contexts.update)
        return outcome, contexts.snapshot()
    outcome = source.run_into_spool(argv, folder)
    spooled = SpooledContexts()
    recording = Recording(folder)
    clock = "none"
    for process in recording.processes(ended_pid=outcome.pid, ended_ns=outcome.ended_ns):
        clock = process.clock
        rate = process.ns_per_tick()
        spooled.update(process.spool, ns_per_tick=rate, end_ticks=process.end_ticks, ended=outcome.in_words)
    for refusal in recording.refusals():
        spooled.lose("process-not-measured", 1, refusal.reason)
    return outcome, spooled.snapshot(Run(command=argv, clock=clock, duration_ns=outcome.duration_ns))
