"""Opening a profile of a million contexts: in the terminal, as a page; what its digest costs.

    python benches/bench_view.py [--contexts 1000000]

To reach: terminal 1 s, page 5 MB. Whole commands, in seconds of this machine; the digest as a ratio of processor
time, to the same file without one, in interleaved runs.
"""

import argparse
import contextlib
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ratios import Ratio, ratio
from sonde.instruments.contexts.profile import ContextProfile, Function, Run, contexts_from_self, write_profile

ROUNDS = 5
DIGEST_ROUNDS = 25


def large_profile(contexts: int) -> ContextProfile:
    """A random tree with skewed weights, as programs have them."""
    draw = random.Random(0)
    functions = tuple(
        Function(f"Class{i % 97}.method_{i}", f"package.m{i % 50}", f"src/m{i % 50}.py", i) for i in range(2000)
    )
    return ContextProfile(
        functions=functions,
        contexts=contexts_from_self(
            parent=[-1, *(draw.randrange(max(0, row - 5000), row) for row in range(1, contexts))],
            function=[draw.randrange(len(functions)) for _ in range(contexts)],
            call_line=[draw.randrange(1, 900) for _ in range(contexts)],
            calls=[int(draw.paretovariate(1)) for _ in range(contexts)],
            self_ns=[int(100 * draw.paretovariate(1)) for _ in range(contexts)],
        ),
        run=Run(command=("python", "large.py"), clock="tsc"),
    )


def seconds(*words: str) -> str:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "sonde", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return f"{statistics.median(times):.2f} s [{min(times):.2f}, {max(times):.2f}]"


def processor_seconds(*words: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "sonde", *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost_of_digest(profile: Path) -> Ratio:
    without = profile.with_name("without.sonde")
    shutil.copy(profile, without)
    with contextlib.closing(sqlite3.connect(without)) as db:
        db.execute("DROP TABLE digest")
        db.commit()
    rounds = [[processor_seconds("view", str(path)) for path in (profile, without)] for _ in range(DIGEST_ROUNDS)]
    return ratio([checked for checked, _ in rounds], [unchecked for _, unchecked in rounds])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contexts", type=int, default=1_000_000)
    contexts = parser.parse_args().contexts
    with tempfile.TemporaryDirectory() as folder:
        profile, page = Path(folder) / "large.sonde", Path(folder) / "large.html"
        write_profile(profile, large_profile(contexts))
        print(f"{contexts:,} contexts, {profile.stat().st_size / 1e6:.0f} MB; median [least, most] of {ROUNDS}")
        print(f"  sonde view          {seconds('view', str(profile))}   to reach 1 s")
        print(f"  sonde view --html   {seconds('view', str(profile), '--force', '--html', str(page))}")
        print(f"  its digest, checked {cost_of_digest(profile)}   processor time of sonde view, to that without")
        print(f"  size of the page    {page.stat().st_size / 1e6:.2f} MB   to reach 5 MB")


if __name__ == "__main__":
    main()
