"""What `sonde memory` costs native programs, against cachegrind with the same caches and `valgrind --tool=none`.

    python benches/bench_memory_native.py [--rounds 7] [PROGRAM ...]      two minutes a round for all

Programs of Debian's sources, built here with `cc -O2 -g`, and `workloads/constraints.cpp`, which makes and frees many
small objects: 300 constraints at a time, and 30,000, which no cache holds (the worst case). The user time of
whole commands is compared, `sonde`'s own start and the reading of its record included, in interleaved rounds.

To reach: 1.3 times cachegrind's time with `--lines-only`, 2 times with objects and lifetimes.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench_memory import CACHEGRIND, OURS, WORKLOADS, user_seconds
from ratios import ratio

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from debian_sources import source_of

NONE, CACHES, LINES, FULL = "none", "cachegrind", "--lines-only", "all"
TEXT_BYTES = 2_000_000

LUA = """\
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words, counts, sum = {}, {}, fib(24)
for i = 1, 30000 do words[i] = ("%x"):format(i * 7919 % 65537) end
for _, word in ipairs(words) do counts[word] = (counts[word] or 0) + 1 end
table.sort(words)
for i = 1, 100000 do local pair = {i, {i}}; sum = sum + pair[2][1] end
print(sum, #table.concat(words))
"""


class Program(NamedTuple):
    """How a program is built, and run on `TEXT` (some megabytes of C)."""

    package: str | None
    """Debian's name of its source; None: it is one of the workloads."""
    files: tuple[str, ...]
    options: tuple[str, ...]
    words: tuple[str, ...]


TEXT = "TEXT"
PROGRAMS = {
    "lz4 -9": Program(
        "lz4",
        ("programs/*.c", "lib/*.c"),
        ("-Ilib", "-Iprograms", "-DXXH_NAMESPACE=LZ4_", "-lpthread"),
        ("-9", "-c", TEXT),
    ),
    "minigzip -9": Program(
        "zlib", ("test/minigzip.c", "*.c"), ("-I.", "-DHAVE_UNISTD_H", "-DHAVE_STDARG_H"), ("-9", "-c", TEXT)
    ),
    "bzip2": Program(
        "bzip2",
        ("blocksort.c", "huffman.c", "*table.c", "*compress.c", "bzlib.c", "bzip2.c"),
        ("-D_FILE_OFFSET_BITS=64",),
        ("-c", TEXT),
    ),
    "Lua": Program(
        "lua5.4",
        ("src/*.c",),
        ("-Isrc", "-I{folder}", "-DLUA_USE_POSIX", "-lm", "-ldl"),
        ("-e", LUA),
    ),
    "constraints 300": Program(None, ("constraints.cpp",), (), ("1500", "300")),
    "constraints 30,000": Program(None, ("constraints.cpp",), (), ("15", "30000")),
}


def build(name: str, folder: Path) -> list[str]:
    """The command that runs a program."""
    program = PROGRAMS[name]
    source = source_of(program.package) if program.package else WORKLOADS
    (folder / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "none"\n', encoding="ascii")
    files = sorted({path for pattern in program.files for path in source.glob(pattern) if path.name != "luac.c"})
    compiler = shutil.which("c++" if files[0].suffix == ".cpp" else "cc") or sys.exit("a C and C++ compiler is needed")
    made = folder / name.replace(" ", "-")
    options = [option.format(folder=folder) for option in program.options]
    subprocess.run([compiler, "-O2", "-g", "-w", "-o", made, *files, *options], cwd=source, check=True)
    return [str(made), *(str(folder / "text") if word == TEXT else word for word in program.words)]


def write_text(folder: Path) -> None:
    """What is compressed: the same for all."""
    files = sorted((source_of("lua5.4") / "src").glob("*.c"))
    text = b"".join(path.read_bytes() for path in files)
    (folder / "text").write_bytes((text * (TEXT_BYTES // len(text) + 1))[:TEXT_BYTES])


def commands(program: list[str], folder: Path) -> dict[str, list[str]]:
    """What is compared."""
    valgrind = ["valgrind", "--quiet"]
    sonde = [sys.executable, "-m", "sonde", "memory", "--quiet", "--force", "-o", str(folder / "run.sonde"), *OURS]
    return {
        NONE: [*valgrind, "--tool=none", *program],
        CACHES: [*valgrind, "--tool=cachegrind", *CACHEGRIND, f"--cachegrind-out-file={folder}/counts", *program],
        LINES: [*sonde, "--lines-only", "--", *program],
        FULL: [*sonde, "--", *program],
    }


def measure(name: str, folder: Path, rounds: int) -> None:
    """One line of the table."""
    made = commands(build(name, folder), folder)
    user_seconds(made[FULL])  # the first run builds the tool
    seconds: dict[str, list[float]] = {each: [] for each in made}
    names = list(made)
    for number in range(rounds):
        for each in names[number % len(names) :] + names[: number % len(names)]:
            seconds[each].append(user_seconds(made[each]))
    print(
        f"| {name} | {median(seconds[CACHES]):.1f} s | {ratio(seconds[LINES], seconds[CACHES])}"
        f" | {ratio(seconds[FULL], seconds[CACHES])} | {ratio(seconds[LINES], seconds[NONE])}"
        f" | {ratio(seconds[FULL], seconds[NONE])} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        parser.exit(3, "valgrind is not there\n")
    print(f"{arguments.rounds} rounds; user time of whole commands")
    print("| | cachegrind | `--lines-only`, against cachegrind | all, against cachegrind", end="")
    print(" | `--lines-only`, against none | all, against none |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_text(Path(folder))
        for name in arguments.programs or PROGRAMS:
            measure(name, Path(folder), arguments.rounds)


if __name__ == "__main__":
    main()
