"""What on-stack replacement costs: points that never fire, transitions, and making the code for them.

    python benches/bench_osr.py [never] [transitions] [making] [flags] [threads] [--rounds 15] [--programs n_body,...]
                                [--forms ssa,O1]

never        eight programs with a point in their hottest loop, or at the entry of the function that recurs, against the
             same code without: user CPU time, ratios of interleaved runs. To reach: 1.005 in the median, 1.015 at worst
transitions  a function left at its entry for a clone, by number of values, against one that is never left.
             To reach: 3 ns in the median
making       putting in a point, making the stub, a continuation. To reach: 1 ms, 1 ms, 50 us an instruction
flags        setting a flag and taking it back, while nobody and while two threads run the loop that checks it
threads      two threads fire the same point 20 million times each while versions are switched: wrong results,
             generators run, rate
"""

import argparse
import ctypes
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ratios import median_interval, ratio
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import ControlFlow, LoopForest, Place, dominators
from sonde.jit import Engine, LoadedCode, link_program, run_main
from sonde.llvm import LlvmModule
from sonde.machine import VirtualMachine
from sonde.osr import (
    Always,
    Condition,
    Counter,
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
from sonde.osr.code_bytes import can_change_code
from sonde.osr.last_step import last_step
from sonde.osr.stub import Stub

_PROGRAMS = Path(__file__).parents[1] / "tests" / "programs_in_c" / "shootout"
_CELL = "@sonde.osr.cell.0"


@dataclass(frozen=True)
class Program:
    """A program, its hottest function, and arguments for some tenths of a second."""

    name: str
    function: str
    arguments: tuple[str, ...]
    at_entry: bool = False


PROGRAMS = (
    Program("binary_trees", "@bottom_up", ("18",), at_entry=True),
    Program("fannkuch", "@flips_of", ("10",)),
    Program("fasta", "@chosen", ("3000000",)),
    Program("fasta_redux", "@lines", ("12000000",)),
    Program("mandelbrot", "@eight_points", ("2400",)),
    Program("n_body", "@advance", ("10000000",)),
    Program("reverse_complement", "@reverse_complement", ("300000", "4000")),
    Program("spectral_norm", "@times", ("2000",)),
)


def hottest_place(f: Function, at_entry: bool) -> Place:
    """The beginning of the innermost loop, or of the function behind its stack slots."""
    if at_entry:
        at = next(at for at, each in enumerate(f.entry.instructions) if each.opcode != "alloca")
        return Place(f.entry.name, at)
    forest = LoopForest.of(dominators(ControlFlow.of(f)))
    header = max(forest.loops, key=lambda loop: forest.depth(loop.header)).header
    return Place(header, f.block(header).first_insertion_point())


def with_point(module: LlvmModule, program: Program, when: Condition) -> LlvmModule:
    """The same program with a point that leads to a clone."""
    model = parse_module(module.text())
    f = model.functions[program.function]
    place = hottest_place(f, program.at_entry)
    leaving = transition_at(model, f, place)
    made = continuation(model, f, place, f"{f.name}.to", leaving=leaving)
    model.add_global(_CELL, "internal global [8 x i64] zeroinitializer, align 64")
    insert_points(model, f, [PlannedPoint(place, leaving, when, Direct(made.function.name), _CELL)])
    return LlvmModule.from_text(print_module(last_step(model, has_switches=can_change_code())), module.name)


def seconds(code: LoadedCode, program: Program) -> float:
    """User CPU time of one run, in a process of its own."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        run_main(code, [program.name, *program.arguments])
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{program.name} ended with {status}")
    return usage.ru_utime


def never(rounds: int, programs: Collection[str], forms: Sequence[str]) -> None:
    worst: list[float] = []
    for program in (each for each in PROGRAMS if not programs or each.name in programs):
        for form in forms:
            module = link_program([_PROGRAMS / f"{program.name}.c"], ["-w"]).module
            if form == "ssa":
                module.run_passes(["sroa"])
            else:
                module.optimize(1)
            counter = Counter(1 << 62, all_calls=program.at_entry)
            whens: dict[str, Condition] = {"counter": counter, "flag": Flag(), "flag every 64": Flag(64)}
            known = {"without": module} | {name: with_point(module, program, when) for name, when in whens.items()}
            codes = {name: Engine().load(name, [each.object(2)]) for name, each in known.items()}
            times: dict[str, list[float]] = {name: [] for name in codes}
            for _ in range(rounds):
                for name in random.sample(list(codes), len(codes)):
                    times[name].append(seconds(codes[name], program))
            told = []
            for name in whens:
                least = min(times[name]) / min(times["without"])
                told.append(f"{name} {ratio(times[name], times['without'])}, of the least times {least:.3f}")
                worst.append(ratio(times[name], times["without"]).median)
            print(f"{program.name:<20}{form:<5}{median(times['without']):.2f} s  {'; '.join(told)}", flush=True)
    print(f"median {median(worst):.3f}, worst {max(worst):.3f}")


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
        module = link_program([_PROGRAMS / f"{program.name}.c"], ["-w"]).module
        module.optimize(1)
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
        path.write_text("\n".join((_PROGRAMS / f"{each.name}.c").read_text() for each in PROGRAMS[:1]))
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
    parser.add_argument("parts", nargs="*", default=["transitions", "making", "threads", "never"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--programs", default="", help="of 'never': names; all if it is left out")
    parser.add_argument("--forms", default="ssa,O1", help="of 'never'")
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=20_000_000)
    arguments = parser.parse_args()
    for part in arguments.parts:
        print(f"{part}:")
        if part == "never":
            never(
                arguments.rounds,
                arguments.programs.split(",") if arguments.programs else (),
                arguments.forms.split(","),
            )
        elif part == "transitions":
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
