"""Operand bundles, put into calls and taken out again, whatever stands around them."""

import pytest

from sonde.ir import Instruction, Operand, add_bundle, bundle_of, drop_bundles, has_bundles

_CALLS = (
    "call void @f()",
    "call void @f(), !dbg !3",
    'tail call fastcc i32 %p(ptr sret({ i8, i64 }) %q, i32 7) #1 memory(none) "a"="[ (, !b", !dbg !3, !srcloc !4',
    "invoke i32 @g(ptr %p) #2\n          to label %ok unwind label %bad, !dbg !3",
)
_CARRIED = (Operand("i32", "7"), Operand("<2 x i64>", "splat (i64 3)"), Operand("ptr", '%"a b"'), Operand("ptr", "@g"))


@pytest.mark.parametrize("text", _CALLS)
@pytest.mark.parametrize("operands", [(), _CARRIED[:1], _CARRIED[2:3], _CARRIED])
def test_what_a_call_carries_is_read_again_and_taken_out(text: str, operands: tuple[Operand, ...]) -> None:
    call = Instruction.from_text(text)
    used = list(call.uses())
    assert bundle_of(call, "deopt") is None
    add_bundle(call, "deopt", operands)
    assert has_bundles(call)
    assert bundle_of(call, "deopt") == operands
    assert bundle_of(call, "kcfi") is None
    assert list(call.uses())[: len(used)] == used
    assert call.successors() == Instruction.from_text(text).successors()
    with pytest.raises(ValueError, match="has operand bundles"):
        add_bundle(call, "deopt", operands)
    drop_bundles(call)
    assert (call.text, call.pieces) == (text, Instruction.from_text(text).pieces)


def test_a_tag_that_is_not_the_only_one_is_not_read() -> None:
    call = Instruction.from_text('call void @f() [ "kcfi"(i32 1), "deopt"(i32 2) ]')
    assert bundle_of(call, "deopt") is None
    assert bundle_of(call, "kcfi") is None
