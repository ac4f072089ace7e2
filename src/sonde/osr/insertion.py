"""Putting a point into a function: a check, and the way out in a cold block.

...                                          ; what stands before the point
  br i1 %osr.fires, label %osr.fire, label %rest, !prof !cold
%osr.fire:                                   ; target known
  %osr.result = tail call i64 @f.to(values)
  ret i64 %osr.result
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sonde.ir import Block, Function, Instruction, Module, value_types
from sonde.ir.analyses import ControlFlow, Place, ReachingDefinitions, dominators
from sonde.ir.edits import drop_lifetimes, split_block
from sonde.osr.caught_types import caught_types, number_types
from sonde.osr.cell import Word, word_address
from sonde.osr.conditions import Check, Condition, Flag
from sonde.osr.continuation import live_values
from sonde.osr.frame import check_frame, frame_is_needed
from sonde.osr.places import check_can_be_cut
from sonde.osr.refusals import Refused
from sonde.osr.signature import AREA, AREA_BYTES, LiveValue, Transition, partial_attributes, transition

_COLD = '!{!"branch_weights", i32 1, i32 1048575}'
"""LLVM's own weights for branches that are not expected."""
STUB = "@sonde.osr.stub"
"""`ptr (ptr cell, i64 value)`: where to go on; null: here."""


@dataclass(frozen=True, slots=True)
class Direct:
    """The target is a function that the module has, or declares."""

    name: str
    """With sigil."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The target is where the cell points to, which may change."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The target is asked for when it is first needed, and kept in the cell."""

    value: str | None = None
    """A value of the function that is told to whoever is asked: a target is for one such value only."""


Target = Direct | Slot | Asked


def transition_at(module: Module, f: Function, place: Place, values: Sequence[LiveValue] | None = None) -> Transition:
    """How a function can be left at a point.

    Args:
        values: to be handed over; None: the live ones.
    Raises:
        Refused: it cannot; with the reason.
    """
    check_can_be_cut(f, place)
    check_frame(f, is_target=False)
    if not ControlFlow.of(f).is_reachable(place.block):
        raise Refused("unreachable", f"{f.name} never gets to {place.block}")
    values = live_values(f, place, module.types) if values is None else values
    needed = frame_is_needed(module, f, [each.name for each in values])
    return replace(transition(f.signature, values, module.types, frame_is_needed=needed), caught=caught_types(f))


def values_there(module: Module, f: Function, place: Place) -> dict[str, str]:
    """The values that are made on all ways to a point, live or not: value -> type."""
    types = value_types(f, module.types)
    reaching = ReachingDefinitions.of(f, dominators(ControlFlow.of(f)))
    return {value: types[value] for value in reaching.before(place)}


@dataclass(frozen=True, slots=True)
class PlannedPoint:
    """A point that is to be put into a function."""

    place: Place
    """In the function as it is before any of them is put in."""
    leaving: Transition
    """As `transition_at` has it for this point."""
    when: Condition
    target: Target
    cell: str
    """The global with the point's cell, with sigil; declared if the module does not have it."""


def insert_points(module: Module, f: Function, points: Sequence[PlannedPoint]) -> None:
    """Let a function leave at points when their conditions hold.

    Raises:
        UsageError: `osr-condition`.
        Refused: `function attribute`.
    Guarantee: while no condition holds, the function does what it did.
    Cost: some walks over the function for each point.
    """
    value_types = [_type_of_value(module, f, each) for each in points]
    f.signature = replace(f.signature, suffix=partial_attributes(module, f.signature))
    taken = f.local_names()
    for point, value_type, (block, rest) in zip(points, value_types, _cut(f, points, taken), strict=True):
        _insert(module, f, point, block, rest, taken, value_type)
    if any(each.leaving.spilled for each in points):
        _give_area(f)
    number_types(module, f, next((each.leaving.caught for each in points), ()), taken)
    slots = {each.result for each in f.instructions() if each.opcode == "alloca" and each.result}
    # Continuations use them in any order: none may share its place with another.
    drop_lifetimes(f, slots & {value.name for point in points for value in point.leaving.values})


