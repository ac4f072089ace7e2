"""Keeping a value in a stack slot: then it may be set in several places, and LLVM's `sroa` makes the phis."""

from collections.abc import Mapping

from sonde.ir.block import Block
from sonde.ir.edits.insertion_points import why_nothing_goes_there
from sonde.ir.edits.new_names import new_local
from sonde.ir.edits.split_edge import split_edge
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.module import Module
from sonde.ir.operands import result_type
from sonde.ir.phi import incoming_of, set_incoming

_PADS = ("catchpad", "cleanuppad", "catchswitch", "cleanupret", "catchret")
_NEED_THE_SLOT_ITSELF = ("@llvm.localescape(", "@llvm.gcroot(", "@llvm.coro.", " inalloca(")
_ABOUT_THE_SLOT_ITSELF = "@llvm.lifetime."
"""These go on to name the stack slot whose address the value is: they are about the slot, not its address."""


def demote_to_stack(module: Module, function: Function, value: str) -> str:
    """Store a value once it is made, and load it before each use.

    Debug records go on to name the value itself, which is still there.

    Args:
        value: a parameter or result, with sigil.
    Returns: the name of the slot. Who stores to it elsewhere changes what later uses see.
    Raises:
        ValueError: there is no such value, or it cannot be kept in memory, or not be stored where it is made.
    Guarantee: the function does what it did, and verifies if it did; `sroa` undoes it.
    Cost: a walk over the function.
    """
    definition = next((each for each in function.instructions() if each.result == value), None)
    type_ = _type_of(function, value, definition, module.types)
    _check(function, value, type_, definition)
    taken = function.local_names()
    slot = new_local(function, value, "slot", taken)
    if definition is not None and definition.opcode == "invoke":
        block = next(each for each in function.blocks if each.terminator is definition)
        home, at = split_edge(function, block, function.block(definition.successors()[0]), taken=taken), 0
    else:
        home, at = _after(function, definition)
    home.instructions.insert(at, _store(type_, value, slot, definition.location if definition else None))
    _load_for_uses(function, value, type_, slot, taken, home.instructions[at])
    function.entry.instructions.insert(0, Instruction(slot, "alloca", [f"alloca {type_}"]))
    return slot


def _store(type_: str, value: str, slot: str, location: int | None) -> Instruction:
    store = Instruction(None, "store", [f"store {type_} ", value, ", ptr ", slot, ""])
    store.location = location
    return store


def _type_of(function: Function, value: str, definition: Instruction | None, types: Mapping[str, str]) -> str:
    if definition is not None:
        type_ = result_type(definition, types)
        assert type_ is not None
        return type_
    for parameter in function.parameters:
        if parameter.name == value:
            return parameter.type
    raise ValueError(f"{function.name} has no value {value}")


def _check(function: Function, value: str, type_: str, definition: Instruction | None) -> None:
    refusal = f"cannot keep {value} in a stack slot"
    if type_ in ("token", "metadata", "label", "x86_amx") or type_.startswith("target("):
        raise ValueError(f"{refusal}: memory cannot hold a {type_}")
    made_by = (
        definition.pieces[0]
        if definition
        else next(each.attributes for each in function.parameters if each.name == value)
    )
    if "swifterror" in made_by.split(" "):
        raise ValueError(f"{refusal}: it is a swifterror, whose address may not be stored")
    if made_by.startswith(("musttail ", "callbr ")):
        raise ValueError(f"{refusal}: nothing may be put between it and what follows")
    ends = {block.name: block.terminator.opcode for block in function.blocks}
    for user in function.instructions():
        if value not in user.uses():
            continue
        if user.opcode in _PADS or any(each in user.text for each in _NEED_THE_SLOT_ITSELF):
            raise ValueError(f"{refusal}: '{user}' needs the value itself")
        if user.opcode == "phi" and any(
            used == value and ends[block] == "catchswitch" for used, block in incoming_of(user)
        ):
            raise ValueError(f"{refusal}: '{user}' takes it from a block that nothing can be put into")


def _after(function: Function, definition: Instruction | None) -> tuple[Block, int]:
    """Where the value can first be stored."""
    if definition is None:
        return function.entry, 0
    for block in function.blocks:
        if definition in block.instructions:
            at = max(block.instructions.index(definition) + 1, block.first_insertion_point())
            if reason := why_nothing_goes_there(block, at):
                raise ValueError(f"cannot store {definition.result} where it is made: {reason}")
            return block, at
    raise ValueError(f"{definition} is not in {function.name}")


def _load_for_uses(function: Function, value: str, type_: str, slot: str, taken: set[str], store: Instruction) -> None:
    at_end: dict[str, str] = {}
    """Block -> what was loaded at its end, for phis that it leads to."""

    def load_before(user: Instruction, name: str) -> Instruction:
        loaded = Instruction(name, "load", [f"load {type_}, ptr ", slot, ""])
        loaded.location = user.location
        loaded.records, user.records = user.records, ()
        return loaded

    blocks = function.blocks_by_name()
    for block in function.blocks:
        instructions = []
        for each in block.instructions:
            if each.opcode == "phi":
                pairs = incoming_of(each)
                if any(used == value for used, _ in pairs):
                    for used, origin in pairs:
                        if used == value and origin not in at_end:
                            at_end[origin] = new_local(function, value, "reload", taken)
                    set_incoming(each, [(at_end[o] if used == value else used, o) for used, o in pairs])
            elif each is not store and value in each.uses() and _ABOUT_THE_SLOT_ITSELF not in each.pieces[0]:
                name = new_local(function, value, "reload", taken)
                instructions.append(load_before(each, name))
                each.replace_uses({value: name})
            instructions.append(each)
        block.instructions = instructions
    for origin, name in at_end.items():
        block = blocks[origin]
        block.instructions.insert(len(block.instructions) - 1, load_before(block.terminator, name))
