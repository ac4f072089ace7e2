"""What several runs have in common, said as one: times, losses, sources."""

from collections.abc import Sequence

from sonde.instruments.contexts.profile.context_profile import ContextProfile, Run
from sonde.store.loss import Loss
from sonde.store.merged_runs import each_once, merged_command, merged_machine


def merged_run(runs: Sequence[Run]) -> Run:
    """One run that stands for several: from the earliest start on, as long as all together.

    Guarantee: associative and commutative.
    """
    clocks = {run.clock for run in runs}
    return Run(
        command=merged_command([run.command for run in runs]),
        started_at=min((run.started_at for run in runs if run.started_at), default=""),
        duration_ns=sum(run.duration_ns for run in runs),
        ended=each_once(run.ended for run in runs),
        clock="none" if "none" in clocks else each_once(run.clock for run in runs),
        machine=merged_machine(run.machine for run in runs),
        sonde_version=each_once(run.sonde_version for run in runs),
        complete=all(run.complete for run in runs),
    )


def merged_losses(profiles: Sequence[ContextProfile]) -> tuple[Loss, ...]:
    """All losses, the amounts of equal ones added up."""
    amounts: dict[tuple[str, str], int] = {}
    for profile in profiles:
        for loss in profile.losses:
            amounts[loss.kind, loss.detail] = amounts.get((loss.kind, loss.detail), 0) + loss.amount
    changed = len(_changed_files(profiles))
    found = [Loss(kind, amount, detail) for (kind, detail), amount in amounts.items()]
    if changed:
        detail = "source files changed between the runs: the text of the latest run is kept, older lines may not fit it"
        found.append(Loss("sources-differ", changed, detail))
    return tuple(found)


def merged_sources(profiles: Sequence[ContextProfile]) -> dict[str, str]:
    """The text of every file, as the run that started last had it."""
    sources: dict[str, str] = {}
    for profile in sorted(profiles, key=lambda each: (each.run.started_at, sorted(each.sources.items()))):
        sources |= profile.sources
    return sources


def _changed_files(profiles: Sequence[ContextProfile]) -> set[str]:
    first: dict[str, str] = {}
    return {
        file for profile in profiles for file, text in profile.sources.items() if first.setdefault(file, text) != text
    }
