"""What `sonde sample` costs, how near its profile comes to a dense one, and whether its intervals hold.

    python benches/bench_sampling.py [cost|native|accuracy|own|intervals|own-intervals|threads ...] [--rounds 15]
        [--python PATH] [--py-spy PATH]

cost: a program measures how long it takes itself; plain, looked at by sonde, by py-spy (pip install py-spy), and by the
sampler that CPython has from 3.15 on, and sampling itself, at several rates, in interleaved rounds. Each figure is the
median ratio to plain of the same round, with a 95 % interval.
native: the same of looks at C functions, too (`sonde sample --native`, `py-spy record --native`).
accuracy: a program is looked at 1,000 and 10,000 times a second at once. Weighted overlap: the sum over all contexts of
the smaller of the two shares of own time (Buytaert, PhD thesis, section 4.4.2).
own: the same of a program that samples itself 1,000 times a second; compared with a look at the same run from outside,
and with another run in which it samples itself, 10,000 times a second each.
intervals, own-intervals: a program whose functions measure themselves; how many of the 95 % intervals of their shares
hold these.
threads: the cost of looking at a program with 150 threads that wait, or wake twenty times a second, and how many looks
a second were made of 1,000.
"""

import argparse
import contextlib
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ratios import median_interval, ratio
from sonde.code import Function
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.profile import ContextProfile, Run
from sonde.instruments.contexts.sources.sampling import Found, OwnSampling, OwnSamplingPlan, StackSampling
from sonde.instruments.contexts.verb.sampled_run import processes_of

ROOT = Path(__file__).parents[1]
WORKLOAD = Path(__file__).with_name("workloads") / "sampled.py"
KNOWN = ROOT / "tests" / "sampled_programs" / "known_shares.py"
RATES = (250, 1000, 10_000)
PARTS = ("cost", "native", "accuracy", "own", "intervals", "own-intervals", "threads")
THREADS = 150


def cost(python: Path, rounds: int, spy: str | None) -> None:
    """Print the table of costs."""
    plain = [str(python), str(WORKLOAD), "1"]
    with tempfile.TemporaryDirectory() as folder:
        keep = ["--quiet", "--force", "-o", str(Path(folder, "run.sonde"))]
        ways = {"plain": plain, "plain again": plain}
        for rate in RATES:
            ways[f"sonde, {rate} Hz"] = [sys.executable, "-m", "sonde", "sample", *keep, "-r", str(rate), "--", *plain]
        for trigger, rate in (*(("task-clock", rate) for rate in RATES), ("timer", RATES[0]), ("sleep", RATES[1])):
            own = ["--mechanism", "immediate", "--trigger", trigger, "-r", str(rate)]
            ways[f"itself, {trigger}, {rate} Hz"] = [sys.executable, "-m", "sonde", "sample", *keep, *own, "--", *plain]
        for rate in RATES[:2] if spy else ():
            to = str(Path(folder, "spy.txt"))
            ways[f"py-spy, {rate} Hz"] = [str(spy), "record", "-f", "raw", "-o", to, "-r", str(rate), "--", *plain]
        for rate in RATES if tuple(map(int, _version(python).split(".")[:2])) >= (3, 15) else ():
            its = [plain[0], "-m", "profiling.sampling", "run", "-r", str(rate), "--collapsed"]
            ways[f"its own sampler, {rate} Hz"] = [*its, "-o", str(Path(folder, "own.txt")), *plain[1:]]
        print_ratios(python, ways, rounds)


def native(python: Path, rounds: int, spy: str | None) -> None:
    """Print the table of costs of looking at C functions."""
    plain = [str(python), str(WORKLOAD), "1"]
    with tempfile.TemporaryDirectory() as folder:
        keep = ["--quiet", "--force", "-o", str(Path(folder, "run.sonde"))]
        sample = [sys.executable, "-m", "sonde", "sample", *keep]
        ways = {"plain": plain, "plain again": plain, "sonde, 1000 Hz": [*sample, "-r", "1000", "--", *plain]}
        for rate in RATES[:2]:
            ways[f"sonde --native, {rate} Hz"] = [*sample, "--native", "-r", str(rate), "--", *plain]
            if spy:
                to = ["-f", "raw", "-o", str(Path(folder, "spy.txt"))]
                ways[f"py-spy --native, {rate} Hz"] = [
                    str(spy),
                    "record",
                    "--native",
                    *to,
                    "-r",
                    str(rate),
                    "--",
                    *plain,
                ]
        print_ratios(python, ways, rounds)


def print_ratios(python: Path, ways: Mapping[str, Sequence[str]], rounds: int) -> None:
    """Run commands in interleaved rounds, and print how long the program took by each, against `plain`."""
    seconds: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    order = random.Random(0)
    for _ in range(rounds):
        for way in order.sample(sorted(ways), len(ways)):
            done = subprocess.run(ways[way], capture_output=True, text=True, check=False)
            words = next(line for line in done.stdout.splitlines() if line[:1].isdigit()).split()
            seconds[way].append((float(words[0]), float(words[1])))
    print(f"\nPython {_version(python)}, {rounds} rounds\n")
    print("| looked at by | elapsed | processor time of the program |")
    print("|---|---|---|")
    for way, each in seconds.items():
        figures = (ratio([one[i] for one in each], [base[i] for base in seconds["plain"]]) for i in (0, 1))
        shown = (f"{each.median:.3f} [{each.low:.3f}, {each.high:.3f}]" for each in figures)
        print(f"| {way} | {' | '.join(shown)} |")


