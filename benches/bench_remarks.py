"""Optimization remarks: how many a second, as YAML, as bitstream, and kept beside the run.

    python benches/bench_remarks.py FILE ...     remarks of real compilations, all read together

PyYAML with its C loader reads the beginning of the same files, if it is installed. Seconds are of processor time, as
other processes do not change it much; the fastest of five. Write some files with

    zig cc -c -O2 -g sqlite3.c -fsave-optimization-record -foptimization-record-file=sqlite3.yaml
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sonde.decisions.remarks import Remarks, read_remarks

ROUNDS = 5
SAMPLE_BYTES = 2_000_000
"""PyYAML is given so much of the first file."""


def fastest(work: Callable[[], Remarks]) -> tuple[float, float, Remarks]:
    """Seconds of processor time, seconds that passed, and what came of it."""
    best, passed = float("inf"), float("inf")
    for _ in range(ROUNDS):
        start, clock = time.process_time(), time.perf_counter()
        result = work()
        best, passed = min(best, time.process_time() - start), min(passed, time.perf_counter() - clock)
    return best, passed, result


def row(name: str, count: int, seconds: float, passed: float) -> str:
    return f"| {name} | {count:,} | {seconds:.3f} s | {passed:.3f} s | {count / seconds:,.0f}/s |"


def pyyaml_row(path: Path) -> str:
    try:
        import yaml
    except ImportError:
        return "| PyYAML is not installed | | | | |"

    class Loader(yaml.CSafeLoader):  # type: ignore[misc]  # it has no types
        pass

    Loader.add_multi_constructor("!", lambda loader, _, node: loader.construct_mapping(node, deep=True))
    with path.open("rb") as file:
        text = file.read(SAMPLE_BYTES)
    text = text[: text.rindex(b"\n--- ") + 1]
    start, clock = time.process_time(), time.perf_counter()
    count = sum(1 for _ in yaml.load_all(text, Loader))
    return row("PyYAML, CSafeLoader, in part", count, time.process_time() - start, time.perf_counter() - clock)


def main() -> None:
    paths = [Path(word) for word in sys.argv[1:]]
    if not paths:
        sys.exit(str(__doc__))
    print("| | remarks | processor | passed | |\n|---|---|---|---|---|")
    formats: dict[str, list[Path]] = {}
    for path in paths:
        formats.setdefault(read_remarks([path]).files[0].format, []).append(path)
    for name, files in formats.items():
        seconds, passed, remarks = fastest(lambda files=files: read_remarks(files))  # type: ignore[misc]
        size = sum(file.stat().st_size for file in files) / 1e6
        print(row(f"{name}, {size:,.0f} MB", len(remarks), seconds, passed))
        with tempfile.TemporaryDirectory() as folder:
            read_remarks(files, cache=Path(folder))
            seconds, passed, kept = fastest(lambda files=files: read_remarks(files, cache=Path(folder)))  # type: ignore[misc]
        assert kept.columns == remarks.columns
        print(row(f"{name}, kept", len(kept), seconds, passed))
        clock = time.process_time()
        functions = remarks.functions
        print(f"| {len(functions):,} functions | | {time.process_time() - clock:.3f} s | | |")
    if texts := formats.get("yaml"):
        print(pyyaml_row(texts[0]))


if __name__ == "__main__":
    main()
