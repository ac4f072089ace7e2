"""Points in programs that run: what they lead to, once, whoever asks; and what happens when nothing comes of it."""

import ctypes
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonde import osr
from sonde.base.errors import UsageError
from sonde.machine import Workbench

_ISORD = Path(__file__).parents[2] / "examples" / "vm" / "isord.c"
_LOOP = """
define i64 @f(i64 %n, i64 %step) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %goes = icmp slt i64 %i, %n
  br i1 %goes, label %body, label %out
body:
  %scaled = mul i64 %i, %step
  %more = add i64 %sum, %scaled
  br label %latch
latch:
  %next = add i64 %i, 1
  br label %head
out:
  ret i64 %sum
}
define i64 @g(i64 %n, i64 %step) {
entry:
  br label %head
head:
  %left = phi i64 [ %n, %entry ], [ %less, %again ]
  %total = phi i64 [ 0, %entry ], [ %larger, %again ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %out, label %again
again:
  %less = add i64 %left, -1
  %scaled = mul i64 %less, %step
  %larger = add i64 %total, %scaled
  br label %head
out:
  ret i64 %total
}
define double @other(i64 %i) {
entry:
  %d = sitofp i64 %i to double
  ret double %d
}
"""


def _sum(n: int, step: int) -> int:
    return step * n * (n - 1) // 2


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    path = tmp_path / "loop.ll"
    path.write_text(_LOOP, encoding="ascii")
    made = Workbench()
    made.load(str(path))
    yield made
    made.close()


def _callable(bench: Workbench, point: osr.Point) -> "ctypes._FuncPointer":
    bench.machine.switch(point.code.function, point.version)
    return ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long, ctypes.c_long)(point.code.function.stub)


def test_the_comparator_is_inlined_at_the_transition() -> None:
    bench = Workbench()
    bench.load(str(_ISORD))
    bench.optimize("isord", "sroa,simplifycfg", version="ssa")
    points = osr.Points(bench.machine)
    f = points.code("isord", "ssa")
    comparator = f.body.parameters[2].name
    (body,) = [each.name for each in f.body.blocks if any(i.opcode == "call" for i in each.instructions)]
    point = points.insert_open(f, body, osr.Counter(100), osr.inline(comparator), value=comparator)
    bench.switch("isord", point.version.name)
    ordered, disordered = [*range(1000)], [*range(500), 3]

    for _ in range(2):
        assert bench.call("is_ascending", [f"i64{ordered}", "1000"]).text == "1"
        assert bench.call("is_ascending", [f"i64{disordered}", "501"]).text == "0"
    assert bench.call("is_ascending", [f"i64{ordered[:50]}", "50"]).text == "1"  # it is not reached often enough

    assert (point.fired, point.failures, len(point.parts)) == (4, [], 1)
    (part,) = point.parts.values()
    assert "call" not in part.text()
    where = bench.locate(part.code.address)
    assert where is not None
    assert (where.function, where.frames[-1].function) == ("isord", "isord")
    bench.close()


def test_a_target_with_a_value_is_for_that_value_only(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    asked: list[int | None] = []

    def generate(firing: osr.Firing) -> osr.Landing:
        asked.append(firing.value)
        return firing.here("O2")

    point = points.insert_open(points.code("f"), "%body", osr.Counter(2), generate, value="%step")
    f = _callable(bench, point)
    for step in (3, 4, 3, 4, 5):
        assert f(100, step) == _sum(100, step)
    assert asked == [3, 4, 5]
    assert point.fired == 5
    for step in range(6, 30):
        assert f(100, step) == _sum(100, step)
    assert len(asked) == len(point.parts) == 8


def test_two_threads_that_fire_at_once_run_the_generator_once(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    asked: list[str] = []

    def generate(firing: osr.Firing) -> osr.Landing:
        asked.append(threading.current_thread().name)
        time.sleep(0.05)  # long enough for both to be there
        return firing.here()

    point = points.insert_open(points.code("f"), "%body", osr.Always(), generate)
    f = _callable(bench, point)
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.extend(f(10, 2) for _ in range(1000))) for _ in range(2)]
    for each in threads:
        each.start()
    for _ in range(50):
        bench.machine.switch(point.code.function, point.code.version)
        bench.machine.switch(point.code.function, point.version)
    for each in threads:
        each.join()
    assert results == [90] * 2000
    assert len(asked) == 1


