"""Computing single instructions as LLVM would, and making up numbers for whole functions."""

import ctypes
import random

import pytest

from sonde.ir import Instruction, parse_module, result_type
from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.computation import constant_bits, read_computation
from sonde.ir.bookkeeping.samples import SAMPLES, Samples
from sonde.ir.bookkeeping.symbolic import read_symbolic
from sonde.llvm import LinkingJit, LlvmModule

BINARY = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor")
STRUCTS = (
    "{ i8, i32, i8, i64 }",
    "<{ i8, i32, [3 x i16], double }>",
    "{ i1, [5 x { i8, i16 }], ptr, i8 }",
    "{ <4 x float>, i8, <2 x i16>, i128 }",
    "{ { i8, i128 }, i8, { i8 }, float }",
)
RELATIONS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def random_instruction(chance: random.Random) -> str:
    width = chance.choice((1, 8, 13, 32, 64))
    match chance.randrange(6):
        case 0 | 1:
            return f"{chance.choice(BINARY)} i{width} %a{width}, %b{width}"
        case 2:
            return f"icmp {chance.choice(RELATIONS)} i{width} %a{width}, %b{width}"
        case 3:
            wider = chance.choice([each for each in (8, 13, 32, 64, 65) if each > width][:2])
            if wider <= 64:
                return f"{chance.choice(('zext', 'sext'))} i{width} %a{width} to i{wider}"
            return f"trunc i{width} %a{width} to i7"
        case 4:
            return f"select i1 %a1, i{width} %a{width}, i{width} %b{width}"
        case _:
            type_ = chance.choice(STRUCTS)
            if chance.random() < 0.5:
                return f"getelementptr {type_}, ptr %p, i{width} %a{width}, i32 {chance.randrange(4)}"
            type_ = chance.choice(("i8", "i32", "[3 x i16]"))
            further = ", i64 1" if type_.startswith("[") else ""
            return f"getelementptr {type_}, ptr %p, i{width} %a{width}{further}"


def test_instructions_yield_what_they_yield_in_machine_code() -> None:
    chance = random.Random(5)
    body = [f"%{side}{width} = trunc i64 %{side} to i{width}" for side in "ab" for width in (1, 8, 13, 32)]
    a, b = chance.getrandbits(64), chance.getrandbits(64)
    values = {
        f"%{side}{width}": bits & ((1 << width) - 1) for side, bits in (("a", a), ("b", b)) for width in (1, 8, 13, 32)
    }
    values |= {"%a64": a, "%b64": b, "%p": 2**40 + 16}
    expected: list[int] = []
    while len(expected) < 300:
        text = random_instruction(chance)
        computation = read_computation(Instruction.from_text(text, "%r"))
        assert computation is not None, text
        bits = [values.get(each.value, constant_bits(each.value, each.type) or 0) for each in computation.operands]
        value = computation.compute(bits)
        if value is None:
            continue
        name = f"%r{len(expected)}"
        body.append(f"{name} = {text}")
        type_ = result_type(Instruction.from_text(text, name), {}) or ""
        width = bit_width(type_) or 0
        word = name
        if type_ == "ptr":
            word = f"%i{len(expected)}"
            body.append(f"{word} = ptrtoint ptr {name} to i64")
        elif width < 64:
            word = f"%z{len(expected)}"
            body.append(f"{word} = zext i{width} {name} to i64")
        body.append(f"store i64 {word}, ptr getelementptr (i64, ptr @results, i64 {len(expected)})")
        expected.append(value)
    text = "\n".join(
        ["@results = external global [300 x i64]", "define void @start(i64 %a, i64 %b, ptr %p) {",
         "%a64 = add i64 %a, 0", "%b64 = add i64 %b, 0", *body, "ret void", "}"]
    )  # fmt: skip
    results = (ctypes.c_uint64 * 300)()
    jit = LinkingJit()
    module = LlvmModule.from_text(text, "instructions")
    library = jit.link("x", [module.object(0)], ["start"], {"results": ctypes.addressof(results)})
    ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 3)(library.addresses["start"])(a, b, values["%p"])
    jit.close()
    assert list(results) == expected


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("add nuw i8 %x, %y", [200, 100]),
        ("add nsw i8 %x, %y", [100, 100]),
        ("sub nuw i8 %x, %y", [1, 2]),
        ("mul nsw i8 %x, %y", [64, 2]),
        ("shl nuw i8 %x, %y", [0x80, 1]),
        ("shl nsw i8 %x, %y", [0x40, 1]),
        ("lshr exact i8 %x, %y", [3, 1]),
        ("udiv exact i8 %x, %y", [7, 2]),
        ("or disjoint i8 %x, %y", [3, 1]),
        ("zext nneg i8 %x to i16", [0x80]),
        ("trunc nuw i16 %x to i8", [0x100]),
        ("trunc nsw i16 %x to i8", [0x80]),
        ("icmp samesign ult i8 %x, %y", [0x80, 1]),
        ("sdiv i8 %x, %y", [0x80, 0xFF]),
        ("urem i8 %x, %y", [1, 0]),
        ("shl i8 %x, %y", [1, 8]),
    ],
)
def test_a_promise_that_is_broken_yields_nothing(text: str, bits: list[int]) -> None:
    computation = read_computation(Instruction.from_text(text, "%r"))
    assert computation is not None and computation.compute(bits) is None


