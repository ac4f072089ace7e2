"""Programs with probes, run, and what they counted; and what a shadow stack counted in the same code."""

import json
import shutil
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from measuring import environment
from oracle_libraries import oracle_library
from real_programs import Check
from sonde._native import ContextTree
from sonde.llvm import LlvmModule
from sonde.native import Spool

_HERE = Path(__file__).parent

Contexts = Counter[tuple[str, ...]]
"""Names from the outermost function to the one that was called -> calls."""


class Counted(NamedTuple):
    """What a run left behind."""

    status: int
    """As `waitpid` gives it."""
    stdout: bytes
    stderr: bytes
    files: tuple[bytes, ...]
    contexts: list[Contexts]
    """Of each process, the parents first."""
    truth: list[Contexts]
    """The same, as a shadow stack in the same run has it."""
    dropped: int = 0
    notes: tuple[tuple[str, int], ...] = ()


class ProbedProgram:
    """A program that is loaded once, see probed_server.py."""

    def __init__(self, server: "subprocess.Popen[str]", folder: Path) -> None:
        assert server.stdin is not None and server.stdout is not None
        self._in, self._out, self._folder = server.stdin, server.stdout, folder
        self.names: list[str] = json.loads(self._out.readline())

    def run(
        self, check: Check | None = None, *, name: str = "program", follow: bool = False,
        hot: tuple[int, int] | None = None, seed: int = 0,
    ) -> Counted:  # fmt: skip
        """One run, in an empty folder of its own.

        Args:
            seed: of way bursts, of when the probes are on; 0: always.
        """
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
        run = {"arguments": [name, *check.arguments], "folder": str(folder), "stdin": str(check.stdin or "/dev/null"),
               "spools": str(spools), "follow": follow, "hot": hot,
               "bursts": [str(self._folder / "switch"), seed]}  # fmt: skip
        print(json.dumps(run | {stream: str(path) for stream, path in streams.items()}), file=self._in, flush=True)
        status = int(self._out.readline())
        written = tuple((folder / each).read_bytes() for each in check.writes)
        stdout, stderr = (path.read_bytes() for path in streams.values())
        found = _Spools(spools, self.names)
        return Counted(
            status, stdout, stderr, written, found.contexts, _from_lines(spools, self.names), found.dropped, found.notes
        )


class _Spools:
    """What probes left in a folder."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        processes: dict[int, Contexts] = {}
        self.dropped = 0
        self.notes: tuple[tuple[str, int], ...] = ()
        paths = [path for path in folder.iterdir() if path.suffix == ".cells"]
        for spool in sorted((Spool(bytes(path)) for path in paths), key=lambda spool: spool.pid):
            if not spool.pid:  # prepared for a fork that did not take place
                continue
            tree = ContextTree()
            tree.add_spool(spool, array("I", range(len(names))), 1.0, spool.last_ticks)
            assert tree.orphans == 0
            self.dropped += spool.dropped_calls
            self.notes += tuple((kind, amount) for kind, amount, _ in spool.notes)
            parent, function, _, calls, *_ = (memoryview(column).cast("q") for column in tree.columns())
            processes.setdefault(spool.pid, Counter()).update(
                _by_path(zip(parent, function, calls, strict=True), names)
            )
        self.contexts = list(processes.values())


def _from_lines(folder: Path, names: Sequence[str]) -> list[Contexts]:
    found = []
    for path in sorted((path for path in folder.iterdir() if not path.suffix), key=lambda path: int(path.name)):
        rows = [[int(word) for word in line.split()] for line in path.read_text(encoding="ascii").splitlines()]
        found.append(_by_path(rows, names))
    return found


@contextmanager
def probed(
    module: LlvmModule, way: str, folder: Path, *, level: int = 2, libraries: Sequence[str] = ()
) -> Iterator[ProbedProgram]:
    """A program, loaded.

    Args:
        module: with `main`; optimised, but for early probes and their oracle.
        way: see probed_server.py.
    """
    folder.mkdir(exist_ok=True)
    path = folder / "module.bc"
    path.write_bytes(module.bitcode())
    shadow = str(oracle_library("shadow_stack"))
    request = {"module": str(path), "level": level, "way": way, "libraries": list(libraries), "shadow": shadow}
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    command = [sys.executable, str(_HERE / "probed_server.py"), str(folder / "request.json")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as server:
        yield ProbedProgram(server, folder)
        assert server.stdin is not None
        server.stdin.close()


def _by_path(rows: Any, names: Sequence[str]) -> Contexts:
    """Rows are of (row of the caller or -1, function, calls), callers first."""
    paths: list[tuple[str, ...]] = []
    found: Contexts = Counter()
    for parent, function, calls in rows:
        path = (*(paths[parent] if parent >= 0 else ()), names[function])
        paths.append(path)
        if calls:
            found[path] += calls
    return found
