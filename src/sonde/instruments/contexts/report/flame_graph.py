"""The whole calling context tree as a flame graph."""

from collections.abc import Sequence

from sonde.instruments.contexts.profile import ContextProfile, Metric
from sonde.instruments.contexts.report.exactness import metric_amount, not_kept_below
from sonde.instruments.contexts.report.margins import sampling_error
from sonde.report import FlameGraph, FrameWeights


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


def _weights(profile: ContextProfile, metric: Metric) -> FrameWeights:
    tree, is_time = profile.contexts, metric == "time"
    own, total = (tree.self_ns, tree.total_ns) if is_time else (tree.calls, tree.total_calls)
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
        "Time" if is_time else "Calls",
        "duration" if is_time else "count",
        own,
        total,
        profile.total_ns if is_time else profile.total_calls,
        around,
        tree.error if is_judged else (),
        profile.hot_threshold if is_judged else 0,
        not_kept,
        at_top,
    )
