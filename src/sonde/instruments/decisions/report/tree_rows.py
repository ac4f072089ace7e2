"""Trees of a compilation, or of the differences of two, as rows: those nearest to the root, repeated decisions once."""

from collections.abc import Sequence
from dataclasses import replace

from sonde.base.fitted_text import printable
from sonde.base.units import format_count
from sonde.instruments.decisions.analysis.distinctions import distinction
from sonde.instruments.decisions.analysis.places import offset_text, place_text
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.analysis.tree_items import Item, Node, highest_items, items_of
from sonde.instruments.decisions.analysis.words import decision_name, properties_text, reasons_text, receivers_text
from sonde.instruments.decisions.deltas import Edit
from sonde.instruments.decisions.model import CallKind, CallSite, Decision, DecisionRun, Note, Phase
from sonde.instruments.decisions.report.cells import bare_method_cell, method_cell
from sonde.instruments.decisions.report.node_details import DETAIL_COLUMNS, NodeDetails
from sonde.render.name_text import bare_name, short_name
from sonde.report import Cell, Column, MoreOf, Row, Table, Tone, Values

_COLUMNS: tuple[Column, ...] = (
    Column("what", "", "name"),
    Column("place", "", priority=1),
    Column("note", "", priority=2),
    Column("details", "", shown="below", priority=1),
)

_KIND_TONES: dict[CallKind, Tone] = {
    CallKind.ROOT: "strong",
    CallKind.DIRECT: "notable",
    CallKind.INDIRECT: "bad",
    CallKind.DELETED: "faint",
}

_EDIT_TONES: dict[Edit, Tone] = {
    Edit.SAME: "",
    Edit.DELETED: "first",
    Edit.INSERTED: "second",
    Edit.CHANGED: "notable",
}

_PLACES = 5
"""Places of repeated decisions that are listed."""

_NAME_IN_PLACE = 44
"""Columns of a method's name in a place."""

_RECEIVERS = 96
"""Columns of a receiver profile, or of the name of a method, in a sentence."""


def tree_table(
    key: str,
    title: str,
    root: Node,
    runs: Sequence[DecisionRun],
    method: str | None,
    *,
    rows: int,
    wide: bool,
    notes: tuple[str, ...] = (),
    details: NodeDetails | None = None,
    more_of: MoreOf | None = None,
) -> Table:
    """A tree as it is read.

    Args:
        runs: the run it is of, or both whose differences it tells; what is not the same has a mark: `-`, `+` or `*`.
        method: whose compilation it is.
        rows: about so many are there; others are counted where they would be.
        details: if given, each decision has a row of its own, with all that is known of it.
        wide: whether names keep their packages.
    Cost: O(n) for n nodes. No recursion.
    """
    top = items_of(root, one_by_one=details is not None)
    shown = highest_items(top, rows)
    is_in_calls = not isinstance(top.content, Phase)
    order: list[tuple[Item, str | None, int]] = []
    pending: list[tuple[Item, str | None, int]] = [(top, method, -1)]
    while pending:
        item, caller, above = pending.pop()
        content = item.content
        # What a call was devirtualized to is called from where the call was.
        inner = content.method if isinstance(content, CallSite) and not content.indirect else caller
        pending.extend((child, inner, len(order)) for child in reversed(item.children) if id(child) in shown)
        order.append((item, caller, above))
    below: list[list[Row]] = [[] for _ in order]
    top_rows: list[Row] = []
    for number in range(len(order) - 1, -1, -1):  # children come after parents
        item, caller, above = order[number]
        children = tuple(reversed(below[number]))
        there = sum(1 + child.below for child in item.children if id(child) in shown)
        row = _row(item, runs, caller, children, item.below - there, is_in_calls=is_in_calls, wide=wide)
        if details is not None:
            cells = (*row.cells[:-1], *_details(item, details, runs[0], caller))
            row = Row(cells, row.below, row.tone, mark=row.mark)  # a fifth of the time of `replace`
        (below[above] if above >= 0 else top_rows).append(row)
    columns = _COLUMNS
    if details is not None:
        titles = ("decision", "place", "note")
        named = (replace(column, title=title) for column, title in zip(_COLUMNS, titles, strict=False))
        columns = (*named, *DETAIL_COLUMNS)
    return Table(key, title, columns, top_rows, notes, "node", is_grouped=True, more_of=more_of)


