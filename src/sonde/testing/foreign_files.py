"""Files that no reader may take for its own, and how a reader refuses a file."""

from collections.abc import Callable, Mapping
from pathlib import Path

from sonde.base.errors import InputError

CUTS = 24
"""Places at which a sample is cut off."""
_CONTENTS: Mapping[str, bytes] = {
    "an empty object": b"{}",
    "an empty list": b"[]",
    "an object of objects": b'{"a": {"b": {"c": null}}}\n',
    "prose": b"It was a dark and stormy night.\nThe rain fell in torrents.\n",
    "a program": b"import sys\nprint(sys.argv)\n",
    "bytes": bytes(range(256)),
}
"""Files of nobody, by what they are."""


def foreign_files(folder: Path, more: Mapping[str, bytes]) -> list[tuple[str, Path]]:
    """Write files of nobody, and an empty folder, into a folder: what each is, and where.

    Args:
        more: files that a kind of reader might take for its own, by what they are.
    """
    found = []
    for number, (what, content) in enumerate({**_CONTENTS, **more}.items()):
        path = folder / f"alien-{number}"
        path.write_bytes(content)
        found.append((what, path))
    empty = folder / "empty-folder"
    empty.mkdir(exist_ok=True)
    return [*found, ("an empty folder", empty)]


def refusal(read: Callable[[], object]) -> InputError | None:
    """The error with which a file is refused; None if it is read. Anything else that is raised breaks the contract."""
    try:
        read()
    except InputError as refused:
        return refused
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} instead of an InputError: {error}") from error
    return None
