"""Consistent differences of 30 against 30 runs of real size: time, memory, and whether what was planted comes first.

    python benches/bench_consistency.py [UNITS] [--runs 30] [--megabytes 30] [--hot-kilobytes 400] [--seed 1]

UNITS is a file or folder of a Graal optimization log, from whose compilation units the runs are made; without one, they
are made at random. Each run has
eight hot units of `--hot-kilobytes`, made of real ones as if these had been inlined into it, with other times and, for
3% of their calls, other decisions, drawn anew for each run; and cold units, `--megabytes` in all. In the slow runs one
hot call is not inlined. Prints a table as Markdown.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from made_graal_units import made_lines
from sonde.instruments.decisions.groups import CallSubject, ConsistencyOptions, ContextSubject, consistent
from sonde.instruments.decisions.readers import Manifest, read_run, write_manifest

HOT = 8
"""Units that take the time; as many as real profiles have above the limit of 90%."""
PERTURBED = 0.03


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("units", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--megabytes", type=float, default=30.0)
    parser.add_argument("--hot-kilobytes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    lines = _lines(arguments.units) if arguments.units else made_lines()
    lines.sort(key=len)
    hot = [_grown(lines, arguments.hot_kilobytes * 1000, number, random) for number in range(HOT)]
    planted = _plant(hot[0]["inliningTree"])
    rest = [json.dumps(_grown(lines, 100_000, number, random), separators=(",", ":")).encode() for number in range(40)]
    with tempfile.TemporaryDirectory() as folder:
        made = [
            _write(Path(folder), f"{group}-{index}", hot, rest, arguments, random, planted, group)
            for group in ("fast", "slow")
            for index in range(arguments.runs)
        ]
        size = sum(file.stat().st_size for run in made for file in run.rglob("*"))
        begin = time.perf_counter()
        runs = [read_run(run) for run in made]
        indexed = time.perf_counter()
        answer = consistent(runs[: arguments.runs], runs[arguments.runs :], ConsistencyOptions())
        end = time.perf_counter()
    conclusive = [finding for finding in answer.findings if answer.is_conclusive(finding)]
    first = answer.findings[0].subject if answer.findings else None
    called = (first.enclosing, first.at) if isinstance(first, CallSubject) else None
    if isinstance(first, ContextSubject):
        called = (first.path[-2].method, first.path[-1].at)
    print("| runs | MB in all | units read | features | index (s) | all (s) | peak (MB) | conclusive | planted first |")
    print("|---|---|---|---|---|---|---|---|---|")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"| {arguments.runs} + {arguments.runs} | {size / 1e6:.0f} | {answer.units_read} | {answer.features} |"
        f" {indexed - begin:.1f} | {end - begin:.1f} | {peak} | {len(conclusive)} |"
        f" {'yes' if called == planted else f'no: {first}'} |"
    )


def _lines(path: Path) -> list[bytes]:
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return [line for file in files for line in file.read_bytes().splitlines() if line.startswith(b'{"methodName"')]


def _grown(lines: list[bytes], size: int, number: int, random: Random) -> dict[str, Any]:
    """A unit as large as that: a real one, into which others were inlined."""
    grown: dict[str, Any] = json.loads(lines[-1 - number % len(lines)])
    grown["methodName"] = grown["inliningTree"]["methodName"] = f"bench.Root{size}.unit{number}()"
    grown["compilationId"] = str(1000 + number)  # not one of the hot units' ids, which get the time
    calls = grown["inliningTree"].setdefault("invokes", [])
    at, length = 10_000, 0
    while length < size:
        line = random.choice(lines)
        length += len(line)
        other = json.loads(line)
        tree = other["inliningTree"]
        tree.update(callsiteBci=at, inlined=True, reason=["made up"])
        calls.append(tree)
        grown["optimizationTree"].setdefault("optimizations", []).append(other["optimizationTree"])
        at += 1
    return grown


def _plant(tree: dict[str, Any]) -> tuple[str, int]:
    """The call of the root with most below it: enclosing method and offset."""

    def size(node: dict[str, Any]) -> int:
        return 1 + sum(size(child) for child in node.get("invokes") or ())

    chosen = max((node for node in tree["invokes"] if node["inlined"]), key=size)
    return tree["methodName"], chosen["callsiteBci"]


def _write(
    folder: Path,
    name: str,
    hot: list[dict[str, Any]],
    rest: list[bytes],
    arguments: argparse.Namespace,
    random: Random,
    planted: tuple[str, int],
    group: str,
) -> Path:
    run = folder / name
    log = run / "optimization_log"
    log.mkdir(parents=True)
    code = []
    with (log / "0_1").open("wb") as file:
        for number, unit in enumerate(hot):
            copy = json.loads(json.dumps(unit))
            copy["compilationId"] = str(number)
            _perturb(copy["inliningTree"], random)
            if number == 0:
                for node in copy["inliningTree"]["invokes"]:
                    if node["callsiteBci"] == planted[1]:  # what was planted is not left to chance in any run
                        node.update(inlined=group == "fast", alive=group == "slow", indirect=False)
                        node["invokes"] = node.get("invokes") or [] if group == "fast" else []
            file.write(json.dumps(copy, separators=(",", ":")).encode() + b"\n")
            period = int(1e9 * (HOT - number) * random.uniform(0.9, 1.1))
            code.append({"compileId": str(number), "name": copy["methodName"], "level": 4, "period": period})
        while file.tell() < arguments.megabytes * 1e6:
            file.write(random.choice(rest) + b"\n")
    profile = {"compilationKind": "JIT", "totalPeriod": int(6e10), "executionId": name, "code": code}
    (run / "profile.json").write_text(json.dumps(profile))
    write_manifest(run, Manifest("graal", log, run / "profile.json", exit_code=0))
    return run


def _perturb(node: dict[str, Any], random: Random) -> None:
    for child in node.get("invokes") or ():
        if random.random() < PERTURBED:
            child["inlined"] = not child["inlined"]
            child["alive"] = not child["inlined"]
        _perturb(child, random)


if __name__ == "__main__":
    main()
