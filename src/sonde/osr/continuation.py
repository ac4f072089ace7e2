"""Continuations: what a function still has to do at a point, as a function of the values that are live there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sonde.ir import Block, Function, Instruction, Module, Parameter, result_type
from sonde.ir.analyses import ControlFlow, Liveness, Place, dominators
from sonde.ir.edits import (
    clone_function,
    drop_lifetimes,
    erase_unreachable_blocks,
    replace_many_uses,
    split_block,
    split_edge,
)
from sonde.ir.names import fresh_name, is_number
from sonde.osr.caught_types import caught_types, common_numbers, number_types
from sonde.osr.exits import tighten_exits
from sonde.osr.frame import check_frame
from sonde.osr.jumps import settle_jumps
from sonde.osr.places import check_can_be_cut, place_of
from sonde.osr.refusals import Refused
from sonde.osr.signature import (
    AREA,
    AREA_BYTES,
    LiveValue,
    Transition,
    continuation_signature,
    transition,
)
from sonde.osr.ssa_repair import Redefined, repair_ssa
from sonde.osr.state_map import StateMap

_LONGEST_NAME = 200
"""LLVM reads no local names longer than 1024 bytes."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """A function that goes on where another one was left."""

    function: Function
    values: tuple[LiveValue, ...]
    """What its parameters are in the function that is left, in order."""
    place: Place
    """Where it lands, in the function that it was made from."""


def live_values(function: Function, place: Place, types: Mapping[str, str]) -> tuple[LiveValue, ...]:
    """The values that are live at a point, with their types, in the order in which they are made.

    Args:
        types: the module's named types.
    """
    liveness = Liveness.of(function)
    live = liveness.live_before(place)
    definitions = function.definitions()
    typed = {each.name: each.type for each in function.parameters}
    found = []
    for value in liveness.values:
        if value in live and value != AREA:  # of which each continuation has one
            type_ = typed.get(value) or result_type(definitions[value], types)
            assert type_ is not None
            found.append(LiveValue(value, type_))
    return tuple(found)


def continuation(
    module: Module,
    f: Function,
    at: str | Place,
    name: str,
    *,
    leaving: Transition | None = None,
    state: StateMap | None = None,
    linkage: str = "internal",
) -> Continuation:
    """Add to a module a function that does what `f` still has to do at a point.

    Its original entry is taken out, with all that only that leads to. Stack slots that exist at the point are
    parameters, and stay where they are: in the frame that is left, which must live on if there are any (see
    `frame_is_needed`). Slots of `f`'s entry behind the point are its own. Lifetime markers go where they would name
    a slot of another frame. Debug information, unwinding and attributes are those of `f`, as far as they hold of its
    rest.

    Args:
        at: see `place_of`.
        name: with sigil; must be free.
        leaving: how the function is left that is to go on here. None: `f` itself, with its live values.
        state: how `f`'s values are made of those of the function that is left. None: they are those of the same names.
    Raises:
        Refused: with the reason.
        KeyError: there is no such point.
        ValueError: the name is taken.
    Guarantee: called at the point with the values that are live there, it does what `f` would have done from there
        on, and returns what `f` would have returned.
    Cost: some 20 us an instruction.
    """
    place = place_of(f, at)
    check_can_be_cut(f, place)
    live = live_values(f, place, module.types)
    leaving = leaving or transition_of(f, live, module.types)
    function = continue_at(module, f, [place], live, name, leaving, state or StateMap(), linkage)
    return Continuation(function, leaving.values, place)


WHICH = LiveValue("%osr.which", "i32")
"""What a continuation for several points is told: the number of the point."""


def continue_at(
    module: Module,
    f: Function,
    places: Sequence[Place],
    live: Sequence[LiveValue],
    name: str,
    leaving: Transition,
    state: StateMap,
    linkage: str,
) -> Function:
    """The function of a continuation; with several places, its entry is a dispatcher by `WHICH`, which is handed over.

    Args:
        live: at any of the places.
    Raises: as `continuation`.
    """
    check_signature(f, leaving)
    given = leaving.values
    check_supplied(f, live, given, state)
    try:
        clone = clone_function(module, f, name, linkage=linkage)
    except ValueError as error:
        if name in module.global_names():
            raise
        raise Refused("indirect branch", str(error)) from error
    g = clone.function
    try:
        taken = g.local_names()
        new_names = {each.name: _new_name(each.name, taken) for each in given}
        parameters = [Parameter(each.type, "", new_names[each.name]) for each in leaving.in_registers]
        code, area = _taken_from_area(leaving, new_names, taken)
        if leaving.spilled:
            parameters.append(Parameter("ptr", "", area))
        supplied, compensation = _supplied(live, state, new_names, taken)
        code += compensation
        if any(each.result == AREA for each in g.entry.instructions):
            if not leaving.spilled:
                code.insert(0, Instruction(area, "alloca", [f"alloca [{AREA_BYTES} x i8], align 64"]))
            supplied[AREA] = area
        g.signature = continuation_signature(module, g.signature, name, parameters, leaving.convention, linkage)
        # Debug records may name parameters that are not live any more.
        gone = {each.name: "poison" for each in f.parameters if each.name not in supplied}
        _land(module, g, places, new_names.get(WHICH.name), {**gone, **supplied}, code, taken)
        settle_jumps(module, g, clone.tables.values(), new_names.values())
        check_frame(g, is_target=True)
        _restore_own_stack_only(module, g, taken)
        _resume_by_call(module, g, taken)
        _take_some_room(g)
        tighten_exits(module, g)
        if own := caught_types(g):
            number_types(module, g, common_numbers(g, leaving.caught, own), taken)
    except BaseException:
        del module.functions[name]
        for table in clone.tables.values():
            module.globals.pop(table, None)
        raise
    return g


def transition_of(f: Function, values: Sequence[LiveValue], types: Mapping[str, str]) -> Transition:
    """How to leave a function and keep its frame."""
    return replace(transition(f.signature, values, types, frame_is_needed=True), caught=caught_types(f))


def check_signature(f: Function, leaving: Transition) -> None:
    """Refuse a function that returns something else than the one that is left.

    Raises:
        Refused: `signature`.
    """
    if f.signature.return_type != leaving.return_type:
        raise Refused(
            "signature",
            f"{f.name} returns {f.signature.return_type}, the function that is left returns {leaving.return_type}",
        )


def check_supplied(f: Function, live: Sequence[LiveValue], given: Sequence[LiveValue], state: StateMap) -> None:
    """Refuse a landing some of whose live values nothing supplies, or supplies as another type.

    Raises:
        Refused: `live value`, naming them.
    """
    types = {each.name: each.type for each in given}
    made = {each.result for each in state.code}
    missing, differing = [], []
    for value in live:
        source = state.values.get(value.name, value.name)
        if source in made or not source.startswith("%"):
            continue
        if source not in types:
            missing.append(f"{value.type} {value.name}")
        elif types[source] != value.type:
            differing.append(f"{value.name} is of type {value.type}, {source} of type {types[source]}")
    if missing:
        raise Refused("live value", f"{f.name} needs {', '.join(missing)} there, which nothing supplies")
    if differing:
        raise Refused("live value", f"{f.name} cannot take the values: {'; '.join(differing)}")


def _taken_from_area(
    leaving: Transition, new_names: Mapping[str, str], taken: set[str]
) -> tuple[list[Instruction], str]:
    """Code that loads the values that lie in memory; and the name of the area's address."""
    area = _new_name(AREA, taken)
    code = []
    for at, value in enumerate(leaving.in_area):
        place = _new_name("%spill", taken)
        code += [
            Instruction(place, "getelementptr", [
                f"getelementptr inbounds {leaving.area_type}, ptr ", area, f", i32 0, i32 {at}"]),
            Instruction(new_names[value.name], "load", [f"load {value.type}, ptr ", place, ""]),
        ]  # fmt: skip
    return code, area


