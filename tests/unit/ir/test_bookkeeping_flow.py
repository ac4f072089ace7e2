"""What is known of the original's values at the points of an optimised function."""

import random
import re

import pytest

from observed_programs import observed_program
from slow_value_flow import OnePath
from sonde.ir import parse_module, print_module
from sonde.ir.bookkeeping import (
    Constant,
    FunctionMapping,
    Held,
    Lost,
    Mapping,
    Marks,
    Recovery,
    Trust,
    mark,
    read_back,
    recovery,
)
from sonde.ir.bookkeeping.instances import Instance, Instances, MarkedMetadata
from sonde.ir.bookkeeping.value_flow import ValueFlow
from sonde.ir.bookkeeping.ways import Ways
from sonde.llvm import LlvmModule
from sonde.passes import parse_recipe

DIAMOND = """
define i32 @f(i32 %x, i1 %c) {
entry:
  %v = add i32 %x, 1
  br i1 %c, label %then, label %else
then:
  %t = mul i32 %v, 3
  br label %join
else:
  br label %join
join:
  %r = phi i32 [ %t, %then ], [ %v, %else ]
  ret i32 %r
}
"""

THROWS = """
define i32 @f() personality ptr @personality {{
entry:
  br label %again
again:
  {before}
  %r = invoke i32 @may_throw() to label %fine unwind label %caught
fine:
  ret i32 %r
caught:
  %pad = landingpad {{ ptr, i32 }} cleanup
  br label %again
}}
declare i32 @may_throw()
declare i32 @personality(...)
"""

LOOP = """
define i32 @f(i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %d = mul i32 %i, 2
  %n = add i32 %i, 1
  %c = icmp slt i32 %n, %x
  br i1 %c, label %loop, label %out
out:
  %s = add i32 %x, 5
  ret i32 %s
}
"""


def marked(text: str) -> Marks:
    return mark(parse_module(LlvmModule.from_text(text, "test").text()))


def edited(marks: Marks, *changes: tuple[str, str], trust: Trust = "llvm") -> FunctionMapping:
    return edited_module(marks, *changes, trust=trust).function("@f")


def edited_module(marks: Marks, *changes: tuple[str, str], trust: Trust = "llvm") -> Mapping:
    """Read back what a pass might have done: text changed by hand."""
    text = print_module(marks.module)
    for old, new in changes:
        text, count = re.subn(old, new, text)
        assert count, old
    module = LlvmModule.from_text(text, "edited")
    return read_back(marks, parse_module(module.text()), trust=trust)


def known(found: FunctionMapping, block: str, index: int) -> dict[str | None, object]:
    return {found.place(origin).name: location for origin, location in found.locations_at(block, index).items()}


def test_where_paths_agree_a_value_is_known_after_they_meet() -> None:
    found = edited(marked(DIAMOND))
    assert known(found, "%join", 1)["%v"] == Held("%v", "i32")
    assert "%t" not in known(found, "%join", 1)


@pytest.mark.parametrize("before", ["", "fence seq_cst"])
def test_an_invoke_parts_ways_where_it_stands_though_its_value_arrives_elsewhere(before: str) -> None:
    marked = mark(parse_module(LlvmModule.from_text(THROWS.format(before=before), "test").text())).functions["@f"]

    assert Ways(marked).forks(0, marked.numbers["%r"]) == {"%again": marked.numbers["%r"]}


def test_where_paths_disagree_it_is_not() -> None:
    # `then` knows %v as a constant, as it may after a comparison; `else` as it was.
    (line,) = re.findall(r".*#dbg_value\(i32 %v, .*", print_module(marked(DIAMOND).module))
    found = edited(marked(DIAMOND), (r"then:\n", "then:\n" + line.replace("%v", "7") + "\n"))
    assert known(found, "%then", 0)["%v"] == Constant("7", "i32")
    assert "%v" not in known(found, "%join", 1)


def test_what_is_computed_anew_is_no_longer_what_it_was() -> None:
    found = edited(marked(LOOP))
    origin = found.origin_of("%loop", 0)
    assert origin is not None
    # At the beginning of the next turn the last turn's values are not those of this one.
    assert {found.place(each).name for each in found.locations_at("%loop", 0, origin)} == {"%x"}
    assert {found.place(each).name for each in found.locations_at("%loop", 1)} == {"%x", "%i"}


def test_a_value_of_an_earlier_turn_is_forgotten_though_its_record_was_dropped_in_this_one() -> None:
    # Before the loop a record says that %d is 0 (as after peeling a turn); in the loop no record says anything.
    text = print_module(marked(LOOP).module)
    (line,) = re.findall(r".*#dbg_value\(i32 %d, .*\n", text)
    found = edited(marked(LOOP), (re.escape(line), ""), (r"(entry:\n(?:.*#dbg.*\n)*)", r"\1" + line.replace("%d", "0")))
    assert known(found, "%entry", 0)["%d"] == Constant("0", "i32")
    assert "%d" not in known(found, "%loop", 3)


