"""What each phase took and counted, over all its calls on all threads."""

from dataclasses import dataclass

from sonde.instruments.phases.analysis.figures import Figures


@dataclass(frozen=True, slots=True)
class PhaseSum:
    """One phase. Totals are of its outermost calls, with all that they called; own amounts are without phases in
    them."""

    phase: int
    """Index into `PhaseProfile.phases`."""
    calls: int
    """A generator counts once, however often it goes on."""
    total_ns: int
    own_ns: int
    longest_ns: int
    totals: tuple[int, ...]
    """Of each counter."""
    own: tuple[int, ...]

    def rate(self, counter: int) -> float:
        """What was counted in a nanosecond of its time."""
        return self.totals[counter] / self.total_ns if self.total_ns else 0.0


def phase_sums(figures: Figures) -> tuple[PhaseSum, ...]:
    """Sum up each phase that was called, in the order of the profile.

    Guarantee: own times of all phases, and what no phase ran in, add up to the program's; so do own counts.
    Cost: O(n) for n calls, times the counters.
    """
    counters = range(len(figures.profile.counters))
    sums = [[0] * (4 + 2 * len(counters)) for _ in figures.profile.phases]
    for thread in figures.threads:
        calls, elapsed, own_ns = thread.thread.calls, thread.elapsed_ns, thread.own_ns
        outermost, own = thread.is_outermost, thread.own
        for row, phase in enumerate(calls.phase):
            each = sums[phase]
            each[0] += not calls.is_resumed[row]
            each[2] += own_ns[row]
            each[3] = max(each[3], elapsed[row])
            if outermost[row]:
                each[1] += elapsed[row]
            for at in counters:
                each[4 + 2 * at] += calls.counters[at][row] if outermost[row] else 0
                each[5 + 2 * at] += own[at][row]
    return tuple(
        PhaseSum(number, each[0], each[1], max(each[2], 0), each[3], tuple(each[4::2]), tuple(each[5::2]))
        for number, each in enumerate(sums)
        if each[0] or each[1]
    )