def _cut(f: Function, points: Sequence[PlannedPoint], taken: set[str]) -> list[tuple[Block, Block]]:
    """Cut the blocks at all points: for each, the block that ends there, and the one that begins."""
    cut: dict[int, tuple[Block, Block]] = {}
    last: dict[str, int] = {}
    # From the end of a block to its beginning, so that the others stay where they are.
    for number in sorted(range(len(points)), key=lambda each: points[each].place.at, reverse=True):
        place = points[number].place
        block = f.block(place.block)
        rest = split_block(f, block, place.at, taken=taken)
        if place.block in last:
            before = last[place.block]
            cut[before] = rest, cut[before][1]
        cut[number] = block, rest
        last[place.block] = number
    return [cut[number] for number in range(len(points))]


def _insert(
    module: Module, f: Function, point: PlannedPoint, block: Block, rest: Block, taken: set[str], value_type: str | None
) -> None:
    if point.cell not in module.globals:
        module.add_global(point.cell, "external global [8 x i64], align 64")
    check = Check(module, f, block, point.place, point.cell, taken)
    condition = point.when.emit(check)
    location = _location(module, f, rest)
    fire = Block(check.name("%osr.fire"))
    cold = module.add_metadata(_COLD)
    end = block.instructions[-1]
    attached = "" if end.location is None else f", !dbg !{end.location}"
    first = fire
    if isinstance(point.when, Flag) and point.when.every > 1:
        first = Block(check.name("%osr.look"), [Instruction.from_text(f"br label {rest.name}")])
        is_raised = point.when.confirm(replace(check, block=first))
        first.instructions[-1] = Instruction.from_text(f"br i1 {is_raised}, label {fire.name}, label {rest.name}")
        f.blocks.append(first)
    branch = ["br i1 ", condition, ", label ", first.name, ", label ", rest.name, f", !prof !{cold}{attached}"]
    block.instructions[-1] = Instruction(None, "br", branch, end.records)
    f.blocks += [fire, *_way_out(module, check, point, fire, rest, location, value_type)]


def _way_out(
    module: Module, check: Check, point: PlannedPoint, fire: Block, rest: Block, location: str, value_type: str | None
) -> list[Block]:
    """Fill the cold block; returns those that it leads to."""
    leaving, target = point.leaving, point.target
    if isinstance(target, Direct):
        fire.instructions += _leave(check, leaving, target.name, location)
        return []
    code = check.name("%osr.code")
    if isinstance(target, Slot):
        fire.instructions.append(Instruction.from_text(f"load atomic ptr, ptr {check.cell} acquire, align 8", code))
        fire.instructions += _leave(check, leaving, code, location)
        return []
    module.declare(f"preserve_mostcc ptr {STUB}(ptr, i64)")
    go, ask = Block(check.name("%osr.go")), Block(check.name("%osr.ask"))
    known = check.name("%osr.known")
    fire.instructions.append(Instruction.from_text(f"load atomic ptr, ptr {check.cell} acquire, align 8", known))
    is_missing = check.name("%osr.missing")
    fire.instructions.append(Instruction.from_text(f"icmp eq ptr {known}, null", is_missing))
    found, value = Block(check.name("%osr.found")), "0"
    branch = f"br i1 {is_missing}, label {ask.name}, label {found.name}"
    fire.instructions.append(Instruction.from_text(branch))
    if target.value is None or value_type is None:
        found.instructions.append(Instruction.from_text(f"br label {go.name}"))
        code = known
    else:
        value = _as_word(check, target.value, value_type, fire)
        had, same, at = check.name("%osr.had"), check.name("%osr.same"), check.name("%osr.at")
        found.instructions += [
            Instruction.from_text(f"load i64, ptr {known}, align 8", had),
            Instruction.from_text(f"icmp eq i64 {had}, {value}", same),
            Instruction.from_text(f"getelementptr i64, ptr {known}, i64 1", at),
            Instruction.from_text(f"load ptr, ptr {at}, align 8", code),
            Instruction.from_text(f"br i1 {same}, label {go.name}, label {ask.name}"),
        ]
    made, is_none = check.name("%osr.made"), check.name("%osr.none")
    ask.instructions += [
        Instruction.from_text(
            f"call preserve_mostcc ptr {STUB}(ptr {check.cell}, i64 {value}) {_ASKING}{location}", made
        ),
        Instruction.from_text(f"icmp eq ptr {made}, null", is_none),
        Instruction.from_text(f"br i1 {is_none}, label {rest.name}, label {go.name}"),
    ]
    to = check.name("%osr.to")
    go.instructions.append(Instruction.from_text(f"phi ptr [ {code}, {found.name} ], [ {made}, {ask.name} ]", to))
    go.instructions += _leave(check, leaving, to, location)
    return [found, ask, go]


