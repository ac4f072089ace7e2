"""A function that is left at a point, and its continuation there, do together what the function does alone."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from ir_interpreter import behaviour_left_at, behaviour_of
from ir_programs import functions
from sonde.ir import Function, Module, parse_module, print_module, value_types
from sonde.ir.analyses import ControlFlow, Liveness, Place
from sonde.ir.edits import why_not_split
from sonde.llvm import LlvmModule
from sonde.osr import (
    Condition,
    Counter,
    Direct,
    LiveValue,
    Never,
    PlannedPoint,
    Refused,
    Survey,
    Transition,
    all_places,
    continuation,
    insert_points,
    shared_continuation,
    transition_at,
)

_ARGUMENTS = st.fixed_dictionaries({"%n": st.integers(0, 12), "%m": st.integers(0, 2**32 - 1), "%c": st.integers(0, 1)})


def _read(text: str) -> tuple[Module, Function]:
    module = parse_module(LlvmModule.from_text(text, "random.ll").text())
    return module, module.functions["@f"]


@examples(0.6)
@given(functions(), _ARGUMENTS, st.data())
def test_called_at_the_point_with_the_values_that_are_live_there_it_does_what_f_would_have_done(
    text: str, arguments: dict[str, int], data: st.DataObject
) -> None:
    module, f = _read(text)
    alone = behaviour_of(f, arguments)
    flow = ControlFlow.of(f)
    places = data.draw(st.permutations([each for each in all_places(f) if flow.is_reachable(each.block)]))
    for number, place in enumerate(places[:4]):
        try:
            leaving = replace(transition_at(module, f, place), spilled=0)  # all values as parameters
            made = continuation(module, f, place, f"@f.to.{number}", leaving=leaving)
        except Refused:
            continue
        left = behaviour_left_at(
            f, arguments, place.block, place.at, made.function, [each.name for each in made.values]
        )
        assert left is None or left.agrees_with(alone), (place, left, alone)
    LlvmModule.from_text(print_module(module), "continued.ll")  # it verifies


@examples(0.2)
@given(functions())
def test_a_survey_says_of_all_points_what_is_found_out_for_each_alone(text: str) -> None:
    module, f = _read(text)
    places = all_places(f)
    survey, liveness, types = Survey.of(module, f, places), Liveness.of(f), value_types(f, module.types)
    for place, live in zip(places, survey.live_at(places), strict=True):
        one_by_one = [each for each in liveness.values if liveness.is_live_before(each, place)]
        assert live == tuple(LiveValue(each, types[each]) for each in one_by_one)
    for place in places[:: max(1, len(places) // 6)]:
        assert _transition(module, f, place, survey) == _transition(module, f, place, None)


def _transition(module: Module, f: Function, place: Place, survey: Survey | None) -> Transition | str:
    try:
        return transition_at(module, f, place, survey=survey)
    except Refused as refused:
        return f"{refused.reason}: {refused}"


@examples(0.4)
@given(functions(), _ARGUMENTS, st.data())
def test_one_continuation_of_several_points_does_at_each_what_f_would_have_done(
    text: str, arguments: dict[str, int], data: st.DataObject
) -> None:
    module, f = _read(text)
    alone = behaviour_of(f, arguments)
    flow = ControlFlow.of(f)
    slots_end = max((at for at, each in enumerate(f.entry.instructions) if each.opcode == "alloca"), default=-1)
    places = [
        each
        for each in all_places(f)
        if flow.is_reachable(each.block)
        and why_not_split(f, f.block(each.block), each.at) is None
        and (each.block != f.entry.name or each.at > slots_end)
    ]
    places = data.draw(st.permutations(places))[:4]
    try:
        shared = shared_continuation(module, f, places, "@f.to")
    except Refused:
        return
    for place, leaving in zip(shared.places, shared.leaving, strict=True):
        if leaving.spilled:
            continue  # the interpreter has no area
        left = behaviour_left_at(
            f, arguments, place.block, place.at, shared.function, [each.name for each in leaving.values]
        )
        assert left is None or left.agrees_with(alone), (place, left, alone)
    points = [
        PlannedPoint(place, leaving, Counter(2), Direct("@f.to"), f"@cell.{number}")
        for number, (place, leaving) in enumerate(zip(shared.places, shared.leaving, strict=True))
    ]
    insert_points(module, f, points)
    LlvmModule.from_text(print_module(module), "left.ll")  # it verifies


@examples(0.4)
@given(functions(), _ARGUMENTS, st.data())
def test_while_no_condition_holds_the_function_does_what_it_did(
    text: str, arguments: dict[str, int], data: st.DataObject
) -> None:
    module, f = _read(text)
    alone = behaviour_of(f, arguments)
    flow = ControlFlow.of(f)
    points: list[PlannedPoint] = []
    for place in data.draw(st.permutations([each for each in all_places(f) if flow.is_reachable(each.block)]))[:3]:
        try:
            leaving = transition_at(module, f, place)
            name = f"@f.to.{len(points)}"
            continuation(module, f, place, name, leaving=leaving)
        except Refused:
            continue
        when: Condition = Counter(1 << 40) if data.draw(st.booleans()) else Never()
        points.append(PlannedPoint(place, leaving, when, Direct(name), f"@cell.{len(points)}"))
    insert_points(module, f, points)
    LlvmModule.from_text(print_module(module), "left.ll")
    assert behaviour_of(f, arguments).agrees_with(alone)
