"""Landings in the frames that the original would have in code that was inlined."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from sonde.ir import parse_module, print_function, print_module
from sonde.ir.analyses import Place
from sonde.llvm import LlvmModule
from sonde.osr import Code, LiveValue, Refused, Transition, continuation
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


def test_a_frame_that_would_catch_or_that_calls_something_else_is_refused() -> None:
    with pytest.raises(Refused, match="would catch what @g throws") as refused:
        landing_in_frames(_original(), [_f(1), _G])
    assert refused.value.reason == "landing pad"
    with pytest.raises(Refused, match="does not call @h there"):
        landing_in_frames(_original(), [_f(0), _H])
