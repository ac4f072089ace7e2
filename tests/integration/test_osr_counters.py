"""Counters fire when they must: those of one call, and those of all calls, which are counted in memory."""

import ctypes
from collections.abc import Callable

import pytest

from sonde import osr
from sonde.ir import parse_module, print_module
from sonde.ir.analyses import Place
from sonde.jit import Engine
from sonde.llvm import LlvmModule
from sonde.machine import VirtualMachine

_TEXT = """
define i64 @f(i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %goes = icmp ult i64 %i, %n
  br i1 %goes, label %body, label %out
body:
  %bits = and i64 %i, 1
  %is.odd = icmp ne i64 %bits, 0
  br i1 %is.odd, label %odd, label %latch
odd:
  %double = shl i64 %i, 1
  %tenfold = mul i64 %i, 10
  br label %latch
latch:
  %value = phi i64 [ %i, %body ], [ %tenfold, %odd ]
  %more = add i64 %sum, %value
  %next = add i64 %i, 1
  br label %head
out:
  ret i64 %sum
}
"""


def _expected(n: int) -> int:
    return sum(10 * i if i % 2 else i for i in range(n))


def _machine() -> VirtualMachine:
    machine = VirtualMachine()
    machine.load(LlvmModule.from_text(_TEXT, "counters"), "counters", level=0)
    machine.link()
    return machine


def _callable(machine: VirtualMachine) -> Callable[[int], int]:
    return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(machine.functions["@f"].stub)


@pytest.mark.parametrize("has_last_step", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 37])
def test_a_counter_of_all_calls_fires_from_the_pass_of_its_limit_on(limit: int, has_last_step: bool) -> None:
    machine = _machine()
    points = osr.Points(machine)
    if not has_last_step:
        machine.last_step = lambda module: module
    base = points.code("f")
    point = points.insert_open(base, "%entry", osr.Counter(limit, all_calls=True), osr.clone())
    machine.switch(base.function, point.version)
    f = _callable(machine)
    for call in range(1, limit + 4):
        assert f(5) == _expected(5)
        assert point.fired == max(0, call - limit + 1)


@pytest.mark.parametrize("limits", [(4, 9, 9), (40, 3, 9), (40, 40, 2), (5, 2, 2), (40, 40, 40), (1, 1, 1)])
def test_of_several_counters_of_a_call_the_first_that_reaches_its_limit_fires(limits: tuple[int, int, int]) -> None:
    machine = _machine()
    points = osr.Points(machine)
    base = points.code("f")
    places = ("%body", "%odd", "%odd+1")
    put = osr.insert_shared(points, base, [(at, osr.Counter(each)) for at, each in zip(places, limits, strict=True)])
    machine.switch(base.function, put[0].version)
    f = _callable(machine)
    for calls in (1, 2):
        assert f(20) == _expected(20)
        assert [each.fired for each in put] == [calls * each for each in _first(limits, 20)]


def _first(limits: tuple[int, int, int], n: int) -> list[int]:
    """Which point fires in a call, by counting."""
    passed = [0, 0, 0]
    for i in range(n):
        for point in (0, 1, 2) if i % 2 else (0,):
            passed[point] += 1
            if passed[point] == limits[point]:
                return [int(each == point) for each in range(3)]
    return [0, 0, 0]


def test_counters_at_all_points_of_a_function_are_put_in_at_once_and_change_nothing() -> None:
    module = parse_module(_TEXT)
    f = module.functions["@f"]
    survey = osr.Survey.of(module, f)
    places = [each for each in osr.all_places(f) if each.block != "%entry"]
    points = [
        osr.PlannedPoint(
            each, osr.transition_at(module, f, each, survey=survey), osr.Counter(1000), osr.Slot(), f"@cell.{number}"
        )
        for number, each in enumerate(places)
    ]
    assert Place("%odd", 1) in places
    osr.insert_points(module, f, points)
    text = (
        print_module(module)
        .replace("external global", "global")
        .replace("x i64], align", "x i64] zeroinitializer, align")
    )
    code = Engine().load("f", [LlvmModule.from_text(text, "f").object(2)])
    assert ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(code.addresses["f"])(900) == _expected(900)


@pytest.mark.parametrize(("block", "counts"), [("%entry", False), ("%head", True), ("%odd", True), ("%out", False)])
def test_a_flag_that_is_read_seldom_counts_in_loops_only(block: str, counts: bool) -> None:
    module = parse_module(_TEXT)
    f = module.functions["@f"]
    place = Place(block, f.block(block).first_insertion_point())
    leaving = osr.transition_at(module, f, place)
    osr.insert_points(module, f, [osr.PlannedPoint(place, leaving, osr.Flag(64), osr.Slot(), "@cell")])
    text = print_module(module)
    LlvmModule.from_text(text, "f")
    assert ("%osr.passes" in text) == counts
