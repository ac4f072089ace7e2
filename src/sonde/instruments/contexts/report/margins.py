"""Margins of values, as cells beside them: of a sample, and of what was counted in bounded memory."""

from collections.abc import Sequence

from sonde.evidence import Bound
from sonde.instruments.contexts.analysis.uncertainty import DEVIATIONS_OF_95_PERCENT, LEAST_TOLD_ERROR, Uncertainty
from sonde.instruments.contexts.profile import ContextProfile, Metric
from sonde.report import Cell, Margin


def margin_of(profile: ContextProfile, metric: Metric, value: int, uncertainty: Uncertainty) -> Margin | None:
    """How far an own value may be from the truth; None when that is not worth a word.

    Args:
        metric: what the value is of.
        uncertainty: of the contexts that the value is the sum of. What may be missing from cold ones does not
            matter: even so they are not hot.
    """
    around = bound = None
    sampling = profile.sampling
    if sampling is not None and (metric == "time" or not sampling.is_of_times_only):
        around = sampling_error(value, uncertainty.ns_deviation if metric == "time" else uncertainty.calls_deviation)
    is_open = uncertainty.heat == "possibly hot"
    is_told = is_open or (uncertainty.heat == "hot" and uncertainty.error > LEAST_TOLD_ERROR * value)
    if profile.metric == metric and profile.approximation is not None and is_told:
        bound = Bound(uncertainty.error, may_cross=is_open)
    return None if around is None and bound is None else Margin(value, around, bound)


def sampling_error(value: int, deviation: int) -> int | None:
    """Half of a 95 % interval, for a standard error; None where nothing was seen."""
    return DEVIATIONS_OF_95_PERCENT * deviation if value or deviation else None


def margin_title(cells: Sequence[Cell]) -> str:
    """What stands above a column of margins; empty for none."""
    margins = [cell for cell in cells if isinstance(cell, Margin)]
    kinds = ["±"] if any(margin.around is not None for margin in margins) else []
    return " ".join([*kinds, "up to"] if any(margin.bound is not None for margin in margins) else kinds)


def margin_legend(cells: Sequence[Cell]) -> str:
    """What the marks of margins mean, but for ±, which the head of the report explains."""
    margins = [cell for cell in cells if isinstance(cell, Margin)]
    said = ["up to: an own value may be so much larger"] if any(each.bound is not None for each in margins) else []
    if any(margin.bound and margin.bound.may_cross for margin in margins):
        said.append("? possibly hot: hot if it is")
    return " · ".join(said)
