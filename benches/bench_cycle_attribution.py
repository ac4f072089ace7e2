"""How `sonde contexts --cycles` divides the time of programs, against a dense sample of them.

    python benches/bench_cycle_attribution.py [--rounds 2] [--level 2] [--only ALTERNATIVE ...] [NAME ...]

The programs are those of bench_cycles.py. The dense sample is `--time sampled --every 100us` of the program without any
probes, several runs added up. The overlap of two profiles is the sum, over functions, of the lesser of their two
shares: 1 where they are the same, 0 where they have nothing in common.

    units         of the time of all compiled functions, by compiled function
    within        of each compiled function by itself, by what was inlined there; weighted by its samples
    both          by compiled function and what was inlined there

Samples between themselves, of halves of the runs, are the most that can be expected: `samples`. To reach: median 0.90.
`fib` and `helpers` are not in the medians.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parent / "tests"))  # the programs are those of the tests

from bench_jit import Work  # noqa: E402 - see above
from bench_probes import in_fork, works  # noqa: E402 - see above
from sonde.evidence import weighted_overlap  # noqa: E402 - see above
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile  # noqa: E402 - see above
from sonde.instruments.contexts.sources.compiled import CycledProgram, Stamps, UnitTime  # noqa: E402 - see above
from sonde.instruments.contexts.sources.sampling import SAMPLE_NS  # noqa: E402 - see above
from sonde.instruments.contexts.verb.live_run import read_live  # noqa: E402 - see above
from sonde.options.compiled_program import CompiledProgram  # noqa: E402 - see above

ALTERNATIVES: dict[str, tuple[Stamps, UnitTime]] = {
    "samples": ("none", "sampled"),
    "count": ("none", "measured"),
    "chosen": ("chosen", "measured"),
    "all": ("all", "measured"),
    "both": ("chosen", "both"),
}
DENSE_NS = 100_000
_BAD_CASES = ("fib", "helpers")

Key = TypeVar("Key")

Shares = Counter[tuple[str, str]]
"""(compiled function, function inlined there or itself) -> nanoseconds."""


class Overlaps(NamedTuple):
    """How much of the time of two profiles is in the same place; shares."""

    units: float
    within: float
    both: float


def overlaps(first: Shares, second: Shares) -> Overlaps:
    """Compare two profiles; what is within a unit has the weight that the first one gives it."""
    of_units = [Counter[str](), Counter[str]()]
    for found, sums in zip((first, second), of_units, strict=True):
        for (unit, _), ns in found.items():
            sums[unit] += ns
    within = total = 0.0
    for unit, ns in of_units[0].items():
        if of_units[1][unit]:
            parts = [Counter({key: n for key, n in each.items() if key[0] == unit}) for each in (first, second)]
            within += ns * _overlap(*parts)
            total += ns
    return Overlaps(_overlap(*of_units), within / total if total else 0.0, _overlap(first, second))


def _overlap(first: "Mapping[Key, int]", second: "Mapping[Key, int]") -> float:
    keys = {*first, *second}
    return weighted_overlap([first.get(key, 0) for key in keys], [second.get(key, 0) for key in keys])


def shares(profile: ContextProfile) -> Shares:
    found, tree, units = Shares(), profile.contexts, list[str]()
    for row, parent in enumerate(tree.parent):
        function = profile.functions[tree.function[row]]
        name = f"{function.name} {Path(function.file).name}"
        units.append(name if parent == NO_PARENT else units[parent])
        found[units[row], name] += tree.self_ns[row]
    return found


def once(made: CycledProgram, work: Work, folder: Path) -> Shares:
    """Run it in an empty folder."""
    spool = folder / "spool"
    spool.mkdir()
    made.describe(spool)
    every = DENSE_NS if made.time == "sampled" else SAMPLE_NS
    sampling = made.sampling(spool, follow=False, every_ns=every)
    in_fork(
        work,
        folder,
        lambda: made.become(spool, follow=False, sampling=sampling),
        sampling.begin if sampling is not None else lambda: None,
    )
    if sampling is not None:
        sampling.end()
    return shares(read_live(spool, None))


def measured(made: CycledProgram, work: Work, rounds: int) -> list[Shares]:
    found = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as name:
            found.append(once(made, work, Path(name)))
    return found


def added(runs: Sequence[Shares]) -> Shares:
    return sum(runs, Shares())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=tuple(ALTERNATIVES), default=tuple(ALTERNATIVES))
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--worst", type=int, default=0, help="show so many functions that differ most")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    medians: dict[str, dict[str, Overlaps]] = {}
    print(
        f"overlap with the dense sample at -O{arguments.level}: units, within units, both; then of two runs of its own"
    )
    for name, work in works().items():
        if arguments.names and name not in arguments.names:
            continue
        program = work.program
        files, options = list(map(str, program.files)), [*program.options, "-w"]
        asked = CompiledProgram(
            files, options, list(program.libraries), [], arguments.level, False, list(work.arguments)
        )
        runs = measured(CycledProgram.compile(asked, "none", "sampled"), work, 2 * arguments.rounds)
        truth = added(runs)
        for each in arguments.only:
            if each == "samples":
                told = runs
                found = overlaps(added(runs[::2]), added(runs[1::2]))
            else:
                told = measured(CycledProgram.compile(asked, *ALTERNATIVES[each]), work, arguments.rounds)
                found = overlaps(truth, added(told))
            stable = overlaps(told[0], told[1]).both if len(told) > 1 else 1.0
            medians.setdefault(each, {})[name] = found
            print(
                f"  {name:14} {each:8} {found.units:.3f} {found.within:.3f} {found.both:.3f}   {stable:.3f}", flush=True
            )
            _show_worst(truth, added(told), arguments.worst)
    print("median over the programs")
    for each, of_programs in medians.items():
        values = [found for name, found in of_programs.items() if name not in _BAD_CASES] or [Overlaps(0, 0, 0)]
        print(f"  {each:8}", *(f"{statistics.median(column):.3f}" for column in zip(*values, strict=True)), flush=True)


def _show_worst(truth: Shares, told: Shares, count: int) -> None:
    wholes = truth.total() or 1, told.total() or 1
    differences = {key: told[key] / wholes[1] - truth[key] / wholes[0] for key in truth.keys() | told.keys()}
    for key in sorted(differences, key=lambda key: -abs(differences[key]))[:count]:
        print(f"      {truth[key] / wholes[0]:6.1%} {told[key] / wholes[1]:6.1%}  {key[1]}  in  {key[0]}", flush=True)


if __name__ == "__main__":
    main()
