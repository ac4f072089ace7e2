"""Cycles of compiled functions, divided among what was inlined into them: against costs looked up one by one."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.base.largest_remainders import divide_by_weights
from sonde.ir import Instruction, SourceFrames, SourceFunction, parse_module
from sonde.ir.analyses import InlinedPart, UnitCosts, instruction_cost

_METADATA = """
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.c", directory: "/src")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, unit: !1)
!4 = distinct !DISubprogram(name: "g", linkageName: "_Z1gv", scope: !2, file: !2, line: 5, unit: !1)
!5 = distinct !DISubprogram(name: "h", scope: !2, file: !2, line: 9, unit: !1)
!6 = !DILocation(line: 2, column: 3, scope: !3)
!7 = distinct !DILocation(line: 3, scope: !3)
!8 = !DILocation(line: 6, scope: !11, inlinedAt: !7)
!9 = distinct !DILocation(line: 7, scope: !4, inlinedAt: !7)
!10 = !DILocation(line: 10, scope: !5, inlinedAt: !9)
!11 = !DILexicalBlock(scope: !4, file: !2, line: 6)
!12 = !DILocation(line: 2, column: 9, scope: !3)
"""
F, G, H = SourceFunction("f", "/src/a.c", 1), SourceFunction("_Z1gv", "/src/a.c", 5), SourceFunction("h", "/src/a.c", 9)
PLACES = {
    6: InlinedPart((F,), (2,)), 12: InlinedPart((F,), (2,)), 8: InlinedPart((G, F), (6, 3)),
    10: InlinedPart((H, G, F), (10, 7, 3)),
}  # fmt: skip
"""Location -> what the metadata above says of it, written by hand."""
_TEXTS = (
    "add i64 %x, 1", "mul i64 %x, 3", "udiv i64 %x, 7", "load i64, ptr %p", "fdiv double %d, 2.0",
    "call i64 @known(i64 %x)", "freeze i64 %x", "getelementptr i8, ptr %p, i64 8",
)  # fmt: skip

placed_instructions = st.lists(st.tuples(st.sampled_from(_TEXTS), st.sampled_from([None, *PLACES])), max_size=8)


@given(st.integers(0, 10**15), st.lists(st.floats(0, 1e12) | st.just(0.0), min_size=1, max_size=30))
def test_parts_add_up_and_are_less_than_one_from_their_shares(total: int, weights: list[float]) -> None:
    if not any(weights):
        weights = [*weights, 1.0]
    parts = divide_by_weights(total, weights)
    assert sum(parts) == total
    whole = sum(map(Fraction, weights))
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - total * Fraction(weight) / whole) < 1
        assert weight or not part


@pytest.mark.parametrize(
    ("total", "weights"), [(1, [0.0]), (1, []), (-1, [1.0]), (1, [float("inf")]), (1, [1.0, -1.0])]
)
def test_what_cannot_be_divided_is_refused(total: int, weights: list[float]) -> None:
    with pytest.raises(ValueError, match="cannot divide"):
        divide_by_weights(total, weights)


@given(st.lists(st.tuples(placed_instructions, st.floats(0, 1e6)), min_size=1, max_size=5), st.integers(0, 10**12))
def test_each_part_has_the_costs_of_its_instructions_in_each_block(
    blocks: list[tuple[list[tuple[str, int | None]], float]], measured: int
) -> None:
    body, expected = [], dict[InlinedPart | None, float]()
    for number, (instructions, frequency) in enumerate(blocks):
        body.append(f"b{number}:")
        for at, (text, location) in enumerate(instructions):
            body.append(f"  %v{number}.{at} = {text}" + (f", !dbg !{location}" if location else ""))
            cost = instruction_cost(Instruction.from_text(text)).cycles
            part = None if location is None else PLACES[location]
            expected[part] = expected.get(part, 0.0) + cost * frequency
        body.append(f"  br label %b{number + 1}")
    body += [f"b{len(blocks)}:", "  unreachable"]
    text = "\n".join(["define void @f(i64 %x, ptr %p, double %d) !dbg !3 {", *body, "}", _METADATA])
    module = parse_module(text)
    frequencies = {f"%b{number}": frequency for number, (_, frequency) in enumerate(blocks)}
    costs = UnitCosts.of(module.functions["@f"].blocks, SourceFrames(module), frequencies)
    assert costs.unplaced == pytest.approx(expected.pop(None, 0.0))
    assert costs.parts == pytest.approx({part: cycles for part, cycles in expected.items() if cycles})
    divided = costs.divide(measured)
    assert sum(divided.parts.values()) + divided.unplaced == measured
    if costs.cycles:
        for part, cycles in divided.parts.items():
            assert abs(cycles - measured * costs.parts[part] / costs.cycles) < 1 + 1e-6 * measured


def test_what_is_never_left_is_what_counts() -> None:
    text = "define void @f(i64 %x) !dbg !3 {\n  %a = add i64 %x, 1, !dbg !6\n  br label %loop\nloop:\n"
    text += "  %b = add i64 %x, 2, !dbg !8\n  br label %loop\n}\n"
    module = parse_module(text + _METADATA)
    function = module.functions["@f"]
    frequencies = {function.entry.name: 1.0, "%loop": float("inf")}
    costs = UnitCosts.of(function.blocks, SourceFrames(module), frequencies)
    assert costs.divide(1000).parts == {PLACES[6]: 0, PLACES[8]: 1000}


def test_a_function_that_costs_nothing_keeps_what_was_measured() -> None:
    module = parse_module("define void @f() {\n  unreachable\n}")
    costs = UnitCosts.of(module.functions["@f"].blocks, SourceFrames(module), {"%0": 1.0})
    assert costs.divide(7) == ({}, 7)


def test_costs_by_hand() -> None:
    cycles = {
        "add i64 %a, %b": 0.25, "load i64, ptr %p": 1.25, "store i64 1, ptr %p": 1, "fadd double %a, %b": 1,
        "udiv i64 %a, %b": 19, "phi i64 [ 1, %b ]": 0, "br label %b": 0, "br i1 %c, label %a, label %b": 0.5,
        "tail call void @llvm.lifetime.start.p0(ptr %p)": 0, "tail call double @llvm.sqrt.f64(double %x)": 6,
        "tail call i64 @f(i64 %x)": 2, "getelementptr i64, ptr %p, i64 %i": 0.25,
    }  # fmt: skip
    assert {text: instruction_cost(Instruction.from_text(text)).cycles for text in cycles} == cycles