def _supplied(
    live: Sequence[LiveValue], state: StateMap, new_names: dict[str, str], taken: set[str]
) -> tuple[dict[str, str], list[Instruction]]:
    """Live value -> what supplies it in the continuation; and the compensation code in its names."""
    code = []
    for each in state.code:
        copy = each.copy()
        copy.replace_uses(new_names)
        if copy.result is not None:
            new_names[copy.result] = _new_name(copy.result, taken)
            copy.result = new_names[copy.result]
        code.append(copy)
    supplied = {}
    for value in live:
        source = state.values.get(value.name, value.name)
        supplied[value.name] = new_names.get(source, source)
    return supplied, code


def _land(
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
    entry_name = _new_name("%entry", taken)
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


def _restore_own_stack_only(module: Module, g: Function, taken: set[str]) -> None:
    """Let the stack be given back at most to where it was when the continuation began.

    What was saved may be of the frame that was left, which lies above: then all is given back that is the
    continuation's own. The stack grows downwards.
    """
    definitions = g.definitions()
    begin = ""
    for block in g.blocks:
        for each in [*block.instructions]:
            if each.opcode != "call" or "@llvm.stackrestore" not in each.pieces[0]:
                continue
            saved = each.pieces[1]
            if saved in definitions and "@llvm.stacksave" in definitions[saved].pieces[0]:
                continue
            if not begin:
                module.declare("ptr @llvm.stacksave.p0()")
                begin = _new_name("%stack", taken)
                save = Instruction.from_text("call ptr @llvm.stacksave.p0()", begin)
                save.location = each.location
                g.entry.instructions.insert(len(g.entry.instructions) - 1, save)
            is_own, kept = _new_name("%own", taken), _new_name("%kept", taken)
            at = block.instructions.index(each)
            block.instructions[at:at] = [
                Instruction.from_text(f"icmp ult ptr {saved}, {begin}", is_own),
                Instruction.from_text(f"select i1 {is_own}, ptr {saved}, ptr {begin}", kept),
            ]
            each.replace_uses({saved: kept})


def _resume_by_call(module: Module, g: Function, taken: set[str]) -> None:
    """Go on unwinding by a call of the unwinder, as code generators do in the end: they take a `resume` that no landing
    pad of the same function leads to for one that is never reached.

    Raises:
        Refused: `landing pad`: what is thrown is not in the form that the unwinder takes.
    """
    for block in g.blocks:
        end = block.terminator
        if end.opcode != "resume":
            continue
        if not end.pieces[0].startswith("resume { ptr, i32 } "):
            raise Refused("landing pad", f"{g.name} unwinds by '{end}', for which there is no function")
        module.declare("void @_Unwind_Resume(ptr)")
        thrown = _new_name("%thrown", taken)
        pick = Instruction(thrown, "extractvalue", ["extractvalue { ptr, i32 } ", end.pieces[1], ", 0"], end.records)
        call = Instruction(None, "call", ["call void @_Unwind_Resume(ptr ", thrown, ") noreturn"])
        stop = Instruction.from_text("unreachable")
        for each in (pick, call, stop):
            each.location = end.location
        block.instructions[-1:] = [pick, call, stop]


def _take_some_room(g: Function) -> None:
    """Let a function that never returns have an instruction at least.

    What leads to `unreachable` only may become a function of no bytes, at the address of the next one; of two that
    begin at one address, unwinders find either.
    """
    if not any(each.terminator.opcode == "ret" for each in g.blocks):
        g.entry.instructions.insert(
            len(g.entry.instructions) - 1, Instruction.from_text('call void asm sideeffect "nop", ""()')
        )


def _new_name(like: str, taken: set[str]) -> str:
    """A free name for what a value is called in the continuation."""
    if is_number(like):
        like = f"%n{like[1:]}"
    wanted = f'{like[:-1]}.osr"' if like.endswith('"') else f"{like}.osr"
    name = fresh_name(wanted if len(wanted) < _LONGEST_NAME else "%long.osr", taken)
    taken.add(name)
    return name
