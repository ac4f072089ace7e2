"""Programs with path probes, run; and which paths a log of their blocks has, in runs of the same code."""

import json
import pickle
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from measuring import environment
from oracle_libraries import oracle_library
from real_programs import Check
from sonde.flow import Path as FlowPath
from sonde.llvm import LlvmModule
from sonde.native import PathCounts, Spool
from sonde.passes import FunctionPaths, ProbedPaths
from sonde.passes.path_probes import MOST_COUNTERS, MOST_PATHS

_HERE = Path(__file__).parent

Taken = Counter[tuple[str, tuple[int, ...], int]]
"""Function, numbers of blocks, block that an edge at the end of the path leads to or -1 -> times."""


class Ran(NamedTuple):
    """What a run did."""

    status: int
    stdout: bytes
    stderr: bytes
    files: tuple[bytes, ...]


class Counted(NamedTuple):
    """What was counted: times of paths, and how many were left midway, of functions where it is known."""

    taken: Taken
    lost: dict[str, int]
    dropped: int = 0


class PathedProgram:
    """A program that is loaded three times, see path_server.py."""

    def __init__(self, server: "subprocess.Popen[str]", folder: Path) -> None:
        assert server.stdin is not None and server.stdout is not None
        self._in, self._out, self._folder = server.stdin, server.stdout, folder
        assert self._out.readline() == "ready\n"
        self.paths: ProbedPaths = pickle.loads((folder / "paths").read_bytes())
        self.names: list[str] = json.loads((folder / "names").read_text(encoding="utf-8"))

    def run(self, what: str, check: Check | None = None, *, follow: bool = False) -> Ran:
        """One run, in an empty folder of its own."""
        check = check or Check("it")
        folder, spools = self._folder / "run", self._folder / "spools"
        for each in (folder, spools):
            shutil.rmtree(each, ignore_errors=True)
            each.mkdir()
        for path in check.fresh:
            shutil.copy(path, folder)
        streams = {stream: self._folder / stream for stream in ("stdout", "stderr")}
        for path in streams.values():
            path.write_bytes(b"")
        run = {"what": what, "arguments": ["program", *check.arguments], "folder": str(folder), "follow": follow,
               "stdin": str(check.stdin or "/dev/null"), "spools": str(spools)}  # fmt: skip
        print(json.dumps(run | {stream: str(path) for stream, path in streams.items()}), file=self._in, flush=True)
        status = int(self._out.readline())
        written = tuple((folder / each).read_bytes() for each in check.writes)
        return Ran(status, streams["stdout"].read_bytes(), streams["stderr"].read_bytes(), written)

    def counted(self) -> Counted:
        """What the probes counted in the last run."""
        counts = PathCounts.of(Spool(bytes(path)) for path in (self._folder / "spools").glob("*.cells"))
        taken, lost = Taken(), dict[str, int]()
        for each in self.paths.functions:
            own = each.counts(counts.counters, counts.by_key)
            for number, times in own.items():
                taken[self.described(each, each.numbering.decode(number))] += times
            if each.begun is not None:
                lost[each.name] = each.lost(own, counts.counters)
        return Counted(taken, lost, counts.dropped)

    def logged(self) -> Counted:
        """What the log says of the last run."""
        taken, lost = Taken(), dict[str, int]()
        for path in (self._folder / "spools").glob("*.blocks"):
            for line in path.read_text(encoding="ascii").splitlines():
                kind, times, function, *blocks = line.split()
                name = self.names[int(function)]
                if kind == "P":
                    taken[name, tuple(map(int, blocks[:-1])), int(blocks[-1])] += int(times)
                else:
                    lost[name] = lost.get(name, 0) + int(times)
        return Counted(taken, lost)

    def described(self, function: FunctionPaths, path: FlowPath) -> tuple[str, tuple[int, ...], int]:
        """A path as the log has it."""
        numbering = function.numbering
        last = path.edges[-1] if path.edges else None
        following = numbering.graph.target(last) if last is not None and last in numbering.cut else -1
        return function.name, path.blocks(numbering), following


@contextmanager
def pathed(
    module: LlvmModule, folder: Path, *, when: str = "late", level: int = 2, libraries: Sequence[str] = (),
    most_paths: int = MOST_PATHS, most_counters: int = MOST_COUNTERS, is_one_run: bool = False,
) -> Iterator[PathedProgram]:  # fmt: skip
    """A program, loaded.

    Args:
        module: with `main`; optimised, but for early probes.
        is_one_run: what is logged has the probes too, and `counted` is asked after it.
    """
    folder.mkdir(exist_ok=True)
    path = folder / "module.bc"
    path.write_bytes(module.bitcode())
    request = {"module": str(path), "level": level, "when": when, "libraries": list(libraries),
               "log": str(oracle_library("block_paths")), "most_paths": most_paths, "most_counters": most_counters,
               "folder": str(folder), "is_one_run": is_one_run}  # fmt: skip
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    command = [sys.executable, str(_HERE / "path_server.py"), str(folder / "request.json")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as server:
        yield PathedProgram(server, folder)
        assert server.stdin is not None
        server.stdin.close()
