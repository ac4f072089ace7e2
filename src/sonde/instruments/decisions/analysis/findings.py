"""What differs most: the differences of all pairs of compilations, said once each, by the time in their code."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from sonde.instruments.decisions.analysis.call_differences import CallDifference, call_differences, calls_only
from sonde.instruments.decisions.analysis.causes import Causes
from sonde.instruments.decisions.analysis.code_times import Code, CodeTimes, UnitCode
from sonde.instruments.decisions.analysis.comparison import ComparedMethod, ComparedUnits, Comparison
from sonde.instruments.decisions.analysis.decision_differences import (
    DecisionDifference,
    Leaf,
    decision_differences,
    events_text,
    follows_from,
    one_sided_decisions,
)
from sonde.instruments.decisions.analysis.difference_code import code_of
from sonde.instruments.decisions.analysis.distinctions import distinction
from sonde.instruments.decisions.analysis.shares import SIDES, share_of_run
from sonde.instruments.decisions.experiments import Fragment, InliningPath, TooBig
from sonde.instruments.decisions.model import CallKind, CallSite, DecisionRun, Unit

INLINED_OR_NOT, DONE_OR_MISSED, ONE_SIDED_CALL, ONE_SIDED_DECISION = range(4)
"""How much a difference is apt to matter, where the time is the same: most first."""

MOST_PLACES = 4
"""Places of a difference that are told, where it is in several."""

_PER_METHOD = 4
"""Differences in the compilations of one method that are told before those of others are, too."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
"""What inliners say of a call of the same method is often the same but for sizes and costs."""


class CodePlace(NamedTuple):
    """Where a difference is."""

    caller: str | None
    """The method whose code it is in."""
    at: int
    """`NO_OFFSET` if it is in several places of it, or not known."""
    column: int = 0


@dataclass(slots=True, eq=False)
class Finding:
    """A difference, wherever it occurs."""

    rank: int
    what: str
    """`inlined in A, direct in B`."""
    subject: str | None
    """The method called, or the optimization; None: a method that has no name."""
    is_call: bool
    places: list[CodePlace]
    """Where it is: a method of which the inliner says the same at several calls is one difference. Those with more time
    come first."""
    detail: str = ""
    """How an example differs of what is called the same on both sides; empty: there is nothing to say."""
    follows: int = 0
    """Further calls and decisions that differ because of it."""
    size: int = 0
    pairs: list[tuple[int, int]] = field(default_factory=list)
    """Where it is: the method's place in the comparison, and the pair's within."""
    code: tuple[dict[int, UnitCode], dict[int, UnitCode]] = field(default_factory=lambda: ({}, {}))
    """On either side the code that it is about, or that follows from it, by the numbers of the units that have it."""
    call: CallDifference | None = None
    decisions: DecisionDifference | None = None
    """An example."""

    @property
    def caller(self) -> str | None:
        """The method whose code the first place is in."""
        return self.places[0].caller

    @property
    def at(self) -> int:
        """The first place."""
        return self.places[0].at

    @property
    def column(self) -> int:
        """The column of the first place."""
        return self.places[0].column

    def add_code(
        self,
        units: ComparedUnits,
        times: Callable[[Unit], CodeTimes],
        difference: CallDifference | DecisionDifference | None,
    ) -> None:
        """Take in the code of two compilations that a difference is about; None: they follow from it as a whole."""
        for side, compilation in enumerate((units.pair.first, units.pair.second)):
            unit = compilation.parent if isinstance(compilation, Fragment) else compilation
            if difference is None and unit is not compilation:
                continue  # the code of a fragment is that of the call
            known = self.code[side].setdefault(unit.number, UnitCode(times(unit)))
            known.add(Code(is_whole=True) if difference is None else code_of(difference, side, compilation))

    @property
    def cause(self) -> tuple[object, ...]:
        """Equal for what is one difference: calls of one method about which the inliner changed its mind for the same
        reasons, wherever they are; of anything else, what is in one place."""
        call = self.call
        if call is None or call.left is None or call.right is None:
            return (self.is_call, self.subject, self.what, self.places[0])
        said = tuple(_NUMBER.sub("#", reason) for site in (call.left, call.right) for reason in site.reasons[-1:])
        return (self.is_call, self.subject, self.what, said)


def findings(comparison: Comparison) -> list[Finding]:
    """All differences of pairs that are closest to each other, most important first.

    A difference in the code that was inlined for a call follows from the difference of that call, and is counted there.
    So does what differs between a method that was inlined on one side and the unit it is on the other, whose time is
    the call's, too.

    Guarantee: sorted by the larger of the shares of time on both sides; then by kind; then by how much follows.
    Cost: O(n) for n nodes of differences.
    """
    every = [(place, units, _of_units(comparison.methods[place[0]], units)) for place, units in _told(comparison)]
    causes: Causes[Finding] = Causes()
    for _, units, found in every:
        for finding in found:
            if finding.call is not None:
                causes.add(units.pair, finding.call, finding)
    gathered: dict[tuple[object, ...], Finding] = {}
    times = cache(CodeTimes)
    following: list[tuple[Finding, ComparedUnits, list[Finding]]] = []
    for place, units, found in every:
        if found and (cause := causes.of(units.pair)) is not None:
            following.append((cause, units, found))
            continue
        for finding in found:
            known = gathered.setdefault(finding.cause, finding)
            if place not in known.pairs[-1:]:
                known.pairs.append(place)
            known.add_code(units, times, finding.call or finding.decisions)
            if known is not finding:
                known.follows += finding.follows
                known.size += finding.size
                known.places.extend(one for one in finding.places if one not in known.places)
    for cause, units, found in following:
        known = gathered[cause.cause]
        known.follows += sum(1 + finding.follows for finding in found)
        known.size += sum(finding.size for finding in found)
        known.add_code(units, times, None)
    return sorted(gathered.values(), key=lambda finding: _order(comparison, finding))


