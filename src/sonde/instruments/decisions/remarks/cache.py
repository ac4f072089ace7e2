"""Parsed remarks kept beside the run, to be mapped the next time.

The file: eight bytes of magic; version of the format and byte order, four bytes each; the lengths of what follows in
bytes, eight each: a description as JSON (which sources, what was skipped), then each column; a checksum of all of
that and all of this; then the description and the columns, each at a multiple of eight.
"""

import json
import mmap
import struct
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sonde.base.whole_file import WholeFile
from sonde.instruments.decisions.remarks.columns import COLUMN_TYPES, Columns, RemarkFile, Remarks, SkippedRemark

VERSION = 1
"""Of the format, and of what parsing makes of a text: to be raised when either changes."""
_MAGIC = b"SONDERMK"
_ORDER = 0x01020304
_LENGTHS = 1 + len(Columns._fields)
_HEAD = struct.Struct(f"={len(_MAGIC)}sII{_LENGTHS}QQ")
_SETTLED_NS = 100_000_000
"""A file that changed so recently may change again with the same time and size: clocks of file systems tick every 10
milliseconds at worst."""


def cache_path(folder: Path, paths: Sequence[Path]) -> Path:
    """Where the remarks of these files are kept: files by themselves each have a cache of their own."""
    name = f".{paths[0].name}.sonde-remarks-{VERSION}" if len(paths) == 1 else f".sonde-remarks-{VERSION}"
    return folder / name


def find_kept(folder: Path, paths: Sequence[Path], tell: Callable[[str], None]) -> Remarks | None:
    """What was kept of these files, if they have not changed since and it is whole."""
    if not paths:
        return None
    place = cache_path(folder, paths)
    if not place.is_file():  # a pipe would be waited for
        return None
    try:
        with place.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    try:
        remarks = _loaded(memoryview(data), paths)
    except (ValueError, KeyError, TypeError, struct.error, RecursionError):
        remarks = None
    if remarks is None:
        tell(f"{place} is out of date or damaged: the remarks are parsed anew")
    return remarks


def keep(folder: Path, paths: Sequence[Path], remarks: Remarks, tell: Callable[[str], None]) -> None:
    """Keep the remarks; where that is not possible, nothing is kept."""
    sources = _sources(remarks.files, paths)
    if sources is None or not paths:
        return
    about = {
        "sources": sources,
        "files": [asdict(file) | {"path": str(file.path)} for file in remarks.files],
        "skipped": [asdict(each) | {"path": str(each.path)} for each in remarks.skipped],
        "unknown_keys": dict(remarks.unknown_keys),
    }
    parts = [memoryview(json.dumps(about, ensure_ascii=True).encode()), *remarks.columns]
    lengths = [part.nbytes for part in parts]
    padded = [each for part in parts for each in (part, bytes(-part.nbytes % 8))]
    head = _HEAD.pack(_MAGIC, VERSION, _ORDER, *lengths, _checksum(lengths, padded))
    place = cache_path(folder, paths)
    if place.exists() and not place.is_file():  # a pipe, say, into which a whole file would be written
        tell(f"the remarks are not kept in {folder}: {place.name} is in the way")
        return
    try:
        with WholeFile(place) as partial, partial.open("wb") as file:
            file.write(head)
            file.writelines(padded)
    except OSError as error:
        tell(f"the remarks are not kept in {folder}: {error.strerror}")


def _loaded(data: memoryview, paths: Sequence[Path]) -> Remarks | None:
    magic, version, order, *lengths, checksum = _HEAD.unpack_from(data)
    if (magic, version, order) != (_MAGIC, VERSION, _ORDER):
        return None
    parts, at = [], _HEAD.size
    for length in lengths:
        parts.append(data[at : at + length])
        at += length + -length % 8
    if at != len(data) or _checksum(lengths, [data[_HEAD.size :]]) != checksum:
        return None
    about = json.loads(bytes(parts[0]))
    files = tuple(RemarkFile(**file | {"path": Path(file["path"])}) for file in about["files"])
    if _sources(files, paths, settled=False) != about["sources"]:
        return None
    columns = Columns(*(part.cast(kind) for part, kind in zip(parts[1:], COLUMN_TYPES, strict=True)))
    skipped = tuple(SkippedRemark(**each | {"path": Path(each["path"])}) for each in about["skipped"])
    return Remarks(columns, files, skipped, about["unknown_keys"])


def _sources(files: Sequence[RemarkFile], paths: Sequence[Path], *, settled: bool = True) -> list[list[Any]] | None:
    """Name, size and time of each file, those that others name included; None: one is gone, or changes now."""
    found = []
    for path in [*paths, *(file.path for file in files)]:
        try:
            facts = path.stat()
        except OSError:
            return None
        if settled and time.time_ns() - facts.st_mtime_ns < _SETTLED_NS:
            return None
        found.append([str(path), facts.st_size, facts.st_mtime_ns])
    return found


def _checksum(lengths: Sequence[int], parts: Sequence[bytes | memoryview]) -> int:
    value = zlib.crc32(struct.pack(f"={len(lengths)}Q", *lengths))
    for part in parts:
        value = zlib.crc32(part, value)
    return value
