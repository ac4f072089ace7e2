"""A Python that was built without a part of its standard library: what needs that part is no bug in sonde."""

from importlib.util import find_spec

from sonde.base.errors import MissingCapability

_PARTS = {
    "_bz2": ("bz2", "bzip2"),
    "_ctypes": ("ctypes", "libffi"),
    "_curses": ("curses", "ncurses"),
    "_lzma": ("lzma", "xz"),
    "_sqlite3": ("sqlite3", "SQLite"),
}
"""Modules that are left out where a library was not there when Python was built: how they are imported, the library."""


def require_part(name: str, doing: str) -> None:
    """Refuse to begin with what could not be finished.

    Args:
        name: one of the modules that are left out, such as `_sqlite3`.
        doing: as in `cannot {doing}`.
    Raises:
        MissingCapability: `incomplete-python`.
    """
    if find_spec(name) is None:
        raise _without(name, doing)


def as_missing_part(error: ModuleNotFoundError, doing: str) -> MissingCapability | None:
    """The error to be told for a module that cannot be imported; None: it may be a bug."""
    return _without(error.name, doing) if error.name in _PARTS else None


def _without(name: str, doing: str) -> MissingCapability:
    module, library = _PARTS[name]
    return MissingCapability(
        f"cannot {doing}: this Python was built without '{module}'",
        slug="incomplete-python",
        hint=f"install {library} with its headers and build Python again, or use another Python",
    )