@pytest.mark.parametrize("recipe", ["", "O2"])
def test_several_points_lead_to_one_continuation(bench: Workbench, recipe: str) -> None:
    points = osr.Points(bench.machine)
    f = points.code("f")
    at: list[tuple[str | osr.Place, osr.Condition]] = [
        ("%body", osr.Counter(3)),
        ("%latch", osr.Flag()),
        ("%next", osr.Expression("%i == 1")),
        ("%out", osr.Flag()),
    ]
    shared = osr.insert_shared(points, f, at, recipe=recipe)
    for _ in range(2):
        assert _callable(bench, shared[0])(100, 7) == _sum(100, 7)
        assert _callable(bench, shared[0])(1, 7) == 0  # is over before
    assert [each.fired for each in shared] == [0, 0, 2, 0]
    shared[1].fire()
    assert _callable(bench, shared[0])(100, 7) == _sum(100, 7)
    shared[1].hold()
    shared[3].fire()
    assert _callable(bench, shared[0])(1, 7) == 0
    assert [each.fired for each in shared] == [0, 1, 2, 1]
    assert len({each.parts[None].code.address for each in shared}) == 1
    with pytest.raises(UsageError, match="cannot find the point '%nowhere'"):
        osr.insert_shared(points, f, [*at, ("%nowhere", osr.Always())])
    assert [each.name for each in bench.versions("f")] == ["base", "osr"]


def _raises(firing: osr.Firing) -> osr.Landing:
    raise ZeroDivisionError("no luck")


def _returns_nonsense(firing: osr.Firing) -> osr.Landing:
    return 7  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("generate", "why"),
    [
        (_raises, "raised ZeroDivisionError: no luck"),
        (_returns_nonsense, "it returned 7, which is no landing"),
        (lambda firing: osr.landing(osr.Points(firing.code.machine).code("other"), "entry"), "@other-base returns"),
        (lambda firing: osr.landing(osr.Points(firing.code.machine).code("g"), "again"), "which nothing supplies"),
        (lambda firing: osr.landing(firing.code, "nowhere"), "raised KeyError"),
    ],
)
def test_when_a_generator_fails_the_program_goes_on_where_it_was(
    bench: Workbench, generate: osr.Generator, why: str
) -> None:
    told: list[str] = []
    points = osr.Points(bench.machine, told.append)
    point = points.insert_open(points.code("f"), "%body", osr.Always(), generate)
    f = _callable(bench, point)
    assert [f(100, 3), f(100, 4)] == [_sum(100, 3), _sum(100, 4)]
    assert len(point.failures) == len(told) == 1
    assert why in point.failures[0]
    assert told[0].endswith("; the program goes on there")
    assert point.fired == 0


