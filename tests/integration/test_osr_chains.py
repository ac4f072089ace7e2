"""Continuations that are left in turn, to and fro: two transitions an iteration, on a stack that does not grow."""

from pathlib import Path

import pytest

from sonde import osr
from sonde.machine import Workbench

_TIMES = 10_000_000


def _program(extra: int, slot: bool) -> str:
    """A loop with `extra` more values that live in it, and perhaps a stack slot whose address is kept."""
    names = [f"%k{number}" for number in range(extra)]
    made = "\n".join(f"  {name} = add i64 %n, {number}" for number, name in enumerate(names))
    used, total = "", "%scaled"
    for number, name in enumerate(names):
        used += f"  %u{number} = xor i64 {total}, {name}\n"
        total = f"%u{number}"
    keep = "  %slot = alloca i64\n  store ptr %slot, ptr @kept\n  store i64 0, ptr %slot" if slot else ""
    count = (
        "  %old = load i64, ptr %slot\n  %new = add i64 %old, 1\n  store i64 %new, ptr %slot" if slot else "  ; no slot"
    )
    return f"""
@kept = global ptr null
define i64 @f(i64 %n) {{
entry:
{keep}
{made}
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %goes = icmp slt i64 %i, %n
  br i1 %goes, label %body, label %out
body:
  %scaled = mul i64 %i, 3
{used}
{count}
  %more = add i64 %sum, {total}
  br label %latch
latch:
  %next = add i64 %i, 1
  br label %head
out:
  ret i64 %sum
}}
define i32 @main(i32 %argc, ptr %argv) {{
  %sum = call i64 @f(i64 {_TIMES})
  %right = call i64 @expected(i64 {_TIMES})
  %same = icmp eq i64 %sum, %right
  %status = select i1 %same, i32 42, i32 1
  ret i32 %status
}}
define i64 @expected(i64 %n) {{
  %sum = call i64 @f.twin(i64 %n)
  ret i64 %sum
}}
"""


@pytest.mark.parametrize(("extra", "slot"), [(0, False), (0, True), (12, False), (12, True)])
def test_to_and_fro_ten_million_times_without_growing_the_stack(extra: int, slot: bool, tmp_path: Path) -> None:
    text = _program(extra, slot)
    begin, end = text.index("define i64 @f"), text.index("define i32 @main")
    path = tmp_path / "chain.ll"
    path.write_text(text + text[begin:end].replace("@f(", "@f.twin("), encoding="ascii")
    bench = Workbench()
    bench.load(str(path))
    points = osr.Points(bench.machine)
    base = points.code("f")
    # Each leads into the other's loop, right behind the point by which that one leaves.
    there = points.insert_open(base, "%body", osr.Always(), lambda _: osr.landing(points.code("f", "back"), "%body"),
                               version="there")  # fmt: skip
    points.insert_open(base, "%latch", osr.Always(), lambda _: osr.landing(points.code("f", "there"), "%latch"),
                       version="back")  # fmt: skip
    bench.machine.switch(there.code.function, there.version)

    assert bench.run([]) == 42  # in a process of its own, which a stack that overflows would kill

    assert bench.call("f", ["1000"]).text == bench.call("f.twin", ["1000"]).text
    assert [each.fired for each in points.points.values()] == [1000, 1000]
    bench.close()
