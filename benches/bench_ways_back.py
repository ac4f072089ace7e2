"""How many calls of optimised code have a way back to the original, and what keeping its state costs.

    python benches/bench_ways_back.py [share] [cost] [--programs lua,bzip2] [--functions 60] [--rounds 15]

share  calls in functions of real programs after O1, O2 and O3: those with a way back by LLVM's debug records, and those
       with one where calls carry the original's state along; then the same where what is inlined carries its own, too
cost   eight programs at O2 whose calls, or whose hottest loop, carried state along while they were optimised, against
       the same without: user CPU time, ratios of interleaved runs; nothing is left of the state in either
"""

import argparse
import random
import sys
from pathlib import Path
from statistics import median

from bench_osr import PROGRAMS, hottest_place, seconds
from ratios import ratio
from sonde.ir import CALLS, Function, call_site, parse_module, print_module
from sonde.ir.analyses import Place
from sonde.jit import Engine, link_program
from sonde.llvm import LlvmModule
from sonde.machine import VirtualMachine
from sonde.osr import Optimised, Points, Refused, call_places, optimise
from sonde.osr.code import Code
from sonde.osr.kept_states import keep_states, take_states

_TESTS = Path(__file__).parents[1] / "tests"
_LEVELS = ("O1", "O2", "O3")


def calls_in(function: Function) -> int:
    """Calls, but of intrinsics."""
    return sum(each.opcode in CALLS and not call_site(each).is_intrinsic for each in function.instructions())


def share(names: list[str], most: int) -> None:
    sys.path.append(str(_TESTS))
    from real_programs import linked, real_program

    for name in names:
        module = linked(real_program(name))
        module.run_passes(["sroa", "simplifycfg"])
        machine = VirtualMachine()
        machine.load(module, name, level=0)
        machine.link()
        points = Points(machine)
        callers = [each for each in machine.functions if call_places(points.code(each).body)]
        chosen = random.Random(1).sample(callers, min(most, len(callers)))
        for level in _LEVELS:
            own = recorded = inlined = kept = in_inlined = deep = 0
            for number, function in enumerate(chosen):
                base = points.code(function)
                plain = optimise(base, [level], f"{level}.plain.{number}")
                recorded += len(plain.points())
                carrying = optimise(base, [level], f"{level}.kept.{number}", back_at=call_places(base.body))
                there = sum(_is_call(carrying.code, each) for each in carrying.points())
                carried = there + len(carrying.lost_points())
                own, kept = own + carried, kept + there
                inlined += calls_in(carrying.code.body) - carried
                all_frames = optimise(
                    base, [level], f"{level}.deep.{number}", back_at=call_places(base.body), inlined=True
                )
                own_points = sum(_is_call(all_frames.code, each) for each in all_frames.points())
                in_inlined += calls_in(all_frames.code.body) - own_points
                deep += sum(_can_be_landed(all_frames, each) for each in all_frames.inlined_points())
            print(
                f"{name:<14}{level}  {len(chosen)} functions, {own} own calls left, {inlined} in inlined code: "
                f"by records {recorded} ({recorded / own:.1%}), by kept states {kept} ({kept / own:.1%}); "
                f"with states in what is inlined: {deep} of {in_inlined} calls in inlined code",
                flush=True,
            )


def _is_call(code: Code, place: Place) -> bool:
    each = code.body.block(place.block).instructions[place.at]
    return each.opcode in CALLS and not call_site(each).is_intrinsic


def _can_be_landed(optimised: Optimised, place: Place) -> bool:
    try:
        optimised.landing(place)
    except Refused:
        return False
    return True


def cost(rounds: int) -> None:
    worst: dict[str, list[float]] = {"calls": [], "hottest loop": []}
    for program in PROGRAMS:
        module = link_program([_TESTS / "programs_in_c/shootout" / f"{program.name}.c"], ["-w"]).module
        module.run_passes(["sroa", "simplifycfg"])
        texts = {"without": module.text()}
        for kind in worst:
            model = parse_module(module.text())
            kept = {}
            for f in list(model.defined_functions()):
                is_hot = f.name == program.function
                places = [hottest_place(f, program.at_entry)] if is_hot else []
                kept[f.name] = keep_states(model, f, call_places(f) if kind == "calls" else places)
            carrying = LlvmModule.from_text(print_module(model), kind)
            carrying.optimize(2)
            model = parse_module(carrying.text())
            for f in list(model.defined_functions()):
                take_states(model, f, kept[f.name])
            texts[kind] = print_module(model)
        plain = LlvmModule.from_text(texts["without"], "without")
        plain.optimize(2)
        codes = {"without": Engine().load("without", [plain.object(2)])}
        for kind in worst:
            codes[kind] = Engine().load(kind, [LlvmModule.from_text(texts[kind], kind).object(2)])
        times: dict[str, list[float]] = {name: [] for name in codes}
        for _ in range(rounds):
            for name in random.sample(list(codes), len(codes)):
                times[name].append(seconds(codes[name], program))
        told = []
        for kind, found in worst.items():
            found.append(ratio(times[kind], times["without"]).median)
            told.append(f"{kind} {ratio(times[kind], times['without'])}")
        print(f"{program.name:<20}{median(times['without']):.2f} s  {'; '.join(told)}", flush=True)
    for kind, found in worst.items():
        print(f"{kind}: median {median(found):.3f}, worst {max(found):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["share", "cost"])
    parser.add_argument("--programs", default="lua,bzip2,zlib-minigzip")
    parser.add_argument("--functions", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    for part in arguments.parts:
        print(f"{part}:")
        if part == "share":
            share(arguments.programs.split(","), arguments.functions)
        elif part == "cost":
            cost(arguments.rounds)
        else:
            parser.error(f"there is no part '{part}'")


if __name__ == "__main__":
    main()
