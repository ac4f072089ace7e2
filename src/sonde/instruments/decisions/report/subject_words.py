"""What a difference between groups of runs is about, in words."""

from sonde.base.fitted_text import printable
from sonde.instruments.decisions.analysis.words import decision_name, properties_text
from sonde.instruments.decisions.groups import (
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
from sonde.instruments.decisions.model import NO_OFFSET, Decision, Offsets, Outcome
from sonde.render.name_text import short_name


def subject_texts(subject: Subject, width: int, *, offsets: Offsets, lines_from: str = "file") -> tuple[str, str]:
    """What is different, and where; names in at most `width` columns each.

    Args:
        offsets, lines_from: what places count, as `Consistency` says.

    >>> call = CallSubject("app.Hot.work(int)", 5, "java.util.HashMap.get(Object)")
    >>> subject_texts(call, 40, offsets="bytecode index")
    ('java.util.HashMap.get(Object)', 'at bci 5 in app.Hot.work(int)')
    >>> subject_texts(call, 40, offsets="line", lines_from="method")
    ('java.util.HashMap.get(Object)', 'at line 6 of app.Hot.work(int)')
    """

    def within(at: int, method: str) -> str:
        where = short_name(method, width)
        if at == NO_OFFSET:
            return f"in {where}"
        if offsets == "bytecode index":
            return f"at bci {at} in {where}"
        return f"at line {at + 1} of {where}" if lines_from == "method" else f"at line {at} in {where}"

    if isinstance(subject, CallSubject):
        return short_name(subject.callee, width), within(subject.at, subject.enclosing)
    if isinstance(subject, ReceiverSubject):
        return f"receivers of {short_name(subject.callee, width)}", within(subject.at, subject.enclosing)
    if isinstance(subject, ContextSubject):
        last, caller, first = subject.path[-1], subject.path[-2], subject.path[0]
        where = within(last.at, caller.method)
        if len(subject.path) > 2:
            where += f", compiled into {short_name(first.method, width)}"
        return short_name(last.method, width), where
    if isinstance(subject, DecisionSubject):
        decision = Decision(
            subject.name, subject.event, properties=subject.properties, outcome=_outcome(subject.outcome)
        )
        properties = properties_text(decision)
        what = decision_name(decision) + (f" with {properties}" if properties else "")
        return what, within(subject.at, subject.enclosing)
    if isinstance(subject, PhaseSubject):
        return f"phase {printable(subject.phase)}", f"in compilations of {short_name(subject.root, width)}"
    return short_name(subject.method, width), ""


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


def _outcome(outcome: str) -> Outcome:
    return "missed" if outcome == "missed" else "analysis" if outcome == "analysis" else "applied"
