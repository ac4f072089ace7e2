"""Programs under `sonde vm run` at O2, against the same files compiled ahead of time.

    python benches/bench_jit.py [--rounds 15] [NAME ...]

CPU time of the program, from its first constructor to its end, as it tells itself (workloads/cpu_clock.c is linked to
it): so neither compiling nor the start and end of its process is in it. The JIT's comes from a process that has loaded
the code and forks for each run, the other's from an executable that clang at -O2 and the system's linker made, for the
same CPU. Runs are interleaved; each figure is the median ratio over the rounds, with a 95 % interval. Outputs are
compared too. To reach: within 3 %.

Last, what it takes until a program's first line runs: `sonde vm run hello.c`, and `zig cc hello.c && ./a.out`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ratios import ratio

_HERE = Path(__file__).parent
_TESTS = _HERE.parent / "tests"
sys.path.insert(0, str(_TESTS))  # the programs are those of the tests

from debian_sources import source_of  # noqa: E402 - see above
from real_programs import RealProgram, built_ahead, real_program  # noqa: E402 - see above
from sonde.jit.front_end import optimising_command  # noqa: E402 - after them

_KERNELS = ("permutations", "planets", "matrices", "trees", "primes", "queens", "hashes", "sorted")


class Work(NamedTuple):
    """A program and what it is to do."""

    program: RealProgram
    arguments: tuple[str, ...]
    stdin: Path = Path("/dev/null")


def all_work() -> dict[str, Work]:
    """Name -> what to run; every program tells its CPU time."""
    return {name: _with_clock(work) for name, work in _works().items()}


def _with_clock(work: Work) -> Work:
    clock = _HERE / "workloads" / "cpu_clock.c"
    return work._replace(program=replace(work.program, files=(*work.program.files, clock)))


def _works() -> dict[str, Work]:
    kernels = RealProgram("kernels", (_HERE / "workloads" / "kernels.c",), ("-w",))
    work = {name: Work(kernels, (name,)) for name in _KERNELS}
    text, shell = (
        next(path for path in real_program("sqlite").files if path.name == name) for name in ("sqlite3.c", "shell.c")
    )
    work["lua"] = Work(real_program("lua"), (str(_HERE / "workloads" / "work.lua"),))
    work["bzip2"] = Work(real_program("bzip2"), ("-c",), text)
    work["minigzip"] = Work(real_program("zlib-minigzip"), ("-9",), text)
    json = RealProgram("json", (_HERE / "workloads" / "json_values.cpp",), libraries=("stdc++",))
    work["json"] = Work(json, ())
    work["mujs"] = Work(_mujs(), (str(_HERE / "workloads" / "work.js"),))
    work["zopfli"] = Work(_zopfli(), ("-c", "--i1", str(shell)))
    work["lz4"] = Work(_lz4(), ("-9", "-c", str(text)))
    work["sqlite"] = Work(real_program("sqlite-speedtest"), ("--size", "60", "--memdb"))
    return work


def _mujs() -> RealProgram:
    source = source_of("mujs")
    return RealProgram("mujs", (source / "one.c", source / "main.c"), ("-I", str(source), "-w"), ("m",))


def _zopfli() -> RealProgram:
    source = source_of("zopfli") / "src" / "zopfli"
    return RealProgram("zopfli", tuple(sorted(source.glob("*.c"))), ("-w",), ("m",))


def _lz4() -> RealProgram:
    source = source_of("lz4")
    files = [*sorted((source / "lib").glob("*.c")), *sorted((source / "programs").glob("*.c"))]
    files = [each for each in files if each.name != "lz4_file.c"]
    return RealProgram("lz4", tuple(files), ("-I", str(source / "lib"), "-DXXH_NAMESPACE=LZ4_", "-w"))


def _told(output: Path) -> Path:
    """Where a run's standard error goes."""
    return output.with_suffix(".told")


def _seconds(output: Path) -> float:
    return float(_told(output).read_text(encoding="utf-8").splitlines()[-1].split()[0])


