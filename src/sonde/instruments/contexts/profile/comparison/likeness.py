"""How much sampled profiles have in common with a dense one of the same program, and with one another."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple, get_args

from sonde.base.errors import InputError
from sonde.evidence import rank_overlap, top_overlap, unweighted_overlap, weighted_overlap
from sonde.instruments.contexts.profile.approximation import Metric
from sonde.instruments.contexts.profile.comparison.clocks import check_clocks
from sonde.instruments.contexts.profile.comparison.context_alignment import align_contexts
from sonde.instruments.contexts.profile.comparison.counted_calls import check_calls
from sonde.instruments.contexts.profile.context_profile import ContextProfile, Contexts
from sonde.instruments.contexts.profile.one_program import are_of_one_program

Entries = Literal["functions", "contexts"]
"""What profiles are vectors of, by own values."""

ENTRIES: tuple[Entries, ...] = get_args(Entries)

TOPS = (0.01, 0.02, 0.05, *(0.1 * tenths for tenths in range(1, 11)))
"""Shares of the dense profile's hottest entries at which the curve has points."""

_FIRST = 10
"""Entries whose ranks are compared."""

Vectors = dict[Entries, tuple[list[float], list[float]]]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """What a profile has in common with the dense one."""

    weighted: float
    unweighted: float
    top: tuple[tuple[float, float], ...]
    """Share of the dense profile's hottest entries, and how many of these the other has, as a share."""
    first_ten: float
    """How many of the dense profile's first ten are among the other's."""
    known: int
    """How many entries it has."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Of one sort of entries."""

    entries: Entries
    dense: int
    """How many the dense profile has."""
    each: tuple[Overlaps, ...]
    """Of each sampled profile with it."""
    stability: float | None
    """Mean weighted overlap of each two sampled ones; None for fewer than two."""


class Likenesses(NamedTuple):
    """What was compared, and what was found."""

    metric: Metric
    functions: Likeness
    contexts: Likeness


def likeness(dense: ContextProfile, sampled: Sequence[ContextProfile], names: Sequence[str] = ()) -> Likenesses:
    """Judge sampled profiles by a dense one.

    Args:
        dense: exact, or looked at much more often.
        names: what to call all of them in messages, the dense one first.
    Raises:
        InputError: contexts of one were left out, they are of different programs or clocks, or have neither times nor
            calls in common.
    Guarantee: all values are in [0, 1], and 1 of a profile with itself.
    Cost: 8 us for each context of each pair of profiles.
    Source: Buytaert, PhD thesis, section 4.4.2.
    Differs: functions of any kind, and calling contexts, in place of methods; the average profile of several runs is
        had by merging them.
    """
    names = names or ["the first profile", *(f"profile {number}" for number in range(2, len(sampled) + 2))]
    metric = _check_comparable([dense, *sampled], names)
    with_dense = [_vectors(dense, each, metric) for each in sampled]
    with_another = [_vectors(one, other, metric) for one, other in combinations(sampled, 2)]
    functions, contexts = (_likeness(entries, with_dense, with_another) for entries in ENTRIES)
    return Likenesses(metric, functions, contexts)


def _likeness(entries: Entries, with_dense: Sequence[Vectors], with_another: Sequence[Vectors]) -> Likeness:
    each = tuple(_overlaps(*vectors[entries]) for vectors in with_dense)
    apart = [weighted_overlap(*vectors[entries]) for vectors in with_another]
    return Likeness(
        entries,
        sum(amount > 0 for amount in with_dense[0][entries][0]),
        each,
        sum(apart) / len(apart) if apart else None,
    )


def _overlaps(dense: list[float], sampled: list[float]) -> Overlaps:
    return Overlaps(
        weighted=weighted_overlap(dense, sampled),
        unweighted=unweighted_overlap(dense, sampled),
        top=tuple((share, top_overlap(dense, sampled, share)) for share in TOPS),
        first_ten=rank_overlap(dense, sampled, _FIRST),
        known=sum(amount > 0 for amount in sampled),
    )


def _vectors(one: ContextProfile, other: ContextProfile, metric: Metric) -> Vectors:
    """Both by the same functions, and by the same contexts."""
    aligned = align_contexts(one, other, with_renamed=False)
    sides = aligned.before, aligned.after
    of_contexts = [_own(side, metric) for side in sides]
    of_functions = [[0.0] * len(aligned.functions.pairs) for _ in sides]
    for side, own, sums in zip(sides, of_contexts, of_functions, strict=True):
        for pair, amount in zip(side.function, own, strict=True):
            sums[pair] += amount
    return {"functions": (of_functions[0], of_functions[1]), "contexts": (of_contexts[0], of_contexts[1])}


def _own(tree: Contexts, metric: Metric) -> list[float]:
    return [float(each) for each in (tree.self_ns if metric == "time" else tree.calls)]


def _check_comparable(profiles: Sequence[ContextProfile], names: Sequence[str]) -> Metric:
    for profile, name in zip(profiles, names, strict=True):
        if profile.pruned_contexts:
            raise InputError(
                f"cannot compare a part of a profile: {profile.pruned_contexts:,} contexts of '{name}' were left out",
                slug="partial-profile",
                hint="compare whole profiles",
            )
    metric: Metric = "time" if all(profile.has_time for profile in profiles) else "calls"
    if metric == "calls":
        check_calls(profiles, [f"'{name}'" for name in names])
    for profile, name in zip(profiles, names, strict=True):
        if metric == "time":
            check_clocks(profiles[0], profile)
        if not are_of_one_program(profiles[0], profile):
            raise InputError(
                f"cannot judge accuracy: '{names[0]}' and '{name}' are of different programs",
                slug="different-programs",
                hint="name runs of one program",
            )
    return metric
