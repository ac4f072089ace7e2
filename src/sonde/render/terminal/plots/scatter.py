"""Means against a number, as letters on a grid: one letter for each group."""

from collections.abc import Sequence
from string import ascii_letters

from sonde.base.fitted_text import display_width, to_the_right
from sonde.render.quantity import scale_for
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots.axis import Axis, end_texts, ends_of
from sonde.render.terminal.plots.dot_canvas import ROWS, DotCanvas
from sonde.render.terminal.sentences import say
from sonde.report import Plot, Sample

_HEIGHT = 12
_WIDEST = 80
"""Columns of a plot."""
_SEVERAL = "*"
"""Where there are means of different groups in one place."""


def draw(page: Page, plot: Plot, samples: Sequence[Sample]) -> None:
    """Draw one point for each sample that has a mean and a place on the axis below."""
    points = [
        (each.at, ends_of(each.mean)[1], each) for each in samples if each.mean is not None and each.at is not None
    ]
    if not points:
        return
    groups = list(dict.fromkeys(each.group for _, _, each in points))
    letters = dict(zip(groups, ascii_letters * (1 + len(groups) // len(ascii_letters)), strict=False))
    scale = scale_for(samples[0].unit, [value for _, value, _ in points])
    up = Axis(min(value for _, value, _ in points), max(value for _, value, _ in points), _HEIGHT)
    bottom, top = end_texts(up, scale)
    label = max(display_width(top), display_width(bottom))
    width = max(1, min(_WIDEST, page.width - label - 3))
    across = Axis(min(at for at, _, _ in points), max(at for at, _, _ in points), width)
    canvas = DotCanvas(width, _HEIGHT, is_plain=page.is_plain)
    taken: dict[tuple[int, int], str] = {}
    for at, value, sample in points:
        place = across.column(at), _HEIGHT - 1 - up.column(value)
        letter = letters[sample.group]
        taken[place] = letter if taken.get(place, letter) == letter else _SEVERAL
    for (column, row), letter in taken.items():
        canvas.letter(column * 2, row * ROWS, letter)
    for number, line in enumerate(canvas.lines()):
        text = top if number == 0 else bottom if number == _HEIGHT - 1 else ""
        page.line(f"{page.paint(to_the_right(text, label), 'dim')} │{line.rstrip()}")
    page.line(f"{' ' * label} └{'─' * width}")
    ends = across.ends(scale_for("1", [across.low, across.high]))
    page.line(f"{' ' * label}  {page.paint(ends, 'dim')}")
    named = ", ".join(f"{letters[group]}: {group}" for group in groups)
    say(
        page,
        "; ".join(part for part in (named, plot.axis and f"to the right: {plot.axis}", plot.legend) if part),
        "dim",
    )
