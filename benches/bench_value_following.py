"""How many values of real programs are found again after LLVM's passes, by what is known of them.

    python benches/bench_value_following.py [--programs lua,bzip2,...] [--recipes "O1;O2;..."] [--sample 400]

Programs come from tests/real_programs.py, compiled and not optimised, their variables made values first (`sroa`): else
most values would be loads of stack slots. Each recipe is run on a marked copy. Columns are shares of all values of the
program: found as some value, as a constant, as a formula; `found` is their sum. `confirmed` counts only what is
believed unless asked otherwise: what made-up numbers confirm, and results of calls and other effects where the same is
still done for the same line (see docs/notes/following-values.md). `live` looks at a sample of the calls that are left:
of the values that are live there in the original, how many are known at that point, confirmed ones only.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from real_programs import linked_module
from sonde.ir import Module, parse_module, print_module
from sonde.ir.analyses import Liveness, Place
from sonde.ir.bookkeeping import Lost, Mapping, Marks, mark, read_back, recovery
from sonde.llvm import PASS_NAMES, LlvmModule
from sonde.passes import PASSES, parse_recipe

PROGRAMS = ("lua", "bzip2", "zlib-minigzip", "sqlite", "jsoncpp")
LEVELS = ("O1", "O2", "O3")
NOT_ALONE = {
    "strip": "removes the records",
    "strip-nondebug": "removes names",
    "strip-debug-declare": "is about declarations of variables",
    "strip-dead-debug-info": "is about debug information",
    "instnamer": "does nothing to values",
    "internalize": "hides main, so that the next pass may remove all",
    "loop-extract": "makes functions, which have no marks",
    "loop-reduce": "leaves loops as LLVM's checks of the other passes forbid",
}
"""Passes that are not measured by themselves, and why."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--recipes", help="O1,O2,O3, every single pass of LLVM's, and ours; separated by semicolons")
    parser.add_argument("--sample", type=int, default=400, help="calls at which live values are looked for")
    arguments = parser.parse_args()
    singles = [name for name in PASS_NAMES if name not in NOT_ALONE]
    recipes = arguments.recipes.split(";") if arguments.recipes else [*LEVELS, *PASSES, *singles]
    for name in arguments.programs.split(","):
        module = linked_module(name)
        module.run_passes(["sroa"])
        print(f"\n{name}")
        print(f"{'':34}{'held':>7}{'const':>7}{'formula':>8}{'found':>8}{'lost':>7}{'gone':>7}", end="")
        print(f"{'confirmed':>11}{'live':>7}{'seconds':>9}")
        marks = mark(parse_module(module.text()))
        text = print_module(marks.module)
        for recipe in recipes:
            _measure(marks, text, recipe, arguments.sample)


def _measure(marks: Marks, text: str, recipe: str, sample: int) -> None:
    made = _optimised(text, recipe)
    said = recovery(read_back(marks, made, trust="llvm"))
    begin = time.perf_counter()
    mapping = read_back(marks, made)
    believed = recovery(mapping)
    seconds = time.perf_counter() - begin
    shares = (said.held, said.constant, said.computed, said.found, said.lost, said.absent, believed.found)
    row = [f"{100 * each / said.values:.1f}" for each in shares]
    live = _live_share(marks, mapping, sample)
    print(f"{recipe:34}{row[0]:>7}{row[1]:>7}{row[2]:>8}{row[3]:>8}{row[4]:>7}{row[5]:>7}", end="")
    print(f"{row[6]:>11}{live:>7}{seconds:>9.1f}", flush=True)


def _optimised(text: str, recipe: str) -> Module:
    module = LlvmModule.from_text(text, "marked")
    steps = parse_recipe(recipe)
    if all(each.name in (*PASS_NAMES, "O0", *LEVELS) for each in steps.steps):  # without reading it in between
        for step in steps.steps:
            step.run(module)  # type: ignore[call-arg, arg-type] # LLVM's steps, as just checked
        return parse_module(module.text())
    return steps.run(parse_module(module.text()), explains=False).module


def _live_share(marks: Marks, mapping: Mapping, sample: int) -> str:
    """Of what is live in the original at calls that are left, how much is known there."""
    calls = list(_calls(mapping))
    random.Random(1).shuffle(calls)
    liveness: dict[str, Liveness] = {}
    live = known = 0
    for name, block, index in calls[:sample]:
        found = mapping.function(name)
        point = found.origin_of(block, index)
        assert point is not None
        original = found.instances[point.instance].function
        if original not in liveness:
            liveness[original] = Liveness.of(marks.module.functions[original])
        marked = marks.functions[original]
        place = marked.place(point.number)
        there = {
            origin.number
            for origin, location in found.locations_at(block, index, point).items()
            if origin.instance == point.instance and not isinstance(location, Lost)
        }
        for value in liveness[original].live_before(Place(place.block, max(place.at, 0))):
            live += 1
            known += marked.numbers[value] in there
    return f"{100 * known / live:.1f}" if live else "-"


def _calls(mapping: Mapping) -> Iterator[tuple[str, str, int]]:
    for name in mapping.functions():
        found = mapping.function(name)
        blocks = found.function.blocks_by_name()
        for block, index, origin in found.origins():
            original = mapping.marks.functions[found.instances[origin.instance].function]
            was = original.instructions.get(origin.number)
            if was is not None and was.opcode == blocks[block].instructions[index].opcode == "call":
                yield name, block, index


if __name__ == "__main__":
    main()
