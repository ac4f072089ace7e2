"""How accurate an approximate profile is, as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.profile.comparison import Accuracy


def accuracy_as_data(judged: Accuracy, curve: Sequence[Accuracy], *, approximate: ContextProfile) -> dict[str, Any]:
    """All measures at the phi of interest, and at the points of the curve; shares are fractions of 1.

    `total`, `heaviest` and `threshold` are in the unit that `unit` names: `ns` or `calls`.
    """
    bounds, sampling = approximate.approximation, approximate.sampling
    return {
        "unit": "ns" if judged.metric == "time" else "calls",
        "approximation": None if bounds is None else asdict(bounds),
        "sampling": None if sampling is None else asdict(sampling),
        **_measures(judged),
        "curve": [_measures(point) for point in curve],
        "losses": [asdict(loss) for loss in approximate.losses],
    }


def _measures(judged: Accuracy) -> dict[str, Any]:
    return {
        **asdict(judged),
        "false_positive_share": judged.false_positive_share,
        "coverage": [{"tau": tau, "covered": share} for tau, share in judged.coverage],
    }
