"""What the inliner says in one remark: which call, where, and why."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sonde.instruments.decisions.remarks import Argument, Remark

INLINERS = frozenset(
    {"inline", "always-inline", "inline-ml", "module-inline", "sample-profile-inline", "sample-profile", "inliner"}
)
"""Passes whose remarks are about calls."""
PROMOTION = "pgo-icall-prom"
"""The pass that tries indirect calls as direct ones first."""
AT_CALL_SITE = "at callsite"
"""Stands before the chain of calls."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SAID_IN_ARGUMENTS = ("Callee", "Caller", "String", "Line", "Column", "Disc")
_LINES = 1 << 32
"""LLVM counts lines from the start of a function without a sign."""


class Link(NamedTuple):
    """A call on the way from the code that the remark is about to the function that is compiled."""

    function: str
    """The one that the call is in: its symbol, or its plain name where the debug information has no symbols."""
    line: int
    """From the line on which that function is declared."""
    column: int
    discriminator: int


@dataclass(frozen=True, slots=True)
class InlinerRemark:
    """What the inliner said of one call."""

    callee: str
    inlined: bool
    reason: str
    file: str
    line: int
    """Of the call; 0: not known."""
    column: int
    chain: tuple[Link, ...]
    """Innermost first: the call itself, then those through which the code that has it was inlined; empty: not told."""
    order: int
    """Among all remarks of the object file."""


def inliner_remark(remark: Remark, order: int) -> InlinerRemark | None:
    """Understand a remark; None: it is about no call."""
    callee = next((each.value for each in remark.arguments if each.key == "Callee"), None)
    if callee is None:
        return None
    place = remark.place
    return InlinerRemark(
        callee,
        remark.kind == "Passed",
        _reason(remark),
        place.file if place else "",
        place.line if place else 0,
        place.column if place else 0,
        _chain(remark.arguments),
        order,
    )


def _reason(remark: Remark) -> str:
    """In words: `too costly: cost=140, threshold=225`."""
    name = _CAMEL.sub(" ", remark.name).lower()
    facts = []
    for each in remark.arguments:
        if each.key == "Reason":
            facts.append(each.value)
        elif each.key not in _SAID_IN_ARGUMENTS:
            facts.append(f"{each.key[:1].lower()}{each.key[1:]}={each.value}")
    if not facts and (cost := next((each.value for each in remark.arguments if "(cost=" in each.value), None)):
        facts.append(cost.strip(" ()"))  # `(cost=always)`, which has no number
    return f"{name}: {', '.join(facts)}" if facts else name


def _chain(arguments: Sequence[Argument]) -> tuple[Link, ...]:
    """What follows `at callsite`: function, `:`, line, `:`, column, perhaps `.` and a discriminator, `@`, and so on."""
    begin = next((k for k, each in enumerate(arguments) if each.key == "String" and AT_CALL_SITE in each.value), None)
    if begin is None:
        return ()
    links: list[Link] = []
    function, line, column, discriminator = "", None, 0, 0
    for each in arguments[begin + 1 :]:
        if each.key == "Line":
            line = signed_line(each.value)
        elif each.key == "Column":
            column = signed_line(each.value)
        elif each.key == "Disc":
            discriminator = signed_line(each.value)
        elif each.key == "String" and each.value.strip() in ("@", ";"):
            if line is not None:
                links.append(Link(function, line, column, discriminator))
            function, line, column, discriminator = "", None, 0, 0
        elif each.key == "String" and line is None and each.value not in (":", "."):
            function += each.value
    return tuple(links)


def signed_line(digits: str) -> int:
    """A line from where a function is declared, which LLVM writes without its sign.

    >>> signed_line("4294967295")
    -1
    """
    try:
        value = int(digits)
    except ValueError:
        return 0
    return value - _LINES if value >= _LINES >> 1 else value
