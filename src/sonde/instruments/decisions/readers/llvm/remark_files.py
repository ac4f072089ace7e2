"""Which files are remarks, and which of them are of one object file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.decisions.readers.place import RunPlace
from sonde.instruments.decisions.remarks import are_remarks

_NAME = re.compile(
    r"(?P<object>.+?)(?P<stage>\.(?:opt|lto|codegen|thin-lto|fat-lto)[^.]*)?\.opt\.(?:yaml|yml|bitstream)"
)
"""clang: `util.opt.yaml`. rustc: `prog.1a2b-cgu.0.opt.opt.yaml`, then `prog.1a2b-cgu.0.codegen.opt.yaml`."""
_LAST_STAGE = "codegen"


@dataclass(frozen=True, slots=True)
class ObjectFiles:
    """The remarks about one object file."""

    name: str
    """Of the object file: the path below the folder of the run, without what remarks end in."""
    paths: tuple[Path, ...]
    """In the order in which the compiler wrote them."""


def object_files(place: RunPlace) -> list[ObjectFiles]:
    """All remarks of a place, by object file, sorted by name. Raises: InputError `unreadable-decision-record`."""
    manifest = place.manifest
    record = manifest.record if manifest is not None else place.path
    folder = record if record.is_dir() else record.parent
    found: dict[str, list[tuple[bool, str, Path]]] = {}
    for path in place.files:
        if not path.is_relative_to(folder) or not is_remarks(path, place.head(path)):
            continue
        match = _NAME.fullmatch(path.name)
        name, stage = (match["object"], match["stage"] or "") if match else (path.stem, "")
        key = (path.parent / name).relative_to(folder).as_posix()
        found.setdefault(key, []).append((_LAST_STAGE in stage, stage, path))
    return [ObjectFiles(key, tuple(path for _, _, path in sorted(stages))) for key, stages in sorted(found.items())]


def is_remarks(path: Path, head: bytes) -> bool:
    """Whether a file that begins so holds remarks; one that the compiler left empty does by its name."""
    if not head:
        return _NAME.fullmatch(path.name) is not None
    return are_remarks(head)


def holds_remarks(files: Sequence[tuple[Path, bytes]]) -> bool:
    """Whether there is a remark in one of these files, going by how they begin."""
    return any(head and is_remarks(path, head) for path, head in files)
