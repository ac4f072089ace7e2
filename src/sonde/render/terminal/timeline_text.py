"""A timeline on paper: a line for each name, with a bar for each part of the time."""

from sonde.base.fitted_text import display_width, keep_both_ends, keep_end, printable
from sonde.base.units import counted, format_duration
from sonde.render.terminal.page import Page
from sonde.report import Timeline

_BARS = " ▁▂▃▄▅▆▇█"
_LEAST_SHARE = 0.005
"""Of a part of the time, for anything to be drawn."""
_WIDEST_NAME_SHARE = 0.35
"""Of the page."""


def print_timeline(page: Page, timeline: Timeline) -> None:
    """Print how much of the time each name ran, from the beginning on the left to the end on the right."""
    if timeline.title:
        page.heading(timeline.title, *timeline.notes)
    else:
        page.line()
    drawn = timeline.names[: timeline.most or None]
    labels = [printable(name if isinstance(name, str) else name.label) for name in drawn]
    widest = min(max(map(display_width, labels), default=0), int(page.width * _WIDEST_NAME_SHARE))
    bins = page.width - widest - 3
    if bins < 1 or not labels:
        page.line("nothing to draw")
        return
    for label, shares in zip(labels, timeline.all_shares(bins), strict=False):
        name = keep_both_ends(label, widest)
        bars = "".join(_bar(share) for share in shares)
        page.line(f"{' ' * (widest - display_width(name))}{name} │{page.paint(bars, 'cyan')}│")
    end = format_duration(timeline.duration_ns)
    axis = "0" + end.rjust(bins - 1) if display_width(end) < bins else ""
    page.line(page.paint(f"{' ' * widest}  {axis}", "dim"))
    if timeline.marks:
        page.line(page.paint(f"{' ' * widest}  {_marks(timeline, bins)}", "dim"))
    left_out = len(timeline.names) - len(drawn)
    if left_out:
        page.line(page.paint(keep_end(f"… {counted(left_out, 'more name')}", page.width), "dim"))


def _bar(share: float) -> str:
    if share < _LEAST_SHARE:
        return " "
    return _BARS[max(1, min(round(share * (len(_BARS) - 1)), len(_BARS) - 1))]


def _marks(timeline: Timeline, bins: int) -> str:
    places = {min(int(mark / max(timeline.duration_ns, 1) * bins), bins - 1) for mark in timeline.marks}
    return "".join("▲" if place in places else " " for place in range(bins)).rstrip()
