"""The progress of a run on standard error: one line drawn again and again, or a line now and then."""

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from sonde.base.fitted_text import keep_start, printable
from sonde.base.terminal import can_write_over, columns_of
from sonde.base.units import format_duration

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Invocation, Series
    from sonde.instruments.bench.runs.observer import Standing

_DRAW_EVERY_S = 0.1
_LINE_EVERY_S = 10.0
"""Where there is no terminal: seldom enough for a log."""
_ERASE = "\r\x1b[K"


class Progress:
    """Tells a person where a run is.

    On a terminal the line is drawn only between invocations, never while a program is being measured.

    Args:
        stream: where to; not closed.
        alone: whether there is one benchmark only, which need not be named.
        clock: seconds, ever rising.
    """

    def __init__(
        self, stream: TextIO | None = None, *, alone: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._is_alone = alone
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = can_write_over(self._stream)
        self._clock = clock
        self._every_s = _DRAW_EVERY_S if self._is_terminal else _LINE_EVERY_S
        self._shown = float("-inf") if self._is_terminal else clock()
        self._is_drawn = False
        self._told_failures: set[tuple[str, str]] = set()

    def is_due(self) -> bool:
        """Whether the line is old enough to be drawn again."""
        return self._clock() - self._shown >= self._every_s

    def show(self, standing: "Standing") -> None:
        """Draw the line."""
        self._shown = self._clock()
        text = standing_in_words(standing)
        if self._is_terminal:
            self._write(f"{_ERASE}{keep_start(printable(text), columns_of(self._stream) - 1)}")
            self._is_drawn = True
        else:
            self._write(f"sonde: {text}\n")

    def failed(self, benchmark: str, alternative: str, invocation: "Invocation") -> None:
        """Tell the first failure of each alternative; the report has the number of all."""
        if (benchmark, alternative) in self._told_failures:
            return
        self._told_failures.add((benchmark, alternative))
        self.note(f"{self._name(benchmark, alternative)} failed: {invocation.detail or invocation.outcome}")

    def benchmark_done(
        self, why: str, rounds: int, series: "Sequence[Series]", half_width: float | None, *, alone: bool
    ) -> None:
        """Tell what came out, where others are still to come."""
        if not alone:
            self.note(done_in_words(why, rounds, series, half_width))

    def note(self, text: str) -> None:
        """Print a line that stays."""
        self.close()
        self._write(f"sonde: {text}\n")

    def close(self) -> None:
        """Take the line away."""
        if self._is_drawn:
            self._write(_ERASE)
            self._is_drawn = False

    def _name(self, benchmark: str, alternative: str) -> str:
        return alternative if self._is_alone and alternative else _name(benchmark, alternative)

    def _write(self, text: str) -> None:
        try:
            encoding = getattr(self._stream, "encoding", None) or "utf-8"
            self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()
        except (OSError, ValueError):
            # The terminal was closed; the run goes on, and what it measures is in its file.
            self._is_terminal = self._is_drawn = False
            self._every_s = float("inf")


def standing_in_words(standing: "Standing") -> str:
    """`sort quick  round 7 of ~23  12 s left  ±1.8%  3 of 9 benchmarks done`."""
    alone = standing.benchmarks == 1 and standing.alternative
    parts = [standing.alternative if alone else _name(standing.benchmark, standing.alternative)]
    if standing.round < 1:
        parts.append("warming up")
    else:
        total = f"{'' if standing.is_sure else '~'}{max(standing.round, standing.expected_rounds)}"
        parts.append(f"round {standing.round} of {total}")
    if standing.seconds_left is not None:
        parts.append(f"{_rough(standing.seconds_left)} left")
    if standing.half_width is not None:
        parts.append(f"±{_percent(standing.half_width)}")
    if standing.benchmarks > 1:
        parts.append(f"{standing.benchmarks_done} of {standing.benchmarks} benchmarks done")
    if standing.failures:
        parts.append(f"{standing.failures} failed")
    return "  ".join(parts)


def done_in_words(why: str, rounds: int, series: "Sequence[Series]", half_width: float | None) -> str:
    """`sort: quick 12.3 ms, merge 14.1 ms; 23 rounds, ±0.9%`."""
    means = []
    for one in series:
        good = [i.values.mean() for i in one.invocations if i.outcome == "ok" and (i.round or 0) >= 0 and len(i.values)]
        if good:
            mean = sum(good) / len(good)
            means.append(f"{one.alternative} {_quantity(float(mean), one.metric.unit)}".strip())
    count = f"{rounds} round{'' if rounds == 1 else 's'}"
    precision = f", ±{_percent(half_width)}" if half_width is not None else ""
    ending = "" if why in ("precise enough", "all rounds") else f", {why}"
    return f"{series[0].benchmark}: {', '.join(means) or 'nothing measured'}; {count}{precision}{ending}"


def _name(benchmark: str, alternative: str) -> str:
    return f"{benchmark} {alternative}".strip()


def _quantity(value: float, unit: str) -> str:
    return format_duration(round(value * 1e9)) if unit == "s" else f"{value:.3g} {unit}"


def _percent(part: float) -> str:
    return f"{100.0 * part:.2g}%"


def _rough(seconds: float) -> str:
    """A duration as rough as an estimate is."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min"
