"""Which phases became slower or faster between two runs, and which counter changed with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from sonde.code import Function
from sonde.instruments.phases.analysis.changed_counter import CounterChange, changed_counter
from sonde.instruments.phases.analysis.figures import figures_of
from sonde.instruments.phases.analysis.phase_sums import PhaseSum, phase_sums
from sonde.instruments.phases.profile import PhaseProfile


@dataclass(frozen=True, slots=True)
class PhaseChange:
    """One phase on both sides."""

    function: Function
    before: PhaseSum | None
    """None: it did not run, or was no phase."""
    after: PhaseSum | None
    by: CounterChange | None
    """The counter that it is named after; None: none changed."""

    @property
    def change_ns(self) -> int:
        """Of its time."""
        return (self.after.total_ns if self.after else 0) - (self.before.total_ns if self.before else 0)


def phase_changes(before: PhaseProfile, after: PhaseProfile) -> tuple[PhaseChange, ...]:
    """Compare the phases of two runs, the largest change of time first.

    Phases are matched by their name and the name of their file: lines may have moved. The garbage collector, imports
    and compilation are compared, too.

    Guarantee: exchanging the runs changes the signs alone.
    Cost: O(n) for n calls of both.
    """
    sides = [_by_key(before), _by_key(after)]
    names = [[counter.name for counter in profile.counters] for profile in (before, after)]
    changes = []
    for key in {**sides[0], **sides[1]}:
        old, new = (side.get(key) for side in sides)
        function = (new or old or _NOTHING)[0]
        by = _by(names, old[1], new[1]) if old and new else None
        changes.append(PhaseChange(function, old[1] if old else None, new[1] if new else None, by))
    return tuple(sorted(changes, key=lambda each: (-abs(each.change_ns), each.function.name, each.function.file)))


_NOTHING = (Function("", "", "", 0),)


def _by_key(profile: PhaseProfile) -> dict[tuple[str, str, int], tuple[Function, PhaseSum]]:
    """By name and file; several of one name in a file are numbered in their order."""
    found: dict[tuple[str, str, int], tuple[Function, PhaseSum]] = {}
    for each in sorted(phase_sums(figures_of(profile)), key=lambda one: profile.phases[one.phase].function.first_line):
        function = profile.phases[each.phase].function
        name, file, number = function.name, PurePath(function.file).name, 0
        while (name, file, number) in found:
            number += 1
        found[name, file, number] = function, each
    return found


def _by(names: Sequence[Sequence[str]], before: PhaseSum, after: PhaseSum) -> CounterChange | None:
    return changed_counter(
        [
            CounterChange(name, before.totals[at], after.totals[names[1].index(name)])
            for at, name in enumerate(names[0])
            if name in names[1]
        ]
    )
