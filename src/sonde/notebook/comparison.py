"""`%sonde bench f() against g()`: two expressions, timed in turns in the kernel, and the ratio of their times."""

from random import Random
from time import perf_counter_ns
from typing import TYPE_CHECKING

from sonde.base.errors import UsageError
from sonde.base.numeric_packages import require_numeric_packages
from sonde.base.units import format_duration

if TYPE_CHECKING:
    from sonde.stats import Estimate

_BETWEEN = " against "
_ROUNDS = 30
_LEAST_NS = 2_000_000
"""Of one timing: much longer than what the clock and the call of a loop cost."""
_MOST_NS = 10_000_000_000
"""Of all rounds, about: what takes longer gets fewer."""
_FEWEST = 10


def compared(words: str, names: dict[str, object]) -> str:
    """Which of two expressions is faster, in sentences.

    Raises:
        UsageError: `not-two-expressions`.
        MissingCapability: `no-numpy`.
        SyntaxError: one is no expression.
    """
    first, between, second = (part.strip() for part in words.partition(_BETWEEN))
    if not (first and between and second):
        raise UsageError(
            f"cannot compare '{words.strip()}': it names no two expressions",
            slug="not-two-expressions",
            hint="%sonde bench f() against g()",
        )
    require_numeric_packages("compare in a notebook")
    from sonde.stats import ratio_of_means  # an extra

    timed = [_Timed(text, names) for text in (first, second)]
    rounds = max(_FEWEST, min(_ROUNDS, _MOST_NS // sum(each.once_ns for each in timed)))
    values: tuple[list[float], list[float]] = ([], [])
    sides, order = [0, 1], Random(0)
    for _ in range(rounds):
        order.shuffle(sides)
        for side in sides:
            values[side].append(timed[side].measure())
    estimate = ratio_of_means(values[1], values[0], paired=True)
    means = [sum(each) / len(each) for each in values]
    told = [f"{text}: {format_duration(round(mean))}" for text, mean in zip((first, second), means, strict=True)]
    return "\n".join((*told, _verdict(first, second, estimate), f"{rounds} rounds, in turns"))


def _verdict(first: str, second: str, estimate: "Estimate") -> str:
    """Of the ratio of the second expression's time to that of the first."""
    interval = estimate.interval
    if interval is None:
        return f"cannot say which is faster: {estimate.withheld}"
    if 1.0 in interval:
        return (
            f"cannot say which is faster: {second} takes {_range(interval.low, interval.high)} times what {first} does"
        )
    faster, slower = (first, second) if interval.low > 1 else (second, first)
    low, high = (interval.low, interval.high) if interval.low > 1 else (1 / interval.high, 1 / interval.low)
    return f"{faster} is faster: {slower} takes {_range(low, high)} times as long (95 %)"


def _range(low: float, high: float) -> str:
    return f"{low:.3g} to {high:.3g}"


class _Timed:
    """An expression, evaluated so often in one timing that it takes long enough."""

    def __init__(self, text: str, names: dict[str, object]) -> None:
        self._code = compile(text, f"<{text}>", "eval", dont_inherit=True)
        self._names = names
        self._times = 1
        self._run()  # what happens the first time only
        while (took_ns := self._run()) < _LEAST_NS:
            self._times *= max(2, min(100, _LEAST_NS // max(1, took_ns)))
        self.once_ns = took_ns

    def measure(self) -> float:
        """Nanoseconds of one evaluation."""
        return self._run() / self._times

    def _run(self) -> int:
        code, names = self._code, self._names
        began = perf_counter_ns()
        for _ in range(self._times):
            eval(code, names)
        return perf_counter_ns() - began
