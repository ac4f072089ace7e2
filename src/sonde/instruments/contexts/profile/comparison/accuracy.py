"""How well an approximate profile tells what the exact one of the same calls knows."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile.approximation import Metric, hot_threshold
from sonde.instruments.contexts.profile.common_tree import lay_over
from sonde.instruments.contexts.profile.comparison.clocks import check_clocks
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile
from sonde.instruments.contexts.profile.one_program import are_of_one_program

DEFAULT_PHI = 1e-4
"""What is hot in a profile that does not say it: the document's choice (section 5.1.2)."""

TAUS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Hotness at which coverage is reported; work that it is compared with starts at 0.05."""

PHIS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 1e-6, 1e-7)
"""Points of a curve over phi."""

PHI_PER_EPSILON = 5
"""A profile made with some epsilon is judged for phi of at least this many times that (section 5.1.2)."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The (phi, epsilon)-HCCT of an approximate profile against the exact tree of the same calls.

    Shares are fractions of 1. `weight` is what was approximated: calls, or nanoseconds of a context's own.
    """

    metric: Metric
    phi: float
    total: int
    """N: weight of the exact tree."""
    heaviest: int
    """Weight of the hottest context."""
    threshold: int
    """Least weight of a hot context."""

    exact_contexts: int
    """Nodes of the exact tree."""
    hot_contexts: int
    """How many of them are hot."""
    tree_contexts: int
    """Nodes of the (phi, epsilon)-HCCT: `found_contexts`, `false_positives` and `cold_contexts`."""
    found_contexts: int
    """Hot contexts that it says are hot or possibly hot."""
    false_positives: int
    """Contexts that it says are hot or possibly hot, and are not."""
    cold_contexts: int
    """Its others: they lead to those."""
    missed_contexts: int
    """Hot contexts that it does not say are hot or possibly hot; none, unless it was sampled."""

    overlap: float
    """Degree of overlap: share of all weight that is in contexts of the tree."""
    coverage: tuple[tuple[float, float], ...]
    """Hot edge coverage: tau, and the share covered of contexts with at least tau of the heaviest one's weight."""
    full_coverage_tau: float | None
    """Smallest hotness of a context from which on all are covered; 0 when all are at all; None when the hottest
    is not."""
    guaranteed_tau: float
    """The hotness from which on coverage is guaranteed without sampling: threshold / heaviest."""
    is_covered_at_twice: bool
    """Whether everything of at least twice that hotness is covered."""
    max_uncovered: float
    """Hotness of the hottest context that is not in the tree, as a share of the heaviest."""
    average_uncovered: float
    """Mean hotness of contexts that are not in the tree."""
    max_error: float
    """Largest error of a value, as a share of the true one, over the hot contexts found."""
    average_error: float
    """Mean of that error."""
    violations: int | None
    """Contexts whose true weight is not within the bounds that the profile states; none, when both profiles are of
    the same calls. None: it was sampled and states no bounds."""

    @property
    def false_positive_share(self) -> float:
        """False positives as a share of the tree's nodes."""
        return self.false_positives / self.tree_contexts if self.tree_contexts else 0.0


def accuracy(
    exact: ContextProfile,
    approximate: ContextProfile,
    *,
    phi: float | None = None,
    taus: Sequence[float] = TAUS,
) -> Accuracy:
    """Judge an approximate profile by the exact one.

    Args:
        phi: share of the total from which a context is hot; the approximation's own when not given, 1e-4 if it has
            none.
        taus: hotness at which coverage is wanted, in (0, 1].
    Raises:
        InputError: the first profile is not exact, one lacks contexts that were left out, they are of different
            programs, or only one has times, or theirs are of different clocks.
    Cost: O(n) for the contexts of both, about 3 us each.
    Source: D'Elia, PhD thesis, section 5.1.2, "Metrics".
    Differs: weight may be time. The estimate of a weight is the value that the profile shows, a lower bound; in
        the document it is the upper bound. Counter errors are over hot contexts, as in its section 5.1.5.
    """
    return _Judge(exact, approximate).accuracy(_phi_of(approximate) if phi is None else phi, taus)


def accuracy_curve(
    exact: ContextProfile, approximate: ContextProfile, phis: Sequence[float] = PHIS, *, taus: Sequence[float] = TAUS
) -> tuple[Accuracy, ...]:
    """Judge an approximate profile at several phi, largest first; those too small for its epsilon are left out.

    Raises:
        InputError: as `accuracy`.
    Cost: as `accuracy` for the first, about 0.5 us per context and phi for the others.
    """
    judge, bounds = _Judge(exact, approximate), approximate.approximation
    # Parameters are written as decimals: 5 * 2e-5 is a little more than 1e-4.
    least = 0.0 if bounds is None else PHI_PER_EPSILON * bounds.epsilon * (1 - 1e-9)
    return tuple(judge.accuracy(phi, taus) for phi in sorted(set(phis), reverse=True) if phi >= least)


def _phi_of(profile: ContextProfile) -> float:
    return DEFAULT_PHI if profile.approximation is None else profile.approximation.phi