def accuracy(python: Path, rounds: int) -> None:
    """Print the weighted overlaps."""
    overlaps, kept = [], []
    for _ in range(rounds):
        with subprocess.Popen([str(python), str(WORKLOAD), "12"], stdout=subprocess.PIPE) as process:
            looks = [StackSampling(1_000_000_000 // rate, is_processor=True, for_ns=10**10) for rate in (1000, 10_000)]
            for look in looks:
                while look.try_pid(process.pid) is not Found.FOUND:
                    pass
            for look in looks:
                look.begin()
            for look in looks:
                look.wait(60)
                look.end()
            process.kill()
        shares = [_shares(_profile(look)) for look in looks]
        overlaps.append(sum(min(share, shares[1].get(path, 0.0)) for path, share in shares[0].items()))
        sums = looks[0].sampler.sums()
        kept.append((sums["stacks"] - sums["cut"]) / (sums["stacks"] + sums["torn"]))
    low, high = median_interval(overlaps)
    print(f"\nPython {_version(python)}: weighted overlap of 10 s at 1 kHz with 10 kHz, {rounds} runs:")
    print(
        f"median {statistics.median(overlaps):.3f} [{low:.3f}, {high:.3f}]; whole stacks {statistics.median(kept):.4f}"
    )


@contextlib.contextmanager
def _own(period_ns: int) -> Iterator[OwnSampling]:
    with tempfile.TemporaryDirectory() as folder:
        yield OwnSampling(OwnSamplingPlan("immediate", "task-clock", period_ns), Path(folder))


def own(python: Path, rounds: int) -> None:
    """Print the weighted overlaps of programs that sample themselves."""
    outside, inside, torn = [], [], []
    command = [str(python), str(WORKLOAD), "10"]
    for _ in range(rounds):
        shares = []
        for rate in (1000, 10_000):
            with _own(1_000_000_000 // rate) as itself:
                look = StackSampling(100_000, is_processor=True)
                with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=itself.environment()) as process:
                    itself.begin()
                    if rate == 1000:
                        look.wait_for(process.pid)
                        look.begin()
                    process.wait()
                itself.end()
                look.end()
                shares.append(_shares(_profile(itself)))
                if rate == 1000:
                    outside.append(_overlap(shares[0], _shares(_profile(look))))
                sums = itself.rings.sums()
                torn.append(sums["torn"] / sums["samples"])
        inside.append(_overlap(*shares))
    print(f"\nPython {_version(python)}: weighted overlap of 10 s, 1 kHz, immediate, {rounds} runs, by context:")
    for what, each in (("10 kHz from outside, same run", outside), ("10 kHz immediate, another run", inside)):
        low, high = median_interval(each)
        print(f"with {what}: median {statistics.median(each):.3f} [{low:.3f}, {high:.3f}]")
    print(f"dropped stacks: {statistics.mean(torn):.6f}")


def _uninterrupted(process: int) -> None:
    """Have it run before others, if we may.

    Where a program asks how long it has run, the system sees that its turn is over. So on a busy machine it would be
    interrupted just there, and these places are no sample of what it runs.
    """
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(process, os.SCHED_FIFO, os.sched_param(2))


def intervals(python: Path, rounds: int, *, is_own: bool) -> None:
    """Print how many intervals hold what the program says."""
    held, widths, without = [], [], 0
    errors: dict[str, list[float]] = {}
    for _ in range(rounds):
        command = [str(python), str(KNOWN), "1"]
        with _own(1_000_000) as itself:
            environment = itself.environment() if is_own else None
            with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            ) as process:
                assert process.stdin is not None and process.stdout is not None
                look = itself if is_own else StackSampling(1_000_000, is_processor=True)
                if isinstance(look, OwnSampling):
                    look.begin()
                process.stdout.readline()
                _uninterrupted(process.pid)
                if isinstance(look, StackSampling):
                    assert look.try_pid(process.pid) is Found.FOUND
                    look.begin()
                process.stdin.write("\n")
                process.stdin.flush()
                known: dict[str, float] = json.loads(process.stdout.readline())
                if isinstance(look, OwnSampling):
                    process.wait()
                look.end()
            profile = _profile(look)
        own = {name: [0, 0] for name in known}
        tree = profile.contexts
        for number, ns, deviation in zip(tree.function, tree.self_ns, tree.ns_deviation, strict=True):
            name = profile.functions[number].name
            name = name.rpartition(" in ")[2]
            if name in own:
                own[name][0] += ns
                own[name][1] += deviation**2
        whole = sum(ns for ns, _ in own.values())
        assert profile.sampling is not None
        if not whole and profile.sampling.bursts <= 1:  # the program's priority kept the sampler from its processor
            without += 1
            continue
        for name, (ns, square) in own.items():
            error, reach = ns / whole - known[name], 2 * square**0.5 / whole
            held.append(abs(error) <= reach)
            errors.setdefault(name, []).append(error)
            widths.append(reach)
    share = sum(held) / len(held)
    who = "itself" if is_own else "outside"
    print(
        f"\nPython {_version(python)}, {who}: {sum(held)} of {len(held)} intervals hold ({100 * share:.1f} %),"
        f" {rounds - without} runs; {without} in which the sampler had no processor"
    )
    spread = statistics.mean(error * error for of in errors.values() for error in of) ** 0.5
    print(f"reach {statistics.mean(widths):.4f}, root mean square of errors {spread:.4f}")
    for name, of in errors.items():
        deviation = statistics.stdev(of) / len(of) ** 0.5
        print(f"{name}: mean error {statistics.mean(of):+.4f}, {deviation:.4f} its standard error")


def threads(python: Path, rounds: int) -> None:
    """Print the table of costs with many threads."""
    program = str(WORKLOAD.with_name("many_threads.py"))
    print(f"\nPython {_version(python)}, {THREADS} threads, {rounds} rounds\n")
    print("| threads | looked at | elapsed | processor time of the program | looks a second |")
    print("|---|---|---|---|---|")
    for way in ("idle", "polling"):
        plain = [str(python), program, str(THREADS), way, "2"]
        looked = [sys.executable, "-m", "sonde", "sample"]
        ways = {what: [*looked, "--what", what, "--", *plain] for what in ("cpu", "wall", "gil")}
        ways |= {"plain": plain, "plain again": plain}
        seconds: dict[str, list[tuple[float, float]]] = {what: [] for what in ways}
        rates: dict[str, list[float]] = {what: [] for what in ways}
        order = random.Random(0)
        for _ in range(rounds):
            for what in order.sample(sorted(ways), len(ways)):
                done = subprocess.run(ways[what], capture_output=True, text=True, check=False)
                elapsed, ran = map(float, done.stdout.split())
                seconds[what].append((elapsed, ran))
                looks = re.search(r"from ([\d,]+) looks", done.stderr)
                took = re.search(r"([\d.]+) s elapsed", done.stderr)
                if looks and took:
                    rates[what].append(int(looks[1].replace(",", "")) / float(took[1]))
        for what, each in seconds.items():
            ratios = (ratio([one[i] for one in each], [base[i] for base in seconds["plain"]]) for i in (0, 1))
            shown = " | ".join(f"{one.median:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in ratios)
            print(
                f"| {way} | {what} | {shown} | {statistics.median(rates[what]):.0f} |"
                if rates[what]
                else f"| {way} | {what} | {shown} | |"
            )


def _overlap(one: Mapping[tuple[object, ...], float], other: Mapping[tuple[object, ...], float]) -> float:
    """Without what an interpreter does before it lets itself be sampled, and its imports."""
    parts = [{path: share for path, share in each.items() if not _is_start(path)} for each in (one, other)]
    first, second = ({path: share / sum(each.values()) for path, share in each.items()} for each in parts)
    return sum(min(share, second.get(path, 0.0)) for path, share in first.items())


def _is_start(path: tuple[object, ...]) -> bool:
    return any(isinstance(each, Function) and each.file.startswith("<frozen ") for each in path)


def _profile(look: StackSampling | OwnSampling) -> ContextProfile:
    return stack_contexts(look.sampler, Run(time_kind="processor"), processes_of(look), period_ns=look.period_ns)


def _shares(profile: ContextProfile) -> Mapping[tuple[object, ...], float]:
    tree, paths, shares = profile.contexts, list[tuple[object, ...]](), {}
    for parent, function, line, ns in zip(tree.parent, tree.function, tree.call_line, tree.self_ns, strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), profile.functions[function], line))
        shares[paths[-1]] = ns / profile.total_ns
    return shares


def _version(python: Path) -> str:
    asked = [str(python), "-c", "import platform; print(platform.python_version())"]
    return subprocess.check_output(asked, text=True).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--py-spy", default=shutil.which("py-spy"))
    arguments = parser.parse_args()
    parts = arguments.parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print(platform.platform())
    if "cost" in parts:
        cost(arguments.python, arguments.rounds, arguments.py_spy)
    if "native" in parts:
        native(arguments.python, arguments.rounds, arguments.py_spy)
    if "accuracy" in parts:
        accuracy(arguments.python, max(3, arguments.rounds // 3))
    if "threads" in parts:
        threads(arguments.python, max(3, arguments.rounds // 2))
    if "own" in parts:
        own(arguments.python, max(3, arguments.rounds // 3))
    if "intervals" in parts:
        intervals(arguments.python, 4 * arguments.rounds, is_own=False)
    if "own-intervals" in parts:
        intervals(arguments.python, 4 * arguments.rounds, is_own=True)


if __name__ == "__main__":
    main()
