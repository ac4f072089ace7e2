"""Whether a process runs, as the system tells."""

from pathlib import Path


def state_of(pid: int) -> str | None:
    """The letter that `ps` shows; None if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return None


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended, and that nobody has waited for, does not."""
    return state_of(pid) not in (None, "Z", "X")
