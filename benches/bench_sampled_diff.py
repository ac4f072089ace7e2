"""What `sonde diff` says of two sampled profiles: whether its intervals hold, and what it finds.

    python benches/bench_sampled_diff.py [--only made|real] [--comparisons 500] [--rounds 6] [--python PATH]

made: runs of made-up programs whose times are known (tests/simulated_looks.py), by the length of the visits to a
function, in distances between looks: how often 95 % intervals of differences hold, how often anything is said to
have changed where nothing has, and what is found of functions that are a fifth slower.
real: a program, as it is and with one function that takes a fifth more, sampled in turns. Each two runs are compared,
by several allowances for the noise of runs: how often anything is said to have changed, how often the slower function
is, and by how much times differ from run to run beyond what the looks explain.
"""

import argparse
import itertools
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from simulated_looks import looked_at, profile_of_looks, visits
from sonde.evidence import SampledAmount, difference_interval
from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge
from sonde.instruments.contexts.profile import ContextProfile, fold_imports, read_profile, without_idle_functions
from sonde.instruments.contexts.profile.comparison import diff_contexts

WORKLOAD = Path(__file__).with_name("workloads") / "changed.py"
SHARES = [0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01]
LENGTHS = {
    "0.02": [0.02] * 10,
    "0.1": [0.1] * 10,
    "0.5": [0.5] * 10,
    "2": [2.0] * 10,
    "mixed": [0.02, 5.0, 0.3, 1.0, 0.05, 2.0, 0.1, 0.5, 0.02, 0.3],
}
LOOKS = 10_000
SLOWER = (0, 3)
NOISES = (0.0, 0.02, 0.03, 0.05)


def made(comparisons: int) -> None:
    """Print what is said of programs whose times are known."""
    print(f"\n{comparisons} comparisons of ten functions, {LOOKS:,} looks at each run\n")
    print("| visits last | intervals hold | nothing changed: something said to have | a fifth slower: found | others |")
    print("|---|---|---|---|---|")
    for name, lengths in LENGTHS.items():
        random = np.random.default_rng(20261127)
        held, false, found, others = [], 0, 0, 0
        factors = np.ones(len(SHARES))
        factors[list(SLOWER)] = 1.2
        for _ in range(comparisons):
            program = visits(SHARES, lengths, LOOKS, random)
            one, same, slower = (looked_at(program, random, each) for each in (None, None, factors))
            truth = program.of_functions * (factors - 1)
            for number, difference in enumerate(truth.tolist()):
                sides = [
                    SampledAmount(float(seen.own[number]), float(seen.deviation[number]), seen.whole, seen.looks)
                    for seen in (one, slower)
                ]
                held.append(difference in difference_interval(sides[0], sides[1]))
            before, unchanged, changed = (profile_of_looks(seen) for seen in (one, same, slower))
            false += bool(_changed(before, unchanged, 0.0))
            names = _changed(before, changed, 0.0)
            found += len(names & {f"f{number}" for number in SLOWER})
            others += len(names - {f"f{number}" for number in SLOWER})
        share_of_others = 100 * others / max(1, others + found)
        print(
            f"| {name} | {100 * np.mean(held):.1f} % | {100 * false / comparisons:.1f} %"
            f" | {100 * found / comparisons / len(SLOWER):.0f} % | {share_of_others:.1f} % of those said |"
        )


def real(python: Path, rounds: int) -> None:
    """Print what is said of runs of one program."""
    sides: dict[str, list[ContextProfile]] = {"0": [], "0.2": []}
    with tempfile.TemporaryDirectory() as folder:
        for number, more in itertools.product(range(rounds), sides):
            path = Path(folder, f"{number}-{more}.sonde")
            command = [sys.executable, "-m", "sonde", "sample", "--quiet", "-o", str(path), "--", str(python)]
            subprocess.run([*command, str(WORKLOAD), "900", more], check=True)
            sides[more].append(without_idle_functions(fold_imports(read_profile(path))))
    as_it_is, slower = sides.values()
    seconds = statistics.mean(each.total_ns for each in as_it_is) / 1e9
    print(f"\n{rounds} runs of each, {seconds:.1f} s of processor time, 1 kHz\n")
    print("| noise of runs allowed for | unchanged: comparisons that say something | a fifth slower: found |")
    print("|---|---|---|")
    alike = [*itertools.combinations(as_it_is, 2), *itertools.combinations(slower, 2)]
    apart = list(itertools.product(as_it_is, slower))
    for noise in NOISES:
        false = sum(bool(_changed(one, other, noise)) for one, other in alike)
        found = sum("tokenize" in _changed(one, other, noise) for one, other in apart)
        print(f"| {100 * noise:g} % | {false} of {len(alike)} | {found} of {len(apart)} |")
    for name in ("checksum", "tokenize", "distance"):
        spreads = [_beyond_looks(side, name) for side in sides.values()]
        print(f"{name}: from run to run {', '.join(f'{100 * each:.1f} %' for each in spreads)} (standard deviation)")
    totals = [statistics.stdev(float(each.total_ns) for each in side) for side in sides.values()]
    print(f"whole runs: {', '.join(f'{each / seconds / 1e7:.1f} %' for each in totals)}")


def _changed(before: ContextProfile, after: ContextProfile, noise: float) -> set[str]:
    diff = diff_contexts(before, after, min_change=0.005)
    pairs = diff.contexts.functions.pairs
    return {pairs[number].either.name for number in ChangeJudge(diff, run_noise=noise).functions().changed}


def _beyond_looks(runs: list[ContextProfile], name: str) -> float:
    """The standard deviation of a function's time over runs, without that of the looks, as a share of it."""
    known = [next(each for function, each in run.own_estimates.items() if function.name == name) for run in runs]
    mean = statistics.mean(float(each.self_ns) for each in known)
    of_looks = statistics.mean(float(each.deviation) ** 2 for each in known)
    return float(max(0.0, statistics.variance(float(each.self_ns) for each in known) - of_looks) ** 0.5 / mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("made", "real"))
    parser.add_argument("--comparisons", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    arguments = parser.parse_args()
    print(platform.platform())
    if arguments.only != "real":
        made(arguments.comparisons)
    if arguments.only != "made":
        real(arguments.python, arguments.rounds)


main()