def test_a_generator_that_does_not_end_is_not_waited_for_and_used_when_it_has(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    may_end = threading.Event()

    def generate(firing: osr.Firing) -> osr.Landing:
        may_end.wait()
        return firing.here()

    point = points.insert_open(points.code("f"), "%body", osr.Always(), generate, timeout_s=0.01)
    f = _callable(bench, point)
    assert f(100, 3) == _sum(100, 3)
    assert point.fired == 0
    assert point.failures == ["has made nothing in 10.0 ms, which is its time"]
    may_end.set()
    while not point.parts:
        time.sleep(0.001)
    while not point.fired:  # the target is there a moment later
        assert f(100, 3) == _sum(100, 3)


@pytest.mark.parametrize("every", [1, 64])
def test_a_flag_fires_a_loop_that_another_thread_runs(every: int, bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    point = points.insert_open(points.code("f"), "%body", osr.Flag(every), osr.clone("O2"))
    f = _callable(bench, point)
    results: list[int] = []
    goes_on = threading.Event()
    goes_on.set()

    def work() -> None:
        while goes_on.is_set():
            results.append(f(1000, 3))

    thread = threading.Thread(target=work)
    thread.start()
    point.fire()
    while not point.fired:
        time.sleep(0.001)
    point.hold()
    goes_on.clear()
    thread.join()
    assert set(results) == {_sum(1000, 3)}


def test_a_flag_that_is_read_seldom_is_read_first_at_the_first_pass_of_each_call(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    point = points.insert_open(points.code("f"), "%body", osr.Flag(64), lambda firing: firing.here())
    f = _callable(bench, point)
    point.fire()
    assert f(1, 3) == _sum(1, 3)
    assert point.fired == 1


def test_another_function_is_gone_on_in_with_compensation(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    # What g has still to add is what f has not added yet, counted from the other end.
    state = osr.StateMap.from_text("%left = sub i64 %n, %i; %base = mul i64 %i, %step; %up = mul i64 %base, %left; "
                                   "%total = add i64 %sum, %up")  # fmt: skip
    point = points.insert_resolved(
        points.code("f"), "%body", points.code("g"), "again", osr.Expression("%i == 40"), compensation=state
    )
    f = _callable(bench, point)
    assert f(100, 3) == _sum(100, 3)
    assert point.fired == 1


_CALLS = """
declare i64 @llabs(i64)
define i64 @f(i64 %n, i64 %k) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %goes = icmp slt i64 %i, %n
  br i1 %goes, label %body, label %out
body:
  %one = mul i64 %k, 3
  %again = mul i64 %k, 3
  %both = add i64 %one, %again
  %zero = sub i64 %one, %again
  %less = sub i64 %sum, %both
  %called = call i64 @llabs(i64 %less)
  %odd = add i64 %called, %again
  %other = call i64 @llabs(i64 %odd)
  br label %latch
latch:
  %scaled = mul i64 %both, %i
  %more = sub i64 %other, %scaled
  %next = add i64 %i, 1
  br label %head
out:
  ret i64 %sum
}
"""


def test_optimised_code_goes_back_to_the_original_by_the_books(tmp_path: Path) -> None:
    path = tmp_path / "calls.ll"
    path.write_text(_CALLS, encoding="ascii")
    bench = Workbench()
    bench.load(str(path))
    points = osr.Points(bench.machine)
    base = points.code("f")
    optimised = osr.optimise(base, ["newgvn", "sccp", "adce"], "fast")
    assert "%again" not in bench.ir("f@fast")
    assert not bench.ir("f@fast").count("!dbg")
    right = bench.call("f@base", ["50", "7"]).text

    places = optimised.points()
    assert len(places) == 2
    for place in places:
        landing_at, state = optimised.way_back(place)
        point = points.insert_resolved(
            optimised.code, place, base, landing_at, osr.Expression("%i == 20"), compensation=state
        )
        bench.switch("f", point.version.name)
        assert bench.call("f", ["50", "7"]).text == right
        assert point.fired == 1
        (part,) = point.parts.values()
        assert "%again = mul" in part.text()  # it is the original that goes on
    with pytest.raises(osr.Refused, match="is about to do is no call"):
        optimised.way_back(osr.Place("%head", 2))
    bench.close()


def test_what_cannot_be_is_refused_with_the_reason(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    f, g, other = (points.code(name) for name in ("f", "g", "other"))
    with pytest.raises(UsageError, match=r"needs i64 %left, i64 %total there, which nothing supplies \(live value\)"):
        points.insert_resolved(f, "%body", g, "again", osr.Always())
    with pytest.raises(UsageError, match=r"the function that is left returns i64 \(signature\)"):
        points.insert_resolved(f, "%body", other, "%entry+1", osr.Always(), compensation=osr.StateMap({"%d": "0.0"}))
    with pytest.raises(UsageError, match="cannot find the point '%nowhere' in f@base"):
        points.insert_open(f, "%nowhere", osr.Always(), osr.clone())
    with pytest.raises(UsageError, match="'%next > 1': %next is not known at %head"):
        points.insert_open(f, "%head", osr.Expression("%next > 1"), osr.clone())
    with pytest.raises(UsageError, match="cannot fire the point 0 by hand"):
        points.insert_open(f, "%head", osr.Always(), osr.clone()).fire()
    assert [each.name for each in bench.versions("f")] == ["base", "osr"]
