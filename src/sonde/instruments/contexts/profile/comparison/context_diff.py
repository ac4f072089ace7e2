"""What changed between two profiles: contexts and functions that got hotter, colder, appeared or vanished."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.errors import InputError
from sonde.evidence import Loss
from sonde.instruments.contexts.profile.approximation import Metric
from sonde.instruments.contexts.profile.comparison.clocks import check_clocks
from sonde.instruments.contexts.profile.comparison.context_alignment import AlignedContexts, align_contexts
from sonde.instruments.contexts.profile.comparison.counted_calls import check_calls
from sonde.instruments.contexts.profile.comparison.inlined_comprehensions import (
    differ_in_comprehensions,
    dissolve_comprehensions,
)
from sonde.instruments.contexts.profile.comparison.yardstick import Normalise, Status, Yardstick
from sonde.instruments.contexts.profile.context_profile import ContextProfile, Contexts
from sonde.instruments.contexts.profile.function_totals import FunctionTotals, totals_by_function


@dataclass(frozen=True, slots=True)
class Changes:
    """How the rows of a table differ. All columns are parallel to the table."""

    total: Sequence[float]
    """Inclusive change, after minus before, in the diff's unit: nanoseconds, calls, or shares of the run.

    Normalised by calls it is the change per call times the mean number of calls of both sides: what
    the change would cost if both had been called equally often."""
    own: Sequence[float]
    """The same for the exclusive values."""
    status: Sequence[Status]


@dataclass(frozen=True, slots=True)
class ContextDiff:
    """Two profiles laid over each other, and what is different.

    >>> from sonde.instruments.contexts.profile import Function, Run, contexts_from_self
    >>> functions = (Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5))
    >>> one, two = (
    ...     ContextProfile(functions, contexts_from_self(
    ...         parent=[-1, 0], function=[0, 1], call_line=[0, 3], calls=[1, 10], self_ns=[5, own]),
    ...         run=Run(clock="tsc"))
    ...     for own in (95, 195))
    >>> diff = diff_contexts(one, two)
    >>> list(diff.changes.total), list(diff.changes.own), diff.changes.status
    ([100.0, 100.0], [0.0, 100.0], ['hotter', 'hotter'])
    """

    before: ContextProfile
    after: ContextProfile
    contexts: AlignedContexts
    changes: Changes
    """By row of `contexts`."""
    functions_before: FunctionTotals
    """By function pair."""
    functions_after: FunctionTotals
    function_changes: Changes
    """By function pair; the status goes by the own change alone, as the inclusive one is in the callers' too."""
    yardstick: Yardstick
    """How values were made comparable, and which changes count."""
    unaligned: tuple[Loss, ...]
    """What could not be aligned, or only by guessing, and other reasons to doubt the comparison."""
    chosen: frozenset[int] | None = None
    """Function pairs that are looked at; None for all. Changes of others count as none."""
    min_share: float = 0.0
    """What has less of the heavier run counts as unchanged, see `Yardstick.has_share`."""

    @property
    def has_changes(self) -> bool:
        """Whether any context or function changed by at least the least change."""
        return any(
            status != "unchanged" for changes in (self.changes, self.function_changes) for status in changes.status
        )


def diff_contexts(
    before: ContextProfile,
    after: ContextProfile,
    *,
    normalise: Normalise = "none",
    metric: Metric | None = None,
    min_change: float = 0.005,
) -> ContextDiff:
    """Compare two whole profiles.

    Args:
        metric: time when both profiles have it, when not given.
        min_change: share of the heavier run's total below which a change is none.
    Raises:
        InputError: `metric` is time and a profile has none, or theirs are of different clocks; calls are asked for and
            a profile has none; or a profile lacks contexts that were left out.
    Guarantee: a profile does not differ from itself; exchanging before and after negates every change and
        exchanges hotter with colder, appeared with vanished; the own values of each side add up to its total.
    Cost: O(n + m), about 8 us per context.
    """
    for profile in (before, after):
        if profile.pruned_contexts:
            raise InputError(
                f"cannot compare a part of a profile: {profile.pruned_contexts:,} of its contexts were left out",
                slug="partial-profile",
                hint="compare whole profiles",
            )
    metric = metric or ("time" if before.has_time and after.has_time else "calls")
    if metric == "time" and not (before.has_time and after.has_time):
        which = "neither profile" if not (before.has_time or after.has_time) else "one profile"
        raise InputError(
            f"cannot compare times: {which} has {'any' if which.startswith('neither') else 'none'}",
            slug="no-times",
            hint="--metric calls",
        )
    if metric == "time":
        check_clocks(before, after, calls_will_do=True)
    if metric == "calls" or normalise == "calls":
        check_calls([before, after], ["the first profile", "the second profile"])
    notes = _inexact(before, after)
    if differ_in_comprehensions(before, after):
        before, after = (_dissolved(profile, notes) for profile in (before, after))
    aligned = align_contexts(before, after)
    yardstick = Yardstick.for_totals(*_totals(metric, before, after), normalise, metric, min_change)
    pairs = len(aligned.functions.pairs)
    totals_before = totals_by_function(aligned.before, aligned.before.function, pairs)
    totals_after = totals_by_function(aligned.after, aligned.after.function, pairs)
    return ContextDiff(
        before=before,
        after=after,
        contexts=aligned,
        changes=_changes(
            yardstick, aligned.before, aligned.after, aligned.present_before, aligned.present_after, by_own=False
        ),
        functions_before=totals_before,
        functions_after=totals_after,
        function_changes=_changes(
            yardstick,
            totals_before,
            totals_after,
            _present(aligned.before.function, aligned.present_before, pairs),
            _present(aligned.after.function, aligned.present_after, pairs),
            by_own=True,
        ),
        yardstick=yardstick,
        unaligned=(*notes, *_unaligned(aligned)),
    )


