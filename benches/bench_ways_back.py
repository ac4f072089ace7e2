"""How many calls of optimised code have a way back to the original. (What that costs: `bench_ways_back_cost`.)

    python benches/bench_ways_back.py [--programs lua,bzip2] [--functions 60]

Calls in functions of real programs after O1, O2 and O3: those with a way back by LLVM's debug records, and those with
one where calls carry the original's state along; then the same where what is inlined carries its own, too.
"""

import argparse
import random
import sys
from pathlib import Path

from sonde.ir import CALLS, Function, call_site
from sonde.ir.analyses import Place
from sonde.machine import VirtualMachine
from sonde.osr import Optimised, Points, Refused, call_places, optimise
from sonde.osr.code import Code

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="lua,bzip2,zlib-minigzip")
    parser.add_argument("--functions", type=int, default=60)
    arguments = parser.parse_args()
    share(arguments.programs.split(","), arguments.functions)


if __name__ == "__main__":
    main()
