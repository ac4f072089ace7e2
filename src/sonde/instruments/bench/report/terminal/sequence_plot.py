"""Values in the order in which they were measured: of invocations, and of the iterations of one of them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sonde.base.fitted_text import display_width
from sonde.instruments.bench.judging import Sample, Summary
from sonde.instruments.bench.report import Scale
from sonde.instruments.bench.report.terminal.dot_canvas import DotCanvas
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

Values = npt.NDArray[np.float64]

_HEIGHT = 8
"""Lines of a plot: 32 levels."""

_NARROWEST, _WIDEST = 20, 120
"""Columns of a plot."""

_FENCE = 10.0
"""Interquartile ranges from the quartiles, beyond which a value does not stretch the axis but stands at its edge."""


def print_sequence(page: Page, summary: Summary, scale: Scale, *, invocation: int | None = None) -> None:
    """Plot the values of invocations in their order; below them, where there are any, the iterations of one.

    Args:
        invocation: whose iterations to plot, from 0; that with the median value when not given.
    """
    sample = summary.sample
    if not len(sample.values):
        page.line("  not one invocation ended well")
        return
    if len(sample.values) == 1:
        page.line(f"  a single invocation: {scale.text(float(sample.values[0]))}")
    else:
        marked = set() if summary.outliers is None else {*summary.outliers.mild, *summary.outliers.severe}
        caption = f"invocations 1 to {len(sample.values):,}, in the order of the run"
        _plot(page, sample.values, scale, marked, [(0, len(sample.values), "─")], caption)
    if sample.series.mode == "steady" and sample.metric == sample.series.metric:
        _print_iterations(page, sample, scale, _typical(sample) if invocation is None else invocation)


def _print_iterations(page: Page, sample: Sample, scale: Scale, invocation: int) -> None:
    if invocation not in sample.counted:
        page.line(f"  invocation {invocation + 1} is not in the sample")
        return
    place = sample.counted.index(invocation)
    values, start = sample.series.invocations[invocation].values, sample.steady_from[place]
    stop = sample.steady_to[place] if sample.steady_to else len(values)
    if len(values) < 2:
        return
    told = f", {sample.steadiness[place].kind}" if place < len(sample.steadiness) else ""
    page.line()
    caption = (
        f"iterations 1 to {len(values):,} of invocation {invocation + 1} of {len(sample.series.invocations)}{told}"
    )
    _plot(page, values, scale, set(), [(0, start, "·"), (start, stop, "─"), (stop, len(values), "·")], caption)


def _typical(sample: Sample) -> int:
    """The invocation with the median value: the lower one of two."""
    order = np.argsort(sample.values, kind="stable")
    return sample.counted[int(order[(len(order) - 1) // 2])]


Ruler = Sequence[tuple[int, int, str]]
"""Stretches of values, from one to before another, and the letter that underlines them; out of all values."""


def _plot(page: Page, values: Values, scale: Scale, marked: set[int], ruler: Ruler, caption: str) -> None:
    low, high = _limits(values)
    decimals = scale.decimals_between(low, high)
    top, bottom = scale.text(high, decimals), scale.number(low, decimals)
    label = max(display_width(top), display_width(bottom)) + 1
    # A few values are spread over the width, so that their order can be seen; many share columns.
    width = max(_NARROWEST, min(page.width - label - 3, _WIDEST, max(2 * len(values), _NARROWEST)))
    canvas = DotCanvas(width, _HEIGHT, is_plain=page.is_plain)
    columns = _columns(len(values), canvas.dots_across)
    is_sparse = len(values) <= width
    span = high - low
    for i, value in enumerate(values.tolist()):
        level = 0.5 if not span > 0.0 else (value - low) / span
        y = round((1.0 - level) * (canvas.dots_down - 1))
        if i in marked:
            canvas.letter(columns[i], y, "○")
        elif value > high or value < low:
            canvas.letter(columns[i], y, "▲" if value > high else "▼")
        else:
            canvas.dot(columns[i], y)
            if is_sparse:  # a dash is easier to see than a dot
                canvas.dot(columns[i] ^ 1, y)
    for number, line in enumerate(canvas.lines()):
        text = top if number == 0 else bottom if number == _HEIGHT - 1 else ""
        page.line(f"{page.paint(text.rjust(label), 'dim')} │{line}")
    page.line(f"{' ' * label} └{_drawn_ruler(ruler, columns, width, page)}")
    say(page, f"{caption}{_legend(values, low, high, marked)}", "dim", indent=" " * min(label + 2, 12))


def _columns(count: int, dots: int) -> list[int]:
    return [dots // 2] if count == 1 else [i * (dots - 1) // (count - 1) for i in range(count)]


def _limits(values: Values) -> tuple[float, float]:
    """The ends of the axis: all values, but for those that would press the others flat."""
    quarter, three_quarters = np.quantile(values, (0.25, 0.75))
    reach = _FENCE * (three_quarters - quarter) or np.inf
    within = values[(values >= quarter - reach) & (values <= three_quarters + reach)]
    return float(within.min()), float(within.max())


def _drawn_ruler(ruler: Ruler, columns: list[int], width: int, page: Page) -> str:
    letters = [" "] * width
    for start, stop, letter in ruler:
        if start < stop:
            last = width - 1 if stop == len(columns) else columns[stop] // 2
            for column in range(columns[start] // 2, last + 1):
                letters[column] = letter
    text = "".join(letters)
    if "·" in text and "─" in text:
        split = text.index("─")
        return page.paint(text[:split], "dim") + page.paint(text[split:], "green")
    return text


def _legend(values: Values, low: float, high: float, marked: set[int]) -> str:
    parts = []
    if marked:
        parts.append(f"○ {len(marked)} far from the others")
    above, below = int((values > high).sum()), int((values < low).sum())
    if above:
        parts.append(f"▲ {above} higher")
    if below:
        parts.append(f"▼ {below} lower")
    return "".join(f"; {part}" for part in parts)
