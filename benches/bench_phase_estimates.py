"""How near the cost of watching phases, as `sonde phases plan` estimates it, comes to what it costs.

    python benches/bench_phase_estimates.py [--rounds 5] [program ...]

At the thresholds that are usual the cost is too little to be measured. So the grain of a phase is made so fine for each
program of `workloads/phase_programs.py` that the estimate is nearest to a fifth of its time; then it runs plainly and
with these phases, in turns. Times are processor times, since others run here, too. To reach: a factor of 1.3.
"""

import argparse
import statistics
import sys

from bench_phases import NAMES, PROGRAMS, processor_s, watched
from ratios import ratio
from sonde.instruments.phases.known_counters import DEFAULT_COUNTERS
from sonde.instruments.phases.profile import Thetas
from sonde.instruments.phases.sources.cpython import WatchedRun, watching_costs
from sonde.instruments.phases.sources.first_step import time_every_call
from sonde.instruments.phases.verb.second_step import plans_around, selected_methods
from sonde.launch import agent_folder

WEIGHT = 1e-5
GRAINS = [10.0**-each for each in range(3, 9)]
WANTED = 0.2


def main() -> None:
    """Measure all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("programs", nargs="*", default=NAMES)
    given = parser.parse_args()
    package, costs = agent_folder("sonde._phase_agent"), watching_costs(DEFAULT_COUNTERS)
    print(f"a call costs {costs.call_ns:.0f} ns, others {costs.passing_ns:.1f} ns\n")
    print("| program | calls | estimated, % | measured, % | factor |")
    factors = []
    for name in given.programs:
        command = (sys.executable, str(PROGRAMS), name)
        tree, _ = time_every_call(command)
        plans = [plans_around(tree, Thetas(WEIGHT, grain), costs)[0] for grain in GRAINS]
        plan = min(plans, key=lambda each: abs(each.cost - WANTED))
        asked = WatchedRun.of(selected_methods(tree, plan.thetas), DEFAULT_COUNTERS)
        plain, with_phases = list[float](), list[float]()
        for _ in range(given.rounds):
            plain.append(processor_s(command, None))
            with_phases.append(watched(command, asked, package)[0])
        found = ratio(with_phases, plain)
        cost = found.median - 1
        estimate = plan.cost * tree.whole_ns / 1e9 / statistics.median(plain)  # on a full machine it waits besides
        factor = f"{estimate / cost:.2f}" if cost > 0 else "-"
        if cost > WANTED / 4:
            factors.append(estimate / cost)
        low, high = 100 * (found.low - 1), 100 * (found.high - 1)
        print(
            f"| {name} | {plan.calls:,} | {estimate:.1%} | {cost:.1%} [{low:.1f}, {high:.1f}] | {factor} |", flush=True
        )
    worst = max((max(each, 1 / each) for each in factors), default=0.0)
    middle = statistics.median(factors) if factors else 0.0
    print(f"\nof {len(factors)} that cost a twentieth or more: median factor {middle:.2f}, worst {worst:.2f}")


if __name__ == "__main__":
    main()
