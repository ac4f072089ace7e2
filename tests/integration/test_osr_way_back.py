"""The way back after passes that move code: wherever one is known, going back does what the original does."""

from collections.abc import Iterator

import pytest

from bench_in_ssa import bench_in_ssa
from sonde import osr
from sonde.ir import CALLS
from sonde.machine import Workbench

_PROGRAM = """
int noted;
__attribute__((noinline)) long note(long x) { noted = noted * 31 + (int)x; return x ^ 5; }
static long add(long a, long b) { return a * b + 3; }
long f(long n, long step, long *cells) {
  long sum = 0, scale = step * 7, k = 0;
  for (long i = 0; i < n; i++) {
    sum += add(step * 7, i) + scale;
    if (sum & 1) sum -= note(step * step + sum);
    for (int j = 0; j < 4; j++) { k += note(j + step * 3); cells[j] += k; }
  }
  return sum + k * 3 + note(sum);
}
long run(long n, long step) {
  long cells[4] = {1, 2, 3, 4};
  noted = 0;
  long result = f(n, step, cells);
  return result + cells[0] * 3 + cells[1] * 5 + cells[2] * 7 + cells[3] * 11 + noted;
}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with bench_in_ssa(tmp_path_factory.mktemp("way_back") / "notes.c", _PROGRAM) as made:
        yield made


@pytest.mark.parametrize(
    ("passes", "calls", "ways_back"),
    [
        (["licm"], 4, 4),
        (["gvn"], 4, 4),
        (["early-cse"], 4, 4),
        (["loop-unroll"], 8, 3),  # copies of one call are several points: none of them is the original's
        (["mark-for-inlining{callee=add}", "always-inline"], 4, 4),
        (["eliminate-common-subexpressions", "hoist-loop-invariants", "eliminate-dead-code"], 4, 4),
        (["loop-rotate"], 4, 0),
    ],
    ids=lambda each: "+".join(each) if isinstance(each, list) else str(each),
)
def test_code_that_passes_moved_is_left_for_the_original(
    bench: Workbench, passes: list[str], calls: int, ways_back: int
) -> None:
    points = osr.Points(bench.machine)
    base = points.code("f", "ssa")
    right = bench.call("run@base", ["20", "3"]).text

    optimised = osr.optimise(base, passes, passes[0].partition("{")[0].replace("-", "_"))
    assert sum(each.opcode in CALLS for each in optimised.code.body.instructions()) >= calls
    places = optimised.points()
    assert len(places) >= ways_back
    for place in places:
        landing_at, state = optimised.way_back(place)
        point = points.insert_resolved(optimised.code, place, base, landing_at, osr.Always(), compensation=state)
        bench.switch("f", point.version.name)
        assert bench.call("run", ["20", "3"]).text == right, place
        assert point.fired == 1
    bench.switch("f", "base")


_STALE = """
int noted;
static long hidden;
__attribute__((noinline)) long note(long x) { noted = noted * 31 + (int)x; return x ^ 5; }
__attribute__((noinline)) static long three_times(long x) { return x * 3; }
long f(long n, long *restrict p, long *q) {
  long local[4] = {1, 2, 3, 4};
  for (long i = 0; i < n; i++) {
    p[1] += i * 3;
    local[2] += i;
    hidden += i * 5;
    q[i & 1] = three_times(n);
    note(i);
    if (i == n - 1) q[1] += local[i & 3];
  }
  return p[1] + local[2] + local[n & 3] + hidden;
}
long run(long n) {
  long p[2] = {5, 6}, q[2] = {7, 8};
  hidden = noted = 0;
  long result = f(n, p, q);
  return result + p[0] * 3 + p[1] * 5 + q[0] * 7 + q[1] * 11 + noted + hidden;
}
"""
"""Memory that passes would like to keep in registers while the loop runs, and a call that might be hoisted."""


@pytest.fixture(scope="module")
def stale(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with bench_in_ssa(tmp_path_factory.mktemp("way_back") / "stale.c", _STALE) as made:
        yield made


@pytest.mark.parametrize("passes", ["loop-rotate", "O1", "O3"])
def test_code_in_which_states_are_kept_is_left_for_the_original_anywhere(stale: Workbench, passes: str) -> None:
    points = osr.Points(stale.machine)
    base = points.code("f", "ssa")
    right = stale.call("run@base", ["20"]).text
    calls = osr.call_places(base.body)
    name = passes.replace("-", "_")

    only_calls = osr.optimise(base, [passes], f"{name}_calls", back_at=calls)
    assert {only_calls.way_back(each)[0] for each in only_calls.points()} == set(calls)
    optimised = osr.optimise(base, [passes], name, back_at=osr.all_places(base.body))
    assert "deopt" not in stale.ir(f"f@{name}")
    fired = 0
    for place in optimised.points()[::3]:
        landing_at, state = optimised.way_back(place)
        point = points.insert_resolved(optimised.code, place, base, landing_at, osr.Counter(2), compensation=state)
        stale.switch("f", point.version.name)
        assert stale.call("run", ["20"]).text == right, place
        fired += point.fired
    assert fired > 5
    stale.switch("f", "base")
