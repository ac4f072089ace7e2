"""What differs between two runs, in one to three sentences."""

from collections.abc import Sequence

from sonde.base.units import counted, format_count
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.dependence import better_side, is_of_loads
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.analysis.findings import finding_shares
from sonde.instruments.decisions.analysis.scope import Scope
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun
from sonde.instruments.decisions.report.headline_words import (
    headline_name,
    is_vectorization,
    meaning_clause,
    place_words,
    reason_words,
    run_names,
    vector_width,
    with_run_names,
)

_COMPARABLE = 0.5
"""What is in code with this much of the most time of all differences matters as much."""
_MEANINGS = 80
"""Columns of what was done on either side, where it was another thing."""
_CHECKS = ("guard", "boundscheck", "rangecheck", "deopt", "bounds-check", "unspecialized", "nullcheck")
"""In names of optimizations: what is tested as the program runs."""
_VECTORIZATION, _INLINING, _CHECK, _REST = range(4)


def comparison_headline(comparison: Comparison, found: Sequence[Finding], scope: Scope) -> tuple[str, ...]:
    """The difference that matters most, what goes with it, and how many more there are.

    Of differences in code with much time, those come first that are known to matter: vectorization, inlining, checks.

    Args:
        found: all differences, as `findings` sorts them.
    """
    names = run_names(comparison)
    if not found:
        return _nothing(comparison, scope, names)
    first = _leading(comparison, found)
    sentences = _Sentences(comparison, names)
    main = min((first, *first.with_it), key=_weight_of)
    said = [sentences.of(main)]
    if main is not first:
        said.append(sentences.of(first))
    elif clue := _clue(comparison, first):
        said.append(clue)
    verb = "follows" if first.follows == 1 else "follow"
    if rest := [each for each in found if each is not first]:
        units = len({place for each in rest for place in each.pairs})
        follow = f"; {format_count(first.follows)} {verb} from the first" if first.follows else ""
        said.append(f"{counted(len(rest), 'more difference')} in {counted(units, 'unit')}{follow}.")
    elif first.follows:
        said.append(f"{counted(first.follows, 'more difference')} {verb} from this one.")
    return tuple(said)


def _nothing(comparison: Comparison, scope: Scope, names: Sequence[str]) -> tuple[str, ...]:
    missing = [sum(not side.compilations(method.method) for method in comparison.methods if method.is_missing)
               for side in comparison.experiments()]  # fmt: skip
    for count, name in zip(missing, reversed(names), strict=True):
        if count:
            verb = "is" if count == 1 else "are"
            return (f"nothing differs but that {counted(count, 'method')} {verb} compiled in {name} only.",)
    units = min(scope.units)
    if comparison.has_differences or not units:
        return ()
    return (f"nothing differs in {counted(units, 'hot unit' if scope.which == 'hot' else 'unit')}.",)


def _leading(comparison: Comparison, found: Sequence[Finding]) -> Finding:
    shares = [max((share or 0.0) for share in finding_shares(comparison, each)) for each in found]
    most = max(shares)
    heavy = [each for each, share in zip(found, shares, strict=True) if share >= _COMPARABLE * most]
    return min(heavy, key=_weight)


def _weight(finding: Finding) -> int:
    """How much a difference, or one that goes with it, is known to matter, most first."""
    return min(map(_weight_of, (finding, *finding.with_it)))


def _weight_of(finding: Finding) -> int:
    if finding.decisions is not None:
        name = finding.decisions.name.lower()
        said = {each.event.lower() for each in (*finding.decisions.left, *finding.decisions.right)}
        if is_vectorization(name) and any(finding.decisions.with_outcome("applied")):
            return _VECTORIZATION
        return _CHECK if any(word in text for word in _CHECKS for text in (name, *said)) else _REST
    call = finding.call
    return _INLINING if call is not None and _is_of_inlining(call.left, call.right) else _REST


def _is_of_inlining(left: CallSite | None, right: CallSite | None) -> bool:
    """Whether a call was inlined on one side and left on the other."""
    if left is None or right is None or left.method != right.method:
        return False
    return (left.inlined and right.alive) or (right.inlined and left.alive)


