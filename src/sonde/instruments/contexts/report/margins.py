"""Margins of values, as cells beside them: of a sample, and of what was counted in bounded memory."""

from collections.abc import Sequence

from sonde.instruments.contexts.analysis.doubts import DEVIATIONS_OF_95_PERCENT, LEAST_TOLD_ERROR, Doubt
from sonde.instruments.contexts.profile import ContextProfile, Metric
from sonde.report import Cell, Margin


def margin_of(profile: ContextProfile, metric: Metric, value: int, doubt: Doubt) -> Margin | None:
    """How far an own value may be from the truth; None when that is not worth a word.

    Args:
        metric: what the value is of.
        doubt: about the contexts that the value is the sum of. What may be missing from cold ones does not matter:
            even so they are not hot.
    """
    around = above = None
    if profile.sampling is not None:
        around = sampling_error(value, doubt.ns_deviation if metric == "time" else doubt.calls_deviation)
    is_open = doubt.heat == "possibly hot"
    is_told = is_open or (doubt.heat == "hot" and doubt.error > LEAST_TOLD_ERROR * value)
    if profile.metric == metric and profile.approximation is not None and is_told:
        above = doubt.error
    return None if around is None and above is None else Margin(value, around, above, is_open and above is not None)


def sampling_error(value: int, deviation: int) -> int | None:
    """Half of a 95 % interval, for a standard error; None where nothing was seen."""
    return DEVIATIONS_OF_95_PERCENT * deviation if value or deviation else None


def margin_title(cells: Sequence[Cell]) -> str:
    """What stands above a column of margins; empty for none."""
    margins = [cell for cell in cells if isinstance(cell, Margin)]
    kinds = ["±"] if any(margin.around is not None for margin in margins) else []
    return " ".join([*kinds, "up to"] if any(margin.above is not None for margin in margins) else kinds)


def margin_legend(cells: Sequence[Cell]) -> str:
    """What the marks of margins mean, but for ±, which the head of the report explains."""
    margins = [cell for cell in cells if isinstance(cell, Margin)]
    said = ["up to: an own value may be so much larger"] if any(each.above is not None for each in margins) else []
    if any(margin.may_cross for margin in margins):
        said.append("? possibly hot: hot if it is")
    return " · ".join(said)
