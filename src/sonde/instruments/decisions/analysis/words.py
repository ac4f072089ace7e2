"""What decisions are called: the words that text, pages and JSON share."""

from collections.abc import Sequence

from sonde.base.fitted_text import printable
from sonde.instruments.decisions.model import (
    CallKind,
    CallSite,
    CompilerKind,
    Decision,
    Outcome,
    ReceiverProfile,
    Value,
)

COMPILERS: dict[CompilerKind, str] = {
    "graal": "Graal",
    "llvm": "LLVM",
    "hotspot": "HotSpot",
    "cpython": "CPython",
}

KIND_MEANING: dict[CallKind, str] = {
    CallKind.INLINED: "its code is in the caller",
    CallKind.DIRECT: "a call of one known method stayed",
    CallKind.INDIRECT: "a call whose target is found as it runs stayed",
    CallKind.DEVIRTUALIZED: "replaced by calls of the methods below",
    CallKind.DELETED: "the call is gone",
}

OUTCOME_WORDS: dict[Outcome, str] = {"applied": "", "missed": "missed", "analysis": "remark"}

_LONGEST_TYPE, _DIGEST = 400, 10
"""Letters of a type, and of the digest after it, that are shown."""


def value_text(value: Value) -> str:
    """A property's value, as the compiler would write it.

    >>> value_text(True), value_text(None), value_text(2.5), value_text("x")
    ('true', 'null', '2.5', 'x')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return printable(str(value))


def properties_text(decision: Decision) -> str:
    """All properties on one line: `unrollFactor 4, peelings 1`; empty without any."""
    return ", ".join(f"{printable(key)} {value_text(value)}" for key, value in decision.properties)


def decision_name(decision: Decision) -> str:
    """The optimization, its event where that says more, and whether it was not done.

    >>> decision_name(Decision("LoopTransformations", "LoopPeeling"))
    'LoopTransformations LoopPeeling'
    >>> decision_name(Decision("inline", "NoDefinition", outcome="missed"))
    'inline NoDefinition (missed)'
    """
    name, event = printable(decision.name), printable(decision.event)
    text = name if not event or event == name else f"{name} {event}"
    word = OUTCOME_WORDS[decision.outcome]
    return f"{text} ({word})" if word else text


def receivers_text(profile: ReceiverProfile, width: int) -> str:
    """The types a call was made on, most frequent first, in about `width` columns.

    >>> from sonde.instruments.decisions.model import ReceiverType
    >>> types = (ReceiverType("java.util.ArrayList", 0.9, "java.util.ArrayList.get(int)"), ReceiverType("Other", 0.1))
    >>> receivers_text(ReceiverProfile(True, types), 80)
    '90.0% ArrayList, 10.0% Other'
    """
    types = sorted(profile.types, key=lambda one: -one.probability)
    parts: list[str] = []
    used = 0
    for number, one in enumerate(types):
        part = f"{100.0 * one.probability:.1f}% {short_type(one.type_name)}"
        if parts and used + len(part) > width - (12 if number + 1 < len(types) else 0):
            parts.append(f"{len(types) - number} more")
            break
        parts.append(part)
        used += len(part) + 2
    text = ", ".join(parts) or "no type seen"
    return text if profile.mature else f"{text} (immature)"


def short_type(name: str) -> str:
    """A type without its package.

    >>> short_type("java.util.ArrayList"), short_type("a.B$$Lambda/0x00007f02c84a3178")
    ('ArrayList', 'B$$Lambda/0x00007f02…')
    """
    head, slash, tail = printable(name[:_LONGEST_TYPE]).partition("/")
    cut = tail[:_DIGEST] + ("…" if len(tail) > _DIGEST else "")
    return (head.rpartition(".")[2] or head) + slash + cut


def reasons_text(reasons: Sequence[str]) -> str:
    """What the inliner said last, which is what it did, and how much it had said before."""
    if not reasons:
        return ""
    earlier = len(reasons) - 1
    return printable(reasons[-1][:2000]) + (f" ({earlier} earlier)" if earlier else "")


def call_counts(root: CallSite) -> dict[CallKind, int]:
    """How many calls below a root became what."""
    counts: dict[CallKind, int] = {}
    pending = list(root.children)
    while pending:
        call = pending.pop()
        counts[call.kind] = counts.get(call.kind, 0) + 1
        pending.extend(call.children)
    return counts
