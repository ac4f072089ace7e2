"""Several runs, said as one."""

from collections.abc import Sequence

from sonde.instruments.contexts.profile.context_profile import Run, TimeKind
from sonde.store.merged_runs import each_once, merged_command, merged_machine

_KINDS: Sequence[TimeKind] = ("wall", "processor", "lock", "tasks")


def merged_run(runs: Sequence[Run]) -> Run:
    """One run that stands for several: from the earliest start on, as long as all together.

    Args:
        runs: at least one; if all have times, all of one kind.
    Guarantee: associative and commutative.
    """
    clocks = {run.clock for run in runs}
    is_timed = "none" not in clocks
    return Run(
        command=merged_command([run.command for run in runs]),
        started_at=min((run.started_at for run in runs if run.started_at), default=""),
        duration_ns=sum(run.duration_ns for run in runs),
        ended=each_once(run.ended for run in runs),
        clock=each_once(run.clock for run in runs) if is_timed else "none",
        time_kind=max((run.time_kind for run in runs), key=_KINDS.index) if is_timed else "wall",
        unseen_wait_ns=max(run.unseen_wait_ns for run in runs) if is_timed else 0,
        processor_ns=sum(run.processor_ns for run in runs) if all(run.processor_ns for run in runs) else 0,
        machine=merged_machine(run.machine for run in runs),
        sonde_version=each_once(run.sonde_version for run in runs),
        complete=all(run.complete for run in runs),
    )
