"""The whole calling context tree as a flame graph: of a profile, or of two, with what changed."""

from collections.abc import Sequence

from sonde.instruments.contexts.analysis.uncertainty import not_kept_below
from sonde.instruments.contexts.profile import ContextProfile, Contexts, Metric
from sonde.instruments.contexts.profile.comparison import ContextDiff
from sonde.instruments.contexts.report.exactness import metric_amount
from sonde.instruments.contexts.report.margins import sampling_error
from sonde.report import FlameGraph, FrameWeights, Unit

_UNITS: dict[Metric, Unit] = {"time": "duration", "calls": "count"}


def context_graph(profile: ContextProfile) -> FlameGraph:
    """All contexts of a profile, as wide as their time or their calls.

    Cost: O(n) for n contexts.
    """
    tree, bounds = profile.contexts, profile.approximation
    weights = [_weights(profile, "time")] if profile.has_time else []
    weights.append(_weights(profile, "calls"))
    most = "" if bounds is None else metric_amount(bounds.metric, bounds.floor)
    return FlameGraph(
        "graph",
        "flame graph",
        profile.functions,
        tree.parent,
        tree.function,
        tree.call_line,
        tuple(weights),
        left_out=profile.pruned_contexts,
        not_kept=f"given up in bounded memory, each had at most {most}" if most else "",
    )


def difference_graph(diff: ContextDiff, unit: Unit) -> FlameGraph:
    """The contexts of both sides, as wide as they are after or were before, coloured by their change.

    Args:
        unit: of changes.
    Cost: O(n) for n contexts.
    """
    before, after, yardstick = diff.contexts.before, diff.contexts.after, diff.yardstick
    return FlameGraph(
        "graph",
        "flame graph",
        [pair.either for pair in diff.contexts.functions.pairs],
        before.parent,
        before.function,
        [new or old for old, new in zip(before.call_line, after.call_line, strict=True)],
        (
            _side(after, yardstick.metric, "after", yardstick.total_after),
            _side(before, yardstick.metric, "before", yardstick.total_before),
        ),
        diff.changes.total,
        unit,
    )


def _side(tree: Contexts, metric: Metric, key: str, whole: int) -> FrameWeights:
    own, total = _columns(tree, metric)
    return FrameWeights(key, key.capitalize(), _UNITS[metric], own, total, whole)


def _columns(tree: Contexts, metric: Metric) -> tuple[Sequence[int], Sequence[int]]:
    return (tree.self_ns, tree.total_ns) if metric == "time" else (tree.calls, tree.total_calls)


def _weights(profile: ContextProfile, metric: Metric) -> FrameWeights:
    tree, is_time = profile.contexts, metric == "time"
    own, total = _columns(tree, metric)
    deviations = tree.ns_deviation if is_time else tree.calls_deviation
    around = [sampling_error(*each) or 0 for each in zip(own, deviations, strict=True)] if len(deviations) else []
    not_kept: Sequence[int] = ()
    at_top = 0
    # When contexts were not read, what was given up cannot be told from them.
    if profile.approximation is not None and not profile.pruned_contexts:
        not_kept = not_kept_below(tree.parent, own, total)
        at_top = profile.pruned_root_ns if is_time else profile.pruned_root_calls
    is_judged = profile.approximation is not None and profile.metric == metric
    return FrameWeights(
        metric,
        metric.capitalize(),
        _UNITS[metric],
        own,
        total,
        profile.total_ns if is_time else profile.total_calls,
        around,
        tree.error if is_judged else (),
        profile.hot_threshold if is_judged else 0,
        not_kept,
        at_top,
    )
