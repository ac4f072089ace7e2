"""What it costs to watch the phases of compiled programs.

    python benches/bench_phases_native.py [--rounds 9] [--level 2] [NAME ...]

CPU time of the program as it tells itself (workloads/cpu_clock.c), in turns without and with probes in the functions
that are phases at the default thresholds; outputs are compared. Beside the median ratio, with a 95 % interval, stand
that of the shortest runs (on a busy machine they were disturbed least), what was estimated after the first step, and
what the probes took by their own account.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from ratios import ratio

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parent / "tests"))  # the programs are those of the tests

from bench_probes import Run, in_fork, works  # noqa: E402 - see above
from sonde.instruments.phases.analysis import plan_phases  # noqa: E402 - see above
from sonde.instruments.phases.known_counters import COMPILED_COUNTERS  # noqa: E402 - see above
from sonde.instruments.phases.profile import PhaseProfile, Thetas  # noqa: E402 - see above
from sonde.instruments.phases.sources.compiled import CompiledPhases, telling_cost_ns  # noqa: E402 - see above
from sonde.instruments.phases.sources.cpython import WatchedRun, read_watched_run  # noqa: E402 - see above
from sonde.instruments.phases.sources.first_step import read_times  # noqa: E402 - see above
from sonde.instruments.phases.verb.second_step import selected_methods  # noqa: E402 - see above
from sonde.jit import run_alone  # noqa: E402 - see above
from sonde.options.compiled_program import CompiledProgram  # noqa: E402 - see above

Runner = Callable[[Path], Run]


def compared(name: str, level: int, rounds: int) -> float:
    """Print a row; the median ratio."""
    work = works()[name]
    files, options = list(map(str, work.program.files)), [*work.program.options, "-w"]
    asked = CompiledProgram(files, options, list(work.program.libraries), [], level, False, list(work.arguments))
    program, thetas = CompiledPhases.compile(asked), Thetas()
    with tempfile.TemporaryDirectory() as folder:
        words = [*files, *options, *(f"-l{each}" for each in asked.libraries), f"-O{level}", "--", *work.arguments]
        times = Path(folder, "calls.sonde")
        command = [sys.executable, "-m", "sonde", "contexts", "--exact", "--quiet", "-o", str(times), *words]
        with work.stdin.open("rb") as given:
            subprocess.run(
                command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, check=True
            )
        tree = read_times(times)
    watched = WatchedRun.of_compiled(selected_methods(tree, thetas), COMPILED_COUNTERS)
    probed = program.probed(watched.phases)
    profiles: list[PhaseProfile] = []

    def plain(folder: Path) -> Run:
        def become() -> NoReturn:
            run_alone(
                program.linked, program.linked.module.object(level), program.libraries, [files[0], *work.arguments]
            )

        return in_fork(work, folder, become)

    def with_phases(folder: Path) -> Run:
        logs = folder / "logs"
        logs.mkdir()

        def become() -> NoReturn:
            program.become(probed, logs, watched)

        run = in_fork(work, folder, become)
        profiles.append(read_watched_run(logs, watched))
        return run

    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        runs: list[tuple[int, Runner]] = [(0, plain), (1, with_phases)]
        outputs = []
        for at, run in runs[:: 1 if turn % 2 else -1]:
            with tempfile.TemporaryDirectory() as folder:
                found = run(Path(folder))
            seconds[at].append(found.seconds)
            outputs.append(found.output)
        assert name == "sqlite" or outputs[0] == outputs[1], name
    (plan,) = plan_phases(tree, telling_cost_ns(COMPILED_COUNTERS), 0.0, (thetas.weight,), (thetas.grain,))
    cost, last = ratio(seconds[1], seconds[0]), profiles[-1]
    taken = last.taken_ns / max(last.whole_ns, 1)
    print(
        f"| {name} | {len(watched.phases)} | {last.all_calls} | {100 * (cost.median - 1):+.1f} "
        f"[{100 * (cost.low - 1):+.1f}, {100 * (cost.high - 1):+.1f}] | "
        f"{100 * (min(seconds[1]) / min(seconds[0]) - 1):+.1f} | {plan.cost:.3%} | {taken:.3%} |",
        flush=True,
    )
    return cost.median


def main() -> None:
    """Measure all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    print("| program | phases | calls | cost, % | of the shortest runs, % | estimated | taken |")
    medians = [compared(name, given.level, given.rounds) for name in given.names or works()]
    print(f"median of the programs: {100 * (statistics.median(medians) - 1):+.1f} %")


if __name__ == "__main__":
    main()
