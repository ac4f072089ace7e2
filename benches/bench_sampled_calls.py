"""Exact calls with sampled times (`sonde contexts --time sampled`): how often stated intervals hold.

    python benches/bench_sampled_calls.py [--rounds 40] [--clock wall] [--seconds 1] [--python PATH]

A program whose three functions take turns measures the time of each itself, by the same kind of clock. Printed is how
many of the 95 % intervals of their shares hold these, how far they reach, and how far the shares are from the truth;
and how much of the program's time, by its own clock, contexts have got. `bench_overhead.py` and `bench_programs.py`
tell what it costs, `bench_shares.py` how right shares of tiny calls are.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, read_profile

KNOWN = Path(__file__).parents[1] / "tests" / "sampled_programs" / "known_shares.py"


def run(
    folder: Path, seconds: float, clock: str, python: Path = Path(sys.executable)
) -> tuple[ContextProfile, dict[str, float]]:
    """A profile, and the shares that the program tells."""
    output = folder / "run.sonde"
    sonde = [sys.executable, "-m", "sonde", "contexts", "--quiet", "--force", "-o", str(output), "--time", "sampled"]
    command = [*sonde, "--clock", clock, "--", str(python), str(KNOWN), str(seconds), clock]
    done = subprocess.run(command, input="\n", capture_output=True, text=True, check=True)
    return read_profile(output), json.loads(done.stdout.splitlines()[-1])


def own_times(profile: ContextProfile, names: dict[str, float]) -> dict[str, tuple[int, float]]:
    """Nanoseconds of functions and what is below them, and the variances of these."""
    tree, of = profile.contexts, list[str]()
    found = dict.fromkeys(names, (0, 0.0))
    for above, number, ns, deviation in zip(tree.parent, tree.function, tree.self_ns, tree.ns_deviation, strict=True):
        name = profile.functions[number].name
        of.append(name if name in names else of[above] if above != NO_PARENT else "")
        if of[-1]:
            whole, square = found[of[-1]]
            found[of[-1]] = (whole + ns, square + deviation**2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    arguments = parser.parse_args()
    held, errors, reaches, got = list[bool](), list[float](), list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            profile, known = run(Path(folder), arguments.seconds, arguments.clock, arguments.python)
            found = own_times(profile, known)
            whole = sum(ns for ns, _ in found.values())
            got.append(whole / 1e9 / arguments.seconds)
            for name, (ns, square) in found.items():
                error, reach = ns / whole - known[name], 2 * square**0.5 / whole
                held.append(abs(error) <= reach)
                errors.append(error)
                reaches.append(reach)
    asked = [arguments.python, "-c", "import platform; print(platform.python_version())"]
    version = subprocess.check_output(asked, text=True).strip()
    spread = statistics.mean(error * error for error in errors) ** 0.5
    print(
        f"Python {version}: {sum(held)} of {len(held)} intervals hold"
        f" ({100 * sum(held) / len(held):.1f} %), {arguments.rounds} runs; reach {statistics.mean(reaches):.4f}, root"
        f" mean square of errors {spread:.4f}; contexts have {statistics.median(got):.3f} of the time"
    )


if __name__ == "__main__":
    main()
