"""Reading and comparing two large runs of Graal: time and memory.

    python benches/bench_decisions_graal.py [LOG...]        logs of Graal (folders or files) to make the runs from
    python benches/bench_decisions_graal.py --megabytes 20 LOG...

Without a log, units are made at random. Each run is made by repeating the units under other ids and names of methods
until the log is as large as asked (150 MB, as the largest folders of Graal's own benchmarks are); every unit of the
second run lacks a few calls, so that there are differences. The profile makes the ten largest units hot. A process of
its own reads both, marks what is hot, makes fragments and compares all hot units as `sonde decisions diff` does: both
trees, then context trees. Then the same as a command that prints: `sonde decisions profdiff jit-vs-jit`.

To reach: 10 seconds and 1 GB.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

from made_graal_units import made_lines
from sonde.instruments.decisions.experiments import (
    CompareOptions,
    Experiment,
    HeatPolicy,
    create_fragments,
    differences,
    method_pairs,
)
from sonde.instruments.decisions.readers import read_run

HOT = 10
"""Units with most of the time."""
FILES = 16
"""Of a log; Graal writes one for each compiler thread."""


def lines_of(logs: Sequence[Path]) -> list[bytes]:
    """All units of real logs, largest first."""
    files = [file for log in logs for file in (log.rglob("*") if log.is_dir() else [log]) if file.is_file()]
    lines = [line for file in files for line in file.read_bytes().splitlines() if b'"compilationId"' in line[:2000]]
    return sorted(lines, key=len, reverse=True)


def made_units(lines: Sequence[bytes], size: int) -> Iterator[tuple[str, str, bytes]]:
    """Name, id and line of units that are as large as asked together."""
    written = 0
    for number, line in enumerate(cycle(lines)):
        if written > size:
            return
        name = str(json.loads(line)["methodName"])
        renamed = name if number < len(lines) else f"copy{number // len(lines)}.{name}"
        _, _, rest = line.partition(b'"inliningTree"')
        head = json.dumps({"methodName": renamed, "compilationId": str(number)}, separators=(",", ":"))[:-1]
        yield renamed, str(number), head.encode() + b',"inliningTree"' + rest
        written += len(line)


def write_run(folder: Path, lines: Sequence[bytes], size: int, *, changed: bool) -> int:
    """Write a run; the number of its bytes."""
    log = folder / "optimization_log"
    log.mkdir(parents=True)
    code = []
    random.seed(1)
    files = [(log / f"0_{number}").open("wb") for number in range(FILES)]
    for number, (name, compilation, line) in enumerate(made_units(lines, size)):
        whole = line.replace(b'"inlined":true', b'"inlined":false', 3) if changed else line
        files[number % FILES].write(whole + b"\n")
        period = (HOT - number) * 10**9 if number < HOT else random.randrange(10**5)
        code.append({"compileId": compilation, "name": f"{compilation}: {name}", "level": 4, "period": period + 1})
    for file in files:
        file.close()
    total = sum(int(str(entry["period"])) for entry in code)
    profile = {"compilationKind": "JIT", "totalPeriod": total, "executionId": "1", "code": code}
    (folder / "profile.json").write_text(json.dumps(profile, indent=4))
    return sum(file.stat().st_size for file in log.iterdir())


def measure(folders: Sequence[Path]) -> None:
    """What the process of its own does."""
    start = time.perf_counter()
    sides = []
    for number, folder in enumerate(folders, start=1):
        side = Experiment(read_run(folder), number)
        side.mark_hot(HeatPolicy())
        sides.append(side)
        units, hot = len(side.run.units), len(side.hot)
        share = sum(unit.period for unit in side.run.units if unit.number in side.hot) / side.run.compiled_period
        print(f"  run {number}: {units:,} units, {hot} hot with {100 * share:.1f} % of compiled time")
    read = time.perf_counter()
    create_fragments(*sides)
    made = sum(len(fragments) for side in sides for fragments in side.fragments.values())
    fragmented = time.perf_counter()
    pairs = [units for methods in method_pairs(*sides) for units in methods.unit_pairs()]
    differing = sum(differences(pair).any for pair in pairs)
    compared = time.perf_counter()
    for pair in pairs:
        differences(pair, CompareOptions(context=True))
    context = time.perf_counter()
    print(f"  index and link both: {read - start:.2f} s")
    print(f"  {made} fragments: {fragmented - read:.2f} s")
    print(f"  {len(pairs)} pairs of units, {differing} differ: {compared - fragmented:.2f} s")
    print(f"  their context trees: {context - compared:.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  all: {context - start:.2f} s, at most {peak:.0f} MB (without context trees {compared - start:.2f} s)")


def measure_command(folders: Sequence[Path]) -> None:
    """From its start to its end."""
    words = [str(each) for folder in folders for each in (folder / "optimization_log", folder / "profile.json")]
    command = [sys.executable, "-m", "sonde", "decisions", "profdiff", "jit-vs-jit", *words]
    start = time.perf_counter()
    text = subprocess.run(command, capture_output=True, check=True).stdout
    took = time.perf_counter() - start
    print(f"profdiff jit-vs-jit, whole command: {took:.2f} s, {len(text) / 1e3:.0f} KB of text")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("logs", nargs="*", type=Path)
    options.add_argument("--megabytes", type=int, default=150)
    options.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.measure:
        measure(chosen.logs)
        return
    lines = lines_of(chosen.logs) if chosen.logs else made_lines()
    print(f"{len(lines)} units, the largest of {len(lines[0]) / 1e6:.2f} MB")
    with tempfile.TemporaryDirectory() as made:
        folders = [Path(made, name) for name in ("first", "second")]
        for folder, changed in zip(folders, (False, True), strict=True):
            size = write_run(folder, lines, chosen.megabytes * 10**6, changed=changed)
            print(f"{folder.name}: {size / 1e6:.0f} MB")
        sys.stdout.flush()
        subprocess.run([sys.executable, __file__, "--measure", *map(str, folders)], check=True)
        measure_command(folders)


if __name__ == "__main__":
    main()
