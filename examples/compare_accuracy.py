"""Find out what bounded memory costs for a program of yours: record it once, count the recording in several ways.

    python examples/compare_accuracy.py app.py 3

The lines are: phi, how many contexts are hot, how many the hot tree has, the share of all time in those, false
positives, and by how much the times of hot contexts are too low, on average and at worst. The same by hand:

    sonde contexts --record t.trace --quiet -o run.sonde app.py 3
    sonde replay t.trace --exact -o exact.sonde
    sonde replay t.trace --phi 1e-3 -o approx.sonde
    sonde diff --accuracy exact.sonde approx.sonde
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sonde.instruments.contexts.analyses import RecordedContexts
from sonde.instruments.contexts.hotness import HotLimits, hot_limits
from sonde.instruments.contexts.profile import ContextProfile, Run
from sonde.instruments.contexts.profile.comparison import accuracy
from sonde.trace import TraceReader

PHIS = (1e-2, 1e-3, 1e-4)


def record(program: list[str], trace: Path) -> None:
    """Run a program; what it prints goes where it would without us."""
    profile = trace.with_suffix(".sonde")
    options = ["--record", str(trace), "--quiet", "-o", str(profile)]
    subprocess.run([sys.executable, "-m", "sonde", "contexts", *options, *program], check=True)


def replay(trace: Path, hot: HotLimits | None) -> ContextProfile:
    """Count all events of a trace: what is hot, or with None every context."""
    reader = TraceReader(trace)
    contexts = RecordedContexts(reader, hot)
    contexts.replay()
    return contexts.snapshot(Run(command=tuple(reader.about.command.split("\n")), clock=reader.about.clock))


def main(program: list[str]) -> None:
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "events.trace"
        record(program, trace)
        exact = replay(trace, None)
        print(f"{exact.total_calls:,} calls in {len(exact.contexts):,} contexts, {trace.stat().st_size:,} bytes")
        print("   phi    hot   tree  overlap  false positives  average error  largest")
        for phi in PHIS:
            found = accuracy(exact, replay(trace, hot_limits("time", phi)))
            print(
                f"{phi:>6g} {found.hot_contexts:>6,} {found.tree_contexts:>6,} {found.overlap:>8.1%}"
                f" {found.false_positives:>16,} {found.average_error:>14.2%} {found.max_error:>8.2%}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