def test_what_may_have_been_made_again_is_forgotten_where_records_were_dropped() -> None:
    # The loop's body is gone with its records, and %i was 0 before it: who knows what it is after.
    marks = marked(LOOP)
    text = print_module(marks.module)
    (line,) = re.findall(r".*#dbg_value\(i32 %i, .*\n", text)
    body = r"loop:\n(?:.*\n)*out:\n"
    found = edited(marks, (body, "out:\n"), ("br label %loop", "br label %out"),
                   (r"(entry:\n(?:.*#dbg.*\n)*)", r"\1" + line.replace("%i", "0")))  # fmt: skip
    assert known(found, "%entry", 0)["%i"] == Constant("0", "i32")
    assert set(known(found, "%out", 1)) == {"%x", "%s"}


UNROLLED = """
declare void @effect(i32)
define i32 @f(i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %t = phi i32 [ 5, %entry ], [ 7, %loop ]
  call void @effect(i32 %x)
  %n = add i32 %i, 1
  %c = icmp slt i32 %n, 2
  br i1 %c, label %loop, label %out
out:
  %s = add i32 %x, 5
  ret i32 %s
}
"""


def unrolled(trust: Trust, *body: str) -> FunctionMapping:
    """`UNROLLED` with some calls and records `name=value` in place of its loop."""
    marks = marked(UNROLLED)
    text = print_module(marks.module)
    (call,) = re.findall(r".*call void @effect.*\n", text)
    lines = []
    for each in body:
        name, _, value = each.partition("=")
        (record,) = re.findall(rf".*#dbg_value\(i[0-9]+ %{name}, .*\n", text) if value else (call,)
        lines.append(record.replace(f"%{name},", f"{value},"))
    loop = ("loop:\n(?:.*\n)*out:\n", "".join(["loop:\n", *lines, "  br label %out\nout:\n"]))
    return edited(marks, loop, trust=trust)


@pytest.mark.parametrize("next_turn", [("n=1", "c=true", "i=1"), ("n=1", "c=true", "i=1", "t=7")])
def test_a_call_that_was_moved_down_is_not_a_call_of_the_next_turn(next_turn: tuple[str, ...]) -> None:
    # What stands before the call are records of what the original does after it.
    moved = unrolled("llvm", "i=0", "t=5", *next_turn, "call", "n=2", "c=false")
    (at,) = (at for at, each in enumerate(moved.function.block("%loop").instructions) if each.opcode == "call")
    point = moved.origin_of("%loop", at)
    assert {moved.place(each).name for each in moved.locations_at("%loop", at, point)} == {"%x"}


def test_a_call_that_comes_again_without_a_record_is_of_another_turn() -> None:
    found = unrolled("llvm", "i=0", "t=5", "call", "call", "n=2", "c=false")
    first, second = (
        {found.place(each).name for each in found.locations_at("%loop", at, found.origin_of("%loop", at))}
        for at in (0, 1)
    )
    assert first == {"%x", "%i", "%t"} and second == {"%x"}


def test_a_call_in_each_turn_is_a_call_of_that_turn() -> None:
    found = unrolled("llvm", "i=0", "t=5", "call", "n=1", "c=true", "i=1", "t=7", "call", "n=2", "c=false")
    calls = [at for at, each in enumerate(found.function.block("%loop").instructions) if each.opcode == "call"]
    for at, turn in zip(calls, "01", strict=True):
        values = found.locations_at("%loop", at, found.origin_of("%loop", at))
        assert {found.place(each).name: where for each, where in values.items()}["%i"] == Constant(turn, "i32")


@pytest.mark.parametrize("phis", [("i=1", "t=5"), ("t=5", "i=1")])
def test_a_phi_is_not_confirmed_by_what_it_gets_from_where_the_original_did_not_come_from(
    phis: tuple[str, ...],
) -> None:
    found = unrolled("confirmed", "i=0", "t=5", "call", "n=1", "c=true", *phis, "call", "n=2")
    said = [location for _, origin, location in found.records() if found.place(origin).name == "%t"]
    assert said == [Constant("5", "i32"), Lost("refuted")]


def test_a_phi_of_an_earlier_turn_is_forgotten_when_another_is_made_anew() -> None:
    found = unrolled("llvm", "i=0", "t=5", "call", "n=1", "c=true", "i=1", "call", "n=2", "c=false")
    assert "%t" not in known(found, "%out", 0)


