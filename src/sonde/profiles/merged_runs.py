"""What several runs have in common, said as one: command, times, losses, sources."""

from collections.abc import Iterable, Sequence

from sonde.profiles.context_profile import ContextProfile, Loss, Run
from sonde.profiles.program_identity import AND_SO_ON, split_command

_SEVERAL = "several machines"


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


def merged_command(commands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
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


def merged_machine(machines: Iterable[str]) -> str:
    """The machine that all ran on, or that there were several."""
    names = set(machines)
    return names.pop() if len(names) == 1 else _SEVERAL


def each_once(texts: Iterable[str], separator: str = ", ") -> str:
    """The parts of all texts, each of them once, in alphabetical order."""
    return separator.join(sorted({part for text in texts for part in text.split(separator) if part}))


def _changed_files(profiles: Sequence[ContextProfile]) -> set[str]:
    first: dict[str, str] = {}
    return {
        file for profile in profiles for file, text in profile.sources.items() if first.setdefault(file, text) != text
    }
