"""The text of a node of a tree, and the lines that belong to it."""

from collections.abc import Iterator

from sonde.instruments.decisions.model import NO_OFFSET, CallSite, Decision, Phase, Position
from sonde.instruments.decisions.profdiff.java_text import two_places, value_text
from sonde.instruments.decisions.profdiff.lines import Line

_DETAIL = 2
"""Levels by which the rows of a list stand below its title."""


def call_site_text(site: CallSite) -> str:
    """Kind, name, and where it is called.

    >>> call_site_text(CallSite("a.B.c()", 7, alive=True))
    '(direct) a.B.c() at bci 7'
    """
    place = "" if site.at == NO_OFFSET else f" at bci {site.at}"
    return f"({site.kind}) {method_text(site)}{place}"


def relabelled_text(first: CallSite, second: CallSite) -> str:
    """Both kinds of a call that is one thing here and another there; the index is there even if it is not known."""
    return f"({first.kind} -> {second.kind}) {method_text(first)} at bci {first.at}"


def method_text(site: CallSite) -> str:
    """The name of what is called."""
    return "unknown" if site.method is None else site.method


def optimization_text(node: Phase | Decision, *, long_bci: bool, depth: int = 0) -> str:
    """A phase's name; of a decision, everything.

    Args:
        depth: in an optimization-context tree, how many calls lead from the root to it, as `depth_below` counts them.
    """
    if isinstance(node, Phase):
        return node.name
    text = f"{node.name} {node.event}"
    if node.position:
        text += f" at bci {_position_text(node.position, long_bci=long_bci, depth=depth)}"
    if node.properties:
        text += " with {" + ", ".join(f"{key}: {value_text(value)}" for key, value in node.properties) + "}"
    return text


def depth_below(site: CallSite, depth: int) -> int:
    """How deep what is below a call is: positions do not name indirect calls, what they became is called above them."""
    return depth + (not site.indirect)


def reason_lines(site: CallSite, level: int, side: int | None = None) -> Iterator[Line]:
    """What the inliner said of a call.

    Args:
        level: of the call.
        side: the number of the experiment, where there are two.
    """
    title = ("|_ reasoning" if site.reasons else "|_ no inlining decisions") + _in_experiment(side)
    if len(site.reasons) == 1:
        yield level + 1, f"{title}: {site.reasons[0]}"
        return
    yield level + 1, title
    for reason in site.reasons:
        yield level + 1 + _DETAIL, reason


def receiver_lines(site: CallSite, level: int, side: int | None = None) -> Iterator[Line]:
    """The types that a call was made on; nothing for a mature profile without types. Arguments as `reason_lines`."""
    profile = site.receivers
    if profile is None or (profile.mature and not profile.types):
        return
    maturity = "" if profile.mature else " immature"
    yield level + 1, f"|_{maturity} receiver-type profile{_in_experiment(side)}"
    for each in profile.types:
        method = "" if each.method is None else f" -> {each.method}"
        yield level + 1 + _DETAIL, f"{two_places(each.probability * 100, 5)}% {each.type_name}{method}"


def detail_lines(site: CallSite, level: int, *, reasons: bool) -> Iterator[Line]:
    """Reasons, if they are asked for, and receivers of a call that is on one side only."""
    if reasons and not site.is_root:
        yield from reason_lines(site, level)
    yield from receiver_lines(site, level)


def _in_experiment(side: int | None) -> str:
    return "" if side is None else f" in experiment {side}"


def _position_text(position: Position, *, long_bci: bool, depth: int) -> str:
    if long_bci:
        return "{" + ", ".join(f"{place.method}: {place.at}" for place in position) + "}"
    return str(position[-max(depth, 1)].at)
