"""How little is said, so that it fits on a line."""

from sonde.instruments.decisions.model import CallSite, ReceiverProfile

Sides = tuple[str, str]
SIDES: Sides = ("the first run", "the second run")
"""What the two runs are called."""
WIDEST = 110
"""Columns of a line."""
_WIDEST_NAME = 44
_MOST_TYPES = 3


def fitted(line: str, columns: int = WIDEST) -> str:
    """The line, cut if it is too long.

    >>> fitted("abcdefgh", 6)
    'abc...'
    """
    return line if len(line) <= columns else line[: columns - 3] + "..."


def short_name(method: str | None) -> str:
    """A method without the package of its class, and without parameters if it is still long.

    >>> short_name("java.util.HashMap.get(Object)")
    'HashMap.get(Object)'
    >>> short_name("core::slice::sort")
    'core::slice::sort'
    """
    if method is None:
        return "unknown"
    head, bracket, parameters = method.partition("(")
    words = head.split(".")
    name = ".".join(words[-2:]) + bracket + parameters if len(words) > 2 and "::" not in head else method
    if len(name) > _WIDEST_NAME and bracket:
        name = name.partition("(")[0] + "(...)"
    return name if len(name) <= _WIDEST_NAME else "..." + name[3 - _WIDEST_NAME :]


def share(probability: float) -> str:
    """In percent.

    >>> share(0.123), share(0.002)
    ('12%', '<1%')
    """
    return "<1%" if 0 < probability < 0.01 else f"{100 * probability:.0f}%"


def receivers_text(profile: ReceiverProfile) -> str:
    """Most frequent types first."""
    ordered = sorted(profile.types, key=lambda each: -each.probability)
    text = ", ".join(f"{short_name(each.type_name)} {share(each.probability)}" for each in ordered[:_MOST_TYPES])
    if len(ordered) > _MOST_TYPES:
        text += f", {len(ordered) - _MOST_TYPES} more"
    return (text or "no types") + ("" if profile.mature else " (immature)")


def call_text(call: CallSite) -> str:
    """What became of a call, and what the inliner said last."""
    return f"{call.kind}" + (f": {call.reasons[-1]}" if call.reasons else "")
