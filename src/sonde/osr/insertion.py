"""Putting a point into a function: a check, and the way out in a cold block.

...                                          ; what stands before the point
  br i1 %osr.fires, label %osr.fire, label %rest, !prof !cold
%osr.fire:
  ...                                        ; see `way_out`
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.analyses import ControlFlow, Place, dominators, strongly_connected_parts
from sonde.ir.edits import cut_block, drop_lifetimes
from sonde.osr.caught_types import number_types
from sonde.osr.conditions import Check, Condition, Flag
from sonde.osr.live_values import values_there_at
from sonde.osr.refusals import Refused
from sonde.osr.signature import AREA, AREA_BYTES, Transition, partial_attributes
from sonde.osr.ssa_repair import Redefined, repair_ssa
from sonde.osr.targets import Asked, Target
from sonde.osr.way_out import way_out

_COLD = '!{!"branch_weights", i32 1, i32 1048575}'
"""LLVM's own weights for branches that are not expected."""


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
    Cost: some walks over the function, and O(values that are handed over) for each point, and what its condition takes.
    """
    points = _without_seldom_flags(f, points)
    value_types = _types_of_values(module, f, points)
    f.signature = replace(f.signature, suffix=partial_attributes(module, f.signature))
    taken = f.local_names()
    counters: dict[str, Redefined] = {}
    for point, value_type, (block, rest) in zip(points, value_types, _cut(f, points, taken), strict=True):
        if point.cell not in module.globals:
            module.add_global(point.cell, "external global [8 x i64], align 64")
        _insert(Check(module, f, block, point.place, point.cell, taken, counters), point, rest, value_type)
    if counters:
        repair_ssa(f, dominators(ControlFlow.of(f)), counters, taken)
    if any(each.leaving.spilled for each in points):
        _give_area(f)
    number_types(module, f, next((each.leaving.caught for each in points), ()), taken)
    slots = {each.result for each in f.instructions() if each.opcode == "alloca" and each.result}
    # Continuations use them in any order: none may share its place with another.
    drop_lifetimes(f, slots & {value.name for point in points for value in point.leaving.values})


def _without_seldom_flags(f: Function, points: Sequence[PlannedPoint]) -> Sequence[PlannedPoint]:
    """Let points that a call passes once look at their flag there: counting would be of no use."""
    if not any(isinstance(each.when, Flag) and each.when.every > 1 for each in points):
        return points
    flow = ControlFlow.of(f)
    in_loops = {
        flow.names[block]
        for part in strongly_connected_parts(flow.successor_numbers)
        for block in part
        if len(part) > 1 or block in flow.successor_numbers[block]
    }
    return [
        replace(each, when=Flag()) if isinstance(each.when, Flag) and each.place.block not in in_loops else each
        for each in points
    ]


def _cut(f: Function, points: Sequence[PlannedPoint], taken: set[str]) -> list[tuple[Block, Block]]:
    """Cut the blocks at all points: for each, the block that ends there, and the one that begins."""
    cut: dict[int, tuple[Block, Block]] = {}
    of_block: dict[str, list[int]] = {}
    for number, point in enumerate(points):
        of_block.setdefault(point.place.block, []).append(number)
    blocks = f.blocks_by_name()
    for name, numbers in of_block.items():
        numbers.sort(key=lambda each: points[each].place.at)
        before = blocks[name]
        rests = cut_block(f, before, [points[each].place.at for each in numbers], taken=taken)
        for number, rest in zip(numbers, rests, strict=True):
            cut[number] = before, rest
            before = rest
    return [cut[number] for number in range(len(points))]


def _insert(check: Check, point: PlannedPoint, rest: Block, value_type: str | None) -> None:
    module, f, block = check.module, check.function, check.block
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
    f.blocks += [fire, *way_out(check, point.leaving, point.target, fire, rest, location, value_type)]


def _types_of_values(module: Module, f: Function, points: Sequence[PlannedPoint]) -> list[str | None]:
    """The types of the values on which the points' targets depend; None where a target depends on none.

    Raises:
        Refused: `live value`.
    """
    asked = [each.target.value if isinstance(each.target, Asked) else None for each in points]
    places = [each.place for each, value in zip(points, asked, strict=True) if value is not None]
    there = dict(zip(places, values_there_at(module, f, places), strict=True))
    return [
        None if value is None else _type_of_value(each.place, value, there[each.place])
        for each, value in zip(points, asked, strict=True)
    ]


def _type_of_value(place: Place, value: str, there: Mapping[str, str]) -> str:
    type_ = there.get(value)
    if type_ is None:
        raise Refused("live value", f"{value} is not made on all ways to {place.block}+{place.at}")
    if type_ != "ptr" and not (type_[:1] == "i" and type_[1:].isdigit() and int(type_[1:]) <= 64):
        raise Refused("live value", f"{value} is of type {type_}: a target can depend on pointers and integers only")
    return type_


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
