"""What on-stack replacement costs: transitions, and making the code for them; `bench_osr_never` has what never fires.

    python benches/bench_osr.py [transitions] [making] [flags] [threads] [--rounds 15]

transitions  a function left at its entry for a clone, by number of values, against one that is never left.
             To reach: 3 ns in the median
making       putting in a point, making the stub, a continuation. To reach: 1 ms, 1 ms, 50 us an instruction
flags        setting a flag and taking it back, while nobody and while two threads run the loop that checks it
threads      two threads fire the same point 20 million times each while versions are switched: wrong results,
             generators run, rate
"""

import argparse
import ctypes
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from osr_programs import PROGRAMS, PROGRAMS_IN_C, hottest_place
from ratios import median_interval
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import Place
from sonde.jit import Engine, link_program
from sonde.llvm import LlvmModule
from sonde.machine import VirtualMachine
from sonde.osr import (
    Always,
    Direct,
    Firing,
    Flag,
    Landing,
    PlannedPoint,
    Points,
    Refused,
    all_places,
    clone,
    continuation,
    insert_points,
    transition_at,
)
from sonde.osr.stub import Stub

_CELL = "@sonde.osr.cell.0"


def _values_program(count: int) -> str:
    """A loop that calls a function of `count` live values."""
    names = [f"%a{number}" for number in range(count)]
    parameters = ", ".join(f"i64 {name}" for name in names)
    arguments = ", ".join(f"i64 {number + 1}" for number in range(count))
    total, lines = "%seed", []
    for number, name in enumerate(names):
        lines.append(f"  %t{number} = xor i64 {total}, {name}")
        total = f"%t{number}"
    body = "\n".join(lines)
    comma = ", " if count else ""
    return f"""
define i64 @callee(i64 %seed{comma}{parameters}) noinline {{
entry:
  %first = add i64 %seed, 1
{body}
  %last = add i64 {total}, %first
  ret i64 %last
}}
define i64 @loop(i64 %times) {{
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %x = phi i64 [ 1, %entry ], [ %y, %again ]
  %y = call i64 @callee(i64 %x{comma}{arguments})
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %end
end:
  ret i64 %y
}}
"""


def transitions(rounds: int, calls: int) -> None:
    """The point is behind the first instruction; `seed` and `first` are live there, and all further values."""
    medians = []
    for count in (0, 2, 4, 8, 13):
        text = _values_program(count)
        loops: dict[str, Callable[[int], int]] = {}
        handed = 0
        for name in ("never", "always"):
            model = parse_module(LlvmModule.from_text(text, name).text())
            f = model.functions["@callee"]
            place = Place("%entry", 1)
            leaving = transition_at(model, f, place)
            handed, marker = len(leaving.values), leaving.marker
            to = continuation(model, f, place, "@callee.to", leaving=leaving).function.name
            model.add_global(_CELL, f"global [8 x i64] [i64 0, i64 {int(name == 'always')}{', i64 0' * 6}], align 64")
            insert_points(model, f, [PlannedPoint(place, leaving, Flag(), Direct(to), _CELL)])
            code = Engine().load(name, [LlvmModule.from_text(print_module(model), name).object(2)])
            loops[name] = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(code.addresses["loop"])
        differences = []
        for _ in range(rounds):
            spent = {}
            for name in random.sample(list(loops), 2):
                began = time.process_time_ns()
                loops[name](calls)
                spent[name] = (time.process_time_ns() - began) / calls
            differences.append(spent["always"] - spent["never"])
        low, high = median_interval(differences)
        medians.append(median(differences))
        print(
            f"{handed:>3} values, {'a' if marker else 'no'} tail call: "
            f"{median(differences):+.2f} ns [{low:+.2f}, {high:+.2f}]"
        )
    print(f"median {median(medians):.2f} ns")


def _fastest(work: Callable[[], object], times: int = 9) -> float:
    found = []
    for _ in range(times):
        began = time.thread_time()
        work()
        found.append(time.thread_time() - began)
    return median(found)


def making() -> None:
    Engine().load("first", [LlvmModule.from_text("define void @first() { ret void }", "first").object(1)])
    for which in ("first machine of a process with points, compiled and linked", "next machine"):
        began, cpu = time.perf_counter(), time.process_time()
        Stub(lambda _number, _value: 0)
        spent, took = time.process_time() - cpu, time.perf_counter() - began
        print(f"making the stub, {which}: {1e3 * took:.2f} ms, {1e3 * spent:.2f} ms of CPU time")
    for program in PROGRAMS:
        module = program.compiled("O1")
        model = parse_module(module.text())
        f = model.functions[program.function]
        place = hottest_place(f, program.at_entry)
        size = sum(1 for _ in f.instructions())
        number = 0

        def insert(model: Module = model, name: str = program.function, place: Place = place) -> None:
            body = model.functions[name]
            leaving = transition_at(model, body, place)
            insert_points(model, body, [PlannedPoint(place, leaving, Flag(), Direct("@to"), _CELL)])

        def go_on(model: Module = model, f: Function = f, place: Place = place) -> None:
            nonlocal number
            number += 1
            continuation(model, f, place, f"@to.{number}")

        each = _fastest(go_on)
        texts = [parse_module(print_module(model)) for _ in range(9)]
        inserted = _fastest(lambda texts=texts, insert=insert: insert(texts.pop()))  # type: ignore[misc]
        print(
            f"{program.name:<20}{size:>4} instructions: point {1e6 * inserted:.0f} us, "
            f"continuation {1e6 * each:.0f} us, {1e6 * each / size:.1f} us an instruction"
        )


