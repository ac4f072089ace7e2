"""The folder of a run in which remarks are collected, a file for each source file."""

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

REMARKS = "remarks"
"""Name of the folder."""
_ENDING = ".opt.yaml"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Compilation:
    """One source file, compiled for its remarks."""

    source: str
    argv: tuple[str, ...]
    remarks: Path


def remark_file(folder: Path, source: str, taken: set[Path]) -> Path:
    """Where the remarks about a source file go: its path, inside of the folder; made if it is not there."""
    path = Path(source)
    parts = [part for part in (Path(os.path.relpath(path)) if path.is_absolute() else path).parts if part != "."]
    # Hidden folders are no part of a run when it is read.
    parts = ["up" if part == ".." else part.strip("/").lstrip(".") or "source" for part in parts] or ["source"]
    place = (folder / REMARKS).joinpath(*parts)
    stem, number = place.stem, 2
    path = place.with_name(stem + _ENDING)
    while path in taken:
        path = place.with_name(f"{stem}-{number}{_ENDING}")
        number += 1
    taken.add(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def compile_all(compilations: Sequence[Compilation], environment: Mapping[str, str] | None = None) -> list[str]:
    """Compile, as many at a time as there are cores.

    Returns:
        lines for people: what could not be compiled again.
    """

    def compile_one(each: Compilation) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            each.argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=dict(environment) if environment is not None else None,
            check=False,
        )

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = list(zip(compilations, pool.map(compile_one, compilations), strict=True))
    failed = [(each.source, result.stderr.strip()) for each, result in done if result.returncode]
    silent = [each.source for each, result in done if not result.returncode and not each.remarks.is_file()]
    return [
        *_lines("could not be compiled again for its remarks", failed),
        *_lines("was compiled, but left no remarks", [(source, "") for source in silent]),
    ]


def _lines(what: str, found: Sequence[tuple[str, str]]) -> Iterable[str]:
    for source, message in found[:_SHOWN]:
        yield f"'{source}' {what}" + (f": {message.splitlines()[0]}" if message else "")
    if len(found) > _SHOWN:
        yield f"and {len(found) - _SHOWN} more"
