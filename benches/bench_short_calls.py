"""How far shares of `sonde sample` from outside are from the truth where calls are shorter than reading a stack.

    python benches/bench_short_calls.py [--only plain|generator|tail|beside|tasks ...] [--rounds 20] [--seconds 1.2]
        [--rate 4000] [--busy N] [--python PATH ...]

A program calls short functions without end (workloads/short_calls.py). Each round samples it three times, in random
order: on the processor that the program has, so that it stands still while it is read, which is the truth; from
another processor, while it runs; and wherever the system lets both run. Printed is the share that each function has
itself, less that of the same round while the program stands still, and how many stacks were cut; of a program with
tasks, also the share that each task has (`--tasks`), and what is told of another task than the one that ran it. With
`--rate` up to 1,100, "anywhere" is the program's own processor where its stacks change too fast. `--busy`: so many
processes beside it that only compute. Needs two processors.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratios import median_interval
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Run
from sonde.instruments.contexts.sources.sampling import Found, StackSampling
from sonde.instruments.contexts.verb.sampled_run import processes_of

PROGRAM = Path(__file__).with_name("workloads") / "short_calls.py"
WAYS = {"standing still": ({0}, {0}), "from another processor": ({0}, {1}), "anywhere": ({0, 1}, {0, 1})}
"""The processors of the program, and those of the sampling thread."""


PROGRAMS = ("plain", "generator", "tail", "beside", "tasks")
TOLD_OF_ANOTHER = "told of another task"


def self_shares(
    python: Path, program: str, seconds: float, period_ns: int, processors: set[int], sampler: set[int]
) -> tuple[dict[str, float], float]:
    """The shares of each function (self time) and task, and that of stacks that were cut or torn."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        with subprocess.Popen([str(python), str(PROGRAM), program], stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()
                os.sched_setaffinity(0, sampler)
                sampling = StackSampling(
                    period_ns,
                    is_processor=True,
                    by_tasks=program == "tasks",
                    apart=program == "tasks",
                    for_ns=round(seconds * 1e9),
                )
                assert sampling.try_pid(process.pid) is Found.FOUND
                sampling.begin()
                assert sampling.wait(60)
                sampling.end()
            finally:
                process.kill()
    finally:
        os.sched_setaffinity(0, before)
    profile = stack_contexts(sampling.sampler, Run(), processes_of(sampling), period_ns=sampling.period_ns)
    ns = Counter[str]()
    for function, own in zip(profile.contexts.function, profile.contexts.self_ns, strict=True):
        ns[profile.functions[function].name] += own
    sums = sampling.sampler.sums()
    lost = (sums["cut"] + sums["torn"]) / max(1, sums["stacks"] + sums["torn"])
    return {name: own / ns.total() for name, own in (ns + of_tasks(profile)).items()}, lost


def of_tasks(profile: ContextProfile) -> "Counter[str]":
    """What each task has, in nanoseconds, its thread outside of them, and what is told of a task that another one ran.

    Nothing where they are not told apart.
    """
    ns, task_of = Counter[str](), list[str]()
    if profile.threads is not None:
        tree, tasks = profile.threads.contexts, profile.threads.threads
        for above, function, own in zip(tree.parent, tree.function, tree.self_ns, strict=True):
            task_of.append(tasks[-1 - function].name if above == NO_PARENT else task_of[above])
            ns[task_of[-1]] += own
            name = profile.functions[function].name if function >= 0 else ""
            if name.startswith("of_") and task_of[-1] not in ("MainThread", f"task {name[3:]}"):
                ns[TOLD_OF_ANOTHER] += own
    return ns


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute until it ends."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in others:
            process.kill()
            process.wait()


def measure(python: Path, program: str, rounds: int, seconds: float, period_ns: int) -> None:
    """Print a row for each function and way."""
    shares: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    cut: dict[str, list[float]] = {way: [] for way in WAYS}
    order = random.Random(0)
    for _ in range(rounds):
        for way in order.sample(sorted(WAYS), len(WAYS)):
            share, part = self_shares(python, program, seconds, period_ns, *WAYS[way])
            shares[way].append(share)
            cut[way].append(part)
    told = subprocess.check_output([python, "-c", "import platform; print(platform.python_version())"], text=True)
    truth = shares.pop("standing still")
    print(f"Python {told.strip()}, {program}, {rounds} rounds")
    least = {TOLD_OF_ANOTHER: 0.0} if program == "tasks" else {}
    for name in sorted({*least, *(name for each in truth for name in each)}):
        true = [each.get(name, 0) for each in truth]
        if statistics.median(true) < least.get(name, 0.005):
            continue
        print(f"  {name}: {statistics.median(true):.3f} while it stands still")
        for way, each in shares.items():
            errors = [share.get(name, 0) - at for share, at in zip(each, true, strict=True)]
            low, high = median_interval(errors)
            print(
                f"    {way:23} {statistics.median(errors):+.3f} [{low:+.3f}, {high:+.3f}], {min(errors):+.3f} to"
                f" {max(errors):+.3f}"
            )
    for way, parts in cut.items():
        print(f"  {way}: {100 * statistics.median(parts):.2f} % cut", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.2)
    parser.add_argument("--rate", type=float, default=4000, help="samples a second")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--python", type=Path, nargs="+", default=[Path(sys.executable)])
    arguments = parser.parse_args()
    with busy(arguments.busy):
        for python in arguments.python:
            for program in arguments.only:
                measure(python, program, arguments.rounds, arguments.seconds, round(1e9 / arguments.rate))


if __name__ == "__main__":
    main()
