"""Findings that follow from others, put under them: an inlined call brings all that is in the inlined code with it."""

from collections.abc import Iterable, Mapping, Sequence

from sonde.instruments.decisions.groups.finding import Finding
from sonde.instruments.decisions.groups.subject import (
    CallSubject,
    ContextSubject,
    DecisionSubject,
    PathStep,
    ReceiverSubject,
    Subject,
    enclosing_method,
)


def folded(
    findings: Sequence[Finding], depths: Mapping[Subject, int], deeper: Mapping[Subject, Iterable[str]]
) -> list[Finding]:
    """Put findings under the topmost that they follow from.

    A context follows from the separated call at its end, and from separated contexts above it; what is in the code of a
    method that is below a separated call or context follows from that; receiver profiles and decisions belong to the
    separated call at their place, and of several calls at one place all to one.

    Args:
        depths: least depth at which a call was seen in a compilation; roots' calls are at 0.
        deeper: methods far below a context, which have no contexts themselves.
    """
    calls = {finding.subject: finding for finding in findings if isinstance(finding.subject, CallSubject)}
    contexts = {finding.subject.path: finding for finding in findings if isinstance(finding.subject, ContextSubject)}
    parents: dict[Subject, Finding] = {}
    below: dict[Subject, set[str]] = {}
    """Methods in the code under a topmost finding."""
    for path, finding in contexts.items():
        top = _topmost(path, contexts) or finding
        over = calls.get(_call_of(path if top is finding else top.subject.path))  # type: ignore[union-attr]
        root = over or top
        if root is not finding:
            parents[finding.subject] = root
        below.setdefault(root.subject, {root_callee(root.subject)}).add(path[-1].method)
        below[root.subject].update(deeper.get(finding.subject, ()))
    for subject in calls:
        below.setdefault(subject, {subject.callee})
    parents.update(_at_calls(findings, list(calls.values())))

    def depth_of(finding: Finding) -> tuple[int, float, str]:
        return depths.get(finding.subject, _DEEP), -finding.score, repr(finding.subject)

    tops = [finding for finding in findings if finding.subject in below]
    tops.sort(key=depth_of)
    by_method: dict[str, Finding] = {}
    for top in tops:
        inside = enclosing_method(top.subject)
        over_top = by_method.get(inside)
        if top.subject not in parents and over_top is not None and _root(parents, over_top) is not top:
            parents[top.subject] = over_top
        for method in below[top.subject]:
            by_method.setdefault(method, top)
    for finding in findings:
        if finding.subject not in parents and finding.subject not in below:
            over_it = by_method.get(enclosing_method(finding.subject))
            if over_it is not None:
                parents[finding.subject] = over_it
    return _attached(findings, parents)


_DEEP = 1 << 30


def root_callee(subject: Subject) -> str:
    """The method that a call or context calls."""
    if isinstance(subject, CallSubject):
        return subject.callee
    assert isinstance(subject, ContextSubject)
    return subject.path[-1].method


def _topmost(path: tuple[PathStep, ...], contexts: Mapping[tuple[PathStep, ...], Finding]) -> Finding | None:
    for length in range(2, len(path)):
        if path[:length] in contexts:
            return contexts[path[:length]]
    return None


def _call_of(path: tuple[PathStep, ...]) -> CallSubject:
    return CallSubject(path[-2].method, path[-1].at, path[-1].method)


def _root(parents: dict[Subject, Finding], finding: Finding) -> Finding:
    """The topmost finding above one; ways up are made short, for calls are nested deep."""
    way = []
    while (above := parents.get(finding.subject)) is not None:
        way.append(finding)
        finding = above
    for each in way:
        parents[each.subject] = finding
    return finding


def _at_calls(findings: Sequence[Finding], calls: Sequence[Finding]) -> dict[Subject, Finding]:
    """Findings at the place of a call -> that call: of several, what the program calls before what it may turn out to
    be."""
    by_place: dict[tuple[str, int], Finding] = {}
    for call in sorted(calls, key=lambda call: (not _is_dispatched(call), -call.score, repr(call.subject))):
        assert isinstance(call.subject, CallSubject)
        by_place.setdefault((call.subject.enclosing, call.subject.at), call)
    parents: dict[Subject, Finding] = {}
    for finding in findings:
        subject = finding.subject
        if isinstance(subject, CallSubject | DecisionSubject | ReceiverSubject):
            call_there = by_place.get((subject.enclosing, subject.at))
            if call_there is not None and call_there is not finding:
                parents[subject] = call_there
    return parents


def _is_dispatched(finding: Finding) -> bool:
    return any(difference.label in ("devirtualized", "indirect") for difference in finding.differences)


def _attached(findings: Sequence[Finding], parents: dict[Subject, Finding]) -> list[Finding]:
    remaining = []
    for finding in findings:
        root = _root(parents, finding)
        if root is finding:
            remaining.append(finding)
        else:
            root.followers.append(finding)
    for finding in remaining:
        finding.followers.sort(key=lambda follower: (-follower.score, repr(follower.subject)))
    return remaining
