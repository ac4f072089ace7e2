"""States that are kept: at chosen points, code is made to carry along what the original needs to go on there.

    call i64 @note(i64 %m) [ "deopt"(i32 3, i64 %i, i64 %sum) ]       ; point 3 is before a call
    call void @sonde.osr.kept() [ "deopt"(i32 4, i64 %i, i64 %sum) ]  ; point 4 is somewhere else

(Behind the number, how many values there are.) What is inlined at such a call brings states of its own, if it carries
any: then calls have those of all frames, one behind the other, the outermost first.

LLVM's deoptimisation bundles are for that: whatever passes do, each copy of the call that is left has the values that
were live in the original, and memory is as the original had it, as far as these values and what is known outside
lead to it. When the passes are done, the bundles and the calls that were made up are taken out again.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sonde.ir import (
    CALLS,
    Function,
    Instruction,
    Module,
    Operand,
    add_bundle,
    bundle_of,
    call_site,
    drop_bundles,
    has_bundles,
)
from sonde.ir.analyses import ControlFlow, Place
from sonde.ir.edits import erase_instruction, insert_instruction
from sonde.osr.inlined_frames import CarriedFrame
from sonde.osr.live_values import live_values_at
from sonde.osr.places import check_can_be_cut
from sonde.osr.refusals import Refused
from sonde.osr.signature import LiveValue
from sonde.osr.state_map import StateMap

_TAG = "deopt"
_MARKER = "@sonde.osr.kept"
_DECLARATION = f"void {_MARKER}() nounwind willreturn memory(inaccessiblemem: readwrite)"
"""It is never merged, moved across what has effects, or dropped while it can be reached."""


@dataclass(frozen=True, slots=True)
class KeptPoint:
    """A point whose state is carried."""

    function: str
    """With sigil."""
    place: Place
    live: tuple[LiveValue, ...]
    """What is live there, in the order in which it is carried."""
    count: int
    """Values that are carried: those, and some others."""


KeptStates = tuple[KeptPoint, ...]
"""By number; those of the function that is optimised first."""


@dataclass(slots=True)
class FoundStates:
    """What became of them in optimised code."""

    ways_back: dict[Place, tuple[Place, StateMap]] = field(default_factory=dict)
    """Place of the optimised code -> the same point of the original, and how its live values are made there."""
    inlined: dict[Place, tuple[CarriedFrame, ...]] = field(default_factory=dict)
    """Place of the optimised code, in what was inlined -> the frames that the original would have there."""
    lost: dict[Place, str] = field(default_factory=dict)
    """Where one was, and why it cannot be gone back from there."""

    def places(self) -> list[Place]:
        """Where there is a way back."""
        return [*self.ways_back]

    def way_back(self, place: Place) -> tuple[Place, StateMap]:
        """The same point of the original, and how its live values are made there.

        Raises:
            Refused: `live value`.
        """
        if place not in self.ways_back:
            why = self.lost.get(place, "none of the points that were to be kept is there")
            raise Refused("live value", f"there is no way back at {place.block}+{place.at}: {why}")
        return self.ways_back[place]


def call_places(function: Function) -> list[Place]:
    """The points right before calls of functions that can be reached and left, intrinsics and assembler text aside."""
    flow = ControlFlow.of(function)
    found = []
    for block in function.blocks:
        if not flow.is_reachable(block.name):
            continue
        for at, each in enumerate(block.instructions):
            if _may_carry(each):
                place = Place(block.name, at)
                try:
                    check_can_be_cut(function, place)
                except Refused:
                    continue
                found.append(place)
    return found


def keep_states(
    module: Module, function: Function, places: Sequence[Place], callees: Iterable[Function] = ()
) -> KeptStates:
    """Let a function carry its state along at points.

    Args:
        module: the function's; it may declare one more.
        function: changed in place; nothing in the module may call it.
        callees: what may be inlined into it; they carry their states at all their calls, where they can.
    Raises:
        Refused: nothing can be put at one of the places.
    Guarantee: whatever LLVM's passes make of the module, where `take_states` finds a point, the optimised function has
        done what the original has done when it comes to the point, as far as the rest of the original can see.
    Cost: O(size of the function) for each point.
    Source: LLVM language reference, "Deoptimization Operand Bundles".
    """
    kept = [*_keep(module, function, places, 0)]
    for callee in callees:
        with suppress(Refused):
            kept += _keep(module, callee, call_places(callee), len(kept))
    return tuple(kept)


def _keep(module: Module, function: Function, places: Sequence[Place], first: int) -> list[KeptPoint]:
    """Let one function carry its state. Raises: Refused; then it is as it was."""
    wanted = tuple(dict.fromkeys(places))
    for place in wanted:
        check_can_be_cut(function, place)
    live = live_values_at(function, wanted, module.types)
    for values in live:
        if token := next((each for each in values if each.type == "token"), None):
            raise Refused("live value", f"nothing can carry {token.name}, a token")
    # What `noalias` promises of memory would let it be stale at calls that are not given its address.
    private = [LiveValue(each.name, each.type) for each in function.parameters if "noalias" in each.attributes]
    kept = {}
    for number in sorted(range(len(wanted)), key=lambda each: (wanted[each].block, -wanted[each].at)):
        place = wanted[number]
        call = function.block(place.block).instructions[place.at]
        if not _may_carry(call):
            module.declare(_DECLARATION)
            call = Instruction.from_text(f"call void {_MARKER}()")
            insert_instruction(function, function.block(place.block), place.at, call)
        elif call.pieces[0].startswith("tail "):
            call.pieces[0] = call.pieces[0].removeprefix("tail ")  # it reads slots of the stack
        carried = [*live[number], *(each for each in private if each not in live[number])]
        operands = [Operand("i32", str(first + number)), Operand("i32", str(len(carried)))]
        add_bundle(call, _TAG, [*operands, *(Operand(each.type, each.name) for each in carried)])
        kept[number] = KeptPoint(function.name, place, live[number], len(carried))
    return [kept[number] for number in range(len(wanted))]


def take_states(module: Module, function: Function, kept: KeptStates) -> FoundStates:
    """Take what was carried along out of an optimised function again, and tell where which state is.

    Args:
        module: the function's.
        function: changed in place.
    """
    found = FoundStates()
    for block in function.blocks:
        at = 0
        while at < len(block.instructions):
            each = block.instructions[at]
            carried = bundle_of(each, _TAG) if each.opcode in CALLS else None
            if carried is not None:
                _note(found, function, Place(block.name, at), carried, kept)
                drop_bundles(each)
            if each.opcode == "call" and call_site(each).callee == _MARKER:
                erase_instruction(function, block, at)
            else:
                at += 1
    module.functions.pop(_MARKER, None)
    return found


def _note(found: FoundStates, function: Function, place: Place, carried: Sequence[Operand], kept: KeptStates) -> None:
    if place in found.ways_back:
        return  # a point and the next, with nothing between them any more
    frames = _frames(carried, kept)
    if frames is None or not frames or frames[0].function != function.name:
        found.lost[place] = "it is one of several points, or of one in code that was inlined"
        return
    for frame in frames:
        if odd := next((name for name, text in frame.values.items() if "%" in text[1:]), None):
            found.lost[place] = f"{odd} is a constant that names a type"
            return
    found.lost.pop(place, None)
    if len(frames) == 1:
        found.ways_back[place] = frames[0].place, StateMap(frames[0].values)
    else:
        found.inlined.setdefault(place, tuple(frames))


def _frames(carried: Sequence[Operand], kept: KeptStates) -> list[CarriedFrame] | None:
    """The frames whose states a call carries, the outermost first; None: these are no such states."""
    frames, values = [], [each.value for each in carried]
    while values:
        number, count, *values = values if len(values) > 1 else ("", "")
        if not number.isdigit() or int(number) >= len(kept):
            return None
        point = kept[int(number)]
        if count != str(point.count) or len(values) < point.count:
            return None
        state = {value.name: text for value, text in zip(point.live, values, strict=False)}
        frames.append(CarriedFrame(point.function, point.place, state))
        values = values[point.count :]
    return frames


def _may_carry(instruction: Instruction) -> bool:
    """Whether it is a call that may have a bundle."""
    if instruction.opcode not in ("call", "invoke") or instruction.pieces[0].startswith("musttail "):
        return False
    site = call_site(instruction)
    return not site.is_intrinsic and not site.is_assembler and not has_bundles(instruction)
