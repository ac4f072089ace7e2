"""Landings in the frames that the original would have in code that was inlined."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sonde.ir import call_site, parse_module, print_function, print_module
from sonde.ir.analyses import Place
from sonde.llvm import LlvmModule
from sonde.osr import Code, LiveValue, Refused, Transition, continuation
from sonde.osr.detour import add_detour
from sonde.osr.inlined_frames import CarriedFrame, landing_in_frames

_ORIGINAL = """
declare void @note(i32)
declare i32 @personality(...)
define available_externally i32 @h(i32 %a, ptr %at) {
  call void @note(i32 %a)
  store i32 %a, ptr %at
  ret i32 %a
}
define available_externally void @g(i32 %a, ptr %at) {
  %h = call i32 @h(i32 7, ptr %at)
  %sum = add i32 %h, %a
  call void @note(i32 %sum)
  ret void
}
define i32 @f(i32 %a, ptr %at) personality ptr @personality {
entry:
  call void @g(i32 %a, ptr %at)
  invoke void @g(i32 %a, ptr %at) to label %done unwind label %pad
done:
  ret i32 %a
pad:
  %caught = landingpad { ptr, i32 } cleanup
  ret i32 0
}
"""
_H = CarriedFrame("@h", Place("%0", 0), {"%a": "7", "%at": "%where"})
_G = CarriedFrame("@g", Place("%0", 0), {"%a": "%x", "%at": "%where"})


def _original() -> Code:
    module = parse_module(_ORIGINAL)
    fake: Any = SimpleNamespace(copied=lambda: (module, module.functions["@f"]), version=SimpleNamespace(level=2))
    return cast(Code, fake)


def _f(at: int) -> CarriedFrame:
    return CarriedFrame("@f", Place("%entry", at), {"%a": "%x", "%at": "%where"})


def test_inner_frames_do_their_rest_first_and_hand_on_what_they_return() -> None:
    to = landing_in_frames(_original(), [_f(0), _G, _H])
    assert to.state is not None
    assert [str(each) for each in to.state.code] == ["call void @f.back.1(i32 7, ptr %where, i32 %x)"]
    assert to.at == Place("%entry", 1)
    inner = print_function(to.module.functions["@f.back.1"])
    assert "call i32 @f.back.2(i32 %sonde.inner.0.osr, ptr %sonde.inner.1.osr)" in inner
    leaving = Transition((LiveValue("%x", "i32"), LiveValue("%where", "ptr")), "i32", "", "", "")
    continuation(to.module, to.module.functions["@f"], to.at, "@f.to", leaving=leaving, state=to.state)
    LlvmModule.from_text(print_module(to.module), "landed.ll")  # it verifies


def test_a_frame_that_catches_does_so_around_what_the_inner_one_still_has_to_do() -> None:
    to = landing_in_frames(_original(), [_f(1), _G])
    assert to.state is not None and not to.state.code
    leaving = Transition((LiveValue("%x", "i32"), LiveValue("%where", "ptr")), "i32", "", "", "")
    made = continuation(to.module, to.module.functions["@f"], to.at, "@f.to", leaving=leaving, state=to.state)
    (call,) = [each for each in made.function.instructions() if each.opcode == "invoke"]
    assert call_site(call).callee == "@f.back.1" and call.successors()[1] == "%pad"
    assert [each.value for each in call_site(call).arguments] == ["%x.osr", "%where.osr"]
    LlvmModule.from_text(print_module(to.module), "landed.ll")  # it verifies


_LOOP = """
define i32 @f(i32 %a) personality ptr @personality {
entry:
  br label %loop
loop:
  %sum = phi i32 [ 0, %entry ], [ %r, %loop ]
  %r = invoke i32 @h(i32 %sum) to label %loop unwind label %pad
pad:
  %thrown = phi i32 [ %sum, %loop ]
  %caught = landingpad { ptr, i32 } cleanup
  ret i32 %thrown
}
declare i32 @h(i32)
declare i32 @personality(...)
"""


def test_whatever_further_parameters_are_a_function_with_a_detour_does_what_it_did() -> None:
    def settled(text: str) -> str:
        module = LlvmModule.from_text(text, "f.ll")
        module.run_passes(["simplifycfg", "instcombine", "simplifycfg"])
        return print_function(parse_module(module.text()).functions["@f"]).partition("{")[2]

    module = parse_module(_LOOP)
    place = add_detour(module.functions["@f"], Place("%loop", 1), "@h", [LiveValue("%inner", "i32")])
    assert place == Place("%detour", 0) and "%detour" in print_module(module)
    assert re.sub(r"%[.\w]+", "%", settled(print_module(module))) == re.sub(r"%[.\w]+", "%", settled(_LOOP))


def test_a_frame_that_calls_something_else_is_refused() -> None:
    with pytest.raises(Refused, match="does not call @h there"):
        landing_in_frames(_original(), [_f(0), _H])
