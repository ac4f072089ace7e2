"""Programs that do what interpreters find hard, and sample themselves 10,000 times a second: crashes, bad frames.

    python benches/bench_own_stress.py [--seconds 600] [--rate 10000] [--python PATH ...]

One after the other, each for a part of the time: threads that call, raise, generate, and make and free code
(tests/sampled_programs/restless.py, every call of which is known), threads, forks, collections, deep stacks and `exec`
(violent.py, which checks its own results), and greenlets, where that Python has them. Printed are samples, stacks that
were dropped, and calls that a program does not have. sonde must have an agent for the Python.
"""

import argparse
import platform
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from restless_calls import invented_calls
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.profile import Run
from sonde.instruments.contexts.sources.sampling import OwnSampling, OwnSamplingPlan
from sonde.instruments.contexts.verb.sampled_run import processes_of

PROGRAMS = Path(__file__).parents[1] / "tests" / "sampled_programs"
GREENLETS = """
import sys, time
from greenlet import greenlet
def deep(depth, other): return deep(depth - 1, other) if depth else other.switch()
def run(depth):
    while True: deep(depth, main)
main, end = greenlet.getcurrent(), time.monotonic() + float(sys.argv[1])
others = [greenlet(run) for _ in range(20)]
while time.monotonic() < end:
    for number, each in enumerate(others): each.switch(number * 5) if not each else each.switch()
    greenlet(lambda: main.switch()).switch()
print("whole")
"""
VIOLENT_TIMES = 3
"""How often `violent.py` becomes itself."""


class Stress(NamedTuple):
    """How a program went."""

    samples: int
    dropped: int
    invented: float
    """Share of the processor time that calls have which the program does not have."""
    fault: str
    """Empty: it ended as it should."""


def stress(python: Path, name: str, seconds: float, rate: int) -> Stress:
    """Run one program, and look at what it said."""
    command = {
        "restless": [str(PROGRAMS / "restless.py")],
        "violent": [str(PROGRAMS / "violent.py"), str(seconds / VIOLENT_TIMES), str(VIOLENT_TIMES)],
        "greenlets": ["-c", GREENLETS, str(seconds)],
    }[name]
    with tempfile.TemporaryDirectory() as folder:
        plan = OwnSamplingPlan("immediate", "task-clock", 1_000_000_000 // rate, follow=True)
        sampling = OwnSampling(plan, Path(folder))
        with subprocess.Popen(
            [str(python), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=sampling.environment(),
        ) as process:
            sampling.begin()
            if name == "restless":
                ends = time.monotonic() + seconds
                while time.monotonic() < ends and process.poll() is None:
                    time.sleep(0.1)
                if process.poll() is None:
                    process.kill()  # it goes on for ever
            out, err = process.communicate(timeout=60 + 3 * seconds)
        sampling.end()
        sums = sampling.rings.sums()
        profile = stack_contexts(
            sampling, Run(time_kind="processor"), processes_of(sampling), period_ns=sampling.period_ns
        )
        profile.check_valid()
    calls = invented_calls(profile) if name == "restless" else {}
    invented = sum(calls.values()) / profile.total_ns
    for call, ns in calls.items():
        print(f"{ns} ns: {call}", file=sys.stderr)
    is_whole = process.returncode == -signal.SIGKILL if name == "restless" else out.endswith("whole\n")
    fault = "" if is_whole and not err else f"ended with {process.returncode}: {err[-300:]}"
    if sums["damaged"] or sums["unknown"]:
        fault += f" {sums['damaged']} rings damaged, {sums['unknown']} samples of unknown code"
    return Stress(sums["samples"], sums["torn"], invented, fault)


def has_greenlets(python: Path) -> bool:
    """Whether that Python can import them."""
    return not subprocess.run([python, "-c", "import greenlet"], capture_output=True, check=False).returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--rate", type=int, default=10_000)
    parser.add_argument("--python", type=Path, nargs="+", default=[Path(sys.executable)])
    arguments = parser.parse_args()
    print(platform.platform())
    print("\n| Python | program | seconds | samples | dropped stacks | invented calls, share of the time | |")
    print("|---|---|---|---|---|---|---|")
    for python in arguments.python:
        asked = [python, "-c", "import platform; print(platform.python_version())"]
        version = subprocess.check_output(asked, text=True).strip()
        parts = {"restless": 0.45, "violent": 0.45, "greenlets": 0.1}
        if not has_greenlets(python):
            del parts["greenlets"]
        for name, part in parts.items():
            seconds = arguments.seconds * part / sum(parts.values())
            found = stress(python, name, seconds, arguments.rate)
            dropped = f"{found.dropped} ({100 * found.dropped / max(1, found.samples + found.dropped):.3f} %)"
            print(
                f"| {version} | {name} | {seconds:.0f} | {found.samples:,} | {dropped} | {found.invented:.6f}"
                f" | {found.fault or 'whole'} |",
                flush=True,
            )


main()
