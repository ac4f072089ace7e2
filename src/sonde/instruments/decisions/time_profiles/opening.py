"""Looking at how a profile begins; and the refusal of one that the system does not let sonde read."""

from pathlib import Path

from sonde.base.errors import InputError

_HEAD = 64 << 10


def profile_head(path: Path) -> bytes:
    """The first bytes of a profile, by which it is told what wrote it.

    Raises:
        InputError: `unreadable-time-profile`.
    """
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """What to raise: `unreadable-time-profile`."""
    return InputError(
        f"cannot read the profile '{path}': {error.strerror or error}",
        slug="unreadable-time-profile",
        hint="check the path, and its permissions",
    )