def _details(item: Item, details: NodeDetails, run: DecisionRun, caller: str | None) -> tuple[Cell, ...]:
    if item.content is None:
        return (", ".join(map(printable, item.names)), *(None,) * (len(DETAIL_COLUMNS) - 1))
    return details.cells(item.content, run, caller)


def _row(
    item: Item,
    runs: Sequence[DecisionRun],
    caller: str | None,
    below: tuple[Row, ...],
    left_out: int,
    *,
    is_in_calls: bool,
    wide: bool,
) -> Row:
    content, edit = item.content, item.edit
    mark = edit.value if edit is not None and edit is not Edit.SAME else ""
    tone = _EDIT_TONES[edit] if edit is not None else ""
    cells: tuple[Cell, ...]
    if content is None:
        cells, tone = (_phases(item), None, None, None), tone or "faint"
    elif isinstance(content, Phase):
        cells = (content.name, None, None, None)
    elif isinstance(content, Note):
        cells, tone = (content.text, None, None, None), tone or "faint"
    elif isinstance(content, Decision):
        cells = _decision_cells(item, content, runs, caller, is_in_calls=is_in_calls)
        if edit is None and content.outcome == "missed":
            tone = "notable"
    else:
        cells = _call_cells(item, content, runs, caller, wide=wide)
        mark = " ".join(filter(None, (mark, _word(item, content))))
        if edit is None:
            tone = _KIND_TONES.get(content.kind, "")
    return Row(cells, below, tone, mark=mark, left_out=left_out)


def _phases(item: Item) -> str:
    text = f"⋮ {format_count(item.phases)} {'phase' if item.phases == 1 else 'phases'} without decisions"
    if item.edit is Edit.CHANGED:
        sides = ((item.phases_deleted, SIDES[0]), (item.phases_inserted, SIDES[1]))
        text += "".join(f", {format_count(count)} only in {side}" for count, side in sides if count)
    return text


def _word(item: Item, site: CallSite) -> str:
    """What became of a call."""
    other = item.other
    if item.edit is Edit.CHANGED and other is not None and other.kind is not site.kind:
        return f"{site.kind.value} → {other.kind.value}"
    return "" if site.is_root else site.kind.value


def _call_cells(
    item: Item, site: CallSite, runs: Sequence[DecisionRun], caller: str | None, *, wide: bool
) -> tuple[Cell, ...]:
    run = runs[-1] if item.edit is Edit.INSERTED else runs[0]
    other = item.other
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
    place = "" if site.is_root else offset_text(run, caller, site.at, site.column)
    name = method_cell(run, site.method) if wide else bare_method_cell(run, site.method)
    return name, place or None, note or None, Values(details) if details else None


def _side_details(site: CallSite, side: str) -> list[str]:
    said = reasons_text(site.reasons)
    return [*([f"{side}: {said}"] if said else []), *_receivers(site, f"{side}: receivers")]


def _receivers(site: CallSite, head: str) -> list[str]:
    profile = site.receivers
    if profile is None or (profile.mature and not profile.types):
        return []
    return [f"{head}: {receivers_text(profile, _RECEIVERS)}"]


def _decision_cells(
    item: Item, first: Decision, runs: Sequence[DecisionRun], caller: str | None, *, is_in_calls: bool
) -> tuple[Cell, ...]:
    run = runs[-1] if item.edit is Edit.INSERTED else runs[0]
    decisions = item.decisions
    name = decision_name(first) + (f" ×{format_count(len(decisions))}" if len(decisions) > 1 else "")
    place = _places(decisions, run, caller, is_in_call=is_in_calls)
    note = _peculiar(item, runs) or (properties_text(first) if len(decisions) == 1 else "")
    return name, place or None, note or None, None


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
