"""The texts of the sources in which something was decided, read when they are asked for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.readers import MANIFEST

_MAX_FILE_BYTES = 8 << 20
"""What is longer was generated."""


@dataclass(slots=True)
class SourceTexts:
    """Texts by the names that runs have for files."""

    texts: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    """Files that could not be read."""
    changed: list[str] = field(default_factory=list)
    """Files that are newer than a run, or have fewer lines than it has seen."""


def source_texts(runs: Sequence[DecisionRun], last_lines: Mapping[str, int]) -> SourceTexts:
    """Read sources: from where the command was run that named them, from here, or from where the run lies.

    Args:
        last_lines: the last line of each file that is told of.
    """
    found = SourceTexts()
    for file, line in last_lines.items():
        place = next(filter(_is_readable, _places(runs[0], file)), None)
        try:
            text = None if place is None else place.read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = None
        if place is None or text is None:
            found.missing.append(file)
            continue
        found.texts[file] = text
        if line > len(text.splitlines()) or _is_newer(place, runs):
            found.changed.append(file)
    return found


def _places(run: DecisionRun, file: str) -> Iterator[Path]:
    lies_at = Path(run.name)
    for folder in (Path(run.directory), Path(), lies_at, lies_at.parent):
        yield folder / file


def _is_readable(place: Path) -> bool:
    try:
        return place.is_file() and place.stat().st_size <= _MAX_FILE_BYTES
    except (OSError, ValueError):  # a name with a NUL in it is no name
        return False


def _is_newer(source: Path, runs: Sequence[DecisionRun]) -> bool:
    """Whether a source was written after a run was captured."""
    for run in runs:
        place = Path(run.name)
        record = place / MANIFEST if place.is_dir() else place
        try:
            if source.stat().st_mtime > record.stat().st_mtime:
                return True
        except OSError:  # nothing is known of when it was captured
            continue
    return False
