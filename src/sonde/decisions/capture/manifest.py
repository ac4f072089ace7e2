"""`sonde-run.json`: what lies in a captured folder, and where it comes from. Readers of runs read it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from sonde.decisions.model import CompilerKind

MANIFEST = "sonde-run.json"
"""Name of the file."""
SCHEMA = "sonde.decision-run/1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the file."""

    kind: CompilerKind
    record: str
    """File or folder with the decisions; like `profile`, relative to the folder of the manifest."""
    profile: str | None = None
    command: tuple[str, ...] = ()
    compiler: str = ""
    captured: str = ""
    """When the program was started, as ISO 8601 has it."""
    exit_code: int | None = None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as made:
    ...     write_manifest(Path(made), Manifest("graal", "optimization_log", "profile.json"))
    ...     (Path(made) / MANIFEST).read_text().split(",")[0]
    '{\\n "schema": "sonde.decision-run/1"'
    """
    beside = folder / f"{MANIFEST}.part"
    with beside.open("w", encoding="utf-8") as file:
        json.dump({"schema": SCHEMA, **asdict(manifest)}, file, indent=1)
        file.write("\n")
    beside.replace(folder / MANIFEST)
