"""Beside CPython's own sampler, `profiling.sampling` of 3.15: what looking costs, and what is invented.

    python benches/bench_beside_cpython.py --python PATH [--rounds 5]

cost: a program runs for two seconds of processor time; plain, and looked at 1,000 and 10,000 times a second by either,
in interleaved rounds. Of all that ran, the processor time that the program did not measure itself, for each second that
it took: start-up, and writing what was seen, included.
invented: a program that calls, raises, sorts and collects garbage without rest is looked at 10,000 times a second by
one after the other, by sonde alone on older Pythons. Which part of what was seen has a call that the program does not
have; of sonde, of the time.
"""

import argparse
import platform
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from ratios import median_interval
from restless_calls import can_be, invented_calls
from sampled_pythons import PROGRAMS, looked_at, profile_of, running
from sonde.code import Function

WORKLOAD = Path(__file__).with_name("workloads") / "sampled.py"
RATES = (1000, 10_000)
SECONDS = 3


def cost(python: Path, rounds: int, folder: Path) -> None:
    """Print what looking takes."""
    plain = [str(python), str(WORKLOAD), "2"]
    keep = ["--force", "-o", str(folder / "run.sonde")]
    ways = {"plain": plain}
    for rate in RATES:
        ways[f"sonde, {rate} Hz"] = [sys.executable, "-m", "sonde", "sample", *keep, "-r", str(rate), "--", *plain]
        ways[f"profiling.sampling, {rate} Hz"] = [*_sampler(python, "run", rate, folder), *plain[1:]]
    shares: dict[str, list[float]] = {way: [] for way in ways}
    order = random.Random(0)
    for _ in range(rounds):
        for way in order.sample(sorted(ways), len(ways)):
            before = _processor_s()
            done = subprocess.run(ways[way], capture_output=True, text=True, check=True)
            elapsed, ran = _figures(done.stdout)
            shares[way].append((_processor_s() - before - ran) / elapsed)
    print("| looked at by | processor time of the sampler, for each second |")
    print("|---|---|")
    for way, each in shares.items():
        low, high = median_interval(each)
        print(f"| {way} | {statistics.median(each):.3f} [{low:.3f}, {high:.3f}] |")


def invented(python: Path, rounds: int, folder: Path) -> None:
    """Print how much was seen that was not there."""
    theirs, ours, cut = [], [], []
    has_peer = not subprocess.run(
        [python, "-c", "import profiling.sampling"], capture_output=True, check=False
    ).returncode
    for _ in range(rounds):
        with running(python, "restless.py") as process:
            assert process.stdout is not None
            process.stdout.readline()
            if has_peer:
                command = [*_sampler(python, "attach", RATES[-1], folder), "-a", "-d", str(SECONDS), str(process.pid)]
                subprocess.run(command, capture_output=True, text=True, check=True)
                seen = list(_stacks(folder / "own.txt"))
                theirs.append(sum(count for stack, count in seen if _invents(stack)) / sum(count for _, count in seen))
            sampling = looked_at(process.pid, seconds=SECONDS, rate=RATES[-1], is_processor=True)
            profile, sums = profile_of(sampling), sampling.sampler.sums()
            ours.append(sum(invented_calls(profile).values()) / profile.total_ns)
            cut.append((sums["cut"] + sums["torn"]) / (sums["stacks"] + sums["torn"]))
    print("\n| invented calls | median | largest |\n|---|---|---|")
    if has_peer:
        print(f"| profiling.sampling | {statistics.median(theirs):.5f} | {max(theirs):.5f} |")
    print(f"| sonde | {statistics.median(ours):.5f} | {max(ours):.5f} |")
    print(f"\nsonde did not believe {statistics.median(cut):.4f} of the stacks whole.")


def _sampler(python: Path, what: str, rate: int, folder: Path) -> list[str]:
    keep = ["--collapsed", "-o", str(folder / "own.txt")]
    return [str(python), "-m", "profiling.sampling", what, "-r", str(rate), *keep]


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _figures(printed: str) -> tuple[float, float]:
    elapsed, ran = next(line for line in printed.splitlines() if re.match(r"\d+\.\d+ \d", line)).split()[:2]
    return float(elapsed), float(ran)


def _stacks(path: Path) -> Iterator[tuple[list[tuple[Function, int]], int]]:
    """Functions with the lines that they are in, outermost first; and how often they were seen so."""
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        stack, _, count = text.rpartition(" ")
        frames = [frame.rsplit(":", 2) for frame in stack.split(";") if frame.count(":") >= 2]
        # Now and then it writes bytes that are no text; they have no count.
        yield (
            [(Function(name, "", file, 0), int(line)) for file, name, line in frames],
            int(count) if count.isdigit() else 1,
        )


def _invents(stack: list[tuple[Function, int]]) -> bool:
    """Whether one of the program's own functions calls what its line does not."""
    source = (PROGRAMS / "restless.py").read_text(encoding="utf-8").splitlines()
    return any(
        caller.file.endswith("restless.py")
        and not called.name.startswith("<")
        and not called.file.startswith("made ")
        and not can_be(called, caller, line, source)
        for (caller, line), (called, _) in pairwise(stack)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of cost, invented (default: all)")
    parser.add_argument("--python", type=Path, required=True, help="a CPython, from 3.15 on for what it costs")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(platform.platform())
    with tempfile.TemporaryDirectory() as folder:
        for part, measure in (("cost", cost), ("invented", invented)):
            if not arguments.parts or part in arguments.parts:
                measure(arguments.python, arguments.rounds, Path(folder))


if __name__ == "__main__":
    main()