def _clue(comparison: Comparison, first: Finding) -> str:
    """What another pass missed in the same loop on the side that was not vectorized: most often the reason."""
    if first.decisions is None or not is_vectorization(first.decisions.name):
        return ""
    side = 0 if first.decisions.with_outcome("applied")[1] else 1
    run = comparison.experiments()[side].run
    for each in first.with_it:
        other = each.decisions
        if other is None or not is_of_loads(other):
            continue
        missed = other.with_outcome("missed")[side]
        if words := meaning_clause(run, missed):
            where = place_words(run, missed).strip(" ()")
            return f"{where or other.name}: {words} ({other.name})."
    return ""


class _Sentences:
    """Differences in a sentence each."""

    def __init__(self, comparison: Comparison, names: tuple[str, str]) -> None:
        self._names = names
        first, second = (side.run for side in comparison.experiments())
        self._runs: tuple[DecisionRun, DecisionRun] = (first, second)

    def of(self, finding: Finding) -> str:
        """Say it, with the reason as far as it is known."""
        if finding.call is not None:
            return self._of_call(finding, finding.call.left, finding.call.right)
        assert finding.decisions is not None
        sides = (finding.decisions.left, finding.decisions.right)
        if is_vectorization(finding.decisions.name):
            return self._of_vectorization(finding, sides)
        better = better_side(finding.decisions)
        if better is not None:
            worse = self._runs[1 - better]
            missed = [each for each in sides[1 - better] if each.outcome == "missed"]
            if meaning := meaning_clause(worse, missed):
                place = f"{headline_name(finding.caller)}{place_words(worse, missed)}"
                return f"{place}, in {self._names[1 - better]} only: {meaning} ({finding.subject})."
        where = place_words(self._runs[0], sides[0]) or place_words(self._runs[1], sides[1])
        what = with_run_names(finding.what, self._names)
        subject = "" if what.startswith(finding.subject or "") else f"{finding.subject} "
        words = f"{headline_name(finding.caller)}{where}: {subject}{what}"
        meaning = self._meaning(sides)
        return f"{words}: {meaning}." if meaning else f"{words}."

    def _meaning(self, sides: tuple[list[Decision], list[Decision]]) -> str:
        """Of what was missed; else of what was done, on both sides if that is not the same."""
        meanings = [meaning_clause(run, side) for run, side in zip(self._runs, sides, strict=True)]
        for side, meaning in zip(sides, meanings, strict=True):
            if any(each.outcome == "missed" for each in side):
                return meaning
        if all(meanings) and meanings[0] != meanings[1] and sum(map(len, meanings)) <= _MEANINGS:
            return ", ".join(f"{meaning} ({name})" for meaning, name in zip(meanings, self._names, strict=True))
        return meanings[0] or meanings[1]

    def _of_vectorization(self, finding: Finding, sides: tuple[list[Decision], list[Decision]]) -> str:
        applied = [[each for each in side if each.outcome == "applied"] for side in sides]
        name = headline_name(finding.caller)
        if all(applied):
            widths = [vector_width(side) for side in applied]
            where = place_words(self._runs[0], applied[0])
            told = " and ".join(f"in {run}{width}" for run, width in zip(self._names, widths, strict=True))
            return f"{name}{where}: vectorized otherwise {told}."
        if not any(applied):
            what = with_run_names(finding.what, self._names)
            return f"{name}{place_words(self._runs[0], sides[0])}: {finding.subject} {what}."
        done = 0 if applied[0] else 1
        other = 1 - done
        where = place_words(self._runs[done], applied[done])
        there = place_words(self._runs[other], sides[other])
        reason = meaning_clause(self._runs[other], sides[other])
        words = (
            f"{name}{where}: vectorized in {self._names[done]}{vector_width(applied[done])},"
            f" not in {self._names[other]}{there if there != where else ''}"
        )
        return f"{words}: {reason}." if reason else f"{words}."

    def _of_call(self, finding: Finding, left: CallSite | None, right: CallSite | None) -> str:
        into = headline_name(finding.caller)
        callee = headline_name(finding.subject)
        calls = f" ({len(finding.places)} calls)" if len(finding.places) > 1 else ""
        if left is None or right is None or not _is_of_inlining(left, right):
            return f"{callee} in {into}{calls}: {with_run_names(finding.what, self._names)}."
        done, without = (0, right) if left.inlined else (1, left)
        said = reason_words(without.reasons)
        reason = f": {said} ({self._names[1 - done]})" if said else ""
        return f"{callee} is inlined into {into}{calls} in {self._names[done]} only{reason}."
