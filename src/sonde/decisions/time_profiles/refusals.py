"""Profiles that the system does not let sonde read."""

from pathlib import Path

from sonde.errors import InputError


def unreadable(path: Path, error: OSError) -> InputError:
    """What to raise: `unreadable-time-profile`."""
    return InputError(
        f"cannot read the profile '{path}': {error.strerror or error}",
        slug="unreadable-time-profile",
        hint="check the path, and its permissions",
    )
