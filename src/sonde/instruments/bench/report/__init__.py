"""What all views of a judgement share: names, quantities in the right unit, words, bins, and it all as plain data."""

from sonde.instruments.bench.report.bins import Bins, bin_count, bins_of
from sonde.instruments.bench.report.judgement_data import as_plain, judgement_as_data
from sonde.instruments.bench.report.names import all_samples, common_scale, metric_text, series_names
from sonde.instruments.bench.report.quantities import (
    Scale,
    format_change,
    format_p_value,
    format_percent,
    format_ratio,
    ratio_parts,
    scale_beside,
    scale_for,
)
from sonde.instruments.bench.report.ranking import Ranked, ranked
from sonde.instruments.bench.report.series_words import STEADY_STATE, failed_in_words, sample_size, split_in_words

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
