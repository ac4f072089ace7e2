"""Doubts about values, as narrow cells beside them: `±4%` of a sample, `+8%` in bounded memory, `?` possibly hot."""

from collections.abc import Sequence
from math import ceil

from sonde.instruments.contexts.profile import ContextClass, ContextProfile
from sonde.instruments.contexts.report.exactness import DEVIATIONS_OF_95_PERCENT, LEAST_TOLD_ERROR, Doubt

_MOST_PERCENT = 999


def doubt_cell(value: int, *, deviation: int | None = None, error: int = 0, heat: ContextClass = "hot") -> str:
    """Write how far a value may be from the truth; empty when that is not worth a word.

    Args:
        deviation: standard error; None when nothing was sampled.
        error: what may be missing. In cold contexts it does not matter: even so they are not hot.

    >>> doubt_cell(1000, error=5), doubt_cell(1000, error=80), doubt_cell(1000, error=80, heat="possibly hot")
    ('', '+8%', '+8%?')
    >>> doubt_cell(1000, deviation=20)
    '±4%'
    """
    cell = ""
    if deviation is not None and (value or deviation):
        cell = f"±{_percent(DEVIATIONS_OF_95_PERCENT * deviation, value)}"
    if heat == "possibly hot" or (heat == "hot" and error > LEAST_TOLD_ERROR * value):
        cell += f"{' ' if cell else ''}+{_percent(error, value)}{'?' if heat == 'possibly hot' else ''}"
    return cell


def time_doubt(profile: ContextProfile, value: int, doubt: Doubt) -> str:
    """The cell for an own time."""
    deviation = None if profile.sampling is None else doubt.ns_deviation
    if profile.metric != "time":
        return doubt_cell(value, deviation=deviation)
    return doubt_cell(value, deviation=deviation, error=doubt.error, heat=doubt.heat)


def calls_doubt(profile: ContextProfile, value: int, doubt: Doubt, *, with_deviation: bool = True) -> str:
    """The cell for a number of calls."""
    deviation = doubt.calls_deviation if profile.sampling is not None and with_deviation else None
    if profile.metric != "calls":
        return doubt_cell(value, deviation=deviation)
    return doubt_cell(value, deviation=deviation, error=doubt.error, heat=doubt.heat)


def doubt_header(cells: Sequence[str]) -> str:
    """What stands above a column of doubts."""
    kinds = ["±"] if any("±" in cell for cell in cells) else []
    return " ".join([*kinds, "up to"] if any("+" in cell for cell in cells) else kinds)


def doubt_legend(cells: Sequence[str]) -> str:
    """What the marks in some columns of doubts mean, but for ±, which the header of the page explains."""
    said = ["up to: an own value may be so much larger"] if any("+" in cell for cell in cells) else []
    if any("?" in cell for cell in cells):
        said.append("? possibly hot: hot if it is")
    return " · ".join(said)


def _percent(part: int, value: int) -> str:
    """A share, rounded up: a doubt is never made smaller than it is."""
    if 100 * part > _MOST_PERCENT * value:
        return f">{_MOST_PERCENT}%"
    return f"{ceil(100 * part / value) if part else 0}%"
