"""What agents that could not begin have left in the folder of a run: a note each, `PID.refused`."""

from errno import ENOSPC
from pathlib import Path
from typing import NamedTuple

from sonde.base.free_threading import INSTEAD

REFUSED = ".refused"
"""What the names of notes end in."""


class Refusal(NamedTuple):
    """A Python process in which the agent could not begin."""

    executable: str
    version: str
    """As `3.14.0`; `3.14.0t` where it is built without a GIL."""
    reason: str
    """May have several lines."""

    @property
    def process(self) -> str:
        """What could not be measured, in words."""
        return f"{self.executable} (Python {self.version})" if self.executable else "a Python process"

    def cure(self, otherwise: str) -> str:
        """What to do about it.

        Args:
            otherwise: the same where the interpreter has a GIL.
        """
        return INSTEAD if self.version.endswith("t") else otherwise

    @property
    def is_of_system(self) -> bool:
        """Whether the system refused something, such as room on a disk."""
        return self.reason.startswith("[Errno ")


def why_nothing_measured(folder: Path, what: str) -> tuple[str, str]:
    """Message and hint for a run in which nothing was measured: an agent could not begin, or none was started.

    Args:
        folder: of the run.
        what: was to be found: `paths`.
    """
    for refusal in refusals_in(folder):
        return (
            f"cannot measure '{refusal.executable}' ({refusal.version}): {refusal.reason}",
            refusal.cure("install sonde in the Python that runs the program"),
        )
    return (
        f"cannot find {what}: no Python that sonde can measure was started",
        "PROGRAM is script.py, -m module, or -- command that runs a Python of this version",
    )


def refusals_in(folder: Path) -> list[Refusal]:
    """All of them, in the order of the names of their notes."""
    return [read_refusal(note) for note in sorted(folder.glob(f"*{REFUSED}"))]


def read_refusal(note: Path) -> Refusal:
    """What a note says; one that is not whole lacks room."""
    executable, version, reason = (note.read_text(encoding="utf-8", errors="replace") + "\n\n").split("\n", 2)
    return Refusal(executable, version, reason.strip() or f"[Errno {ENOSPC}] there was no room to say why")