def finding_shares(comparison: Comparison, finding: Finding) -> tuple[float | None, float | None]:
    """On either side the share of the run's time in the code that it is about; where samples do not tell more, in the
    units that have it."""
    first, second = (
        share_of_run(experiment.run, time)
        for experiment, time in zip(comparison.experiments(), finding_times(finding), strict=True)
    )
    return first, second


def finding_times(finding: Finding) -> tuple[int, int]:
    """On either side the time in that code."""
    first, second = (sum(each.time for each in code.values()) for code in finding.code)
    return first, second


def spread(found: Sequence[Finding], room: int) -> list[Finding]:
    """The first ones, at most `room`, but not all of one method."""
    shown: list[Finding] = []
    told: dict[int, int] = {}
    for finding in found:
        if len(shown) == room:
            break
        method = finding.pairs[0][0]
        told[method] = told.get(method, 0) + 1
        if told[method] <= _PER_METHOD:
            shown.append(finding)
    return shown or list(found[:room])


def _order(comparison: Comparison, finding: Finding) -> tuple[float, int, int]:
    weight = max((share for share in finding_shares(comparison, finding) if share is not None), default=0.0)
    return (-weight, finding.rank, -finding.size)


def _told(comparison: Comparison) -> Iterator[tuple[tuple[int, int], ComparedUnits]]:
    """The closest pairs, with their places in the comparison."""
    for number, method in enumerate(comparison.methods):
        for place in sorted(method.closest):
            yield (number, place), method.units[place]


def _of_units(method: ComparedMethod, units: ComparedUnits) -> list[Finding]:
    pruned = units.pruned
    if pruned.context is None or isinstance(pruned.context, TooBig):
        inlining = None if isinstance(pruned.inlining, TooBig) else pruned.inlining
    else:
        inlining = calls_only(pruned.context)
    calls = call_differences(inlining)
    found = [_call_finding(method, call) for call in calls]
    paths: tuple[list[InliningPath], list[InliningPath]] = ([], [])
    owners: tuple[list[Finding], list[Finding]] = ([], [])
    for call, finding in zip(calls, found, strict=True):
        for side in (0, 1):
            paths[side].extend(call.paths[side])
            owners[side].extend([finding] * len(call.paths[side]))
    own: list[Leaf] = []
    leaves = one_sided_decisions(
        None if isinstance(pruned.optimizations, TooBig) else pruned.optimizations,
        None if isinstance(pruned.context, TooBig) else pruned.context,
    )
    for leaf in leaves:
        number = follows_from(leaf, paths)
        if number is None:
            own.append(leaf)
        else:
            owners[0 if leaf[0].value == "-" else 1][number].follows += 1
    found.extend(_decision_finding(method, difference) for difference in decision_differences(own))
    return found


def _call_finding(method: ComparedMethod, call: CallDifference) -> Finding:
    site = call.left or call.right
    assert site is not None
    is_another = call.left is not None and call.right is not None and call.left.method != call.right.method
    if is_another and call.right is not None:
        what = f"{_kind(call.left)} in {SIDES[0]}; in {SIDES[1]} {_kind(call.right)}: {call.right.method}"
    elif call.left is None or call.right is None:
        what = f"{_kind(site)} in {SIDES[0 if call.left else 1]}, no such call in {SIDES[1 if call.left else 0]}"
    else:
        what = f"{_kind(call.left)} in {SIDES[0]}, {_kind(call.right)} in {SIDES[1]}"
    return Finding(
        rank=INLINED_OR_NOT if call.is_of_inlining and call.left and call.right else ONE_SIDED_CALL,
        what=what,
        subject=site.method,
        is_call=True,
        places=[CodePlace(call.caller if call.caller is not None else method.method, site.at, site.column)],
        follows=call.follows,
        size=1 + call.follows,
        call=call,
    )


def _kind(site: CallSite | None) -> str:
    return "missing" if site is None else "the root" if site.kind is CallKind.ROOT else site.kind.value


def _decision_finding(method: ComparedMethod, difference: DecisionDifference) -> Finding:
    decisions = [*difference.left, *difference.right]
    offsets = {decision.position[0][1:] for decision in decisions if decision.position}
    at, column = offsets.pop() if len(offsets) == 1 else (-1, 0)
    what, detail = _decisions_in_words(difference, (method.pair.first.run, method.pair.second.run))
    return Finding(
        rank=DONE_OR_MISSED if difference.is_of_outcome else ONE_SIDED_DECISION,
        what=what,
        subject=difference.name,
        is_call=False,
        places=[CodePlace(difference.method or method.method, at, column)],
        detail=detail,
        size=len(decisions),
        decisions=difference,
    )


def _decisions_in_words(difference: DecisionDifference, runs: tuple[DecisionRun, DecisionRun]) -> tuple[str, str]:
    left, right = difference.left, difference.right
    if not right:
        return f"{events_text(left)} only in {SIDES[0]}", ""
    if not left:
        return f"{events_text(right)} only in {SIDES[1]}", ""
    ours, theirs = events_text(left), events_text(right)
    if ours != theirs:
        return f"{ours} in {SIDES[0]}, {theirs} in {SIDES[1]}", ""
    found = distinction(left, right, runs)
    sides = [f"{text} in {side}" for text, side in zip(found.sides, SIDES, strict=True) if text]
    return f"{ours} {found.what}", "; ".join(sides)
