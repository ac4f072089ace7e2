"""What ways back from optimised code cost while nobody takes them.

    python benches/bench_ways_back_cost.py [--programs n_body,...,cjson] [--level O2] [--seconds 6] [--copies 2]

Every function of eight small programs and of cjson is optimised in a machine, in several ways: without ways back; with
states kept at the head of the hottest loop (`loop`), at all calls (`calls`), also at those of what is inlined
(`inlined`), and the latter with a point `when flag` at each of these calls, which never fires (`points`). CPU time of
whole runs, in turns in one process, against that without; `twin` is that once more, and tells what differs by luck.
Each code is loaded `--copies` times, as it matters where it lies. (cjson has 115 functions: a minute of processor time
for each copy.)
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

from osr_programs import PROGRAMS, PROGRAMS_IN_C, Program, hottest_place, main_of, silent, use_up_small_blocks
from ratios import Ratio
from short_slices import slice_times, undisturbed, undisturbed_ratio
from sonde.ir.analyses import Place
from sonde.jit import link_program
from sonde.llvm import LlvmModule
from sonde.machine import VirtualMachine
from sonde.osr import Code, Flag, Optimised, Points, Refused, call_places, optimise

_WAYS = ("without", "twin", "loop", "calls", "inlined", "points")


def cjson() -> LlvmModule:
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from real_programs import linked
    from swept_programs import swept_program

    return linked(swept_program("cjson"))


def optimised(
    module: LlvmModule, name: str, level: str, way: str, known: Program | None, counts: Counter[str]
) -> VirtualMachine:
    """A machine with a program, all of whose functions are optimised in one of the ways."""
    machine = VirtualMachine()
    machine.load(module, name, level=0)
    machine.construct()
    points = Points(machine)
    for function in list(machine.functions):
        base = points.code(function)
        back_at: list[Place] | None = [] if way == "loop" else call_places(base.body)
        if way in ("without", "twin"):
            back_at = None
        elif way == "loop" and known is not None and function in (known.function, f"{known.function}.{known.name}"):
            back_at = [hottest_place(base.body, known.at_entry)]
        made = optimise(base, [level], "fast", back_at=back_at, inlined=way in ("inlined", "points"))
        version = with_points(points, made, counts) if way == "points" else made.code
        counts[f"instructions {way}"] += sum(1 for _ in version.body.instructions())
        machine.switch(base.function, version.version)
    return machine


def with_points(points: Points, made: Optimised, counts: Counter[str]) -> Code:
    """The same code with a point at each of its ways back."""
    at = []
    for place in [*made.points(), *made.inlined_points()]:
        try:
            at.append((place, made.landing(place), Flag()))
        except Refused:
            counts["refused"] += 1
    if not at:
        return made.code
    put = points.insert_landings(made.code, at)
    counts["points"] += len(put)
    counts["inlined points"] += len(at) - len(made.points())
    return Code(made.code.machine, made.code.function, put[0].version)


def measure(name: str, module: LlvmModule, level: str, seconds: float, loads: int) -> dict[str, Ratio]:
    module.run_passes(["sroa", "simplifycfg"])
    known = next((each for each in PROGRAMS if each.name == name), None)
    ways = [each for each in _WAYS if each != "loop" or known is not None]
    counts: Counter[str] = Counter()
    work: dict[tuple[str, int], Callable[[], int]] = {}
    machines = []
    for copy in range(loads):
        for way in ways:
            machines.append(optimised(LlvmModule.from_text(module.text(), name), name, level, way, known, counts))
            work[way, copy] = main_of(machines[-1].functions["@main"].stub, name, known.short if known else ())
    use_up_small_blocks()
    with silent():
        times = slice_times(work, seconds)
    copies = {way: [times[way, copy] for copy in range(loads)] for way in ways}
    base = copies.pop("without")
    found = {way: undisturbed_ratio(times, base) for way, times in copies.items()}
    told = "  ".join(f"{way} {each.median:.3f} [{each.low:.3f}, {each.high:.3f}]" for way, each in found.items())
    put = f"{counts['points'] // loads} points, {counts['inlined points'] // loads} of them in inlined code"
    sizes = ", ".join(f"{counts[f'instructions {way}'] // loads}" for way in ways if way != "twin")
    print(f"{name:<19}{1e3 * undisturbed(base[0]):.2f} ms, {len(base[0])} rounds  {told}")
    print(f"{'':<19}{put}; instructions of IR {sizes}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join([*(each.name for each in PROGRAMS), "cjson"]))
    parser.add_argument("--level", default="O2")
    parser.add_argument("--seconds", type=float, default=6, help="for each program")
    parser.add_argument("--copies", type=int, default=2)
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {}
    for name in arguments.programs.split(","):
        module = cjson() if name == "cjson" else link_program([PROGRAMS_IN_C / f"{name}.c"], ["-w"]).module
        for way, each in measure(name, module, arguments.level, arguments.seconds, arguments.copies).items():
            found.setdefault(way, []).append(each.median)
    for way, ratios in found.items():
        print(f"{way:<8}median {median(ratios):.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
