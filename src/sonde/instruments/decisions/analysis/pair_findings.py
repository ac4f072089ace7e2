"""What differs between two compilations: calls, then decisions, each with what follows from it."""

from collections.abc import Hashable

from sonde.instruments.decisions.analysis.call_differences import CallDifference, call_differences, calls_only
from sonde.instruments.decisions.analysis.comparison import ComparedMethod, ComparedUnits, walk
from sonde.instruments.decisions.analysis.decision_differences import (
    DecisionDifference,
    Leaf,
    decision_differences,
    events_text,
    follows_from,
    one_sided_decisions,
)
from sonde.instruments.decisions.analysis.dependence import Part, explained, is_told_by_loop
from sonde.instruments.decisions.analysis.distinctions import distinction
from sonde.instruments.decisions.analysis.finding import (
    DONE_OR_MISSED,
    INLINED_OR_NOT,
    ONE_SIDED_CALL,
    ONE_SIDED_DECISION,
    CodePlace,
    Finding,
)
from sonde.instruments.decisions.analysis.loops import Loop, Loops
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.experiments import InliningPath, TooBig
from sonde.instruments.decisions.model import CallKind, CallSite, ContextNode, Decision, DecisionRun


def findings_of_pair(method: ComparedMethod, units: ComparedUnits) -> list[Finding]:
    """What differs between two compilations of a method; what follows from something else is with that.

    Cost: O(n) for n nodes of differences, and of `explained`.
    """
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
    loops = _loops(method, units) if own else Loops()
    return _with_causes(method, found, calls, decision_differences(own, loops), loops)


def _with_causes(
    method: ComparedMethod,
    found: list[Finding],
    calls: list[CallDifference],
    decisions: list[DecisionDifference],
    loops: Loops,
) -> list[Finding]:
    """The findings of calls and decisions, those that another one explains with it.

    What is not told by loop is one difference of a method, in whichever loops it is.
    """
    parts = [Part(call, _loop_of(call, loops)) for call in calls]
    for difference in decisions:
        (loop,) = difference.loops
        parts.append(Part(difference, loop, loops.gone(loop)))
    causes = explained(parts) if method.pair.first.run.kind == "llvm" else {}
    leading: dict[int, Hashable] = {}
    gathered: dict[Hashable, DecisionDifference] = {}
    following: dict[Hashable, dict[Hashable, DecisionDifference]] = {}
    for number, part in enumerate(parts):
        if isinstance(part.difference, CallDifference):
            leading[number] = number
        elif number not in causes:
            leading[number] = (*_kind_of(part), is_told_by_loop(part) and _events(part.difference))
            _gather(gathered, leading[number], part.difference)
    for number, cause in causes.items():
        part = parts[number]
        assert isinstance(part.difference, DecisionDifference)
        _gather(following.setdefault(leading[cause], {}), _kind_of(part), part.difference)
    made: dict[Hashable, Finding] = dict(enumerate(found))
    made.update((key, _decision_finding(method, difference)) for key, difference in gathered.items())
    for key, those in following.items():
        made[key].with_it = [_decision_finding(method, difference) for difference in those.values()]
        made[key].size += sum(each.size for each in made[key].with_it)
    return list(made.values())


def _gather(known: dict[Hashable, DecisionDifference], key: Hashable, difference: DecisionDifference) -> None:
    if key in known:
        known[key].take_in(difference)
    else:
        known[key] = difference


def _kind_of(part: Part) -> tuple[str, str | None]:
    assert isinstance(part.difference, DecisionDifference)
    return part.difference.name, part.difference.method


def _events(difference: DecisionDifference) -> tuple[frozenset[tuple[str, str]], ...]:
    """What was said on either side, without how often: loops with the same reasons are told as one difference."""
    return tuple(frozenset((each.event, each.outcome) for each in side) for side in (difference.left, difference.right))


def _loops(method: ComparedMethod, units: ComparedUnits) -> Loops:
    """The loops that both compilations name; those of other compilers than LLVM are not told apart."""
    if method.pair.first.run.kind != "llvm":
        return Loops()
    sides: tuple[list[Decision], list[Decision]] = ([], [])
    for tree in (units.whole.optimizations, units.whole.context):
        if isinstance(tree, DeltaNode):
            for node in walk(tree):
                for decisions, content in zip(sides, (node.left, node.right), strict=True):
                    said = content.content if isinstance(content, ContextNode) else content
                    if isinstance(said, Decision):
                        decisions.append(said)
    return Loops(*sides)


def _loop_of(call: CallDifference, loops: Loops) -> Loop | None:
    side, site = (0, call.left) if call.left is not None else (1, call.right)
    return None if site is None else loops.at(side, call.caller, site.at, site.column)


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
    what, detail = _decisions_in_words(difference, (method.pair.first.run, method.pair.second.run))
    return Finding(
        rank=DONE_OR_MISSED if difference.is_of_outcome else ONE_SIDED_DECISION,
        what=what,
        subject=difference.name,
        is_call=False,
        places=[CodePlace(difference.method or method.method, *offset) for offset in _offsets(difference)],
        detail=detail,
        size=len(decisions),
        decisions=difference,
    )


def _offsets(difference: DecisionDifference) -> list[tuple[int, int]]:
    """The one place of all decisions, else where their loops begin."""
    decisions = [*difference.left, *difference.right]
    offsets = {decision.position[0][1:] for decision in decisions if decision.position}
    if len(offsets) == 1:
        return [*offsets]
    starts = sorted(loop.start for loop in difference.loops if loop is not None)
    return starts if len(starts) == len(difference.loops) else [(-1, 0)]


def _telling(decisions: list[Decision]) -> list[Decision]:
    """Without remarks that say only that something was not done, where others say why."""
    return [each for each in decisions if each.event != "MissedDetails"] or decisions


def _decisions_in_words(difference: DecisionDifference, runs: tuple[DecisionRun, DecisionRun]) -> tuple[str, str]:
    left, right = _telling(difference.left), _telling(difference.right)
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
