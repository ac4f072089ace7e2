"""Continuations: what a function still has to do at a point, as a function of the values that are live there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sonde.ir import Function, Instruction, Module, Parameter
from sonde.ir.analyses import Place
from sonde.ir.edits import clone_function
from sonde.osr.caught_types import caught_types, common_numbers, number_types
from sonde.osr.entry import begin_at
from sonde.osr.exits import tighten_exits
from sonde.osr.frame import check_frame
from sonde.osr.jumps import settle_jumps
from sonde.osr.live_values import live_values
from sonde.osr.new_names import new_name
from sonde.osr.own_stack import restore_own_stack_only, resume_by_call, take_some_room
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
from sonde.osr.state_map import StateMap
from sonde.osr.survey import Survey


@dataclass(frozen=True, slots=True)
class Continuation:
    """A function that goes on where another one was left."""

    function: Function
    values: tuple[LiveValue, ...]
    """What its parameters are in the function that is left, in order."""
    place: Place
    """Where it lands, in the function that it was made from."""


def continuation(
    module: Module,
    f: Function,
    at: str | Place,
    name: str,
    *,
    leaving: Transition | None = None,
    state: StateMap | None = None,
    linkage: str = "internal",
    survey: Survey | None = None,
) -> Continuation:
    """Add to a module a function that does what `f` still has to do at a point.

    Its original entry is taken out, with all that only that leads to. Stack slots that exist at the point are
    parameters, and stay where they are: in the frame that is left, which must live on if there are any (see
    `FrameUse`). Slots of `f`'s entry behind the point are its own. Lifetime markers go where they would name
    a slot of another frame. Debug information, unwinding and attributes are those of `f`, as far as they hold of its
    rest.

    Args:
        at: see `place_of`.
        name: with sigil; must be free.
        leaving: how the function is left that is to go on here. None: `f` itself, with its live values.
        state: how `f`'s values are made of those of the function that is left. None: they are those of the same names.
        survey: of `f`, when it gets many continuations.
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
    live = live_values(f, place, module.types) if survey is None else survey.live_at([place])[0]
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
        new_names = {each.name: new_name(each.name, taken) for each in given}
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
        begin_at(module, g, places, new_names.get(WHICH.name), {**gone, **supplied}, code, taken)
        settle_jumps(module, g, clone.tables.values(), new_names.values())
        check_frame(g, is_target=True)
        restore_own_stack_only(module, g, taken)
        resume_by_call(module, g, taken)
        take_some_room(g)
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
    area = new_name(AREA, taken)
    code, area_type = [], leaving.area_type
    for at, value in enumerate(leaving.in_area):
        place = new_name("%spill", taken)
        code += [
            Instruction(place, "getelementptr", [
                f"getelementptr inbounds {area_type}, ptr ", area, f", i32 0, i32 {at}"]),
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
            new_names[copy.result] = new_name(copy.result, taken)
            copy.result = new_names[copy.result]
        code.append(copy)
    supplied = {}
    for value in live:
        source = state.values.get(value.name, value.name)
        supplied[value.name] = new_names.get(source, source)
    return supplied, code
