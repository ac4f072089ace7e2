"""The stub as it is prepared does what the compiled one does, which is its slow twin."""

import ctypes
import errno

import pytest

from sonde.jit import Engine
from sonde.llvm import LlvmModule
from sonde.osr import Word
from sonde.osr.prepared_stub import prepared_stub
from sonde.osr.stub import SYMBOL, Stub, compiled_stub

_VALUES = 10
_PARAMETERS = ", ".join(f"i64 %a{number}" for number in range(_VALUES))
_MIXED = "\n".join(
    f"  %m{number} = mul i64 %x{number}, 31\n  %x{number + 1} = xor i64 %m{number}, %a{number}"
    for number in range(_VALUES)
)
_CALLER = f"""
declare preserve_mostcc ptr @{SYMBOL}(ptr, i64)
define i64 @caller(ptr %cell, i64 %value, {_PARAMETERS}) {{
  %to = call preserve_mostcc ptr @{SYMBOL}(ptr %cell, i64 %value)
  %x0 = ptrtoint ptr %to to i64
{_MIXED}
  %last = xor i64 %x{_VALUES}, %value
  ret i64 %last
}}
"""
"""Values that are live across the call, more than there are registers which every function keeps."""


@pytest.fixture(params=["prepared", "compiled"])
def address(request: pytest.FixtureRequest) -> int:
    address = prepared_stub() if request.param == "prepared" else compiled_stub().addresses[SYMBOL]
    if address is None:
        pytest.skip("no stub is prepared for this processor, or code may not be put where it wants to")
    return address


def _mixed(answer: int, value: int, given: list[int]) -> int:
    for each in given:
        answer = (answer * 31 ^ each) % (1 << 64)
    return answer ^ value


def test_registers_and_errno_are_kept_and_a_failure_is_not_asked_again(address: int) -> None:
    asked: list[tuple[int, int]] = []

    def answer(number: int, value: int) -> int:
        asked.append((number, value))
        ctypes.set_errno(errno.EDOM)
        ctypes.CDLL(None).close(-1)  # leaves EBADF
        return 0x1234560

    stub = Stub(answer)
    cell = (ctypes.c_int64 * 8)()
    cell[Word.NUMBER], cell[Word.CALLBACK] = 7, stub.callback
    object_ = LlvmModule.from_text(_CALLER, "caller").object(2)
    code = Engine().load("caller", [object_], {SYMBOL: address})
    words = [ctypes.c_uint64] * (_VALUES + 1)
    call = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, *words, use_errno=True)(code.addresses["caller"])
    given = [(number + 3) * 0x9E3779B97F4A7C15 % (1 << 64) for number in range(_VALUES)]
    ctypes.set_errno(errno.EXDEV)
    for _ in range(3):
        assert call(ctypes.addressof(cell), 99, *given) == _mixed(0x1234560, 99, given)
    assert ctypes.get_errno() == errno.EXDEV
    assert asked == [(7, 99)] * 3
    cell[Word.FAILED] = 1
    assert call(ctypes.addressof(cell), 99, *given) == _mixed(0, 99, given)
    assert len(asked) == 3
