"""What a difference between groups of runs is about, in words."""

from sonde.decisions.groups import (
    CallSubject,
    ContextSubject,
    DecisionSubject,
    Difference,
    MethodSubject,
    PhaseSubject,
    ReceiverSubject,
    Subject,
    TimeSubject,
)
from sonde.decisions.model import NO_OFFSET, Decision, Outcome
from sonde.views.decisions.method_names import short_method
from sonde.views.decisions.words import decision_name, properties_text
from sonde.views.fitted_text import printable


def subject_texts(subject: Subject, width: int) -> tuple[str, str]:
    """What is different, and where; names in at most `width` columns each.

    >>> subject_texts(CallSubject("app.Hot.work(int)", 5, "java.util.HashMap.get(Object)"), 40)
    ('java.util.HashMap.get(Object)', 'at 5 in app.Hot.work(int)')
    """
    if isinstance(subject, CallSubject):
        return short_method(subject.callee, width), _in(subject.at, subject.enclosing, width)
    if isinstance(subject, ReceiverSubject):
        return f"receivers of {short_method(subject.callee, width)}", _in(subject.at, subject.enclosing, width)
    if isinstance(subject, ContextSubject):
        last, caller, first = subject.path[-1], subject.path[-2], subject.path[0]
        where = _in(last.at, caller.method, width)
        if len(subject.path) > 2:
            where += f", compiled into {short_method(first.method, width)}"
        return short_method(last.method, width), where
    if isinstance(subject, DecisionSubject):
        decision = Decision(
            subject.name, subject.event, properties=subject.properties, outcome=_outcome(subject.outcome)
        )
        properties = properties_text(decision)
        what = decision_name(decision) + (f" with {properties}" if properties else "")
        return what, _in(subject.at, subject.enclosing, width)
    if isinstance(subject, PhaseSubject):
        return f"phase {printable(subject.phase)}", f"in compilations of {short_method(subject.root, width)}"
    return short_method(subject.method, width), ""


def subject_kind(subject: Subject) -> str:
    """What it is, for programs."""
    return _KINDS[type(subject)]


def range_text(difference: Difference, *, is_fast: bool) -> str:
    """The least and the greatest value of a group; shares in percent, everything else as it is.

    >>> range_text(Difference("inlined", (1.0, 0.75), (0.0,), 0, 0.1, 0.1), is_fast=True)
    '75-100%'
    """
    values = difference.fast if is_fast else difference.slow
    if not values:
        return "-"
    is_share = all(0 <= value <= 1 for value in (*difference.fast, *difference.slow))
    low, high = ((100.0 if is_share else 1.0) * end for end in (min(values), max(values)))
    sign = "%" if is_share else ""
    return f"{low:.3g}{sign}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g}-{high:.3g}{sign}"


_KINDS: dict[type, str] = {
    CallSubject: "call",
    ReceiverSubject: "receivers",
    ContextSubject: "call in context",
    DecisionSubject: "decision",
    PhaseSubject: "phase",
    MethodSubject: "method",
    TimeSubject: "time",
}


def _in(at: int, method: str, width: int) -> str:
    where = short_method(method, width)
    return f"in {where}" if at == NO_OFFSET else f"at {at} in {where}"


def _outcome(outcome: str) -> Outcome:
    return "missed" if outcome == "missed" else "analysis" if outcome == "analysis" else "applied"
