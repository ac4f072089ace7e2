"""How far figures can be believed: what is lost, what is proven, what is likely, what is doubtful; a type each."""

from sonde.evidence.bound import Bound
from sonde.evidence.false_discovery import METHODS, Method, adjusted_p_values, level_of_chosen
from sonde.evidence.interval import Interval
from sonde.evidence.overlap import rank_overlap, stability, top_overlap, unweighted_overlap, weighted_overlap
from sonde.evidence.ratio_spread import LogRatio, ratio_spread
from sonde.evidence.reservations import Doubt, Loss, Remark, Reservation, cut_off, in_words
from sonde.evidence.sampled_difference import (
    SampledAmount,
    difference_interval,
    difference_p_value,
    ratio_interval,
)
from sonde.evidence.shares import share_interval

__all__ = [
    "METHODS",
    "Bound",
    "Doubt",
    "Interval",
    "LogRatio",
    "Loss",
    "Method",
    "Remark",
    "Reservation",
    "SampledAmount",
    "adjusted_p_values",
    "cut_off",
    "difference_interval",
    "difference_p_value",
    "in_words",
    "level_of_chosen",
    "rank_overlap",
    "ratio_interval",
    "ratio_spread",
    "share_interval",
    "stability",
    "top_overlap",
    "unweighted_overlap",
    "weighted_overlap",
]
