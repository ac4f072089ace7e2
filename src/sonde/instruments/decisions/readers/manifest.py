"""`sonde-run.json`: what lies in a captured folder, and where it comes from."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonde.base.errors import InputError
from sonde.base.whole_file import WholeFile
from sonde.instruments.decisions.foreign_json import parsed_json

MANIFEST = "sonde-run.json"
"""Lies in every folder that sonde captured."""
SCHEMA = "sonde.decision-run/1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What sonde wrote down when it captured a run. In the file, paths are relative to its folder."""

    kind: str
    """Name of the reader."""
    record: Path
    """File or folder with the decisions."""
    profile: Path | None = None
    command: tuple[str, ...] = ()
    compiler: str = ""
    captured: str = ""
    """When the program was started, as ISO 8601 has it."""
    exit_code: int | None = None
    directory: str = ""
    """Where the command was run, from where it named its sources; empty: not known."""


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as made:
    ...     write_manifest(Path(made), Manifest("graal", Path(made, "optimization_log")))
    ...     (Path(made) / MANIFEST).read_text().split(",")[0]
    '{\\n "schema": "sonde.decision-run/1"'
    """
    document = {
        "schema": SCHEMA,
        "kind": manifest.kind,
        "record": str(manifest.record.relative_to(folder)),
        "profile": None if manifest.profile is None else str(manifest.profile.relative_to(folder)),
        "command": manifest.command,
        "compiler": manifest.compiler,
        "captured": manifest.captured,
        "exit_code": manifest.exit_code,
        "directory": manifest.directory,
    }
    with WholeFile(folder / MANIFEST) as partial:
        partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def parse_manifest(file: Path, content: bytes) -> Manifest:
    """Read what is in the file.

    Raises:
        InputError: `decision-manifest`.
    """
    try:
        document: Any = parsed_json(content)
    except (ValueError, RecursionError) as error:
        raise bad_manifest(file, f"it is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise bad_manifest(file, "it is not an object")
    schema = document.get("schema")
    if schema != SCHEMA:
        raise bad_manifest(file, f"its schema is {schema!r}, known is '{SCHEMA}'")
    kind, record, profile = (document.get(key) for key in ("kind", "record", "profile"))
    if not isinstance(kind, str) or not isinstance(record, str) or not isinstance(profile, str | None):
        raise bad_manifest(file, "'kind' and 'record' must be text, 'profile' text or null")
    for path in (record, profile or ""):
        if "\0" in path:
            raise bad_manifest(file, "a path in it has a NUL")
        if not (file.parent / path).resolve().is_relative_to(file.parent.resolve()):  # runs come from others
            raise bad_manifest(file, f"'{path}' leads out of the folder")
    command, exit_code = document.get("command"), document.get("exit_code")
    return Manifest(
        kind,
        file.parent / record,
        file.parent / profile if profile else None,
        tuple(map(str, command)) if isinstance(command, list) else (),
        _text(document.get("compiler")),
        _text(document.get("captured")),
        exit_code if isinstance(exit_code, int) else None,
        _text(document.get("directory")),
    )


def bad_manifest(file: Path, fact: str) -> InputError:
    """The error for a manifest that sonde did not write so."""
    return InputError(
        f"cannot use '{file}': {fact}",
        slug="decision-manifest",
        hint="capture the run again, or delete that file: runs are told by their content too",
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
