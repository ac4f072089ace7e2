"""What was typed, in a file: written line by line, before a line is done, so that no crash takes it along."""

import os
from contextlib import suppress
from pathlib import Path

from sonde.base.whole_file import WholeFile

_KEPT_LINES = 5_000
_MOST_LINES = 10_000
"""The file is cut back to the last `_KEPT_LINES` when it has grown to more than this."""


class History:
    """The history file of all shells of a user."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a file that cannot be read is an empty one."""
        self.path = path
        self.problem: str | None = None
        """Why lines cannot be kept, if they cannot."""
        self.lines = self._read()

    def add(self, line: str) -> None:
        """Keep a line, unless it repeats the last one or is hidden by a blank before it."""
        if not line.strip() or line.startswith(" ") or self.lines[-1:] == [line]:
            return
        self.lines.append(line)
        if self.problem is not None:
            return
        try:
            if not self.path.parent.exists():
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, line.encode("utf-8", "surrogateescape") + b"\n")
            finally:
                os.close(descriptor)
        except OSError as error:
            self.problem = error.strerror or str(error)

    def _read(self) -> list[str]:
        try:
            text = self.path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            return []
        lines = text.split("\n")[:-1]  # a line that was not written to its end is none
        if len(lines) > _MOST_LINES:
            lines = lines[-_KEPT_LINES:]
            self._rewrite(lines)
        return lines

    def _rewrite(self, lines: list[str]) -> None:
        with suppress(OSError), WholeFile(self.path) as partial:  # else it stays long
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as stream:
                stream.writelines(f"{line}\n" for line in lines)


def history_path() -> Path:
    """`vm_history` in the folder for state that outlives a program."""
    base = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return folder / "sonde" / "vm_history"