class _Judge:
    """Both profiles laid over each other: what is true and what is said of each context."""

    def __init__(self, exact: ContextProfile, approximate: ContextProfile) -> None:
        _check_comparable(exact, approximate)
        common = lay_over([exact, approximate])
        by_time = approximate.metric == "time"
        self._metric = approximate.metric
        self._parent = common.parent
        self._exists, self._is_listed = (bytearray(len(common)) for _ in range(2))
        for marks, row_of in zip((self._exists, self._is_listed), common.placed, strict=True):
            for row in row_of:
                marks[row] = 1
        self._true = common.spread(0, exact.contexts.self_ns if by_time else exact.contexts.calls)
        self._value = common.spread(1, approximate.metric_values())
        self._upper = array("q", map(int.__add__, self._value, common.spread(1, approximate.errors())))
        self._total = exact.total_ns if by_time else exact.total_calls
        self._said_total = approximate.metric_total
        self._by_weight = sorted((row for row in range(len(common)) if self._exists[row]), key=self._true.__getitem__)
        self._heaviest = max(self._true, default=0)
        self._violations = self._count_violations(approximate)

    def accuracy(self, phi: float, taus: Sequence[float]) -> Accuracy:
        """All measures for one phi."""
        true, heaviest = self._true, self._heaviest
        threshold, said_threshold = (hot_threshold(phi, total) for total in (self._total, self._said_total))
        said_hot = bytearray(map(said_threshold.__le__, self._upper))
        in_tree = self._with_callers(said_hot)
        errors = [
            abs(weight - value) / weight
            for weight, value, said in zip(true, self._value, said_hot, strict=True)
            if said and weight >= threshold
        ]
        hot, said, nodes = sum(map(threshold.__le__, true)), sum(said_hot), sum(in_tree)
        covered, uncovered = list[int](), list[int]()
        for row in self._by_weight:
            (covered if in_tree[row] else uncovered).append(true[row])
        hottest_uncovered = uncovered[-1] if uncovered else 0
        whole = heaviest or 1
        return Accuracy(
            metric=self._metric,
            phi=phi,
            total=self._total,
            heaviest=heaviest,
            threshold=threshold,
            exact_contexts=sum(self._exists),
            hot_contexts=hot,
            tree_contexts=nodes,
            found_contexts=len(errors),
            false_positives=said - len(errors),
            cold_contexts=nodes - said,
            missed_contexts=hot - len(errors),
            overlap=sum(covered) / self._total if self._total else 1.0,
            coverage=tuple((tau, _coverage(tau * heaviest, covered, uncovered)) for tau in taus),
            full_coverage_tau=_full_coverage(covered, uncovered, heaviest),
            guaranteed_tau=threshold / whole if heaviest else 0.0,
            is_covered_at_twice=hottest_uncovered < 2 * threshold,
            max_uncovered=hottest_uncovered / whole,
            average_uncovered=sum(uncovered) / len(uncovered) / whole if uncovered else 0.0,
            max_error=max(errors, default=0.0),
            average_error=sum(errors) / len(errors) if errors else 0.0,
            violations=self._violations,
        )

    def _with_callers(self, said_hot: bytearray) -> bytearray:
        in_tree = bytearray(said_hot)
        for row in range(len(in_tree) - 1, -1, -1):
            if in_tree[row] and self._parent[row] != NO_PARENT:
                in_tree[self._parent[row]] = 1
        return in_tree

    def _count_violations(self, approximate: ContextProfile) -> int | None:
        if approximate.sampling is not None:
            return None
        floor = 0 if approximate.approximation is None else approximate.approximation.floor
        columns = zip(self._is_listed, self._true, self._value, self._upper, strict=True)
        return sum(
            not (value <= weight <= upper) if listed else weight > floor for listed, weight, value, upper in columns
        )


def _coverage(least: float, covered: Sequence[int], uncovered: Sequence[int]) -> float:
    """Share of the weights of at least `least` that are covered; both lists ascend."""
    found, missing = (len(weights) - bisect_left(weights, least) for weights in (covered, uncovered))
    return found / (found + missing) if found + missing else 1.0


def _full_coverage(covered: Sequence[int], uncovered: Sequence[int], heaviest: int) -> float | None:
    if not uncovered:
        return 0.0
    hotter = bisect_right(covered, uncovered[-1])
    return covered[hotter] / heaviest if hotter < len(covered) else None


def _check_comparable(exact: ContextProfile, approximate: ContextProfile) -> None:
    if exact.left_something_out or exact.sampling is not None:
        fact = "sampled" if exact.sampling is not None else "approximate"
        raise InputError(
            f"cannot judge accuracy by the first profile: it is {fact} itself",
            slug="not-exact",
            hint="name the exact profile first; sonde replay --exact makes one from a trace",
        )
    for profile, which in ((exact, "first"), (approximate, "second")):
        if profile.pruned_contexts:
            raise InputError(
                f"cannot judge accuracy: {profile.pruned_contexts:,} contexts of the {which} profile were left out",
                slug="partial-profile",
                hint="compare whole profiles",
            )
    if approximate.metric == "time" and not exact.has_time:
        raise InputError(
            "cannot judge accuracy of times: the first profile has none",
            slug="no-times",
            hint="make both from the same trace",
        )
    if approximate.metric == "time":
        check_clocks(exact, approximate)
    if not are_of_one_program(exact, approximate):
        raise InputError(
            "cannot judge accuracy: the profiles are of different programs",
            slug="different-programs",
            hint="make both from the same trace",
        )
