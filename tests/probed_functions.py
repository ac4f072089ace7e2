"""Functions with probes, called in this process; who entered is written down by IR in place of the library's probes."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import sonde
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, Libraries
from sonde.llvm import LlvmModule
from sonde.passes.call_probes import ENTER, CallProbes

_MOST = 1000
_SLOT = "ptr addrspace(257) inttoptr (i64 {offset} to ptr addrspace(257))"
_OBSERVER = """
@observed.count = global i64 0
@observed.near = global [1024 x ptr] poison
@observed.contexts = global [{most} x [64 x i8]] zeroinitializer
@observed.callers = global [{most} x ptr] zeroinitializer
@observed.functions = global [{most} x i32] zeroinitializer
@observed.sites = global [{most} x ptr] zeroinitializer

define preserve_mostcc ptr @{enter}(ptr %current, i32 %function, ptr %site) {{
  %at = load i64, ptr @observed.count
  %next = add i64 %at, 1
  store i64 %next, ptr @observed.count
  %caller = getelementptr ptr, ptr @observed.callers, i64 %at
  store ptr %current, ptr %caller
  %number = getelementptr i32, ptr @observed.functions, i64 %at
  store i32 %function, ptr %number
  %place = getelementptr ptr, ptr @observed.sites, i64 %at
  store ptr %site, ptr %place
  %new = getelementptr [64 x i8], ptr @observed.contexts, i64 %at
  ret ptr %new
}}

define i64 @observed.call(i64 %x) {{
  %context = load ptr, {slot}
  %near = load ptr, {near}
  br label %fill
fill:
  %i = phi i64 [ 0, %0 ], [ %more, %fill ]
  %each = getelementptr ptr, ptr @observed.near, i64 %i
  store ptr getelementptr ([64 x i8], ptr @observed.contexts, i64 {last}), ptr %each
  %more = add i64 %i, 1
  %is.all = icmp eq i64 %more, 1024
  br i1 %is.all, label %begin, label %fill
begin:
  store ptr @observed.near, {near}
  store ptr @observed.contexts.outside, {slot}
  %result = call i64 @test(i64 %x)
  %left = load ptr, {slot}
  store ptr %left, ptr @observed.left
  store ptr %context, {slot}
  store ptr %near, {near}
  ret i64 %result
}}
@observed.left = global ptr null
@observed.contexts.outside = global [64 x i8] zeroinitializer
"""


class Observed(NamedTuple):
    """What one call of `@test` did."""

    result: int
    entered: list[tuple[str, int | None]]
    """Name of the function, and which of those before called it; None: the caller of `@test`."""
    calls: list[int]
    """Of each entry's context, what the function counted."""
    sites: list[int]
    """Return addresses, 0 where they are not known."""
    is_caller_back: bool
    """Whether the caller's context is the current one again."""


def plain_result(text: str, argument: int, *, libraries: Sequence[str] = ()) -> int:
    """What `@test`, an `i64` of an `i64`, gives without probes."""
    code = _engine(libraries).load("plain", [LlvmModule.from_text(text, "plain").object(2)])
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.addresses["test"])(argument))


def probed_text(text: str, when: str = "late") -> tuple[str, list[str]]:
    """The module with probes, and the names of the functions that have some."""
    module = parse_module(LlvmModule.from_text(text, "it").text())
    names = CallProbes(_offset(), "late" if when == "late" else "early").insert(module)
    return print_module(module), names


def observe(text: str, argument: int, when: str = "late", *, libraries: Sequence[str] = ()) -> Observed:
    """Call `@test` with probes; LLVM has verified the module, and optimises it if they are early."""
    probed, names = probed_text(text, when)
    LlvmModule.from_text(probed, "probed").verify()
    offset = _offset()
    observer = _OBSERVER.format(
        most=_MOST, last=_MOST - 1, enter=ENTER, slot=_SLOT.format(offset=offset), near=_SLOT.format(offset=offset + 8)
    )
    declared = [line for line in probed.splitlines() if line.startswith("declare ") and f"@{ENTER}(" in line]
    whole = LlvmModule.from_text(probed.replace(declared[0], "") + observer, "observed")
    if when == "early":
        whole.optimize(2)
    code = _engine(libraries).load("observed", [whole.object(2)])
    at = code.addresses
    result = int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(at["observed.call"])(argument))
    count = ctypes.c_int64.from_address(at["observed.count"]).value
    assert count < _MOST
    functions = (ctypes.c_int32 * count).from_address(at["observed.functions"])
    callers = (ctypes.c_int64 * count).from_address(at["observed.callers"])
    places = {at["observed.contexts"] + 64 * number: number for number in range(count)}
    outside = at["observed.contexts.outside"]
    entered = [
        (names[function], None if caller == outside else places[caller])
        for function, caller in zip(functions, callers, strict=True)
    ]
    calls = [ctypes.c_int64.from_address(place + 32).value for place in places]
    sites = list((ctypes.c_int64 * count).from_address(at["observed.sites"]))
    is_back = ctypes.c_int64.from_address(at["observed.left"]).value == outside
    return Observed(result, entered, calls, sites, is_back)


def _engine(libraries: Sequence[str]) -> Engine:
    found = Libraries()
    for name in libraries:
        found.add(name)
    return Engine(found)


def _offset() -> int:
    library = ctypes.CDLL(str(Path(sonde.__file__).parent / "_probes.so"))
    library.sn_probes_offset.restype = ctypes.c_ssize_t
    return int(library.sn_probes_offset())
