"""What comparisons take for granted, and what the data say about it."""

from collections.abc import Sequence

from sonde.stats.equal_variances import equal_variances as check_equal_variances
from sonde.stats.findings import Assumption
from sonde.stats.normality import normality
from sonde.stats.samples import Sample

BY_DESIGN = Assumption("independence", None, "taken from the design: each value is from an invocation of its own")
"""Procedures that do not look at the order of values cannot say more."""


def every_mode_seen(values: int) -> Assumption:
    """What no sample can show: that there is no way to run that none of its processes happened to take.

    >>> every_mode_seen(10).finding
    'a mode of 0.26 of all runs stays unseen in 10 with probability 0.05'
    """
    unseen = 1.0 - 0.05 ** (1.0 / values)
    finding = f"a mode of {unseen:.2g} of all runs stays unseen in {values} with probability 0.05"
    return Assumption("every mode seen", None, finding)


def assumptions_of(samples: Sequence[Sample], *, equal_variances: bool = False) -> tuple[Assumption, ...]:
    """Normality, independence and, where it is assumed, equal variances of samples that are compared.

    Args:
        samples: checked ones, n >= 2 each.
        equal_variances: whether the method takes variances for equal.

    >>> import numpy as np
    >>> [one.name for one in assumptions_of([np.arange(9.0), np.arange(9.0)], equal_variances=True)]
    ['normality', 'independence', 'equal variances']
    """
    found = [worst([normality(sample) for sample in samples]), BY_DESIGN]
    if equal_variances:
        found.append(check_equal_variances(samples))
    return tuple(found)


def assumptions_of_residuals(residuals: Sample, cells: Sequence[Sample]) -> tuple[Assumption, ...]:
    """The same for what a model leaves of values, and the cells that the values are from.

    >>> import numpy as np
    >>> [one.holds for one in assumptions_of_residuals(np.arange(4.0), [np.arange(2.0), np.arange(2.0)])]
    [None, None, None]
    """
    one = normality(residuals)
    normal = Assumption(one.name, one.holds, f"of the residuals: {one.finding}")
    return normal, BY_DESIGN, check_equal_variances(cells)


def worst(each: Sequence[Assumption]) -> Assumption:
    """The same assumption about several samples as one: what speaks against it for any of them speaks against it."""
    if len(each) == 1:
        return each[0]
    for holds in (False, None):
        for index, one in enumerate(each):
            if one.holds is holds:
                return Assumption(one.name, holds, f"sample {index + 1} of {len(each)}: {one.finding}")
    more = "; ..." if len(each) > 3 else ""
    return Assumption(each[0].name, True, "; ".join(one.finding for one in each[:3]) + more)
