"""Points that cannot be left, or gone on at, are refused by name."""

import pytest

from sonde.ir import Function, Module, parse_module
from sonde.llvm import LlvmModule
from sonde.osr import Place, Reason, Refused, all_places, continuation, live_values, place_of, transition_at

_DECLARED = """
declare i32 @g(i32)
declare i32 @setjmp(ptr) returns_twice
declare void @llvm.va_start.p0(ptr)
declare ptr @llvm.frameaddress.p0(i32)
declare i32 @__gxx_personality_v0(...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
"""


def _read(text: str) -> tuple[Module, Function]:
    module = parse_module(LlvmModule.from_text(_DECLARED + text, "refused.ll").text())
    return module, module.functions["@f"]


def _reason(text: str, at: str | Place) -> tuple[Reason, str]:
    module, f = _read(text)
    try:
        transition_at(module, f, place_of(f, at))
        continuation(module, f, at, "@f.to")
    except Refused as refused:
        assert "@f.to" not in module.functions
        return refused.reason, refused.detail
    raise AssertionError("it was not refused")


def test_between_a_musttail_call_and_its_return_is_no_point() -> None:
    text = "define i32 @f(i32 %x) {\n %r = musttail call i32 @g(i32 %x)\n ret i32 %r\n}"
    assert _reason(text, "%0+1")[0] == "last call"


def test_a_continuation_cannot_make_a_musttail_call() -> None:
    reason, detail = _reason("define i32 @f(i32 %x) {\n %r = musttail call i32 @g(i32 %x)\n ret i32 %r\n}", "%r")
    assert reason == "musttail"
    assert "whose caller must have its own parameters" in detail


def test_variable_arguments_are_read_where_they_were_given() -> None:
    text = (
        "define void @f(i32 %x, ...) {\n %a = alloca [24 x i8]\n %y = add i32 %x, 1\n"
        " call void @llvm.va_start.p0(ptr %a)\n store i32 %y, ptr %a\n ret void\n}"
    )
    assert _reason(text, "%y")[0] == "variable arguments"
    module, f = _read(text)
    assert transition_at(module, f, place_of(f, "%y+2")).marker == ""
    assert not continuation(module, f, "%y+2", "@f.to").function.signature.is_varargs


def test_frames_stay_that_may_be_returned_into() -> None:
    module, f = _read("define i32 @f(ptr %b) {\n %r = call i32 @setjmp(ptr %b)\n ret i32 %r\n}")
    assert transition_at(module, f, place_of(f, "%r+1")).marker == ""
    assert transition_at(*_read("define i32 @f(i32 %b) {\n ret i32 %b\n}"), Place("%0", 0)).marker == "tail"


def test_the_point_before_a_landing_pad_is_the_one_behind_it() -> None:
    text = (
        "define i32 @f() personality ptr @__gxx_personality_v0 {\n %r = invoke i32 @g(i32 1) to label %ok unwind label "
        "%pad\nok:\n ret i32 %r\npad:\n %p = landingpad { ptr, i32 } cleanup\n ret i32 0\n}"
    )
    module, f = _read(text)
    with pytest.raises(Refused) as refused:
        transition_at(module, f, Place("%pad", 0))
    assert refused.value.reason == "landing pad"
    assert place_of(f, Place("%pad", 0)) == Place("%pad", 1)
    assert [each for each in all_places(f) if each.block == "%pad"] == [Place("%pad", 1)]
    continuation(module, f, Place("%pad", 0), "@f.to")


def test_frame_addresses_are_of_the_frame_that_asks() -> None:
    text = "define ptr @f() {\n %r = call ptr @llvm.frameaddress.p0(i32 0)\n ret ptr %r\n}"
    assert _reason(text, "%r")[0] == "frame address"


def test_blocks_that_nothing_leads_to_are_not_left() -> None:
    text = "define i32 @f() {\n ret i32 0\ndead:\n %r = add i32 1, 2\n ret i32 %r\n}"
    module, f = _read(text)
    with pytest.raises(Refused, match="never gets to %dead"):
        transition_at(module, f, place_of(f, "dead"))


def test_a_block_s_address_that_was_taken_leads_back() -> None:
    text = (
        "@t = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]\n"
        "define i32 @f(i32 %n) {\nentry:\n %p = getelementptr ptr, ptr @t, i32 %n\n %d = load ptr, ptr %p\n"
        " %m = add i32 %n, 1\n indirectbr ptr %d, [label %a, label %b]\na:\n ret i32 %m\nb:\n ret i32 2\n}"
    )
    assert _reason(text, "%m")[0] == "indirect branch"
    module, f = _read(text)
    made = continuation(module, f, "%p", "@f.to").function
    assert [each for each in module.globals if "@f.to," in module.globals[each].text] == ["@t.1"]
    assert made.signature.parameters[0].type == "i32"
    continuation(module, f, "%a", "@f.without")  # jumps nowhere, and has no table
    assert sum("blockaddress(" in each.text for each in module.globals.values()) == 2


def test_tokens_cannot_be_handed_over() -> None:
    text = (
        "define void @f() {\n %t = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
        " %x = call i32 @g(i32 1)\n ret void\n}"
    )
    assert _reason(text, "%x")[0] in ("coroutine", "live value")


def test_slots_that_do_not_exist_yet_are_the_continuation_s() -> None:
    module, f = _read("define i32 @f() {\n %a = alloca i32\n %b = alloca i32\n store i32 1, ptr %b\n ret i32 0\n}")
    made = continuation(module, f, "%b", "@f.to").function
    assert [each.result for each in made.entry.instructions if each.opcode == "alloca"] == ["%b"]
    later = continuation(module, f, "%b+1", "@f.later")
    assert [each.name for each in later.values] == ["%b"]


def test_places_have_names() -> None:
    _, f = _read("define i32 @f(i32 %n) {\nentry:\n %x = add i32 %n, 1\n %y = add i32 %x, 1\n ret i32 %y\n}")
    assert [place_of(f, at).at for at in ("entry", "%entry", "%y", "%x+2", "%entry+2")] == [0, 0, 1, 2, 2]
    assert len(all_places(f)) == 3
    for at in ("%z", "%x+3", Place("%entry", 3)):
        with pytest.raises(KeyError):
            place_of(f, at)
    assert live_values(f, Place("%entry", 1), {}) == (("%x", "i32"),)
