"""States that calls carry along, as they are read in code that passes have changed."""

from sonde.ir import parse_module
from sonde.ir.analyses import Place
from sonde.osr import all_places, call_places
from sonde.osr.inlined_frames import CarriedFrame
from sonde.osr.kept_states import keep_states, take_states

_PROGRAM = """
declare i64 @note(i64)
define i64 @f(i64 %n, ptr noalias %p) {
entry:
  %a = tail call i64 @note(i64 %n)
  %b = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %c = musttail call i64 @f(i64 %b, ptr %p)
  ret i64 %c
}
declare i64 @llvm.abs.i64(i64, i1)
"""


def test_what_was_put_in_is_what_is_taken_out() -> None:
    module = parse_module(_PROGRAM)
    f = module.functions["@f"]
    places = [each for each in all_places(f) if each.at < 3]
    assert call_places(f) == [places[0]]
    kept = keep_states(module, f, places)
    texts = [str(each) for each in f.instructions()]
    assert texts[0] == '%a = call i64 @note(i64 %n) [ "deopt"(i32 0, i32 2, i64 %n, ptr %p) ]'
    assert texts[1] == 'call void @sonde.osr.kept() [ "deopt"(i32 1, i32 2, ptr %p, i64 %a) ]'

    found = take_states(module, f, kept)
    assert [(place, there) for place, (there, _) in found.ways_back.items()] == [(each, each) for each in places]
    assert [dict(state.values) for _, state in found.ways_back.values()] == [
        {"%n": "%n", "%p": "%p"},
        {"%p": "%p", "%a": "%a"},
        {"%p": "%p", "%b": "%b"},
    ]
    assert [str(each) for each in f.instructions()] == [
        str(each).replace("tail call i64 @note", "call i64 @note")
        for each in parse_module(_PROGRAM).functions["@f"].instructions()
    ]
    assert "@sonde.osr.kept" not in module.functions


def test_points_that_are_not_told_apart_are_no_ways_back() -> None:
    module = parse_module(_PROGRAM)
    f = module.functions["@f"]
    kept = keep_states(module, f, [Place("%entry", 0)])
    changed = str(f.entry.instructions[0])
    for was, now in (
        ("i32 0, i32 2", "i32 %which, i32 2"),  # two calls were made one
        ("i32 0, i32 2", "i32 0, i32 2, i64 %n, ptr %p, i32 1, i32 2"),  # inlined at the point, but nobody knows what
        ("i32 0, i32 2", "i32 0, i32 3"),
        ("ptr %p", "ptr getelementptr (%struct.s, ptr @x, i64 1)"),
    ):
        copy = parse_module(_PROGRAM)
        text = changed.replace(was, now, 1) if was != "ptr %p" else changed.replace("ptr %p)", f"{now})")
        body = copy.functions["@f"]
        body.entry.instructions[0].pieces[:] = [text.removeprefix("%a = ")]
        found = take_states(copy, body, kept)
        assert not found.ways_back
        assert [*found.lost] == [Place("%entry", 0)]


def test_in_code_that_was_inlined_calls_carry_the_states_of_all_frames() -> None:
    module = parse_module(
        _PROGRAM.replace("@f(", "@g(") + "define void @f(i32 %x) {\n  call void @h(i32 %x)\n  ret void\n}"
    )
    f, g = module.functions["@f"], module.functions["@g"]
    kept = keep_states(module, f, [Place("%0", 0)], [g])
    assert "i32 1, i32 2, i64 %n, ptr %p" in str(g.entry.instructions[0])
    inlined = 'call i64 @note(i64 4) [ "deopt"(i32 0, i32 1, i32 %x, i32 1, i32 2, i64 4, ptr @p) ]'
    f.blocks[0].instructions[0].pieces[:] = [inlined]
    found = take_states(module, f, kept)
    assert not found.ways_back
    assert found.inlined[Place("%0", 0)] == (
        CarriedFrame("@f", Place("%0", 0), {"%x": "%x"}),
        CarriedFrame("@g", Place("%entry", 0), {"%n": "4", "%p": "@p"}),
    )
