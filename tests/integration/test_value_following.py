"""Following values through LLVM's passes, judged by running: what a mapping says of a value is compared with the value.

`value_oracle` runs the original and the optimised program, and compares at each call of `@observe` every value that the
mapping speaks of. Where LLVM's own records are wrong, that is listed here, and in docs/limitations.md.
"""

import ctypes
import random
import re
from pathlib import Path

import pytest

from observed_programs import observed_program
from real_programs import real_program
from real_value_oracle import judge_program
from sonde.ir import Function, Operand, parse_module, print_function, print_module
from sonde.ir.bookkeeping import (
    Computed,
    Constant,
    Formula,
    Held,
    Lost,
    Mapping,
    Marks,
    Trust,
    compensation,
    evaluate,
    mark,
    read_back,
    read_formula,
    recovery,
    without_debug_information,
)
from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.formula import Argument, Conversion, Number, Operation
from sonde.llvm import LinkingJit, LlvmModule
from sonde.passes import parse_recipe
from sweeps import rare
from value_oracle import Verdict, compare

PIPELINES = ("O1", "O2", "O3")
SINGLE = (
    "adce", "aggressive-instcombine", "break-crit-edges", "dce", "dse", "instcombine", "instnamer", "jump-threading",
    "lcssa", "loop-deletion", "loop-rotate", "loop-simplify", "loop-unroll", "lower-switch", "memcpyopt", "mergereturn",
    "newgvn", "reassociate", "reg2mem", "sccp", "simplifycfg", "sink", "sroa", "tailcallelim", "always-inline",
    "argpromotion", "deadargelim", "globalopt", "ipsccp", "mergefunc", "partial-inliner",
    "eliminate-common-subexpressions", "eliminate-dead-code", "hoist-loop-invariants",
    "loop-simplify,eliminate-common-subexpressions,hoist-loop-invariants,eliminate-dead-code,newgvn",
    "instcombine,simplifycfg,newgvn,instcombine",
)  # fmt: skip
RECORDED = [each for each in SINGLE if "instcombine" not in each]


def ssa(text: str) -> Marks:
    """Marked, with values in place of stack slots."""
    module = LlvmModule.from_text(text, "test")
    module.run_passes(["sroa"])
    return mark(parse_module(module.text()))


def optimised(marks: Marks, recipe: str, trust: Trust = "confirmed") -> Mapping:
    module = parse_module(LlvmModule.from_text(print_module(marks.module), "test").text())
    return read_back(marks, parse_recipe(recipe).run(module, explains=False).module, trust=trust)


def judged(seeds: range, recipe: str, trust: Trust = "confirmed") -> Verdict:
    total = Verdict()
    for seed in seeds:
        marks = ssa(observed_program(seed))
        mapping = optimised(marks, recipe, trust)
        verdict = compare(marks, mapping, 0, 5)
        total.points += verdict.points
        total.compared += verdict.compared
        total.unknown_points += verdict.unknown_points
        total.wrong += (f"seed {seed}, {each}" for each in verdict.wrong)
    return total


@pytest.mark.parametrize("recipe", PIPELINES)
def test_what_is_confirmed_after_a_pipeline_is_right(recipe: str) -> None:
    verdict = judged(range(100, 120), recipe)
    assert verdict.wrong == []
    assert verdict.compared > 10 * verdict.points > 0


@pytest.mark.parametrize("recipe", rare(SINGLE, SINGLE[::2]))
def test_what_is_confirmed_after_a_single_pass_is_right(recipe: str) -> None:
    verdict = judged(range(200, 204), recipe)
    assert verdict.wrong == []
    assert verdict.compared > 5 * verdict.points > 0


@pytest.mark.parametrize("recipe", rare(RECORDED, [each for each in RECORDED if each not in SINGLE[::2]]))
def test_what_single_passes_record_is_right_as_it_stands(recipe: str) -> None:
    assert judged(range(208, 210), recipe, "llvm").wrong == []


@pytest.mark.parametrize(
    ("seed", "recipe"),
    [
        (1130, "O3"),  # a call that was moved down, past records of the next turn
        (2130, "O3"),  # a record of a phi of an earlier turn
        (2235, "O3"),  # a changed bit that was even in all samples
        (2471, "O2"),  # a turn whose records were dropped
        (2610, "O1"),  # the same
        (3447, "O3"),  # the same, with calls
    ],
)
def test_what_was_wrong_once_is_right(seed: int, recipe: str) -> None:
    verdict = judged(range(seed, seed + 1), recipe)
    assert verdict.wrong == []
    assert verdict.compared > 2 * verdict.points > 0