def flags() -> None:
    machine = VirtualMachine()
    machine.load(LlvmModule.from_text(_values_program(2), "flags"), "flags", level=0)
    machine.link()
    points = Points(machine)
    base = points.code("loop")
    point = points.insert_open(base, "%again", Flag(), clone())
    machine.switch(base.function, point.version)
    loop = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(base.function.stub)
    goes_on = threading.Event()

    def run() -> None:
        while goes_on.is_set():
            loop(100_000)

    for count in (0, 2):
        goes_on.set()
        workers = [threading.Thread(target=run) for _ in range(count)]
        for each in workers:
            each.start()
        spent = []
        for _ in range(2000):
            began = time.perf_counter()
            point.fire()
            point.hold()
            spent.append((time.perf_counter() - began) / 2)
        goes_on.clear()
        for each in workers:
            each.join()
        low, high = median_interval(spent)
        told = f"{1e6 * median(spent):.0f} us [{1e6 * low:.0f}, {1e6 * high:.0f}] a change"
        print(f"{count} threads run: {told}, fired {point.fired:,} times")


def threads(times: int) -> None:
    text = """
define i64 @f(i64 %x) {
entry:
  %y = mul i64 %x, 3
  %z = add i64 %y, 1
  ret i64 %z
}
define i64 @loop(i64 %times) {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %wrong = phi i64 [ 0, %entry ], [ %more.wrong, %again ]
  %y = call i64 @f(i64 %i)
  %three = mul i64 %i, 3
  %right = add i64 %three, 1
  %is.wrong = icmp ne i64 %y, %right
  %one = zext i1 %is.wrong to i64
  %more.wrong = add i64 %wrong, %one
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %end
end:
  ret i64 %more.wrong
}
"""
    machine = VirtualMachine()
    machine.load(LlvmModule.from_text(text, "threads"), "threads", level=0)
    machine.link()
    points = Points(machine)
    runs: list[str] = []
    again = clone("O2")

    def generate(firing: Firing) -> Landing:
        runs.append(threading.current_thread().name)
        time.sleep(0.02)
        return again(firing)

    base = points.code("f")
    point = points.insert_open(base, "%z", Always(), generate)
    other = points.insert_open(base, "%y", Always(), generate)
    loop = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(machine.functions["@loop"].stub)
    machine.switch(base.function, point.version)
    wrong: list[int] = []
    workers = [threading.Thread(target=lambda: wrong.append(loop(times))) for _ in range(2)]
    began = time.perf_counter()
    for each in workers:
        each.start()
    switches = 0
    while any(each.is_alive() for each in workers):
        machine.switch(base.function, (point, other)[switches % 2].version)
        switches += 1
        time.sleep(0.0005)
    took = time.perf_counter() - began
    print(
        f"2 threads, {times:,} calls each in {took:.2f} s: {sum(wrong)} wrong results, "
        f"{point.fired + other.fired:,} transitions counted, {switches:,} switches, "
        f"generators run {len(runs)} times for 2 points"
    )


def sizes() -> None:
    """Continuations at every point of a larger program, if its source is kept here."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "all.c"
        path.write_text("\n".join((PROGRAMS_IN_C / f"{each.name}.c").read_text() for each in PROGRAMS[:1]))
        model = parse_module(link_program([path], ["-w"], level=2).module.text())
    spent, instructions, made = 0.0, 0, 0
    for f in list(model.defined_functions()):
        for place in all_places(f):
            began = time.thread_time()
            try:
                continuation(model, f, place, f"@to.{made}")
            except Refused:
                continue
            spent += time.thread_time() - began
            made += 1
            instructions += sum(1 for _ in f.instructions())
    print(f"{made} continuations of all points: {1e6 * spent / instructions:.1f} us an instruction")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["transitions", "making", "threads"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=20_000_000)
    arguments = parser.parse_args()
    for part in arguments.parts:
        print(f"{part}:")
        if part == "transitions":
            transitions(arguments.rounds, arguments.calls)
        elif part == "making":
            making()
            sizes()
        elif part == "flags":
            flags()
        elif part == "threads":
            threads(arguments.times)
        else:
            parser.error(f"there is no part '{part}'")


if __name__ == "__main__":
    main()
