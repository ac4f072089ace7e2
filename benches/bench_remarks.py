"""Optimization remarks: how many a second, as YAML, as bitstream, and kept beside the run.

    python benches/bench_remarks.py [FILE ...]    remarks of real compilations, all read together

Without files, SQLite (of tests/real_programs.py) is compiled at -O2, once for each format; to write others:

    zig cc -c -O2 -g sqlite3.c -fsave-optimization-record -foptimization-record-file=sqlite3.yaml

Seconds are of processor time, as other processes do not change it much; the fastest of five. PyYAML with its C loader,
if it is installed, reads the beginning of the largest YAML file in turns with sonde, which reads all of it: how many
times as long PyYAML takes for a remark, with a 95 % interval. Of the beginning alone, which fits into the caches, sonde
would read more in a second.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ratios import ratio
from sonde.instruments.decisions.remarks import Remarks, read_remarks

ROUNDS = 5
SAMPLE_BYTES = 2_000_000
"""PyYAML is given so much of the file."""
PEER_ROUNDS = 11


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


def against_pyyaml(path: Path, folder: Path) -> str:
    try:
        import yaml
    except ImportError:
        return "PyYAML is not installed"

    class Loader(yaml.CSafeLoader):  # type: ignore[misc]  # it has no types
        pass

    Loader.add_multi_constructor("!", lambda loader, _, node: loader.construct_mapping(node, deep=True))
    with path.open("rb") as file:
        text = file.read(SAMPLE_BYTES)
    text = text[: text.rindex(b"\n--- ") + 1]
    sample = folder / "sample.yaml"
    sample.write_bytes(text)
    in_sample = len(read_remarks([sample]))
    ours, theirs = [], []
    for _ in range(PEER_ROUNDS):
        start = time.process_time()
        count = len(read_remarks([path]))
        ours.append((time.process_time() - start) / count)
        start = time.process_time()
        theirs_count = sum(1 for _ in yaml.load_all(sample.read_bytes(), Loader))
        theirs.append((time.process_time() - start) / theirs_count)
        assert theirs_count == in_sample
    return (
        f"For a remark, PyYAML's C loader takes {ratio(theirs, ours)} times as long as sonde; {PEER_ROUNDS} rounds in"
        f" turns of {in_sample:,} and of {count:,} remarks, of which PyYAML reads {1 / max(theirs):,.0f} to"
        f" {1 / min(theirs):,.0f} a second"
    )


def remarks_of_sqlite(folder: Path) -> list[Path]:
    """Compile it once for each format."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from real_programs import real_program
    from sonde.jit import optimising_command

    program = real_program("sqlite")
    made = []
    for form in ("yaml", "bitstream"):
        for source in program.files:
            path = folder / f"{source.stem}.{form}"
            asked = [f"-fsave-optimization-record={form}", f"-foptimization-record-file={path}"]
            command = [*optimising_command(2), "-g", *program.options, *asked, str(source)]
            subprocess.run([*command, "-o", str(folder / "thrown-away.o")], check=True, capture_output=True)
            made.append(path)
    return made


def measure(paths: Sequence[Path], folder: Path) -> None:
    print("| | remarks | processor | passed | |\n|---|---|---|---|---|")
    formats: dict[str, list[Path]] = {}
    for path in paths:
        formats.setdefault(read_remarks([path]).files[0].format, []).append(path)
    for name, files in formats.items():
        seconds, passed, remarks = fastest(lambda files=files: read_remarks(files))  # type: ignore[misc]
        size = sum(file.stat().st_size for file in files) / 1e6
        print(row(f"{name}, {size:,.0f} MB", len(remarks), seconds, passed))
        cache = folder / f"{name}-cache"
        cache.mkdir()
        read_remarks(files, cache=cache)
        seconds, passed, kept = fastest(lambda files=files, cache=cache: read_remarks(files, cache=cache))  # type: ignore[misc]
        assert kept.columns == remarks.columns
        print(row(f"{name}, kept", len(kept), seconds, passed))
        clock = time.process_time()
        functions = remarks.functions
        print(f"| {len(functions):,} functions | | {time.process_time() - clock:.3f} s | | |")
    if texts := formats.get("yaml"):
        print(f"\n{against_pyyaml(max(texts, key=lambda path: path.stat().st_size), folder)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure([Path(word) for word in sys.argv[1:]] or remarks_of_sqlite(folder), folder)


if __name__ == "__main__":
    main()