class Ahead:
    """Runs the executable."""

    def __init__(self, work: Work, folder: Path) -> None:
        if work.program.is_cxx:
            self._path = _built_with_the_same_library(work.program, folder)
        else:
            self._path = built_ahead(work.program.name, folder, program=work.program, options=("-march=native",))

    def run(self, work: Work, output: Path) -> float:
        pid = os.posix_spawn(
            self._path,
            [work.program.name, *work.arguments],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, str(work.stdin), os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
                (os.POSIX_SPAWN_OPEN, 2, str(_told(output)), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            ],
        )
        _, status = os.waitpid(pid, 0)
        assert status == 0, status
        return _seconds(output)


def _built_with_the_same_library(program: RealProgram, folder: Path) -> Path:
    """An executable with the C++ library that the JIT uses, which is not that of `zig c++`."""
    objects = []
    for path in program.files:
        objects.append(folder / f"{path.stem}.o")
        subprocess.run([*optimising_command(2), *program.options, str(path), "-o", str(objects[-1])], check=True)
    subprocess.run(["g++", *map(str, objects), "-o", str(folder / program.name)], check=True)
    return folder / program.name


class Jit:
    """Runs the loaded code in forks."""

    def __init__(self, work: Work, folder: Path) -> None:
        program = work.program
        request = {"files": list(map(str, program.files)), "options": program.options, "libraries": program.libraries}
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        command = [sys.executable, str(_TESTS / "program_server.py"), "2", str(folder / "request.json")]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._folder = folder
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == "ready\n"

    def run(self, work: Work, output: Path) -> float:
        assert self._server.stdin is not None and self._server.stdout is not None
        output.write_bytes(b"")
        _told(output).write_bytes(b"")
        run = {"arguments": [work.program.name, *work.arguments], "folder": str(self._folder), "stdin": str(work.stdin)}
        print(
            json.dumps({**run, "stdout": str(output), "stderr": str(_told(output))}),
            file=self._server.stdin,
            flush=True,
        )
        status = self._server.stdout.readline().split()[0]
        assert status == "0", status
        return _seconds(output)

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()


def compare(name: str, work: Work, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        ahead, jit = Ahead(work, folder), Jit(work, folder)
        one, two = folder / "one", folder / "two"
        ahead.run(work, one), jit.run(work, two)
        if work.program.name != "sqlite-speedtest":  # that one prints times
            assert one.read_bytes() == two.read_bytes(), name
        seconds: tuple[list[float], list[float]] = ([], [])
        for turn in range(rounds):
            for which in (0, 1) if turn % 2 else (1, 0):
                seconds[which].append((ahead, jit)[which].run(work, (one, two)[which]))
        jit.close()
    print(f"  {name:14} {statistics.median(seconds[0]):8.3f} s  {ratio(seconds[1], seconds[0])}", flush=True)


def start_up(rounds: int) -> None:
    from sonde.jit.compilers import find_compiler

    with tempfile.TemporaryDirectory() as name_of_folder:
        source = Path(name_of_folder) / "hello.c"
        source.write_text('#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n', encoding="ascii")
        compiler = find_compiler().command[0]
        driver = [compiler, "cc"] if Path(compiler).name == "zig" else [compiler]
        commands = {
            "sonde vm run": f"{sys.executable} -m sonde vm run {source}",
            "compile, link and run": f"{' '.join(driver)} -O2 {source} -o {source}.out && {source}.out",
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(rounds):
            source.write_text(source.read_text() + f"/* {turn} */\n", encoding="ascii")  # no cache may know it
            for name, command in commands.items():
                start = time.monotonic()
                subprocess.run(command, shell=True, check=True, capture_output=True)
                times[name].append(1000 * (time.monotonic() - start))
        for name, values in times.items():
            low, middle, high = statistics.quantiles(values, n=4)
            print(f"  {name:24} {middle:6.0f} ms [{low:.0f}, {high:.0f}]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print(f"ahead of time, CPU time; the JIT's ratio to it [95 %], {arguments.rounds} rounds")
    for name, work in all_work().items():
        if not arguments.names or name in arguments.names:
            compare(name, work, arguments.rounds)
    if not arguments.names:
        print("hello.c, whole command, median [quartiles]")
        start_up(arguments.rounds)


if __name__ == "__main__":
    main()
