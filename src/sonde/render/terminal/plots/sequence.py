"""Values in the order in which they were measured, the part that counts underlined."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_start, to_the_right
from sonde.base.units import format_count
from sonde.render.quantity import Scale, scale_for
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots.bins import within_reach
from sonde.render.terminal.plots.dot_canvas import DotCanvas
from sonde.render.terminal.sentences import say
from sonde.report import Plot, Sample

_HEIGHT = 8
"""Lines of a plot: 32 levels."""

_NARROWEST, _WIDEST = 20, 120
"""Columns of a plot; fewer only where a page has no more."""

_FENCE = 10.0
"""Interquartile ranges from the quartiles, beyond which a value does not stretch the axis but stands at its edge."""


def draw(page: Page, plot: Plot, samples: Sequence[Sample]) -> None:
    """Plot the values of each sample in their order, marked where they are far from the others."""
    for sample in samples:
        scale = scale_for(sample.unit, [min(sample.values) if sample.least is None else sample.least])
        if len(sample.values) == 1:
            say(page, f"a single value: {scale.text(sample.values[0])}{_gaps_told(sample)}")
        else:
            _draw(page, sample, scale, plot.legend)


def _draw(page: Page, sample: Sample, scale: Scale, legend: str) -> None:
    values, marked = sample.values, set(sample.outliers)
    low, high = within_reach(values, _FENCE)
    decimals = scale.decimals_between(low, high)
    top, bottom = scale.text(high, decimals), scale.number(low, decimals)
    label = max(display_width(top), display_width(bottom)) + 1
    if label > page.width // 2:  # a page of 20 columns
        top, bottom, label = keep_start(top, page.width // 2), "", page.width // 2
    # A few values are spread over the width, so that their order can be seen; many share columns.
    room = page.width - label - 3
    width = max(min(room, _WIDEST, max(2 * (len(values) + len(sample.gaps)), _NARROWEST)), 1)
    canvas = DotCanvas(width, _HEIGHT, is_plain=page.is_plain)
    columns = _columns(len(values) + len(sample.gaps), canvas.dots_across)
    is_sparse = len(columns) <= width
    span = high - low
    for place in (place for place, why in sample.gaps.items() if why):
        canvas.letter(columns[place], canvas.dots_down - 1, "×")
    for i, (place, value) in enumerate(zip(sample.places, values, strict=True)):
        level = 0.5 if not span > 0.0 else (min(max(value, low), high) - low) / span
        y = round((1.0 - level) * (canvas.dots_down - 1))
        if i in marked:
            canvas.letter(columns[place], y, "○")
        elif value > high or value < low:
            canvas.letter(columns[place], y, "▲" if value > high else "▼")
        else:
            canvas.dot(columns[place], y)
            if is_sparse:  # a dash is easier to see than a dot
                canvas.dot(columns[place] ^ 1, y)
    for number, line in enumerate(canvas.lines()):
        text = top if number == 0 else bottom if number == _HEIGHT - 1 else ""
        page.line(f"{page.paint(to_the_right(text, label), 'dim')} │{line}")
    page.line(f"{' ' * label} └{_ruler(sample, columns, width, page)}")
    say(
        page,
        f"{legend}{_marks_told(values, low, high, marked)}{_gaps_told(sample)}",
        "dim",
        indent=" " * min(label + 2, 12),
    )


def _columns(count: int, dots: int) -> list[int]:
    return [dots // 2] if count == 1 else [i * (dots - 1) // (count - 1) for i in range(count)]


def _ruler(sample: Sample, columns: Sequence[int], width: int, page: Page) -> str:
    """A line below the values that count, dots below the others."""
    start, stop = sample.counted or (0, len(columns))
    letters = [" "] * width
    for first, behind, letter in ((0, start, "·"), (start, stop, "─"), (stop, len(columns), "·")):
        if first < behind:
            last = width - 1 if behind >= len(columns) else columns[behind] // 2
            for column in range(columns[first] // 2, last + 1):
                letters[column] = letter
    text = "".join(letters)
    if "·" in text and "─" in text:
        split = text.index("─")
        return page.paint(text[:split], "dim") + page.paint(text[split:], "green")
    return text


def _marks_told(values: Sequence[float], low: float, high: float, marked: set[int]) -> str:
    parts = []
    if marked:
        parts.append(f"○ {format_count(len(marked))} far from the others")
    above, below = sum(value > high for value in values), sum(value < low for value in values)
    if above:
        parts.append(f"▲ {format_count(above)} higher")
    if below:
        parts.append(f"▼ {format_count(below)} lower")
    return "".join(f"; {part}" for part in parts)


def _gaps_told(sample: Sample) -> str:
    count = sum(bool(why) for why in sample.gaps.values())
    return f"; × {format_count(count)} without a value" if count else ""
