"""How a function is left: in registers or through the area, by a jump or by a call; and what is said of the rest."""

import pytest

from sonde.ir import Function, Module, parse_module
from sonde.llvm import LlvmModule
from sonde.osr import LiveValue, Refused, continuation, place_of, transition_at
from sonde.osr.frame import FrameUse
from sonde.osr.signature import transition


def _read(text: str) -> tuple[Module, Function]:
    module = parse_module(LlvmModule.from_text(text, "left.ll").text())
    return module, module.functions["@f"]


def _values(*types: str) -> list[LiveValue]:
    return [LiveValue(f"%v{at}", type_) for at, type_ in enumerate(types)]


_SIMPLE = "define i64 @f(i64 %x) {\n %y = add i64 %x, 1\n ret i64 %y\n}"


@pytest.mark.parametrize(
    ("types", "in_area"),
    [
        (["i64"] * 6 + ["double"] * 8, 0),
        (["i64"] * 7, 2),
        (["double"] * 9, 1),
        (["i1", "i8", "ptr", "i32", "i128", "ptr"], 1),
        (["{ i64, double }", "[2 x i64]", "i64", "i64", "i64", "i64"], 2),
        (["x86_fp80"], 1),
        (["<8 x float>"] * 4, 0),
        (["<8 x float>"] * 5, 1),
    ],
)
def test_values_beyond_registers_go_through_the_area(types: list[str], in_area: int) -> None:
    _, f = _read(_SIMPLE)
    leaving = transition(f.signature, _values(*types), {}, frame_is_needed=False)
    assert leaving.spilled == in_area
    assert leaving.marker == ("" if in_area else "tail")
    assert sorted(leaving.values) == sorted(_values(*types))


def test_what_no_function_takes_is_refused() -> None:
    _, f = _read(_SIMPLE)
    with pytest.raises(Refused, match="no function takes a token"):
        transition(f.signature, _values("token"), {}, frame_is_needed=False)


def test_results_in_memory_are_not_jumped_for() -> None:
    _, f = _read("define [4 x i64] @f(i64 %x) {\n ret [4 x i64] zeroinitializer\n}")
    assert transition(f.signature, _values("i64"), {}, frame_is_needed=False).marker == ""


@pytest.mark.parametrize(
    ("text", "is_needed"),
    [
        ("store i64 1, ptr %s\n %l = load i64, ptr %s", False),
        ("%g = getelementptr i8, ptr %s, i64 4\n store i32 1, ptr %g", False),
        ("store ptr %s, ptr @kept", True),
        ("%g = getelementptr i8, ptr %s, i64 4\n store ptr %g, ptr @kept", True),
        ("%o = atomicrmw xchg ptr @kept, ptr %s monotonic", True),
        ("%n = ptrtoint ptr %s to i64", True),
        ("call void @takes(ptr %s)", True),
        ("%i = insertvalue { ptr } poison, ptr %s, 0", True),
        ("call void @llvm.lifetime.end.p0(ptr %s)", False),
    ],
)
def test_a_frame_is_kept_when_an_address_of_its_slots_may_be_known(text: str, is_needed: bool) -> None:
    module, f = _read(
        "@kept = global ptr null\ndeclare void @takes(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n"
        f"define void @f() {{\n %s = alloca i64\n {text}\n ret void\n}}"
    )
    assert FrameUse.of(module, f).is_needed([]) is is_needed
    assert FrameUse.of(module, f).is_needed(["%s"])


def test_variable_arguments_and_arguments_in_memory_need_the_frame() -> None:
    for head in ("i64 %x, ...", "ptr byval(i64) %x"):
        module, f = _read(f"define void @f({head}) {{\n ret void\n}}")
        assert FrameUse.of(module, f).is_needed([])


def test_attributes_that_speak_of_the_whole_are_dropped() -> None:
    module, f = _read(
        "define noalias noundef ptr @f(i64 %x, i64 %n) nounwind nofree memory(none) allocsize(1) willreturn {\n"
        " %y = add i64 %x, 1\n %p = inttoptr i64 %y to ptr\n ret ptr %p\n}"
    )
    leaving = transition_at(module, f, place_of(f, "%p"))
    made = continuation(module, f, "%p", "@f.to", leaving=leaving).function
    (group,) = [module.attribute_groups[int(each[1:])] for each in made.signature.suffix.split() if each[0] == "#"]
    assert group.strip("{ }").split() == ["nounwind", "willreturn"]
    assert made.signature.prefix == "internal noundef"
    assert leaving.result_attributes == "noundef"
    assert [str(each) for each in made.parameters] == ["i64 %y.osr"]
