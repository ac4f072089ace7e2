"""What a file that is to be a trace must be, whatever is in it."""

from pathlib import Path


def no_regular_file(path: Path) -> str | None:
    """What is there in place of a file, in words: the core goes to and fro in it, and a pipe would be waited for."""
    if path.is_dir():
        return "a folder, and traces are files"
    return "a device or a pipe, and traces are read from files" if path.exists() and not path.is_file() else None