_ASKING = "nounwind willreturn memory(read, inaccessiblemem: readwrite)"
"""What answers is no part of the program: it may read the program's memory, and changes none of it."""


def _type_of_value(module: Module, f: Function, point: PlannedPoint) -> str | None:
    """The type of the value on which a point's target depends, if it does on one.

    Raises:
        Refused: `live value`.
    """
    if not isinstance(point.target, Asked) or point.target.value is None:
        return None
    place, value = point.place, point.target.value
    type_ = values_there(module, f, place).get(value)
    if type_ is None:
        raise Refused("live value", f"{value} is not made on all ways to {place.block}+{place.at}")
    if type_ != "ptr" and not (type_[:1] == "i" and type_[1:].isdigit() and int(type_[1:]) <= 64):
        raise Refused("live value", f"{value} is of type {type_}: a target can depend on pointers and integers only")
    return type_


def _as_word(check: Check, value: str, type_: str, fire: Block) -> str:
    """The value as an `i64`."""
    if type_ == "i64":
        return value
    name = check.name("%osr.value")
    text = f"ptrtoint ptr {value} to i64" if type_ == "ptr" else f"zext {type_} {value} to i64"
    fire.instructions.insert(0, Instruction.from_text(text, name))
    return name


def _leave(check: Check, leaving: Transition, code: str, location: str) -> list[Instruction]:
    """Count, call, return."""
    before, after = check.name("%osr.before"), check.name("%osr.after")
    fired = word_address(check.cell, Word.FIRED)
    counting = [
        Instruction.from_text(f"load atomic i64, ptr {fired} monotonic, align 8", before),
        Instruction.from_text(f"add i64 {before}, 1", after),
        Instruction.from_text(f"store atomic i64 {after}, ptr {fired} monotonic, align 8"),
    ]
    spills: list[Instruction] = []
    arguments = list(leaving.in_registers)
    if leaving.spilled:
        arguments.append(LiveValue(AREA, "ptr"))
        area = leaving.area_type
        for at, value in enumerate(leaving.in_area):
            if value.name == "poison":  # of no use there
                continue
            place = check.name("%osr.spill")
            spills += [
                Instruction(place, "getelementptr", [
                    f"getelementptr inbounds {area}, ptr ", AREA, f", i32 0, i32 {at}"]),
                Instruction(None, "store", [f"store {value.type} ", value.name, ", ptr ", place, ""]),
            ]  # fmt: skip
    words = [leaving.marker, "call", leaving.convention, leaving.result_attributes, leaving.return_type]
    pieces = [" ".join(word for word in words if word) + " "]
    if code.startswith("%"):
        pieces += [code, "("]
    else:
        pieces[0] += f"{code}("
    for at, value in enumerate(arguments):
        pieces[-1] += ("" if at == 0 else ", ") + f"{value.type} "
        pieces += [value.name, ""]
    pieces[-1] += f"){location}"
    if leaving.return_type == "void":
        return [*counting, *spills, Instruction(None, "call", pieces), Instruction.from_text(f"ret void{location}")]
    result = check.name("%osr.result")
    returned = Instruction(None, "ret", [f"ret {leaving.return_type} ", result, location])
    return [*counting, *spills, Instruction(result, "call", pieces), returned]


def _give_area(f: Function) -> None:
    """Let the function have the area for values that find no room in registers."""
    entry = f.entry.instructions
    if not any(each.result == AREA for each in entry):
        entry.insert(0, Instruction(AREA, "alloca", [f"alloca [{AREA_BYTES} x i8], align 64"]))


def _location(module: Module, f: Function, rest: Block) -> str:
    """What calls in a function with debug information must have: that of the point, or line 0."""
    _, marked, number = f.signature.suffix.partition("!dbg !")
    if not marked:
        return ""
    node = next((each.location for each in rest.instructions if each.location is not None), None)
    if node is None:
        scope = number.partition(" ")[0]
        node = module.add_metadata(f"!DILocation(line: 0, scope: !{scope})")
    return f", !dbg !{node}"
