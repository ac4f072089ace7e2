"""The way back from code that was inlined: each frame that the original would have there gets a continuation.

f calls g calls h, all in f's optimised code, left in what was h:

h.back(h's values):                what h still has to do
g.back(h's values, g's values):    result = h.back(h's values); what g still has to do after its call of h
f's continuation:                  result = g.back(...); what f still has to do after its call of g
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir import Function, Instruction, Module, call_site
from sonde.ir.analyses import Place
from sonde.ir.edits import copy_blocks, suffixed
from sonde.osr.code import Code
from sonde.osr.continuation import continuation
from sonde.osr.detour import add_detour, call_text
from sonde.osr.landing import Landing
from sonde.osr.live_values import live_values
from sonde.osr.refusals import Refused
from sonde.osr.signature import LiveValue, Transition
from sonde.osr.state_map import StateMap

_HANDED_ON = "%sonde.inner"
_RESULT = "%sonde.result"


@dataclass(frozen=True, slots=True)
class CarriedFrame:
    """A frame of the original, as optimised code knows it."""

    function: str
    """With sigil."""
    place: Place
    """Where it is: right before its call of the next frame's function; of the last one, right before any call."""
    values: Mapping[str, str]
    """Live value -> what it is in the optimised code."""


class _Typed(NamedTuple):
    type: str
    text: str
    """In the optimised code."""


def landing_in_frames(original: Code, frames: Sequence[CarriedFrame], caught: Sequence[str] = ()) -> Landing:
    """Where to go on in the original, whose frames these are.

    Args:
        original: the function of the first frame; it has the other functions' bodies with it, as they may be inlined.
        frames: the outermost first; more than one.
        caught: the types that the optimised code catches, by number; see `caught_types`.
    Raises:
        Refused: one of the frames cannot be gone on in: `live value`, when what it calls there is not the next one's
            function; and as `continuation`.
    Guarantee: going on there with the values does what the original would have done.
    """
    module, body = original.copied()
    functions = {each.name: each for each in module.defined_functions()} | {frames[0].function: body}
    inner: _Inner | None = None
    for depth in range(len(frames) - 1, 0, -1):
        inner = _gone_on_in(module, functions, frames, depth, inner, caught)
    assert inner is not None
    at, state, _ = _after_call(body, frames[0], frames[1], inner.name, inner.values)
    return Landing(module, body.name, at, state, "", max(original.version.level, 1))


class _Inner(NamedTuple):
    """A function that does what a frame and those within it still have to do."""

    name: str
    values: list[_Typed]
    """What it is called with."""


def _gone_on_in(
    module: Module,
    functions: Mapping[str, Function],
    frames: Sequence[CarriedFrame],
    depth: int,
    inner: _Inner | None,
    caught: Sequence[str],
) -> _Inner:
    frame = frames[depth]
    f = functions.get(frame.function)
    if f is None:
        raise Refused("live value", f"{frame.function}, which was inlined, is not there any more")
    before = f.signature, copy_blocks(f)
    handed_on: list[LiveValue] = []
    at, state, result = frame.place, StateMap(), None
    if inner is not None:
        handed_on = [LiveValue(f"{_HANDED_ON}.{number}", each.type) for number, each in enumerate(inner.values)]
        passed = [_Typed(each.type, each.name) for each in handed_on]
        at, state, result = _after_call(f, frame, frames[depth + 1], inner.name, passed)
        state = StateMap({} if result is None else {result: _RESULT}, state.code)
    own = [each for each in live_values(f, at, module.types) if each.name != result and each not in handed_on]
    name = suffixed(frames[0].function, f".back.{depth}")
    leaving = Transition((*handed_on, *own), f.signature.return_type, "", "", "", caught=tuple(caught))
    continuation(module, f, at, name, leaving=leaving, state=state)
    f.signature, f.blocks = before  # it may be called, and other frames may be of it
    values = [_Typed(each.type, frame.values[each.name]) for each in own]
    return _Inner(name, values if inner is None else [*inner.values, *values])


def _after_call(
    f: Function, frame: CarriedFrame, inner: CarriedFrame, name: str, passed: Sequence[_Typed]
) -> tuple[Place, StateMap, str | None]:
    """The point where a frame's call was done by another function, the state there, and the call's result, if it is
    part of the state.

    Behind a call, it is done by compensation code; of an invoke, it is a detour, which `f` gets.
    """
    call = f.block(frame.place.block).instructions[frame.place.at]
    if call.opcode not in ("call", "invoke") or call_site(call).callee != inner.function:
        raise Refused("live value", f"{f.name} does not call {inner.function} there: '{call}'")
    if call.opcode == "invoke":
        further = [LiveValue(f"{_HANDED_ON}.{number}", each.type) for number, each in enumerate(passed)]
        values = {given.name: each.text for given, each in zip(further, passed, strict=True)}
        return add_detour(f, frame.place, name, further), StateMap({**frame.values, **values}), None
    pieces = call_text(call_site(call).return_type, name, passed)
    pieces[0] = f"call {pieces[0]}"
    made = Instruction(None if call.result is None else _RESULT, "call", pieces)
    values = dict(frame.values) if call.result is None else {**frame.values, call.result: _RESULT}
    return Place(frame.place.block, frame.place.at + 1), StateMap(values, (made,)), call.result
