"""How differences between groups of runs were found, in words."""

from sonde.base.units import counted, format_count
from sonde.instruments.decisions.groups import Consistency


def method_text(consistency: Consistency) -> str:
    """How many values were tested, how, and from which adjusted p value on a finding is conclusive."""
    options = consistency.options
    return (
        f"{format_count(consistency.features)} values from {counted(consistency.units_read, 'unit')};"
        f" {format_count(consistency.tested)} of them could have separated the groups, and were tested by counting"
        f" permutations (smallest p possible: {consistency.smallest_p_value:.2g}); p adjusted by"
        f" {options.adjustment}, conclusive up to {options.false_discovery_rate:g}."
    )
