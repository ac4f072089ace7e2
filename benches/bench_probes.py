"""Real C and C++ programs with probes at their calls, against the same code without, and against other tools.

    python benches/bench_probes.py [--rounds 9] [--only ALTERNATIVE ...] [--level 2] [NAME ...]

CPU time of the program, from its first constructor to its end, as it tells itself (workloads/cpu_clock.c is linked to
it). Runs are interleaved; each figure is the median ratio over the rounds, with a 95 % interval; outputs are compared.

By the JIT, against the same code without probes:

    calls    every call in its context, after the optimiser (`sonde contexts --exact --no-time`)
    hot      the same in bounded memory (`sonde contexts --no-time`)
    times    and with times, as another thread of sonde's samples them (`sonde contexts`)
    bursts   as `hot`, for 2 ms in every 20 ms (`--burst 20ms/2ms`)
    early    as `calls`, before the optimiser (`--probes early`)
    empty, empty early    a counter at each entry and one at each end, and nothing else, after and before the optimiser

By gcc at the same level, against gcc's code without: `gcc -pg` (gprof's own sums, no contexts), and `uftrace record`,
which writes every call down by `-finstrument-functions` (`uftrace`) or by `-pg` (`uftrace -pg`), where it is
installed. Sizes are those of what each leaves on the disk. `fib` does nothing but call itself, and `helpers` is small
functions that are inlined: neither is in the medians.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ratios import ratio

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parent / "tests"))  # the programs are those of the tests

from bench_jit import Work, all_work  # noqa: E402 - see above
from empty_probes import with_empty_probes  # noqa: E402 - see above
from real_programs import RealProgram  # noqa: E402 - see above
from sonde.instruments.contexts.hotness import hot_limits  # noqa: E402 - see above
from sonde.instruments.contexts.sources.compiled import ProbedProgram  # noqa: E402 - see above
from sonde.instruments.contexts.sources.probe_plan import ProbePlan  # noqa: E402 - see above
from sonde.instruments.contexts.sources.sampling import TimeSampling  # noqa: E402 - see above
from sonde.jit import Libraries, link_program, run_alone  # noqa: E402 - see above
from sonde.jit.lone_program import LinkedProgram  # noqa: E402 - see above
from sonde.launch.burst_clock import BurstClock  # noqa: E402 - see above
from sonde.options.bursts import Bursts  # noqa: E402 - see above
from sonde.options.compiled_program import CompiledProgram  # noqa: E402 - see above

_BURSTS = Bursts(20_000_000, 2_000_000, one_in=0)
_MADE = {"fib": ("38",), "helpers": ("200000000",)}
"""Programs that are made to be bad cases -> their arguments."""


@dataclass
class Run:
    """One run: CPU seconds, and what was left on the disk."""

    seconds: float
    size_bytes: int
    output: bytes


Runner = Callable[[Path], Run]
"""Runs the program once, in an empty folder."""


def works() -> dict[str, Work]:
    clock = _HERE / "workloads" / "cpu_clock.c"
    made = {
        name: Work(RealProgram(name, (_HERE / "workloads" / f"{name}.c", clock)), words)
        for name, words in _MADE.items()
    }
    return {**all_work(), **made}


def in_fork(
    work: Work, folder: Path, become: Callable[[], NoReturn], meanwhile: Callable[[], None] = lambda: None
) -> Run:
    told, output = folder / "told", folder / "output"
    pid = os.fork()
    if pid == 0:
        for number, (path, flags) in enumerate(
            ((work.stdin, os.O_RDONLY), (output, os.O_WRONLY | os.O_CREAT), (told, os.O_WRONLY | os.O_CREAT))
        ):
            os.dup2(os.open(path, flags, 0o600), number)
        signal.alarm(600)
        become()
    meanwhile()
    _, status = os.waitpid(pid, 0)
    assert status == 0, (status, told.read_text(errors="replace"))
    return ran(folder)


def ran(folder: Path) -> Run:
    told, output = folder / "told", folder / "output"
    seconds = float(told.read_text().splitlines()[-1].split()[0])
    left = sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path not in (told, output))
    return Run(seconds, left, output.read_bytes())


def by_the_jit(work: Work, level: int, names: Sequence[str]) -> dict[str, Runner]:
    """Name of an alternative -> what runs it."""
    program = work.program
    files, options = list(map(str, program.files)), [*program.options, "-w"]
    asked = CompiledProgram(files, options, list(program.libraries), [], level, False, list(work.arguments))

    def alone(linked: LinkedProgram) -> Runner:
        libraries = Libraries(program.libraries)
        return lambda folder: in_fork(
            work, folder, lambda: run_alone(linked, linked.module.object(level), libraries, [files[0], *work.arguments])
        )

    def empty(when: str) -> Runner:
        linked = link_program(files, options, level=level if when == "late" else None)
        linked = with_empty_probes(linked, late=when == "late")
        if when == "early":
            linked.module.optimize(level)
        return alone(linked)

    made: dict[str, ProbedProgram] = {}

    def probed(when: str, plan: ProbePlan) -> Runner:
        if when not in made:
            made[when] = ProbedProgram.compile(asked, "early" if when == "early" else "late", bursts=when == "bursts")

        def run(folder: Path) -> Run:
            spool = folder / "spool"
            spool.mkdir()
            made[when].describe(spool)
            sampling = TimeSampling(spool, is_processor=False) if plan.timed else None
            if sampling is not None:
                sampling.begin()
            try:
                with BurstClock(spool, _BURSTS if when == "bursts" else None):
                    return in_fork(work, folder, lambda: made[when].become(spool, plan))
            finally:
                if sampling is not None:
                    sampling.end()

        return run

    by_calls, by_time = (hot_limits(metric, 1e-4, None) for metric in ("calls", "time"))
    plans = {
        "calls": ("late", ProbePlan(None, timed=False, follow=False)),
        "hot": ("late", ProbePlan(by_calls, timed=False, follow=False)),
        "times": ("late", ProbePlan(by_time, timed=True, follow=False)),
        "bursts": ("bursts", ProbePlan(by_calls, timed=False, follow=False)),
        "early": ("early", ProbePlan(None, timed=False, follow=False)),
    }
    empties = {"empty": "late", "empty early": "early"}
    return {
        "plain": alone(link_program(files, options, level=level)),
        **{name: probed(*plans[name]) for name in plans if name in names},
        **{name: empty(empties[name]) for name in empties if name in names},
    }


def by_gcc(work: Work, level: int, names: Sequence[str], folder: Path) -> dict[str, Runner]:
    """The same for what gcc compiles."""
    program = work.program
    made: dict[str, tuple[Sequence[str], Sequence[str]]] = {
        "gcc": ((), ()),
        "gcc -pg": (("-pg",), ()),
        "uftrace": (("-finstrument-functions",), ("uftrace", "record", "-d", "trace")),
        "uftrace -pg": (("-pg",), ("uftrace", "record", "-d", "trace")),
    }
    found: dict[str, Runner] = {}
    for name, (options, before) in made.items():
        if (name not in names and name != "gcc") or (before and shutil.which(before[0]) is None):
            continue
        path = folder / f"{program.name}-{len(found)}"
        compiler = "g++" if program.is_cxx else "gcc"
        command = [compiler, f"-O{level}", "-march=native", "-w", "-ffp-contract=off", *program.options, *options]
        libraries = [f"-l{each}" for each in program.libraries]
        subprocess.run([*command, *map(str, program.files), *libraries, "-lm", "-o", str(path)], check=True)
        found[name] = _runs((*before, str(path), *work.arguments), work)
    return found


def _runs(command: Sequence[str], work: Work) -> Runner:
    def run(folder: Path) -> Run:
        with work.stdin.open("rb") as given, (folder / "output").open("wb") as out, (folder / "told").open("wb") as err:
            subprocess.run(command, cwd=folder, stdin=given, stdout=out, stderr=err, check=True)
        return ran(folder)

    return run


def compare(name: str, runners: dict[str, Runner], baseline: str, rounds: int, prints_times: bool) -> dict[str, float]:
    """Print the ratios of one program; name -> median."""
    seconds: dict[str, list[float]] = {each: [] for each in runners}
    sizes: dict[str, int] = {}
    expected: bytes | None = None
    failed: set[str] = set()
    for turn in range(rounds):
        order = list(runners) if turn % 2 else list(runners)[::-1]
        for each in order:
            if each in failed:
                continue
            try:
                with tempfile.TemporaryDirectory(dir=_memory()) as folder:
                    run = runners[each](Path(folder))
            except subprocess.CalledProcessError as error:
                failed.add(each)
                print(f"  {name:14} {each:12} ended with {error.returncode}", flush=True)
                continue
            seconds[each].append(run.seconds)
            sizes[each] = run.size_bytes
            expected = run.output if expected is None else expected
            assert prints_times or run.output == expected, (name, each)
    medians = {}
    for each in runners:
        if each != baseline and each not in failed:
            found = ratio(seconds[each], seconds[baseline])
            medians[each] = found.median
            print(f"  {name:14} {each:12} {found}  {sizes[each] / 2**20:8.1f} MiB", flush=True)
    return medians


def _memory() -> str | None:
    """Where files cost no disk: what is written down is large."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main() -> None:
    alternatives = (
        "calls", "hot", "times", "bursts", "early", "empty", "empty early", "gcc -pg", "uftrace", "uftrace -pg"
    )  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=alternatives, default=alternatives)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print(f"CPU time against the same code without, at -O{arguments.level}; median [95 %], {arguments.rounds} rounds")
    found: dict[str, dict[str, float]] = {}
    for name, work in works().items():
        if arguments.names and name not in arguments.names:
            continue
        prints_times = work.program.name == "sqlite-speedtest"
        with tempfile.TemporaryDirectory() as folder:
            for runners, baseline in (
                (by_the_jit(work, arguments.level, arguments.only), "plain"),
                (by_gcc(work, arguments.level, arguments.only, Path(folder)), "gcc"),
            ):
                if len(runners) > 1:
                    medians = compare(name, runners, baseline, arguments.rounds, prints_times)
                    for each, median in medians.items():
                        found.setdefault(each, {})[name] = median
    print("over the programs, without those that are made to be bad cases: median, worst")
    for each, medians in found.items():
        values = [median for name, median in medians.items() if name not in _MADE]
        if values:
            print(f"  {each:12} {statistics.median(values):.2f}  {max(values):.2f}", flush=True)


if __name__ == "__main__":
    main()
