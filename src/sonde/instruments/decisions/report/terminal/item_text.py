"""What an item of a tree says on a terminal."""

from collections.abc import Sequence

from sonde.base.units import format_count
from sonde.instruments.decisions.deltas import Edit
from sonde.instruments.decisions.model import CallKind, CallSite, Decision, DecisionRun, Note, Phase
from sonde.instruments.decisions.report.distinctions import distinction
from sonde.instruments.decisions.report.places import offset_text, place_text
from sonde.instruments.decisions.report.shares import SIDES
from sonde.instruments.decisions.report.terminal.tree_lines import TreeText
from sonde.instruments.decisions.report.tree_items import Item
from sonde.instruments.decisions.report.words import decision_name, properties_text, reasons_text, receivers_text
from sonde.render.name_text import bare_name, short_name

_KIND_STYLES: dict[CallKind, tuple[str, ...]] = {
    CallKind.ROOT: ("bold",),
    CallKind.INLINED: ("green",),
    CallKind.DIRECT: ("yellow",),
    CallKind.INDIRECT: ("red",),
    CallKind.DEVIRTUALIZED: ("cyan",),
    CallKind.DELETED: ("dim",),
}

EDIT_STYLES: dict[Edit, tuple[str, ...]] = {
    Edit.SAME: (),
    Edit.DELETED: ("red",),
    Edit.INSERTED: ("green",),
    Edit.CHANGED: ("yellow",),
}

_PLACES = 5
"""Places of repeated decisions that are listed."""

_NAME_IN_PLACE = 44
"""Columns of a method's name in a place."""

_RECEIVERS = 96
"""Columns of a receiver profile before it is cut to fit."""


def item_text(item: Item, runs: Sequence[DecisionRun], caller: str | None, *, is_in_call: bool) -> TreeText:
    """The text of an item.

    Args:
        runs: one, or both sides.
        caller: the method in whose code it is, which need not be said again; None: that is not known.
        is_in_call: whether the tree has it under that method, so that its place there is wanted, not the innermost.
    """
    content = item.content
    if content is None:
        return TreeText(name=_phases(item), styles=EDIT_STYLES[item.edit] if item.edit is not None else ("dim",))
    if isinstance(content, Phase):
        return TreeText(name=content.name)
    if isinstance(content, Note):
        return TreeText(name=content.text, styles=("dim",))
    if isinstance(content, Decision):
        return _decisions_text(item, runs, caller, is_in_call=is_in_call)
    return _call_text(item, content, runs, caller)


def _phases(item: Item) -> str:
    text = f"⋮ {format_count(item.phases)} {'phase' if item.phases == 1 else 'phases'} without decisions"
    if item.edit is Edit.CHANGED:
        sides = ((item.phases_deleted, SIDES[0]), (item.phases_inserted, SIDES[1]))
        text += "".join(f", {format_count(count)} only in {side}" for count, side in sides if count)
    return text


def _call_text(item: Item, site: CallSite, runs: Sequence[DecisionRun], caller: str | None) -> TreeText:
    run = runs[-1] if item.edit is Edit.INSERTED else runs[0]
    other = item.other
    word = "" if site.is_root else site.kind.value
    if item.edit is Edit.CHANGED and other is not None and other.kind is not site.kind:
        word = f"{site.kind.value} → {other.kind.value}"
    details: list[str] = []
    note = ""
    if item.edit is None:
        note = reasons_text(site.reasons)
        details = _receivers(site, "receivers")
    elif item.edit is Edit.CHANGED and other is not None:
        # Told below both sides, as the reasons are what one wants to compare.
        details = [*_side_details(site, SIDES[0]), *_side_details(other, SIDES[1])]
        if site.method != other.method:
            details.insert(0, f"{SIDES[1]}: {short_name(other.method, _RECEIVERS)}")
    elif item.edit is not Edit.SAME:
        note = reasons_text(site.reasons)
    return TreeText(
        word=word,
        name=site.method if site.method is not None else "unknown",
        is_method=True,
        place="" if site.is_root else offset_text(run, caller, site.at, site.column),
        note=note,
        styles=EDIT_STYLES[item.edit] if item.edit is not None else _KIND_STYLES[site.kind],
        details=tuple(details),
    )


def _side_details(site: CallSite, side: str) -> list[str]:
    said = reasons_text(site.reasons)
    return [*([f"{side}: {said}"] if said else []), *_receivers(site, f"{side}: receivers")]


def _receivers(site: CallSite, head: str) -> list[str]:
    profile = site.receivers
    if profile is None or (profile.mature and not profile.types):
        return []
    return [f"{head}: {receivers_text(profile, _RECEIVERS)}"]


def _decisions_text(item: Item, runs: Sequence[DecisionRun], caller: str | None, *, is_in_call: bool) -> TreeText:
    run = runs[-1] if item.edit is Edit.INSERTED else runs[0]
    decisions = item.decisions
    first = decisions[0]
    name = decision_name(first) + (f" ×{format_count(len(decisions))}" if len(decisions) > 1 else "")
    styles = EDIT_STYLES[item.edit] if item.edit is not None else ("yellow",) if first.outcome == "missed" else ()
    return TreeText(
        name=name,
        place=_places(decisions, run, caller, is_in_call=is_in_call),
        note=_peculiar(item, runs) or (properties_text(first) if len(decisions) == 1 else ""),
        styles=styles,
    )


def _peculiar(item: Item, runs: Sequence[DecisionRun]) -> str:
    """What tells decisions from those on the other side that are called the same."""
    if item.counterpart is None:
        return ""
    left, right = (item, item.counterpart) if item.edit is Edit.DELETED else (item.counterpart, item)
    found = distinction(left.decisions, right.decisions, (runs[0], runs[-1]))
    return found.sides[0 if item is left else 1] or ("" if found.shows_in_places else found.what)


def _places(decisions: Sequence[Decision], run: DecisionRun, caller: str | None, *, is_in_call: bool) -> str:
    """Where decisions are: `bci 3, 7 in HashMap.get(Object)`; the method only if it is not the caller."""
    by_method: dict[str, list[str]] = {}
    for decision in decisions:
        if not decision.position:
            continue
        place = decision.position[0]
        if is_in_call:
            place = next((outer for outer in decision.position if outer.method == caller), place)
        offsets = by_method.setdefault(place.method, [])
        text = place_text(run, place)
        if text not in offsets:
            offsets.append(text)
    parts = []
    for method, offsets in by_method.items():
        shown = [offsets[0], *(text.removeprefix("bci ").removeprefix("line ") for text in offsets[1:_PLACES])]
        more = ", …" if len(offsets) > _PLACES else ""
        where = "" if method == caller else f" in {bare_name(method, _NAME_IN_PLACE)}"
        parts.append(", ".join(shown) + more + where)
        if len(parts) == 2 and len(by_method) > 2:
            left = len(by_method) - 2
            parts.append(f"and in {format_count(left)} more {'method' if left == 1 else 'methods'}")
            break
    return "; ".join(parts)