def _totals(metric: Metric, before: ContextProfile, after: ContextProfile) -> tuple[int, int]:
    if metric == "time":
        return before.total_ns, after.total_ns
    return before.total_calls, after.total_calls


def _changes(
    yardstick: Yardstick,
    before: Contexts | FunctionTotals,
    after: Contexts | FunctionTotals,
    present_before: Sequence[int],
    present_after: Sequence[int],
    *,
    by_own: bool,
) -> Changes:
    is_time = yardstick.metric == "time"
    change = yardstick.change
    total, own = (
        array("d", map(change, *columns, before.calls, after.calls))
        for columns in (
            (before.total_ns, after.total_ns) if is_time else (before.total_calls, after.total_calls),
            (before.self_ns, after.self_ns) if is_time else (before.calls, after.calls),
        )
    )
    status = list(map(yardstick.status, own if by_own else total, own, present_before, present_after))
    return Changes(total, own, status)


def _present(function: Sequence[int], present: Sequence[int], pairs: int) -> Sequence[int]:
    """In how many contexts each function pair ran on one side."""
    counts = array("q", bytes(8 * pairs))
    for number, contexts in zip(function, present, strict=True):
        counts[number] += contexts
    return counts


def _inexact(before: ContextProfile, after: ContextProfile) -> list[Loss]:
    """Say how far the values of each side may be from the truth; nothing when both are exact."""
    notes = []
    for profile, which in ((before, "first"), (after, "second")):
        bounds = profile.approximation
        if bounds is not None:
            unit = "nanoseconds" if bounds.metric == "time" else "calls"
            most = max(bounds.floor, max(profile.errors(), default=0))
            detail = f"{unit} that a context of the {which} profile may have beyond its value, listed or not"
            notes.append(Loss("profile-approximate", most, detail))
        if profile.sampling is not None:
            detail = f"bursts that the values of the {which} profile were scaled up from"
            notes.append(Loss("profile-sampled", profile.sampling.bursts, detail))
    return notes


def _dissolved(profile: ContextProfile, notes: list[Loss]) -> ContextProfile:
    if not any(function.kind == "comprehension" for function in profile.functions):
        return profile
    dissolved, vanished = dissolve_comprehensions(profile)
    notes.append(
        Loss(
            "comprehension-frames-dissolved",
            vanished,
            "calls of comprehension frames left out, their time added to the callers: one run used Python 3.12"
            " or newer, which runs comprehensions inside their function",
        )
    )
    return dissolved


def _unaligned(aligned: AlignedContexts) -> list[Loss]:
    """Say what has no partner and which partners are guesses."""
    functions = aligned.functions
    notes = []
    for how, kind, detail in (
        ("only before", "functions-only-before", "functions only in the first profile"),
        ("only after", "functions-only-after", "functions only in the second profile"),
        ("moved", "functions-moved", "functions that moved to another module or file, compared all the same"),
        (
            "maybe renamed",
            "functions-maybe-renamed",
            "functions maybe renamed, compared all the same: they have the same callers and callees",
        ),
    ):
        amount = sum(pair.how == how for pair in functions.pairs)
        if amount:
            notes.append(Loss(kind, amount, detail))
    if functions.guessed:
        detail = "functions with namesakes in their file, paired in order of their lines: may be wrong"
        notes.append(Loss("functions-guessed", len(functions.guessed), detail))
    if aligned.guessed_sites:
        detail = "functions called from several lines of one caller, paired in order as the lines changed: may be wrong"
        notes.append(Loss("call-sites-guessed", len(aligned.guessed_sites), detail))
    return notes
