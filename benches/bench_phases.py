"""What it costs to watch phases, and whether those found while a program runs are those of the three steps.

    python benches/bench_phases.py [--rounds 9] [--python PYTHON --package FOLDER] [--agreement] [program ...]

Each round runs a program of `workloads/phase_programs.py` plainly, with phases that are found while it runs, and with
the same phases watched from its start (the third step), in turns, at the default thresholds; ratios are of processor
time, since others run here, too. For another Python than this one, FOLDER has the agent for it, as
`tests/interpreters.py` makes it, but optimised. With `--agreement` each program is also timed call by call (this
Python only): the share of the time of its phases that was found in one run, the estimate of the cost, and how much
phases explain.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ratios import Ratio, ratio
from sonde.instruments.phases.analysis import figures_of, phase_consistencies, phase_sums, plan_phases
from sonde.instruments.phases.known_counters import DEFAULT_COUNTERS
from sonde.instruments.phases.profile import Phase, PhaseProfile, Thetas
from sonde.instruments.phases.sources.cpython import (
    Search,
    WatchedRun,
    environment_to_watch,
    read_watched_run,
    watching_costs,
)
from sonde.instruments.phases.sources.first_step import time_every_call
from sonde.instruments.phases.verb.second_step import selected_methods
from sonde.launch import agent_folder

PROGRAMS = Path(__file__).with_name("workloads") / "phase_programs.py"
NAMES = (
    *("sort_file", "json_records", "unparse", "compare_texts", "words_of_text", "bodies"),
    *("pages", "tables", "archives", "spreadsheets", "memory", "tiny_calls"),
)
LEAST_NS = 300_000.0


def processor_s(command: Sequence[str], environment: dict[str, str] | None) -> float:
    """User and system time of a run."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def watched(command: Sequence[str], asked: WatchedRun, package: Path) -> tuple[float, PhaseProfile]:
    """The same, with phases."""
    with tempfile.TemporaryDirectory() as folder:
        took = processor_s(command, environment_to_watch(Path(folder), asked, package))
        return took, read_watched_run(Path(folder), asked)


def methods_of(profile: PhaseProfile) -> list[Phase]:
    """Those that were found."""
    return [phase for phase in profile.phases if phase.is_method]


def agreement(command: tuple[str, ...], found: PhaseProfile) -> str:
    """Compare with the three steps."""
    thetas = Thetas()
    tree, _ = time_every_call(command)
    chosen = {each.function: each.planned_ns for each in selected_methods(tree, thetas)}
    own = {found.phases[each.phase].function: each.total_ns for each in phase_sums(figures_of(found))}
    ours = {phase.function: own[phase.function] for phase in methods_of(found)}
    # One knows the modules of methods, the other does not.
    steps = {(each.name, each.file, each.first_line): ns for each, ns in chosen.items()}
    online = {(each.name, each.file, each.first_line): ns for each, ns in ours.items()}
    same = sum(ns for key, ns in steps.items() if key in online) / max(sum(steps.values()), 1)
    back = sum(ns for key, ns in online.items() if key in steps) / max(sum(online.values()), 1)
    (plan,) = plan_phases(tree, *watching_costs(DEFAULT_COUNTERS), (thetas.weight,), (thetas.grain,))
    explained = phase_consistencies(figures_of(found)).explained
    told = "-" if explained is None else f"{explained:.0%}"
    return f" | {same:.0%} | {back:.0%} | {plan.cost:.2%} | {found.taken_ns / found.whole_ns:.2%} | {told}"


def percent(costs: Ratio) -> str:
    """A ratio as what is added."""
    return f"{100 * (costs.median - 1):+.1f} [{100 * (costs.low - 1):+.1f}, {100 * (costs.high - 1):+.1f}]"


def main() -> None:
    """Measure all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--package", type=Path)
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("programs", nargs="*", default=NAMES)
    given = parser.parse_args()
    package = given.package or agent_folder("sonde._phase_agent")
    more = " | same | back | estimated | taken | explained" if given.agreement else ""
    print(f"| program | phases | calls | found as it runs, % | third step, %{more} |")
    medians: list[list[float]] = [[], []]
    for name in given.programs:
        command = (given.python, str(PROGRAMS), name)
        search = WatchedRun.searching(Search(Thetas(), LEAST_NS), DEFAULT_COUNTERS)
        _, found = watched(command, search, package)
        fixed = WatchedRun.of(methods_of(found), DEFAULT_COUNTERS)
        times: list[list[float]] = [[], [], []]
        for _ in range(given.rounds):
            times[0].append(processor_s(command, None))
            times[1].append(watched(command, search, package)[0])
            times[2].append(watched(command, fixed, package)[0])
        costs = [ratio(times[1], times[0]), ratio(times[2], times[0])]
        for kept, cost in zip(medians, costs, strict=True):
            kept.append(cost.median)
        compared = agreement(command, found) if given.agreement else ""
        methods = len(methods_of(found))
        print(
            f"| {name} | {methods} | {found.all_calls} | {percent(costs[0])} | {percent(costs[1])}{compared} |",
            flush=True,
        )
    told = [f"{100 * (statistics.median(each) - 1):+.1f}" for each in medians]
    print(f"| median | | | {told[0]} | {told[1]} |")


if __name__ == "__main__":
    main()
