"""Calls in hot code that the compiler left as calls, heaviest first: of any compiler whose decisions sonde reads.

python examples/hot_calls_not_inlined.py RUN
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from sonde.instruments.decisions.experiments import Experiment, HeatPolicy
from sonde.instruments.decisions.model import CallSite, DecisionRun
from sonde.instruments.decisions.readers import read_run


def main() -> None:
    run = read_run(Path(sys.argv[1]))
    experiment = Experiment(run, 1)
    experiment.mark_hot(HeatPolicy())
    for unit in sorted((run.units[number] for number in experiment.hot), key=lambda unit: -unit.period):
        for caller, site in remaining_calls(unit.load().inlining):
            reason = site.reasons[-1] if site.reasons else "no reason"
            print(f"{share(unit.period, run):6.1%}  {site.method} in {caller.method} at {site.at}: {reason}")


def remaining_calls(root: CallSite) -> Iterator[tuple[CallSite, CallSite]]:
    """Each call that is in the compiled code, below the method that makes it."""
    waiting = [root]
    while waiting:
        caller = waiting.pop()
        waiting.extend(caller.children)
        yield from ((caller, site) for site in caller.children if site.alive)


def share(period: int, run: DecisionRun) -> float:
    """Of the time of the run; 0 where nothing says where it went."""
    return period / run.profile.total if run.profile and run.profile.total else 0.0


if __name__ == "__main__":
    main()
