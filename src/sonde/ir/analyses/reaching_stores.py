"""Which stores reach a load, where memory is used like a variable: unoptimised code keeps its variables so."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir.analyses.control_flow import ControlFlow
from sonde.ir.analyses.def_use import DefUse
from sonde.ir.analyses.place import Place
from sonde.ir.block import Block
from sonde.ir.call_site import call_site
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.operands import operands_of
from sonde.ir.types import type_end

_LIFETIMES = ("@llvm.lifetime.start", "@llvm.lifetime.end")


class _Effect(NamedTuple):
    """What an instruction does to a slot."""

    at: int
    """Its place in its block."""
    slot: str
    definition: int
    is_whole: bool
    """Whether it defines all of the slot."""


@dataclass(frozen=True, slots=True)
class ReachingStores:
    """The stores to slots that may have put there what is read at a point.

    A *slot* is an `alloca` whose address is used only to load from, to store to, and to mark its lifetime; so nobody
    else can read or write it. What defines its contents is a store, which is one more definition if it may leave a
    part of the slot as it was, that is unless it stores the type that was allocated; and, making them undefined, the
    `alloca` itself and the marks of its lifetime.

    Guarantee: a definition reaches a place exactly if a path of the control flow leads from it to there without
        passing a definition of the whole slot.

    The answers hold until the function is edited.
    """

    slots: tuple[str, ...]
    """In the order of the text."""
    _definitions: tuple[Instruction, ...]
    """All that defines the contents of any slot; sets are numbers whose bit i stands for definition i."""
    _of_slot: Mapping[str, int]
    """Slot -> its definitions."""
    _blocks: Mapping[str, Block]
    _effects: Mapping[str, list[_Effect]]
    _entering: Mapping[str, int]
    """Block -> what reaches its beginning."""

    @classmethod
    def of(cls, function: Function, flow: ControlFlow | None = None, chains: DefUse | None = None) -> "ReachingStores":
        """Find the slots, and follow what is in them.

        Cost: one walk over the instructions, and O(edges * definitions / word size) for each pass over the blocks;
            passes are as many as loops are nested, and two more, where loops have one entry each.
        """
        flow, chains = flow or ControlFlow.of(function), chains or DefUse.of(function)
        definitions: list[Instruction] = []
        of_slot: dict[str, int] = {}
        effects: dict[str, list[_Effect]] = {}
        for block in function.blocks:
            for index, instruction in enumerate(block.instructions):
                slot = instruction.result
                if instruction.opcode != "alloca" or slot is None:
                    continue
                found = _effects_on(slot, chains)
                if found is not None:
                    of_slot[slot] = 0
                    for place, defining, is_whole in ((Place(block.name, index), instruction, True), *found):
                        number = len(definitions)
                        definitions.append(defining)
                        of_slot[slot] |= 1 << number
                        effects.setdefault(place.block, []).append(_Effect(place.at, slot, number, is_whole))
        for each in effects.values():
            each.sort()
        entering = dict(zip(flow.names, _follow(flow, effects, of_slot), strict=True))
        return cls(tuple(of_slot), tuple(definitions), of_slot, function.blocks_by_name(), effects, entering)

    def definitions(self, slot: str) -> tuple[Instruction, ...]:
        """All that defines the contents of a slot, its `alloca` first."""
        return tuple(self._listed(self._of_slot[slot]))

    def before(self, slot: str, place: Place) -> frozenset[Instruction]:
        """What may have defined what is in a slot right before an instruction. Nothing reaches unreachable blocks,
        but what they do themselves.

        Raises:
            KeyError: this is no slot.
        """
        reached = self._entering[place.block] & self._of_slot[slot]
        for effect in self._effects.get(place.block, ()):
            if effect.at >= place.at:
                break
            if effect.slot == slot:
                reached = (0 if effect.is_whole else reached) | 1 << effect.definition
        return frozenset(self._listed(reached))

    def of_load(self, place: Place) -> frozenset[Instruction] | None:
        """What a load may read from its slot; None if it reads from elsewhere.

        Raises:
            ValueError: no load is there.
        """
        instruction = self._blocks[place.block].instructions[place.at]
        if instruction.opcode != "load":
            raise ValueError(f"'{instruction}' loads nothing")
        slot = operands_of(instruction)[0].value
        return self.before(slot, place) if slot in self._of_slot else None

    def _listed(self, bits: int) -> Iterator[Instruction]:
        while bits:
            lowest = bits & -bits
            yield self._definitions[lowest.bit_length() - 1]
            bits ^= lowest


def _effects_on(slot: str, chains: DefUse) -> list[tuple[Place, Instruction, bool]] | None:
    """What defines a slot's contents, or None if it is none or if nothing uses it."""
    alloca = chains.definition(slot)
    assert alloca is not None
    allocated = _allocated_type(alloca)
    found: list[tuple[Place, Instruction, bool]] = []
    uses = chains.uses(slot)
    for use in uses:
        instruction = use.instruction
        if instruction.opcode == "store":
            stored, address = operands_of(instruction)
            if stored.value == slot or address.value != slot:
                return None
            found.append((use.place, instruction, stored.type == allocated))
        elif instruction.opcode == "call":
            if not call_site(instruction).callee.startswith(_LIFETIMES):
                return None
            found.append((use.place, instruction, True))
        elif instruction.opcode != "load":
            return None
    return found if uses else None


def _allocated_type(alloca: Instruction) -> str:
    """Its type if it allocates one of them; else nothing that anyone could store."""
    text = alloca.text.removeprefix("alloca ").removeprefix("inalloca ")
    end = type_end(text)
    return "" if text[end:].startswith(tuple(f", i{width} " for width in (1, 8, 16, 32, 64, 128))) else text[:end]


def _follow(flow: ControlFlow, effects: Mapping[str, list[_Effect]], of_slot: Mapping[str, int]) -> list[int]:
    """(n_blocks,) what reaches the beginning of each."""
    lost, made = [0] * len(flow.names), [0] * len(flow.names)  # what a block ends, and what of its own it leaves
    for name, listed in effects.items():
        block = flow.number_of[name]
        for effect in listed:
            if effect.is_whole:
                lost[block] |= of_slot[effect.slot]
                made[block] &= ~of_slot[effect.slot]
            made[block] |= 1 << effect.definition
    entering = [0] * len(flow.names)
    is_waiting = bytearray(b"\1" * len(flow.names))
    is_changing = True
    while is_changing:
        is_changing = False
        for block in flow.order:
            if not is_waiting[block]:
                continue
            is_waiting[block] = 0
            left = entering[block] & ~lost[block] | made[block]
            for after in flow.successor_numbers[block]:
                if left & ~entering[after]:
                    entering[after] |= left
                    is_waiting[after] = 1
                    is_changing = True
    return entering
