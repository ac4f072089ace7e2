"""Several profiles of phases as one: phases are matched by what they are called, threads stand side by side."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sonde.base.errors import InputError
from sonde.code import Function
from sonde.instruments.phases.profile.phase_calls import PhaseThread
from sonde.instruments.phases.profile.phase_profile import Phase, PhaseProfile
from sonde.instruments.phases.profile.plan import Thetas
from sonde.store.merged_runs import merged_command, merged_losses, merged_sources


def merge_phase_profiles(profiles: Sequence[PhaseProfile]) -> PhaseProfile:
    """Bring the profiles of several runs together. Estimates, and times of single runs, are left out.

    Raises:
        InputError: `nothing-to-merge`; `other-counters`, not the same was counted in all of them.
    Guarantee: times, calls and counts are the sums of those of the parts; associative and commutative.
    Cost: O(n log n) for n threads, and O(calls).
    """
    if not profiles:
        raise InputError("cannot merge profiles: there are none", slug="nothing-to-merge")
    names = [tuple(sorted(counter.name for counter in profile.counters)) for profile in profiles]
    for other in names:
        if other != names[0]:
            raise InputError(
                f"cannot merge these profiles: one counts {', '.join(names[0])}, another {', '.join(other)}",
                slug="other-counters",
                hint="measure with the same --counters",
            )
    phases = _merged_phases(profiles)
    number = {phase.function: at for at, phase in enumerate(phases)}
    threads = [
        _renumbered(thread, [number[phase.function] for phase in profile.phases], _order(profile))
        for profile in profiles
        for thread in profile.threads
    ]
    counters = []
    for name in names[0]:
        same = [counter for profile in profiles for counter in profile.counters if counter.name == name]
        sources = sorted({source for counter in same for source in counter.source.split("; ")})
        counters.append(replace(same[0], source="; ".join(sources), is_multiplexed=any(c.is_multiplexed for c in same)))
    return PhaseProfile(
        phases,
        tuple(counters),
        tuple(sorted(threads, key=_thread_key)),
        merged_command([profile.command for profile in profiles]),
        Thetas(max(profile.thetas.weight for profile in profiles), max(profile.thetas.grain for profile in profiles)),
        sum(profile.planned_whole_ns for profile in profiles),
        (),
        merged_losses(profiles),
        merged_sources(profiles),
        all(profile.is_complete for profile in profiles),
        summed=frozenset(pair for profile in profiles for pair in _summed(profile, number)),
    )


def _merged_phases(profiles: Sequence[PhaseProfile]) -> tuple[Phase, ...]:
    parts: dict[Function, list[Phase]] = {}
    for profile in profiles:
        for phase in profile.phases:
            parts.setdefault(phase.function, []).append(phase)
    merged = [
        replace(
            same[0],
            planned_calls=sum(each.planned_calls for each in same),
            planned_ns=sum(each.planned_ns for each in same),
        )
        for same in parts.values()
    ]
    return tuple(sorted(merged, key=lambda phase: (phase.component, *_function_key(phase.function))))


def _function_key(function: Function) -> tuple[str, str, int, str]:
    return (function.name, function.file, function.first_line, function.module)


def _order(profile: PhaseProfile) -> list[int]:
    """Places of counters in the order of their names."""
    return sorted(range(len(profile.counters)), key=lambda at: profile.counters[at].name)


def _summed(profile: PhaseProfile, number: Mapping[Function, int]) -> set[tuple[int, int]]:
    place = {counter: at for at, counter in enumerate(_order(profile))}
    return {(number[profile.phases[phase].function], place[counter]) for phase, counter in profile.summed}


def _renumbered(thread: PhaseThread, phases: Sequence[int], order: Sequence[int]) -> PhaseThread:
    calls = thread.calls
    columns = tuple(calls.counters[at] for at in order)
    renumbered = replace(calls, phase=array("q", [phases[phase] for phase in calls.phase]), counters=columns)
    return replace(thread, calls=renumbered, totals=tuple(thread.totals[at] for at in order))


def _thread_key(thread: PhaseThread) -> tuple[bool, str, int, int, tuple[int, ...], bytes]:
    first = array("q", thread.calls.start_ns).tobytes()
    return (thread.name != "main thread", thread.name, thread.start_ns, thread.end_ns, thread.totals, first)