@pytest.mark.parametrize(
    "text",
    [
        "load i32, ptr %p",
        "call i32 @f(i32 %x)",
        "fadd double %x, %y",
        "add <2 x i32> %x, %y",
        "fptosi double %x to i32",
        "getelementptr %unknown, ptr %p, i64 0, i32 1",
        "getelementptr { i32, i32 }, <2 x ptr> %p, <2 x i64> %i, <2 x i32> <i32 1, i32 1>",
        "getelementptr { i32, i32 }, <2 x ptr> %p, <2 x i64> %i, <2 x i32> splat (i32 1)",
        "getelementptr { i32, i32 }, <2 x ptr> %p, <2 x i64> %i, <2 x i32> zeroinitializer",
        "phi i32 [ %x, %a ], [ %y, %b ]",
    ],
)
def test_what_does_not_only_compute_is_not_computed(text: str) -> None:
    assert read_computation(Instruction.from_text(text, "%r")) is None


def symbol(text: str) -> int | None:
    computation = read_symbolic(Instruction.from_text(text, "%r"), {})
    assert computation is not None
    return computation.compute([5] * len(computation.operands))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("insertvalue [12 x i64] %a, i64 1, 1", "insertvalue [12 x i64] %a, i64 1, 11"),
        ("insertvalue [2 x [2 x i64]] %a, i64 %x, 0, 1", "insertvalue [2 x [2 x i64]] %a, i64 %x, 1, 0"),
        ("extractvalue { i64, i64 } %a, 0", "extractvalue { i64, i64 } %a, 1"),
        ("getelementptr { i32, i24 }, ptr %p, i64 %i", "getelementptr { i32, i56 }, ptr %p, i64 %i"),
        ("icmp slt <2 x i8> %x, %y", "icmp ult <2 x i8> %x, %y"),
        ("fcmp olt double %x, %y", "fcmp ult double %x, %y"),
        ("sitofp i32 %x to float", "sitofp i32 %x to double"),
        ("ptrtoint <2 x ptr> %p to <2 x i64>", "ptrtoint <2 x ptr> %p to <2 x i32>"),
        ("bitcast <2 x i32> %x to <4 x i16>", "bitcast <2 x i32> %x to <8 x i8>"),
    ],
)
def test_operations_that_differ_yield_different_symbols(one: str, other: str) -> None:
    assert symbol(one) != symbol(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fadd reassoc nsz double %x, %y, !dbg !3", "fadd double %x, %y"),
        ("fcmp fast olt double %x, %y", "fcmp olt double %x, %y"),
        ("icmp samesign slt <2 x i8> %x, %y", "icmp slt <2 x i8> %x, %y"),
        ("getelementptr inbounds nuw { i32, i24 }, ptr %p, i64 %i", "getelementptr { i32, i24 }, ptr %p, i64 %i"),
        ("insertvalue [12 x i64] %a, i64 1, 11, !dbg !3", "insertvalue [12 x i64] %a, i64 1, 11"),
    ],
)
def test_flags_and_metadata_do_not_change_a_symbol(one: str, other: str) -> None:
    assert symbol(one) == symbol(other)


def test_constants_have_bits() -> None:
    assert [constant_bits(*each) for each in (("-1", "i8"), ("true", "i1"), ("null", "ptr"))] == [255, 1, 0]
    assert [constant_bits(*each) for each in (("@x", "ptr"), ("1.0", "double"), ("undef", "i8"))] == [None] * 3


def test_made_up_numbers_fit_together() -> None:
    text = """
define i32 @f(i32 %x, i32 %y) {
entry:
  %s = add i32 %x, %y
  br label %loop
loop:
  %i = phi i32 [ %s, %entry ], [ %n, %loop ]
  %n = add i32 %i, 1
  %v = load i32, ptr @g
  %d = sub i32 %s, %y
  %c = icmp eq i32 %v, %n
  br i1 %c, label %loop, label %out
out:
  ret i32 %d
}
@g = external global i32
"""
    samples = Samples(parse_module(LlvmModule.from_text(text, "test").text()).functions["@f"], {})
    x, y, s, d, i, n = (samples.of(name, "i32") for name in ("%x", "%y", "%s", "%d", "%i", "%n"))

    assert d == x and len(set(map(str, x))) > SAMPLES / 2
    assert [a is not None and b is not None and (a + b) % 2**32 for a, b in zip(x, y, strict=True)] == s
    assert samples.incoming["%loop"] == {"%entry": {"%i": s}, "%loop": {"%i": n}}
    assert i != s and samples.of("7", "i32") == [7] * SAMPLES
    assert samples.of("@g", "ptr") == samples.of("@g", "ptr") != samples.of("@h", "ptr")
