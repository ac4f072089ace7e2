"""The way back from code that was inlined: all frames that the original would have are made anew, and go on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench_in_ssa import bench_in_ssa
from sonde import osr
from sonde.machine import Workbench
from sweeps import rare

_PROGRAM = """
int noted;
__attribute__((noinline)) long note(long x) { noted = noted * 31 + (int)x; return x ^ 5; }
__attribute__((noinline)) static void put(long *at, long x) { *at += x; noted = noted * 7 + (int)x; }
__attribute__((always_inline)) static long inner(long a, long *restrict cell, unsigned char small) {
  long own[3] = {a, 2, 3}, sum = 0;
  for (long i = 0; i < 3; i++) {
    *cell += i;
    put(&own[i], a + small);
    sum += note(own[i] * *cell);
  }
  return sum + own[a & 1];
}
__attribute__((always_inline)) static void middle(long a, long *cell, double *scale) {
  long kept = note(a);
  *cell += inner(kept, cell, (unsigned char)a) * 3 + inner(a, cell, 7) + kept;
  *scale *= 1.5;
  if (a & 1) *cell -= note(a + 1);
}
long f(long n, long step, long *cells) {
  long sum = 0;
  double scale = 1;
  for (long i = 0; i < n; i++) {
    middle(i * step, &cells[i & 1], &scale);
    sum += (long)(scale * 4) + cells[0];
  }
  return sum;
}
long run(long n, long step) {
  long cells[2] = {1, 2};
  noted = 0;
  long result = f(n, step, cells);
  return result + cells[0] * 3 + cells[1] * 5 + noted;
}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with bench_in_ssa(tmp_path_factory.mktemp("inlined_way_back") / "chain.c", _PROGRAM) as made:
        yield made


@pytest.mark.parametrize("passes", rare(["O1", "O3"], ["O3"]))
def test_from_code_that_was_inlined_all_frames_of_the_original_are_gone_back_to(bench: Workbench, passes: str) -> None:
    points = osr.Points(bench.machine)
    base = points.code("f", "ssa")
    right = bench.call("run@base", ["4", "3"]).text
    optimised = osr.optimise(base, [passes], passes, back_at=osr.call_places(base.body), inlined=True)
    assert "deopt" not in bench.ir(f"f@{passes}")
    fired = 0
    for number, place in enumerate(optimised.inlined_points()):
        when = osr.Counter((1, 2, 5)[number % 3])
        point = points.insert_landing(optimised.code, place, optimised.landing(place), when)
        bench.switch("f", point.version.name)
        assert bench.call("run", ["4", "3"]).text == right, place
        fired += point.fired
    assert fired >= 4
    bench.switch("f", "base")


def test_a_version_has_many_points_each_with_a_way_back_of_its_own(bench: Workbench) -> None:
    points = osr.Points(bench.machine)
    base = points.code("f", "ssa")
    right = bench.call("run@base", ["4", "3"]).text
    optimised = osr.optimise(base, ["O3"], "many", back_at=osr.call_places(base.body), inlined=True)
    places = [*optimised.points(), *optimised.inlined_points()]
    put = points.insert_landings(optimised.code, [(at, optimised.landing(at), osr.Flag()) for at in places])
    assert [each.place for each in put] == places
    bench.switch("f", put[0].version.name)
    assert bench.call("run", ["4", "3"]).text == right
    for chosen in put:
        chosen.fire()
        assert bench.call("run", ["4", "3"]).text == right, chosen.name
        chosen.hold()
        assert not any(each.fired for each in put if each.number > chosen.number)
    assert sum(each.fired > 0 for each in put) > len(put) / 2
    bench.switch("f", "base")


_THROWS = """
extern "C" { int noted; }
__attribute__((noinline)) long note(long x) {
  noted = noted * 31 + (int)x;
  if (x % 5 == 3) throw x;
  if (x % 7 == 2) throw (short)x;
  if (x % 3 == 1) throw (int)x;
  return x ^ 5;
}
__attribute__((noinline)) void drop(long x) noexcept { noted = noted * 7 + (int)x; }
struct Guard {
  long kept;
  ~Guard() { drop(kept); }
};
__attribute__((always_inline)) static inline long inner(long a, long *cell) {
  Guard own{a};
  try {
    Guard second{a + 1};
    *cell += note(a + 1);
  } catch (int thrown) {
    *cell -= thrown;
  } catch (char *) {
    *cell = 77;
  }
  return *cell + note(a + 2);
}
__attribute__((always_inline)) static inline long middle(long a, long *cell) {
  Guard own{a * 3};
  try {
    return inner(a, cell) * 3;
  } catch (long thrown) {
    return thrown + note(a);
  }
}
extern "C" long f(long n) {
  long sum = 0, cell = 1;
  for (long i = 0; i < n; i++) {
    try {
      sum += note(i + cell);
    } catch (short thrown) {
      sum -= thrown;
    } catch (...) {
      sum ^= 5;
    }
    try {
      sum += middle(i, &cell);
    } catch (...) {
      sum += cell - i;
    }
  }
  return sum + cell;
}
extern "C" long run(long n) {
  noted = 0;
  long result = f(n);
  return result + noted;
}
"""
"""`f`'s optimised code, in which all is inlined, numbers the types that are caught otherwise than `inner` does."""


@pytest.mark.parametrize("passes", rare(["O1", "O3"], ["O1"]))
def test_frames_that_are_gone_back_to_catch_what_the_inner_ones_throw(passes: str, tmp_path: Path) -> None:
    with bench_in_ssa(tmp_path / "throws.cpp", _THROWS) as bench:
        points = osr.Points(bench.machine)
        base = points.code("f", "ssa")
        right = bench.call("run@base", ["30"]).text
        optimised = osr.optimise(base, [passes], passes, back_at=osr.call_places(base.body), inlined=True)
        fired = 0
        for place in optimised.inlined_points():
            point = points.insert_landing(optimised.code, place, optimised.landing(place), osr.Always())
            bench.switch("f", point.version.name)
            assert bench.call("run", ["30"]).text == right, place
            fired += point.fired > 0
        assert fired >= 12