def test_what_is_confirmed_in_a_real_program_is_right(tmp_path: Path) -> None:
    # A share of it; tests/real_value_oracle.py can judge all of any program of tests/real_programs.py.
    check = real_program("zlib-minigzip").checks[0]
    followed = ("@deflate_slow", "@longest_match", "@compress_block", "@build_tree", "@gen_bitlen", "@scan_tree")
    verdict = judge_program("zlib-minigzip", check, tmp_path, functions=followed, share=0.2)
    assert verdict.wrong == [] and not verdict.is_cut
    assert verdict.compared > 5 * verdict.points > 0


FOLDED = """
declare void @observe(i64)
define i64 @start(i64 %n) {
entry:
  %c = icmp eq i64 %n, 0
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %p = phi i64 [ 2, %entry ], [ 3, %then ]
  %q = xor i64 %p, 7
  call void @observe(i64 %q)
  ret i64 %q
}
"""
DEMANDED = """
declare void @observe(i64)
define i64 @start(i64 %n) {
  %v = xor i64 %n, -100
  %w = shl i64 %v, 60
  call void @observe(i64 %w)
  ret i64 %w
}
"""


@pytest.mark.parametrize(("program", "value"), [(FOLDED, "%p"), (DEMANDED, "%v")], ids=["folded", "demanded"])
def test_what_instcombine_gets_wrong_is_found_out(program: str, value: str) -> None:
    # It puts an operation into a phi, or changes bits that nobody asks for, and lets records of what was name the new
    # value. Should this fail because a later LLVM is right: say so in docs/limitations.md.
    marks = ssa(program)
    assert compare(marks, optimised(marks, "instcombine", "llvm"), 5).wrong
    mapping = optimised(marks, "instcombine", "unrefuted")
    assert compare(marks, mapping, 5).wrong == []
    number = marks.functions["@start"].numbers[value]
    said = [location for _, origin, location in mapping.function("@start").records() if origin.number == number]
    assert said == [Lost("refuted")]


SELECTED = """
declare void @observe(i64)
define i64 @start(i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 1
  br i1 %more, label %body, label %out
body:
  %leave = icmp sgt i64 %n, 3
  br i1 %leave, label %out, label %latch
latch:
  %next = add i64 %i, 1
  br label %head
out:
  call void @observe(i64 %n)
  ret i64 %i
}
"""


def test_a_turn_whose_records_were_dropped_with_its_branch_is_not_forgotten() -> None:
    # The result is `select i1 %leave, i64 0, i64 1`; nothing says any more that %i may have become 1.
    marks = ssa(SELECTED)
    assert compare(marks, optimised(marks, "O2", "llvm"), 0, 5).wrong == []


NARROWED = """
declare i32 @memcmp(ptr, ptr, i64)
declare i64 @strlen(ptr)
declare void @observe(i64)
@arena = external global [64 x i64]
define i64 @start(i64 %n) {
  %p = getelementptr i8, ptr @arena, i64 8
  %m = call i32 @memcmp(ptr @arena, ptr %p, i64 %n)
  %w = add i32 %m, 1
  %same = icmp eq i32 %m, 0
  %s = call i64 @strlen(ptr %p)
  %empty = icmp eq i64 %s, 0
  %both = and i1 %same, %empty
  %r = zext i1 %both to i64
  call void @observe(i64 %r)
  ret i64 %r
}
"""


def test_calls_that_llvm_narrows_are_not_confirmed() -> None:
    # Only whether they are 0 is asked for: LLVM asks `bcmp`, and loads the first character. Should this fail because a
    # later LLVM says that the values are lost: say so in docs/limitations.md.
    marks = ssa(NARROWED)
    assert compare(marks, optimised(marks, "instcombine", "unrefuted"), 8).wrong
    mapping = optimised(marks, "instcombine")
    assert compare(marks, mapping, 8).wrong == []
    found = mapping.function("@start")
    said = {found.place(origin).name: location for _, origin, location in found.records()}
    assert [said[name] for name in ("%m", "%w", "%s")] == [Lost("open")] * 3


CONFIRMED = """
%pair = type { i32, %inner }
%inner = type { i8, double }
declare i64 @ask(ptr)
declare void @observe(i64)
define internal i64 @either(i64 %a, i64 %b) {
  %c = icmp ult i64 %a, %b
  br i1 %c, label %one, label %other
one:
  %t = mul i64 %a, 3
  ret i64 %t
other:
  ret i64 %b
}
define i64 @f(i64 %n, ptr %p, double %x, <2 x double> %v) {
  %field = getelementptr %pair, ptr %p, i64 1, i32 1, i32 1
  %again = getelementptr %pair, ptr %p, i64 1, i32 1, i32 1
  %loaded = load double, ptr %field
  %reloaded = load double, ptr %again
  %more = fadd double %loaded, %x
  %sum = fadd double %more, %reloaded
  %wide = insertelement <2 x double> %v, double %sum, i32 1
  %called = call i64 @ask(ptr %again)
  %kept = call i64 @either(i64 %called, i64 %n)
  store i64 %kept, ptr %p
  %forwarded = load i64, ptr %p
  %out = extractelement <2 x double> %wide, i64 %forwarded
  store double %out, ptr %p
  call void @observe(i64 %forwarded)
  ret i64 %kept
}
"""


