"""Plots on a terminal: values as strips, dots and bars of letters."""

from importlib import import_module

from sonde.base.units import counted
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.report import Plot, PlotKind

__all__ = ["print_plot"]

_DRAWN_BY: dict[PlotKind, tuple[str, ...]] = {
    "strips": ("sonde.render.terminal.plots.strips",),
    "intervals": ("sonde.render.terminal.plots.intervals",),
    "curve": ("sonde.render.terminal.plots.intervals",),
    "scatter": ("sonde.render.terminal.plots.scatter",),
    "distribution": ("sonde.render.terminal.plots.distribution",),
    "sequence": ("sonde.render.terminal.plots.sequence",),
    "overview": ("sonde.render.terminal.plots.distribution", "sonde.render.terminal.plots.sequence"),
}
"""Kind -> the modules whose `draw` prints it; most answers have no plot, and do without."""


def print_plot(page: Page, plot: Plot) -> None:
    """Print a plot under its title; where there is nothing to draw, say so."""
    if plot.title:
        page.heading(plot.title, *plot.notes)
    else:
        page.line()
    samples = tuple(sample for sample in plot.samples if len(sample.values))
    if samples:
        for module in _DRAWN_BY[plot.kind]:
            import_module(module).draw(page, plot, samples)
    left = len(plot.samples) - len(samples)
    if left or not samples:
        say(page, f"{counted(left, 'sample')} without values" if samples else "nothing to draw", "dim")
