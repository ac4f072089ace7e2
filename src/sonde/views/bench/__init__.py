"""What all views of a judgement share: names, quantities in the right unit, words, bins, and it all as plain data."""

from sonde.views.bench.bins import Bins, bin_count, bins_of
from sonde.views.bench.judgement_data import as_plain, judgement_as_data
from sonde.views.bench.names import all_samples, common_scale, metric_text, series_names
from sonde.views.bench.quantities import (
    Scale,
    format_change,
    format_p_value,
    format_percent,
    format_ratio,
    ratio_parts,
    scale_beside,
    scale_for,
)
from sonde.views.bench.ranking import Ranked, ranked
from sonde.views.bench.series_words import STEADY_STATE, failed_in_words, sample_size, split_in_words

__all__ = [
    "Bins",
    "Ranked",
    "STEADY_STATE",
    "Scale",
    "all_samples",
    "as_plain",
    "bin_count",
    "bins_of",
    "common_scale",
    "failed_in_words",
    "format_change",
    "format_p_value",
    "format_percent",
    "format_ratio",
    "judgement_as_data",
    "metric_text",
    "ranked",
    "ratio_parts",
    "sample_size",
    "scale_beside",
    "scale_for",
    "series_names",
    "split_in_words",
]