def test_what_does_not_compute_is_confirmed_where_the_same_is_still_done() -> None:
    mapping = optimised(ssa(CONFIRMED), "always-inline,newgvn")
    found = mapping.function("@f")
    said = {found.place(origin).name: location for _, origin, location in found.records()}
    assert said["%again"] == said["%field"] and isinstance(said["%field"], Held)
    assert said["%reloaded"] == said["%loaded"] == Held("%loaded", "double")
    assert said["%sum"] == Held("%sum", "double") and said["%wide"] == Held("%wide", "<2 x double>")
    assert said["%called"] == Held("%called", "i64") and said["%kept"] == said["%forwarded"]
    assert isinstance(said["%kept"], Held)


def test_the_values_of_a_loop_are_found_again() -> None:
    # Single passes keep record of all values; pipelines make a select of the branch, and drop the records in it.
    marks = ssa(
        """
define i64 @poly(i64 %n, i64 %k) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi i64 [ 1, %entry ], [ %s.next, %latch ]
  %a = mul i64 %k, 7
  %b = mul i64 %k, 7
  %c = add i64 %s, %a
  %d = sub i64 %c, %b
  %e = mul i64 %i, 7
  %f = add i64 %d, %e
  %odd = and i64 %i, 1
  %is.odd = icmp eq i64 %odd, 1
  br i1 %is.odd, label %then, label %latch
then:
  %t = mul i64 %f, 3
  %u = add i64 %t, %a
  br label %latch
latch:
  %s.next = phi i64 [ %f, %loop ], [ %u, %then ]
  %i.next = add i64 %i, 1
  %never = icmp eq i64 %i.next, -1
  %before = sub i64 %i.next, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %out
out:
  %r = add i64 %s.next, 3
  ret i64 %r
}
"""
    )
    for recipe, least in (("newgvn", 20), ("sccp,adce,newgvn,sink", 20), ("O1", 16), ("O2", 16), ("O3", 16)):
        counts = recovery(optimised(marks, recipe, "llvm"))
        assert counts.values == 20 and counts.found >= least, recipe
        assert counts.found + counts.lost + counts.absent == counts.values
    found = optimised(marks, "newgvn").function("@poly")
    locations = {found.place(origin).name: location for _, origin, location in found.records()}
    assert locations["%b"] == Held("%a", "i64") and locations["%d"] == Held("%s", "i64")
    after = optimised(marks, "O1", "llvm").function("@poly")
    kinds = {type(location) for _, _, location in after.records()}
    assert kinds >= {Held, Computed}


def test_lines_tell_which_instructions_came_of_which() -> None:
    marks = ssa(observed_program(4))
    found = optimised(marks, "instcombine,simplifycfg").function("@start")
    original = marks.functions["@start"].instructions
    came = 0
    for block, index, origin in found.origins():
        now = found.function.block(block).instructions[index]
        if origin.instance == 0 and "@observe" in now.text:
            assert "@observe" in original[origin.number].text
            came += 1
    assert came == sum("@observe" in each.text for each in found.function.instructions())


@pytest.mark.parametrize("recipe", [*PIPELINES, "instcombine", "loop-rotate", "simplifycfg"])
def test_marks_do_not_change_what_passes_do(recipe: str) -> None:
    for seed in range(40, 46):
        plain = LlvmModule.from_text(observed_program(seed), "test")
        plain.run_passes(["sroa"])
        module = parse_module(plain.text())
        marked = parse_module(LlvmModule.from_text(print_module(mark(module).module), "test").text())
        one, other = (parse_recipe(recipe).run(each, explains=False).module for each in (module, marked))
        bare, bare_other = without_debug_information(one), without_debug_information(other)
        assert list(bare.functions) == list(bare_other.functions)
        for each, its_twin in zip(bare.defined_functions(), bare_other.defined_functions(), strict=True):
            assert code_of(each) == code_of(its_twin)


