"""What the page says about how exact it is."""

from collections.abc import Sequence
from typing import Any

from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.report.exactness import exactness, not_kept_below


class NotKept:
    """What ran in contexts that were given up in bounded memory, by the context it ran right below."""

    def __init__(self, profile: ContextProfile) -> None:
        tree = profile.contexts
        self.calls: Sequence[int] = ()
        self.ns: Sequence[int] = ()
        self.root_calls = self.root_ns = 0
        # When contexts were not read, what was given up cannot be told from them: all of it is hidden.
        if profile.approximation is not None and not profile.pruned_contexts:
            self.calls = not_kept_below(tree.parent, tree.calls, tree.total_calls)
            self.ns = not_kept_below(tree.parent, tree.self_ns, tree.total_ns)
            self.root_calls, self.root_ns = profile.pruned_root_calls, profile.pruned_root_ns
        self.all_calls = self.root_calls + sum(self.calls)
        self.all_ns = self.root_ns + sum(self.ns)

    def of(self, rows: Sequence[int]) -> tuple[list[int], list[int]]:
        """The columns for some of the contexts; empty when nothing was given up."""
        if not self.calls:
            return [], []
        return [self.calls[row] for row in rows], [self.ns[row] for row in rows]


def exactness_data(profile: ContextProfile, not_kept: NotKept) -> dict[str, Any]:
    """How far the values of the page can be trusted, in words and numbers."""
    bounds = profile.approximation
    return {
        "said": exactness(profile),
        "left_out": profile.left_something_out,
        "sampled": profile.sampling is not None,
        "metric": profile.metric,
        "hot_from": 0 if bounds is None else profile.hot_threshold,
        "floor": 0 if bounds is None else bounds.floor,
        # At the top and everywhere.
        "not_kept": {"calls": not_kept.root_calls, "ns": not_kept.root_ns},
        "all_not_kept": {"calls": not_kept.all_calls, "ns": not_kept.all_ns},
    }
