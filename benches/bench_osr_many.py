"""What points at all instructions of a function cost, by its size: it must grow with their number, not with its square.

    python benches/bench_osr_many.py [--program bzip2] [--when "counter 1000"]

For functions of a program at O2: processor time for each point, when all that a transition needs is found out and all
points are put in at once (`Survey`), and when it is found out for each point alone; then the time for each instruction
of continuations of 32 points each, all made from one survey. Without machine code.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sonde.ir import Module, parse_module
from sonde.ir.analyses import Place
from sonde.osr import (
    Condition,
    Direct,
    PlannedPoint,
    Refused,
    Survey,
    all_places,
    insert_points,
    parse_condition,
    shared_continuation,
    transition_at,
)

_TESTS = Path(__file__).parents[1] / "tests"
_SIZES = 100, 400, 1_600, 3_200, 10_000
"""The largest function up to each of these sizes is taken, in instructions."""
_ALONE = 40
"""So many points are asked about alone."""
_TOGETHER = 32


def seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def leave_everywhere(module: Module, name: str, places: list[Place], when: Condition) -> None:
    f = module.functions[name]
    survey = Survey.of(module, f, places)
    points: list[PlannedPoint] = []
    for place in places:
        leaving = transition_at(module, f, place, survey=survey)
        points.append(PlannedPoint(place, leaving, when, Direct("@to"), f"@cell.{len(points)}"))
    insert_points(module, f, points)


def ask_alone(module: Module, name: str, places: list[Place]) -> None:
    for place in places:
        transition_at(module, module.functions[name], place)


def continue_everywhere(module: Module, name: str, places: list[Place]) -> None:
    f = module.functions[name]
    survey = Survey.of(module, f, places)
    for at in range(0, len(places), _TOGETHER):
        shared_continuation(module, f, places[at : at + _TOGETHER], f"{name}.to.{at}", survey=survey)


def places_of(survey: Survey) -> list[Place]:
    """Where the function can be left; not among the slots of its stack, which share no continuation with others."""
    f, found = survey.function, []
    slots = [at for at, each in enumerate(f.entry.instructions) if each.opcode == "alloca"]
    for place in all_places(f):
        if place.block == f.entry.name and slots and place.at <= slots[-1]:
            continue
        try:
            survey.check_can_be_left(place)
        except Refused:
            continue
        found.append(place)
    return found


def measure(text: str, name: str, when: Condition) -> None:
    model = parse_module(text)
    survey = Survey.of(model, model.functions[name])
    size = sum(1 for _ in survey.function.instructions())
    places = places_of(survey)
    values = sum(map(len, survey.live_at(places))) / len(places)
    continued = seconds(lambda: continue_everywhere(model, name, places)) / -(-len(places) // _TOGETHER) / size
    alone = places[:: max(1, len(places) // _ALONE)]
    asked = seconds(lambda: ask_alone(model, name, alone)) / len(alone)
    fresh = parse_module(text)
    left = seconds(lambda: leave_everywhere(fresh, name, places, when)) / len(places)
    print(
        f"{name[1:]:<24}{size:>6} instructions, {len(places):>5} points of {values:.0f} values: {1e6 * left:.0f} us a "
        f"point; asked about alone {1e6 * asked:.0f} us; continuations {1e6 * continued:.1f} us an instruction",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="bzip2")
    parser.add_argument("--when", default="flag", help="the condition of the points")
    arguments = parser.parse_args()
    sys.path.append(str(_TESTS))
    from real_programs import linked_module

    module = linked_module(arguments.program)
    module.optimize(2)
    text = module.text()
    sizes = {f.name: sum(1 for _ in f.instructions()) for f in parse_module(text).defined_functions()}
    chosen = [max((n for n in sizes if sizes[n] <= most), key=lambda n: sizes[n]) for most in _SIZES]
    for name in dict.fromkeys(chosen):
        measure(text, name, parse_condition(arguments.when.split()))


if __name__ == "__main__":
    main()