def code_of(function: Function) -> str:
    """The text but for numbers of metadata and names of values: what has no use may lose its name, or keep it."""
    names: dict[str, str] = {}
    text = re.sub(r"[!#][0-9]+", "#", print_function(function))
    text = re.sub(r"^([-\w.$]+):", r"%\1:", text, flags=re.MULTILINE)
    return re.sub(r"%[-\w.$]+", lambda match: names.setdefault(match[0], f"%{len(names)}"), text)


def random_formula(chance: random.Random, types: list[str], depth: int = 0) -> Formula:
    """Over arguments of the given types; of any width."""
    if depth == 3 or chance.random() < 0.2:
        index = chance.randrange(len(types))
        return Argument(index, bit_width(types[index]) or 0)
    left = random_formula(chance, types, depth + 1)
    if chance.random() < 0.3:
        width = chance.choice([each for each in (1, 8, 32, 64) if each != left.width])
        name = "trunc" if width < left.width else chance.choice(("zext", "sext"))
        return Conversion(name, left, width)
    right: Formula = Number(chance.getrandbits(left.width), left.width)
    names = ["add", "sub", "mul", "sdiv", "srem", "and", "or", "xor", "shl", "lshr", "ashr"]
    name = chance.choice([*names, *(f"icmp {each}" for each in ("eq", "ne", "slt", "ule", "sge", "ugt"))])
    if chance.random() < 0.4:
        candidate = random_formula(chance, types, depth + 1)
        right = candidate if candidate.width == left.width else right
    return Operation(name, left, right, 1 if name.startswith("icmp") else left.width)


def test_code_for_a_formula_yields_what_its_evaluation_says() -> None:
    chance = random.Random(11)
    types = ["i8", "i32", "i64", "ptr", "i1"]
    body: list[str] = []
    expected: list[int] = []
    formulas: list[Formula] = []
    arguments = [chance.getrandbits(width) for width in (8, 32, 64, 64, 1)]
    names = (f"%n{number}" for number in range(1 << 20))
    while len(formulas) < 200:
        formula = random_formula(chance, types)
        value = evaluate(formula, arguments)
        if value is None or any(evaluate(each, arguments) is None for each in _parts(formula)):
            continue
        location = Computed(formula, tuple(Operand(type_, f"%a{at}") for at, type_ in enumerate(types)), "i64")
        code = compensation(location, f"i{formula.width}", names.__next__)
        assert code is not None
        body += map(str, code[0])
        place = f"%p{len(formulas)}"
        body.append(f"{place} = getelementptr i64, ptr @results, i64 {len(formulas)}")
        wide = code[1]
        if formula.width < 64:
            wide = f"%w{len(formulas)}"
            body.append(f"{wide} = zext i{formula.width} {code[1]} to i64")
        body.append(f"store i64 {wide}, ptr {place}")
        formulas.append(formula)
        expected.append(value)
    head = ", ".join(f"{type_} %a{at}" for at, type_ in enumerate(types))
    text = "\n".join(
        ["@results = external global [200 x i64]", f"define void @start({head}) {{", *body, "ret void", "}"]
    )
    module = LlvmModule.from_text(text, "formulas")
    results = (ctypes.c_uint64 * 200)()
    jit = LinkingJit()
    library = jit.link("formulas", [module.object(0)], ["start"], {"results": ctypes.addressof(results)})
    kinds = (ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_bool)
    ctypes.CFUNCTYPE(None, *kinds)(library.addresses["start"])(*arguments)
    jit.close()
    assert list(results) == expected


def _parts(formula: Formula) -> list[Formula]:
    match formula:
        case Conversion(_, operand, _):
            return [operand, *_parts(operand)]
        case Operation(_, left, right, _):
            return [left, right, *_parts(left), *_parts(right)]
        case _:
            return []


def test_what_llvm_salvages_is_read() -> None:
    marks = ssa(
        """
define i64 @f(i64 %x, i32 %y) {
  %gone = mul i64 %x, 7
  %both = add i64 %gone, %x
  %wide = sext i32 %y to i64
  %sum = add i64 %both, %wide
  %known = add i64 3, 4
  ret i64 %x
}
"""
    )
    found = optimised(marks, "instcombine").function("@f")
    said = {found.place(origin).name: location for _, origin, location in found.records()}
    assert isinstance(said["%gone"], Computed) and isinstance(said["%sum"], Computed)
    assert evaluate(said["%gone"].formula, [6]) == 42
    arguments = {"%x": 6, "%y": 2**32 - 2}
    assert evaluate(said["%sum"].formula, [arguments[each.value] for each in said["%sum"].operands]) == 46
    assert said["%known"] == Constant("7", "i64")
    assert read_formula("DW_OP_constu, 7, DW_OP_mul, DW_OP_stack_value", ["i64"], "i64") == said["%gone"].formula
