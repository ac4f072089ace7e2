"""The course of one benchmark: which rounds it has had, what is next, and whether it is done."""

from collections.abc import Callable, Mapping, Sequence

from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Mode, Provenance, Series
from sonde.instruments.bench.runs.plan import Alternative, Benchmark
from sonde.stats import StoppingPlan

HalfWidths = Callable[[Measurements, float], Mapping[tuple[str, str], float | None]]
"""(benchmark, alternative) -> half-width of the interval at a level, as a share of the value; None where there is none.
For several alternatives the intervals are those of their ratios to the first one."""

FAILURES_IN_A_ROW = 3
"""After so many an alternative is given up: it does not work, and each try may take as long as the time-out."""


class Course:
    """One benchmark of a run.

    Args:
        stored: what is there already, by alternative, when a run is resumed.
        half_widths: how precise the comparisons are.
    """

    def __init__(
        self, benchmark: Benchmark, stored: Mapping[str, Sequence[Invocation]], half_widths: HalfWidths
    ) -> None:
        self.benchmark = benchmark
        self.invocations: dict[str, list[Invocation]] = {
            alternative.name: list(stored.get(alternative.name, ())) for alternative in benchmark.alternatives
        }
        self.why_done = ""
        """`precise enough`, `all rounds`, `out of time`, `nothing works`; empty while it goes on."""
        self.half_width: float | None = None
        self._half_widths = half_widths
        self._stopping: StoppingPlan | None = None
        extent = benchmark.extent
        if extent.rounds is None:
            self._stopping = StoppingPlan(extent.minimum, extent.maximum, extent.precision, extent.level)
        self.expected_rounds = extent.least
        self._failures_in_a_row = dict.fromkeys(self.invocations, 0)
        self._costs: dict[str, tuple[int, float]] = {}
        self._looked_at = -1
        self.round, self._left_over = _next_round(self.invocations)
        """The round that is next, from 0 on."""
        self._decide()

    @property
    def is_done(self) -> bool:
        """Whether no further round is needed, or possible."""
        return bool(self.why_done)

    @property
    def first_warm_up(self) -> int:
        """The number of its next warm-up round: -1, or below those that are stored."""
        rounds = [invocation.round or 0 for found in self.invocations.values() for invocation in found]
        return min([0, *rounds]) - 1

    def is_given_up(self, alternative: str) -> bool:
        """Whether it failed so often in a row, since the run was begun or resumed, that it is not tried any more."""
        return self._failures_in_a_row[alternative] >= FAILURES_IN_A_ROW

    def wanted(self, alternatives: Sequence[Alternative]) -> list[Alternative]:
        """Those that are to run in the next round, in the order given."""
        return [
            one
            for one in alternatives
            if not self.is_given_up(one.name) and (not self._left_over or one.name in self._left_over)
        ]

    def add(self, alternative: str, invocation: Invocation, cost_s: float) -> None:
        """Take notice of an invocation, and of the time it took with all that belongs to it."""
        self.invocations[alternative].append(invocation)
        failed = invocation.outcome != "ok"
        self._failures_in_a_row[alternative] = self._failures_in_a_row[alternative] + 1 if failed else 0
        count, total_s = self._costs.get(alternative, (0, 0.0))
        self._costs[alternative] = (count + 1, total_s + cost_s)

    def end_round(self) -> None:
        """Go on to the next round, or be done."""
        self.round += 1
        self._left_over = frozenset()
        self._decide()

    def end_for(self, why: str) -> None:
        """Be done, whatever there is."""
        self.why_done = why

    def round_cost_s(self) -> float | None:
        """What a round of it costs, on average; None while that is not known of every alternative."""
        names = [name for name in self.invocations if not self.is_given_up(name)]
        if any(name not in self._costs for name in names):
            return None
        return sum(total_s / count for count, total_s in (self._costs[name] for name in names))

    def rounds_left(self) -> int:
        """How many rounds are probably to come."""
        return 0 if self.is_done else max(1, self.expected_rounds - self.round)

    def series(self) -> tuple[Series, ...]:
        """What was measured so far."""
        printed = self.benchmark.metric
        metric = WALL if printed is None else Metric(printed.name, printed.stored_unit, printed.better)
        return tuple(
            Series(
                self.benchmark.name, one.name, self._mode(one), tuple(self.invocations[one.name]), metric, one.levels
            )
            for one in self.benchmark.alternatives
        )

    def _mode(self, alternative: Alternative) -> Mode:
        """A command that printed several values has iterations, too."""
        has_iterations = any(len(one.values) > 1 for one in self.invocations[alternative.name])
        return "steady" if self.benchmark.mode == "steady" or has_iterations else "startup"

    def _decide(self) -> None:
        if all(map(self.is_given_up, self.invocations)):
            self.why_done = "nothing works"
        elif self._stopping is not None:
            self._look(self._stopping)
        if not self.why_done and self.round >= self.benchmark.extent.most:
            self.why_done = "all rounds"

    def _look(self, stopping: StoppingPlan) -> None:
        """Ask for the intervals, at those numbers of invocations only at which one may."""
        working = [name for name in self.invocations if not self.is_given_up(name)]
        count = min(_good(self.invocations[name]) for name in working)
        if count == self._looked_at or count not in stopping.looks:
            return
        self._looked_at = count
        series = tuple(one for one in self.series() if one.alternative in working)
        widths = self._half_widths(Measurements(series, Provenance("")), stopping.fixed_level)
        known = [width for (benchmark, _), width in widths.items() if benchmark == self.benchmark.name]
        self.half_width = None if not known or None in known else max(width for width in known if width is not None)
        decision = stopping.decide(count, self.half_width)
        self.expected_rounds = self.round + decision.expected_total - count
        if decision.stop:
            self.why_done = "precise enough" if decision.why == "precise enough" else "all rounds"


def _good(invocations: Sequence[Invocation]) -> int:
    return sum(1 for one in invocations if one.outcome == "ok" and one.round is not None and one.round >= 0)


def _next_round(invocations: Mapping[str, Sequence[Invocation]]) -> tuple[int, frozenset[str]]:
    """The round to go on with, and who is left over in it: those that the run was cut off before.

    Who had been given up before is not among them; it takes part again from the next whole round on.
    """
    last = {name: max((one.round or 0 for one in found), default=-1) for name, found in invocations.items()}
    newest = max(last.values())
    if newest < 0:
        return 0, frozenset()
    left_over = frozenset(name for name, round_ in last.items() if round_ == newest - 1 or (round_ < 0 and newest == 0))
    return (newest, left_over) if left_over else (newest + 1, frozenset())
