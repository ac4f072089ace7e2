"""The new beginning of a continuation: what leads to the places where it lands, with the values that it was given."""

from collections import Counter as Tally
from collections.abc import Mapping, Sequence

from sonde.ir import Block, Function, Instruction, Module, result_type
from sonde.ir.analyses import ControlFlow, Place, dominators
from sonde.ir.edits import cut_block, drop_lifetimes, erase_unreachable_blocks, replace_many_uses, split_edge
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
    rests, slots = _cut_out(g, places, supplied, taken)
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
    location = next((each.location for each in rest.instructions if each.location is not None), None)
    for each in code:
        if each.opcode == "call":
            each.location = location
    flow = ControlFlow.of(g)
    kept = {
        each.result for home in g.blocks if flow.is_reachable(home.name) for each in home.instructions if each.result
    }
    replace_many_uses(g, {value: new for value, new in supplied.items() if value not in kept})
    erase_unreachable_blocks(module, g, address_taken=())
    again = {value: new for value, new in supplied.items() if value in kept}
    drop_lifetimes(g, again.keys() & _slots(g))
    made_in = {
        each.result: (home, at)
        for home in g.blocks[1:]
        for at, each in enumerate(home.instructions)
        if each.result is not None
    }
    variables = _redefined(module, g, again, made_in, taken)
    variables |= _only_recorded(g, made_in, variables)
    repair_ssa(g, dominators(ControlFlow.of(g)), variables, taken)


def _cut_out(
    g: Function, places: Sequence[Place], supplied: Mapping[str, str], taken: set[str]
) -> tuple[dict[Place, Block], list[Instruction]]:
    """Where the places are now, at the beginnings of blocks; and the stack slots that do not exist yet at them."""
    of_block: dict[str, list[Place]] = {}
    for place in sorted(dict.fromkeys(places), key=lambda each: each.at):
        of_block.setdefault(place.block, []).append(place)
    rests: dict[Place, Block] = {}
    slots: list[Instruction] = []
    old_entry, blocks = g.entry, g.blocks_by_name()
    for name, here in of_block.items():
        block = blocks[name]
        rests.update(zip(here, cut_block(g, block, [each.at for each in here], taken=taken), strict=True))
        if block is old_entry:
            behind = block.instructions[here[0].at : -1]
            if behind and len(places) > 1:
                raise Refused("live value", f"stack slots of {g.name} are made behind one of several points")
            slots = [each for each in behind if each.result not in supplied]
            del block.instructions[here[0].at : -1]
    return rests, slots


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
    blocks = g.blocks_by_name()
    ways_to = Tally(name for block in g.blocks for name in block.successors())
    for value, new in again.items():
        home, at = made_in[value]
        instruction = home.instructions[at]
        type_ = result_type(instruction, module.types)
        assert type_ is not None
        if instruction.opcode == "invoke":
            # The result is there on the normal edge only, which must have a block of its own.
            target = blocks[instruction.successors()[0]]
            if ways_to[target.name] > 1:
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