def test_a_record_before_the_value_that_it_names_says_nothing() -> None:
    text = print_module(marked(LOOP).module)
    (line,) = re.findall(r".*#dbg_value\(i32 %s, .*\n", text)
    found = edited(marked(LOOP), (re.escape(line), ""), (r"out:\n", "out:\n" + line))
    assert known(found, "%out", 0)["%s"] == Lost("not yet computed")


def test_poison_is_known_to_be_lost() -> None:
    found = edited(marked(LOOP), (r"#dbg_value\(i32 %d,", "#dbg_value(i32 poison,"))
    assert known(found, "%loop", 3)["%d"] == Lost("poison")


def test_inlined_values_are_those_of_their_call() -> None:
    text = """
define internal i32 @callee(i32 %a) {
  %twice = mul i32 %a, 2
  call void @effect(i32 %twice)
  ret i32 %twice
}
declare void @effect(i32)
define i32 @f(i32 %x) {
  %first = call i32 @callee(i32 %x)
  %second = call i32 @callee(i32 %first)
  ret i32 %second
}
"""
    marks = marked(text)
    optimised = LlvmModule.from_text(print_module(marks.module), "test")
    optimised.optimize(2)
    found = read_back(marks, parse_module(optimised.text())).function("@f")
    calls = [at for at, each in enumerate(found.function.entry.instructions) if "@effect" in each.text]
    block = found.function.entry.name

    assert [each.function for each in found.instances] == ["@f", "@callee", "@callee"]
    assert found.instances[2] == Instance("@callee", 0, marks.functions["@f"].numbers["%second"])
    for at, instance in zip(calls, (1, 2), strict=True):
        point = found.origin_of(block, at)
        assert point is not None and point.instance == instance
        names = {(each.instance, found.place(each).name) for each in found.locations_at(block, at, point)}
        assert names >= {(instance, "%a"), (instance, "%twice"), (0, "%x")}
        assert all(each in (0, instance) for each, _ in names)
    assert found.copies_of(found.origin_of(block, calls[0]) or found.origin_of(block, 0)) == [(block, calls[0])]  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_known_at_a_point_is_known_after_every_path_to_it(seed: int) -> None:
    module = LlvmModule.from_text(observed_program(seed), "test")
    module.run_passes(["sroa", "simplifycfg"])
    marks = mark(parse_module(module.text()))
    optimised = parse_recipe("O1").run(
        parse_module(LlvmModule.from_text(print_module(marks.module), "test").text()), explains=False
    )
    chance = random.Random(seed)
    metadata = MarkedMetadata(marks, optimised.module)
    compared = agreed = 0
    for function in optimised.module.defined_functions():
        original = metadata.function_of(function.signature.suffix)
        assert original is not None
        flow = ValueFlow(function, metadata, Instances(metadata, [Instance(original, None, 0)]))
        for _ in range(10):
            path = OnePath(marks, flow.instances, {})
            block = function.entry
            for _ in range(40):
                at_begin = flow.known_at(block.name, -1)
                for origin, location in at_begin.items():
                    assert location in path.known.get(origin, ()), f"{function.name} {block.name} {origin}"
                compared += len(path.known)
                agreed += len(at_begin)
                for index, at_call in path.walk(function, block.name, flow.records, flow.passed):
                    for origin, location in flow.known_at(block.name, index, flow.passed[block.name, index]).items():
                        assert location in at_call.get(origin, ()), f"{function.name} {block.name} {index} {origin}"
                if not block.successors():
                    break
                block = function.block(chance.choice(block.successors()))
    assert agreed >= compared / 4, "much is lost where paths meet"


def test_values_found_again_are_counted_by_what_is_known_best() -> None:
    a_constant = (r"#dbg_value\(i32 %t,", "#dbg_value(i32 7,")
    a_formula = (r"(#dbg_value\(i32) %v(, !\d+, !DIExpression\()", r"\1 %x\2DW_OP_plus_uconst, 1, DW_OP_stack_value")
    lost = (r"#dbg_value\(i1 %c,", "#dbg_value(i1 poison,")
    absent = (r"#dbg_value\(i32 %r,.*", "")
    counts = recovery(edited_module(marked(DIAMOND), a_constant, a_formula, lost, absent))
    assert counts == Recovery(values=5, held=1, constant=1, computed=1, lost=1, absent=1)

    # Where %t is known it is also said to be lost, and what is held is also a constant elsewhere.
    again = (r"(#dbg_value\(i32) 7(,.*)", r"\1 7\2\n\1 poison\2")
    also = (r"(#dbg_value\(i32) %x(, !\d+, !DIExpression\(\).*)", r"\1 %x\2\n\1 3\2")
    assert recovery(edited_module(marked(DIAMOND), a_constant, a_formula, lost, absent, again, also)) == counts
