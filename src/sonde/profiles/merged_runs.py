"""What several runs have in common, said as one: command, times, losses, sources."""

from collections.abc import Callable, Sequence

from sonde.profiles.context_profile import ContextProfile, Loss, Run
from sonde.profiles.program_identity import AND_SO_ON, split_command

_SEVERAL = "several machines"


def merged_run(runs: Sequence[Run]) -> Run:
    """One run that stands for several: from the earliest start on, as long as all together.

    Guarantee: associative and commutative.
    """
    clocks = {run.clock for run in runs}
    machines = {run.machine for run in runs}
    return Run(
        command=_merged_command([run.command for run in runs]),
        started_at=min((run.started_at for run in runs if run.started_at), default=""),
        duration_ns=sum(run.duration_ns for run in runs),
        ended=_each_once(runs, lambda run: run.ended),
        clock="none" if "none" in clocks else _each_once(runs, lambda run: run.clock),
        machine=machines.pop() if len(machines) == 1 else _SEVERAL,
        sonde_version=_each_once(runs, lambda run: run.sonde_version),
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


def _merged_command(commands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The program, and the arguments that all have first; what differs is left to an ellipsis."""
    split = [split_command(command) for command in commands]
    heads, arguments = ([part[side] for part in split] for side in (0, 1))
    programs = {head[-1:] for head in heads}
    if len(programs) > 1:
        return (AND_SO_ON,)
    common = 0
    shortest, longest = min(arguments, key=len), max(arguments, key=len)
    while common < len(shortest) and len({words[common] for words in arguments}) == 1:
        common += 1
    return min(heads) + shortest[:common] + ((AND_SO_ON,) if common < len(longest) else ())


def _each_once(runs: Sequence[Run], said: Callable[[Run], str]) -> str:
    return ", ".join(sorted({part for run in runs for part in said(run).split(", ") if part}))
