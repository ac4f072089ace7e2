"""Runs of a program with points that fire once: forks of a process in which it is loaded."""

import ctypes
import hashlib
import mmap
import os
import shutil
import struct
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from program_memory import ProgramMemory, go_below, left
from sonde.jit import LoadedCode, run_main
from swept_points import DONE, FIRED

CELLS_AT, CELL_BYTES = 4096, 64
"""Where cells lie in the page that runs share; before that, the number of passes after which points fire."""
_PATIENCE_S = 600
_NEVER = -1
"""Passes after which nothing fires."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How a program is run."""

    folder: Path
    arguments: Sequence[str]
    stdin: Path | None = None
    libraries: Sequence[str] = ()
    fresh: Sequence[Path] = ()
    """Files that are copied into the folder before each run."""


def outcome_alone(code: LoadedCode, memory: ProgramMemory, page: mmap.mmap, runs: Runs) -> tuple[int, str, int, int]:
    """The outcome of the program as it is, when it is known which words of its memory count."""
    runs.folder.mkdir(exist_ok=True)
    dumps = [runs.folder / name for name in ("memory.1", "memory.2")]
    for dump, is_below in zip(dumps, (False, True), strict=True):
        dump.write_bytes(b"")
        run_once(code, memory, page, _NEVER, (), runs, dump=dump.absolute(), is_below=is_below)
    memory.learn(*dumps)
    for dump in dumps:
        dump.unlink()
    return run_once(code, memory, page, _NEVER, (), runs)


def run_once(
    code: LoadedCode,
    memory: ProgramMemory,
    page: mmap.mmap,
    after: int,
    done: Collection[int],
    runs: Runs,
    *,
    dump: Path | None = None,
    is_below: bool = False,
) -> tuple[int, str, int, int]:
    """Exit status, digest of the output, digest of the program's memory, bytes of its heap.

    Args:
        after: how often a point is passed before it fires.
        done: cells of points that do not fire.
    """
    page[:] = bytes(len(page))
    struct.pack_into("<q", page, 0, after)
    for cell in done:
        struct.pack_into("<q", page, _word(cell, DONE), 1)
    status, printed = run_in_a_fork(code, runs, lambda: memory.prepare(page, dump), is_below=is_below)
    return status, printed, *left(page)


def run_in_a_fork(
    code: LoadedCode, runs: Runs, prepare: Callable[[], Sequence[int]] = tuple, *, is_below: bool = False
) -> tuple[int, str]:
    """Exit status and digest of the output.

    Args:
        prepare: called in the fork before the program; returns constructors to be run before those of the program.
        is_below: on a stack that begins further down.
    """
    runs.folder.mkdir(exist_ok=True)
    for path in runs.fresh:
        shutil.copy(path, runs.folder)
    output = runs.folder / "stdout"
    child = os.fork()
    if child == 0:
        os.chdir(runs.folder)
        os.dup2(os.open("stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.dup2(os.open(runs.stdin or os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        ctypes.CDLL(None).alarm(_PATIENCE_S)

        def run() -> None:
            run_main(code, ["program", *runs.arguments], [*prepare(), *code.constructors])

        if is_below:
            go_below(run)
        run()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), hashlib.sha256(output.read_bytes()).hexdigest()[:16]


def fired_in(page: mmap.mmap, cells: int) -> set[int]:
    """The cells of the points that fired in the last run."""
    return {at for at in range(cells) if struct.unpack_from("<q", page, _word(at, FIRED))[0]}


def _word(cell: int, word: int) -> int:
    return CELLS_AT + CELL_BYTES * cell + word
