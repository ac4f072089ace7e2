"""Flags that are a byte of the code: as they are set, by whoever sets them, in every copy, and only while it is there.

The slow twin is the flag that is loaded from memory, as other processors have it.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sonde import osr
from sonde.base.errors import MissingCapability
from sonde.machine import Workbench
from sonde.osr import code_bytes
from sonde.osr.code_bytes import CLEAR_CARRY, SET_CARRY, can_change_code, change_code

_PROGRAM = """
declare void @at(i64)
define i64 @f(i64 %n, i64 %step) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %goes = icmp slt i64 %i, %n
  br i1 %goes, label %body, label %out
body:
  %scaled = mul i64 %i, %step
  %more = add i64 %sum, %scaled
  %next = add i64 %i, 1
  br label %head
out:
  ret i64 %sum
}
define i64 @four(i64 %start) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %rest ]
  %sum = phi i64 [ %start, %entry ], [ %more, %rest ]
  call void @at(i64 %i)
  br label %rest
rest:
  %more = mul i64 %sum, 3
  %next = add nuw nsw i64 %i, 1
  %goes = icmp ult i64 %next, 4
  br i1 %goes, label %body, label %out
out:
  ret i64 %more
}
"""

_FLOATING = """
define double @powers(double %x, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %y = phi double [ 1.0, %entry ], [ %more, %body ]
  %product = fmul double %y, %x
  %more = fsub double %product, %y
  %next = add i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %body, label %out
out:
  ret double %more
}
"""

_At = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_needs_switches = pytest.mark.skipif(not can_change_code(), reason="code of this process cannot be changed")


class _Machine:
    """A machine with the program, in which `at` does what a test says."""

    def __init__(self, folder: Path) -> None:
        path = folder / "flags.ll"
        path.write_text(_PROGRAM + _FLOATING, encoding="ascii")
        self.bench = Workbench()
        self.bench.load(str(path))
        self.do: Callable[[int], None] = lambda _at: None
        self._at = _At(self._passed)
        self.bench.machine.imports["at"] = ctypes.cast(self._at, ctypes.c_void_p).value or 0
        self.points = osr.Points(self.bench.machine)
        self.has_switches = True

    def insert(self, name: str, at: str, when: osr.Condition, recipe: str = "") -> osr.Point:
        return self.points.insert_open(self.points.code(name), at, when, osr.clone(recipe))

    def function(self, point: osr.Point, arguments: int) -> Callable[..., int]:
        self.bench.machine.switch(point.code.function, point.version)
        signature: Any = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)
        made: Callable[..., int] = signature(point.code.function.stub)
        return made

    def _passed(self, at: int) -> None:
        self.do(at)


@pytest.fixture(params=["switch", "load"])
def machine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Machine]:
    if request.param == "load":
        monkeypatch.setattr("sonde.osr.points.can_change_code", lambda: False)
    elif not can_change_code():
        pytest.skip("code of this process cannot be changed")
    made = _Machine(tmp_path)
    made.has_switches = request.param == "switch"
    yield made
    made.bench.close()


@pytest.fixture
def switching(tmp_path: Path) -> Iterator[_Machine]:
    made = _Machine(tmp_path)
    yield made
    made.bench.close()


@pytest.mark.parametrize("every", [1, 64])
def test_flags_are_set_and_taken_down_while_two_threads_run_and_versions_change(machine: _Machine, every: int) -> None:
    point = machine.insert("f", "%body", osr.Flag(every))
    f = machine.function(point, 2)
    functions, wrong = machine.bench.machine, []
    goes_on = threading.Event()
    goes_on.set()

    def run() -> None:
        number = 0
        while goes_on.is_set():
            number += 1
            if f(500, number) != number * 500 * 499 // 2:
                wrong.append(number)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for each in threads:
        each.start()
    for number in range(300):
        point.fire()
        if number % 3 == 0:
            functions.switch(point.code.function, (point.code.version, point.version)[number % 2])
        point.hold()
    functions.switch(point.code.function, point.version)
    point.fire()
    before = point.fired
    assert f(500, 7) == 7 * 500 * 499 // 2
    goes_on.clear()
    for each in threads:
        each.join()
    assert wrong == []
    assert point.fired > before
    assert (point.failures, len(point.parts)) == ([], 1)
    point.hold()
    before = point.fired
    f(500, 7)
    assert point.fired == before


def test_a_flag_that_is_set_before_there_is_code_fires(machine: _Machine) -> None:
    point = machine.insert("f", "%body", osr.Flag())
    point.fire()
    assert machine.function(point, 2)(10, 3) == 135
    assert point.fired == 1


def test_every_copy_of_a_check_knows_the_flag(machine: _Machine) -> None:
    point = machine.insert("four", "%rest", osr.Flag())
    machine.bench.optimize(f"four@{point.version.name}", "O2")
    four = machine.function(point, 1)
    assert four(1) == 81
    assert machine.points.switches.count(point.cell) == (4 if machine.has_switches else 0)  # the loop is unrolled
    for copy in range(4):
        # Raised right before one of them, and taken down before the next.
        machine.do = lambda at, copy=copy: point.fire() if at == copy else point.hold()  # type: ignore[misc]
        assert four(1) == 81
        assert point.fired == copy + 1


def test_a_check_behind_an_operation_on_floating_point_numbers_loses_none_and_does_none_twice(
    machine: _Machine,
) -> None:
    expected = 1.0
    for _ in range(6):
        expected = expected * 2.5 - expected
    whens: list[osr.Condition] = [
        osr.Counter(1),
        osr.Counter(3),
        osr.Counter(7),
        osr.Expression("%y > 4.0"),
        osr.Flag(),
    ]
    points = [machine.insert("powers", "%body", when) for when in whens]
    points[-1].fire()
    signature: Any = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64)
    for point in points:
        machine.bench.machine.switch(point.code.function, point.version)
        assert signature(point.code.function.stub)(2.5, 6) == expected
    assert [point.fired for point in points] == [1, 1, 0, 1, 1]


@_needs_switches
def test_code_that_is_unloaded_is_left_alone(switching: _Machine) -> None:
    point = switching.insert("f", "%body", osr.Flag())
    f = switching.function(point, 2)
    switches, functions = switching.points.switches, switching.bench.machine
    assert switches.count(point.cell) == 1
    assert "clc" in switching.bench.assembly(f"f@{point.version.name}")

    functions.switch(point.code.function, point.code.version)
    functions.clone(point.code.function, point.version, "again")
    functions.drop(point.code.function, point.version)
    assert switches.count(point.cell) == 0
    point.fire()
    functions.switch(point.code.function, point.code.function.versions["again"])
    assert (f(10, 3), point.fired, switches.count(point.cell)) == (135, 1, 1)

    functions.engine.close()
    assert switches.count(point.cell) == 0
    point.hold()


@_needs_switches
def test_code_is_changed_where_pages_may_not_be_writable_and_executable(monkeypatch: pytest.MonkeyPatch) -> None:
    byte = ctypes.create_string_buffer(bytes([CLEAR_CARRY]))
    monkeypatch.setattr(code_bytes, "_protect", lambda _address, _protection: -1)
    change_code([ctypes.addressof(byte)], SET_CARRY)
    assert byte.raw[0] == SET_CARRY
    with pytest.raises(MissingCapability) as refused:
        change_code([8], SET_CARRY)  # no memory is there
    assert refused.value.slug == "code-not-writable"
