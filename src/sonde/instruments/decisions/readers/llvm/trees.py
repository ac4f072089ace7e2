"""From what LLVM's remarks say about one function to trees of the neutral model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sonde.code.symbols import source_name
from sonde.instruments.decisions.model import (
    NO_OFFSET,
    CallSite,
    Decision,
    Phase,
    Place,
    Position,
    ReceiverProfile,
    ReceiverType,
    Trees,
)
from sonde.instruments.decisions.readers.llvm.growing_tree import Call, GrowingTree
from sonde.instruments.decisions.readers.llvm.object_record import ObjectRecord

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
    last = root
    lines = _Lines(record, tree, first_line)
    decisions = record.decisions
    for row in record.other(symbol):
        pass_name = record.pass_name(row)
        if last.name != pass_name or last is root:
            root.children.append(last := Phase(pass_name))
        position: Position = ()
        if (place := record.line_of(row)) is not None:
            file, line, column = place
            method, first, callers, copies = lines[file, line]
            position = (Place(method, line - first, column), *callers)
            unplaced.elsewhere += not copies
            unplaced.ambiguous += copies > 1
        last.children.append(
            Decision(pass_name, record.remark_name(row), position, decisions.properties(row), decisions.outcome(row))
        )
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


class _Line(NamedTuple):
    """What code a line belongs to."""

    method: str
    """Or the file, if that is all that is known."""
    first: int
    """What lines in it are counted from."""
    callers: Position
    """The calls through which it came into the function, innermost first."""
    copies: int
    """How many pieces of inlined code it may be of."""


class _Lines(dict[tuple[int, int], _Line]):
    """Lines in a function by the numbers of their files; each is looked for once."""

    def __init__(self, record: ObjectRecord, tree: GrowingTree, first_line: FirstLine) -> None:
        super().__init__()
        self.record = record
        self.tree = tree
        self.first_line = first_line

    def __missing__(self, place: tuple[int, int]) -> _Line:
        file, line = self.record.text(place[0]), place[1]
        begin = self.record.source.enclosing(file, line)
        containers = self.tree.containers.get(begin, []) if begin is not None else []
        method, first = file, 0
        callers: Position = ()
        if containers:
            method = source_name(containers[0].symbol)
            first = self.first_line(method) or 0
        if len(containers) == 1:
            above = containers[0].path()[:-1]
            callers = tuple(_place_of_call(call, self.first_line) for call in above if not call.indirect)
        found = self[place] = _Line(method, first, callers, len(containers))
        return found
