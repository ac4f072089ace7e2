"""The new beginning of a continuation: what leads to the places where it lands, with the values that it was given."""

from collections.abc import Mapping, Sequence

from sonde.ir import Block, Function, Instruction, Module, result_type
from sonde.ir.analyses import ControlFlow, Place, dominators
from sonde.ir.edits import drop_lifetimes, erase_unreachable_blocks, replace_many_uses, split_block, split_edge
from sonde.osr.new_names import new_name
from sonde.osr.refusals import Refused
from sonde.osr.ssa_repair import Redefined, repair_ssa


def begin_at(
    module: Module,
    g: Function,
    places: Sequence[Place],
    which: str | None,
    supplied: Mapping[str, str],
    code: list[Instruction],
    taken: set[str],
) -> None:
    """Let the clone begin at the places, with these values.

    Args:
        which: the parameter that says at which one; with one place, it is not asked.
    """
    rests: dict[Place, Block] = {}
    slots: list[Instruction] = []
    old_entry = g.entry
    for place in sorted(set(places), key=lambda each: each.at, reverse=True):  # others of the block stay where they are
        block = g.block(place.block)
        rests[place] = split_block(g, block, place.at, taken=taken)
        if block is old_entry:  # those that do not exist yet at the point
            own = [each for each in block.instructions[place.at : -1] if each.result not in supplied]
            if len(places) > 1 and len(block.instructions) - 1 > place.at:
                raise Refused("live value", f"stack slots of {g.name} are made behind one of several points")
            slots += own
            del block.instructions[place.at : -1]
    rest = rests[places[0]]
    way_on = ["br label ", rest.name, ""]
    if len(places) > 1 and which is not None:
        way_on = ["switch i32 ", which, ", label ", rest.name, " ["]
        for number, place in enumerate(places[1:], 1):
            way_on[-1] += f" i32 {number}, label "
            way_on += [rests[place].name, ""]
        way_on[-1] += " ]"
    entry_name = new_name("%entry", taken)
    end = Instruction(None, "switch" if way_on[0].startswith("switch") else "br", way_on)
    g.blocks.insert(0, Block(entry_name, [*slots, *code, end]))
    for each in code:
        if each.opcode == "call":
            each.location = rest.instructions[0].location
    flow = ControlFlow.of(g)
    kept = {
        each.result for home in g.blocks if flow.is_reachable(home.name) for each in home.instructions if each.result
    }
    replace_many_uses(g, {value: new for value, new in supplied.items() if value not in kept})
    erase_unreachable_blocks(module, g, address_taken=())
    again = {value: new for value, new in supplied.items() if value in kept}
    drop_lifetimes(g, {value for value in again if value in _slots(g)})
    made_in = {
        each.result: (home, at)
        for home in g.blocks[1:]
        for at, each in enumerate(home.instructions)
        if each.result is not None
    }
    variables = _redefined(module, g, again, made_in, taken)
    variables |= _only_recorded(g, made_in, variables)
    repair_ssa(g, dominators(ControlFlow.of(g)), variables, taken)


def _slots(g: Function) -> set[str]:
    return {each.result for each in g.instructions() if each.opcode == "alloca" and each.result is not None}


def _redefined(
    module: Module,
    g: Function,
    again: Mapping[str, str],
    made_in: Mapping[str, tuple[Block, int]],
    taken: set[str],
) -> dict[str, Redefined]:
    found = {}
    for value, new in again.items():
        home, at = made_in[value]
        instruction = home.instructions[at]
        type_ = result_type(instruction, module.types)
        assert type_ is not None
        if instruction.opcode == "invoke":
            # The result is there on the normal edge only, which must have a block of its own.
            target = g.block(instruction.successors()[0])
            if sum(each.successors().count(target.name) for each in g.blocks) > 1:
                target = split_edge(g, home, target, taken=taken)
            found[value] = Redefined(value, type_, new, target.name, -1)
        else:
            found[value] = Redefined(value, type_, new, home.name, at)
    return found


def _only_recorded(
    g: Function, made_in: Mapping[str, tuple[Block, int]], variables: Mapping[str, Redefined]
) -> dict[str, Redefined]:
    """Values that were not live at the point, and that debug records name where they may not be made yet."""
    named = {name for each in g.instructions() for record in each.records for name in record.pieces[1::2]}
    found = {}
    for name in sorted(named & made_in.keys() - variables.keys()):
        home, at = made_in[name]
        if home.instructions[at].opcode != "invoke":
            found[name] = Redefined(name, "", "poison", home.name, at)
    return found
