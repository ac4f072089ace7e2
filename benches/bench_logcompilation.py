"""Reading a compilation log of HotSpot: what is in it, and the trees of its compilations.

    python benches/bench_logcompilation.py [LOG] [--megabytes 100]

The log's own compilations are repeated until it is as large as asked. Without LOG, the JDK's compiler compiles a small
program and leaves one. To reach: 100 MB are opened in 3 s; trees are read of what is hot only.
"""

import argparse
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from sonde.instruments.decisions.readers.hotspot import index_log
from sonde.instruments.decisions.readers.hotspot.task_trees import task_trees

ROUNDS = 3
PROGRAM = Path(__file__).parent.parent / "tests" / "programs_in_java" / "Shapes.java"


def small_log(folder: Path) -> Path:
    """What the compilers do while the JDK's compiler runs."""
    log = folder / "small.xml"
    machine = ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", f"-XX:LogFile={log}"]
    program = ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d", str(folder), str(PROGRAM)]
    subprocess.run([*machine, *program], check=True)
    return log


def repeated(log: Path, size: int, target: Path) -> None:
    """The log with its compilations again and again."""
    text = log.read_bytes()
    start, end = text.index(b"<task "), text.rindex(b"</task>") + len(b"</task>\n")
    with target.open("wb") as file:
        file.write(text[:start])
        while file.tell() < size:
            file.write(text[start:end])
        file.write(text[end:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path, nargs="?")
    parser.add_argument("--megabytes", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        large = Path(name) / "large.xml"
        repeated(arguments.log or small_log(Path(name)), arguments.megabytes * 1_000_000, large)
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            index = index_log(large)
            times.append(time.perf_counter() - start)
        megabytes = index.size / 1e6
        middle = statistics.median(times)
        print(f"{megabytes:.0f} MB, {len(index.tasks):,} compilations; median [least, most] of {ROUNDS}")
        print(f"  opened in      {middle:.2f} s [{min(times):.2f}, {max(times):.2f}]   {megabytes / middle:.0f} MB/s")
        sample = index.tasks[:: max(1, len(index.tasks) // 2000)]
        text = large.read_bytes()
        start = time.perf_counter()
        for task in sample:
            task_trees(text[task.start : task.end])
        took = time.perf_counter() - start
        read = sum(task.end - task.start for task in sample) / 1e6
        print(f"  trees          {len(sample) / took:,.0f} compilations/s   {read / took:.1f} MB/s")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  most memory    {peak:.0f} MB, the text that the trees were read from ({megabytes:.0f} MB) among it")


if __name__ == "__main__":
    main()
