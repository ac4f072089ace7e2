"""Which number a format's single weight is: time when it was measured, else calls."""

from collections.abc import Sequence

from sonde.base.errors import UsageError
from sonde.instruments.contexts.profile import METRICS, ContextProfile, Metric

__all__ = ["METRICS", "Metric", "below_no_root", "choose_metric", "exclusive", "inclusive", "whole"]


def choose_metric(profile: ContextProfile, wanted: Metric | None) -> Metric:
    """Settle the metric to write.

    Args:
        wanted: None for the better of those that were measured.
    Raises:
        UsageError: `no-time-measured`, time is wanted from a profile that only counted calls.
    """
    if wanted == "time" and not profile.has_time:
        raise UsageError(
            "cannot write times: the profile counted calls only (its clock is 'none')",
            slug="no-time-measured",
            hint="use --metric calls, or measure again with a clock",
        )
    return wanted or ("time" if profile.has_time else "calls")


def exclusive(profile: ContextProfile, metric: Metric) -> Sequence[int]:
    """Each context's own weight: nanoseconds or activations."""
    return profile.contexts.self_ns if metric == "time" else profile.contexts.calls


def inclusive(profile: ContextProfile, metric: Metric) -> Sequence[int]:
    """The weight of each context and all below it: nanoseconds or activations."""
    return profile.contexts.total_ns if metric == "time" else profile.contexts.total_calls


def below_no_root(profile: ContextProfile, metric: Metric) -> int:
    """The weight of roots that are not in the profile: given up in bounded memory, or not read."""
    return profile.pruned_root_ns if metric == "time" else profile.pruned_root_calls


def whole(profile: ContextProfile, metric: Metric) -> int:
    """The weight of the whole profile, listed or not: nanoseconds or activations."""
    return profile.total_ns if metric == "time" else profile.total_calls
