"""Why a call was treated otherwise: what the inliner said, and which receivers had been seen."""

from sonde.instruments.decisions.model import CallSite, ReceiverProfile
from sonde.instruments.decisions.why.wording import SIDES, Sides, fitted, receivers_text, share, short_name

LEAST_CHANGE = 0.05
"""Of the share of a type, before it is worth a line."""


def call_reasons(left: CallSite | None, right: CallSite | None, sides: Sides = SIDES) -> list[str]:
    """Short lines: the inliner's reasons on either side, then how the receivers differ.

    >>> before, after = CallSite("f", 3, inlined=True, reasons=("trivial",)), CallSite("f", 3, alive=True)
    >>> call_reasons(before, after)
    ['the first run, inlined: trivial', 'the second run, direct: no reason given']
    """
    both = left is not None and right is not None
    lines = []
    for side, call in zip(sides, (left, right), strict=True):
        if call is None or not (call.reasons or (both and _is_told(left, right))):
            continue
        said = "; ".join(reason.removeprefix(f"{call.kind}: ") for reason in call.reasons)
        lines.append(fitted(f"{side}, {call.kind}: {said or 'no reason given'}"))
    profiles = [None if call is None else call.receivers for call in (left, right)]
    if both:
        lines.extend(map(fitted, _compared(profiles[0], profiles[1], sides)))
    else:
        lines.extend(
            fitted(f"{side}, receivers: {receivers_text(profile)}")
            for side, profile in zip(sides, profiles, strict=True)
            if profile is not None and (profile.types or not profile.mature)
        )
    return lines


def _is_told(left: CallSite | None, right: CallSite | None) -> bool:
    """Whether one of the two has reasons: then it is worth saying that the other has none."""
    return any(call is not None and call.reasons for call in (left, right))


def _compared(left: ReceiverProfile | None, right: ReceiverProfile | None, sides: Sides) -> list[str]:
    if left is None or right is None:
        return [
            f"receivers known in {side} only: {receivers_text(profile)}"
            for side, profile in zip(sides, (left, right), strict=True)
            if profile is not None
        ]
    lines = []
    if left.mature != right.mature:
        mature, immature = sides if left.mature else sides[::-1]
        lines.append(f"receivers: {immature} had seen too few calls for a mature profile, {mature} enough")
    shares = [{each.type_name: each.probability for each in profile.types} for profile in (left, right)]
    for side, own, other in ((sides[1], shares[1], shares[0]), (sides[0], shares[0], shares[1])):
        new = sorted((-probability, name) for name, probability in own.items() if name not in other)
        if new:
            types = ", ".join(f"{short_name(name)} ({share(-probability)})" for probability, name in new[:3])
            more = f", and {len(new) - 3} more" if len(new) > 3 else ""
            lines.append(f"{side} saw {'new ' if side == sides[1] else ''}type {types}{more}")
    changes = sorted((-abs(shares[1][name] - shares[0][name]), name) for name in shares[0].keys() & shares[1].keys())
    if changes and -changes[0][0] >= LEAST_CHANGE and not lines:
        name = changes[0][1]
        was, became = (share(each[name]) for each in shares)
        lines.append(f"receiver {short_name(name)}: {was} in {sides[0]}, {became} in {sides[1]}")
    return lines
