"""From what LLVM's remarks say about one function to trees of the neutral model."""

from collections.abc import Callable
from dataclasses import dataclass

from sonde.decisions.model import (
    NO_OFFSET,
    CallSite,
    Decision,
    Outcome,
    Phase,
    Place,
    Position,
    ReceiverProfile,
    ReceiverType,
    Trees,
    Value,
)
from sonde.decisions.readers.llvm.growing_tree import Call, GrowingTree
from sonde.decisions.readers.llvm.names import source_name
from sonde.decisions.readers.llvm.object_record import ObjectRecord
from sonde.decisions.remarks import Remark

_OUTCOMES: dict[str, Outcome] = {"Passed": "applied", "Missed": "missed", "Failure": "missed"}
ROOT_PHASE = "all passes"
FirstLine = Callable[[str], int | None]
"""The line that a method's lines are counted from, by its name; None: from the beginning of the file."""


@dataclass(slots=True)
class Unplaced:
    """How much of a function's remarks could not be put into its inlining tree."""

    ambiguous: int = 0
    """Their code was inlined more than once, and they do not say into which copy they belong."""
    elsewhere: int = 0
    """The line is in no function that is known to be inlined."""


def trees_of(record: ObjectRecord, symbol: str, first_line: FirstLine) -> tuple[Trees, Unplaced]:
    """What was decided in one function."""
    tree = record.tree(symbol)
    unplaced = Unplaced(ambiguous=tree.doubtful)
    inlining = _inlining(record, tree, first_line, unplaced)
    root = Phase(ROOT_PHASE)
    for remark in record.other(symbol):
        if not root.children or not isinstance(last := root.children[-1], Phase) or last.name != remark.pass_name:
            root.children.append(last := Phase(remark.pass_name))
        last.children.append(_decision(remark, record, tree, first_line, unplaced))
    return Trees(inlining, root), unplaced


def _inlining(record: ObjectRecord, tree: GrowingTree, first_line: FirstLine, unplaced: Unplaced) -> CallSite:
    made = {id(tree.root): CallSite(source_name(tree.root.symbol), inlined=True, is_root=True)}
    for call in tree.root.below():
        if call.parent is None:
            continue
        place = _place_of_call(call, first_line)
        if place.at != NO_OFFSET and not _is_in(call, record):
            place = place._replace(at=NO_OFFSET)
            unplaced.elsewhere += 1
        site = made[id(call)] = CallSite(
            source_name(call.symbol) or None,
            place.at,
            place.column,
            inlined=call.inlined,
            alive=call.alive and not call.inlined,
            indirect=call.indirect,
            reasons=tuple(call.reasons),
            receivers=_receivers(call),
        )
        made[id(call.parent)].children.append(site)
    return made[id(tree.root)]


def _is_in(call: Call, record: ObjectRecord) -> bool:
    """Whether the line of a call can be in the function that it hangs below: not if that begins later or elsewhere, as
    when a front end inlined what has the call, and LLVM said nothing of that."""
    holder = _holder(call)
    begin = record.source.begins.get(holder.symbol) if holder is not None else None
    if not call.line or begin is None or call.relative is not None:
        return True
    return call.file == begin[0] and call.line >= begin[1] - _HEADING


_HEADING = 20
"""Lines that the parameters of a function take at most: a default value in them may be a call."""


def _holder(call: Call) -> Call | None:
    """Whose code has the call: not the indirect call that it was tried for."""
    holder = call.parent
    while holder is not None and holder.indirect:
        holder = holder.parent
    return holder


def _place_of_call(call: Call, first_line: FirstLine) -> Place:
    holder = _holder(call)
    method = source_name(holder.symbol) if holder is not None else ""
    if call.line:
        return Place(method, call.line - (first_line(method) or 0), call.column)
    return Place(method, NO_OFFSET if call.relative is None else call.relative, call.column)


def _receivers(call: Call) -> ReceiverProfile | None:
    types = tuple(
        ReceiverType(source_name(each.symbol), each.share, source_name(each.symbol))
        for each in call.children
        if each.share is not None
    )
    return ReceiverProfile(mature=True, types=types) if call.indirect and types else None


def _decision(
    remark: Remark, record: ObjectRecord, tree: GrowingTree, first_line: FirstLine, unplaced: Unplaced
) -> Decision:
    return Decision(
        remark.pass_name,
        remark.name,
        _position(remark, record, tree, first_line, unplaced),
        _properties(remark),
        _OUTCOMES.get(remark.kind, "analysis"),
    )


def _position(
    remark: Remark, record: ObjectRecord, tree: GrowingTree, first_line: FirstLine, unplaced: Unplaced
) -> Position:
    place = remark.place
    if place is None or not place.line:
        return ()
    begin = record.source.enclosing(place.file, place.line)
    containers = tree.containers.get(begin, []) if begin is not None else []
    if not containers:
        unplaced.elsewhere += 1
        return (Place(place.file, place.line, place.column),)
    method = source_name(containers[0].symbol)
    innermost = Place(method, place.line - (first_line(method) or 0), place.column)
    if len(containers) > 1:
        unplaced.ambiguous += 1
        return (innermost,)
    return (innermost, *(_place_of_call(call, first_line) for call in containers[0].path()[:-1] if not call.indirect))


def _properties(remark: Remark) -> tuple[tuple[str, Value], ...]:
    """What the remark says, without the words around it; the second of equal keys is numbered."""
    properties: dict[str, Value] = {}
    for argument in remark.arguments:
        if argument.key == "String":
            continue
        key, number = argument.key, 2
        while key in properties:
            key, number = f"{argument.key} {number}", number + 1
        properties[key] = _value(argument.value)
    return tuple(properties.items())


def _value(text: str) -> Value:
    if text.removeprefix("-").isdigit() and text.isascii():
        return int(text)
    return source_name(text) if text.startswith(("_Z", "_R")) else text
