"""What the system refuses, wherever it does: a full disk, or a name that is too long, is no bug in sonde."""

import errno

from sonde.base.errors import SondeError

_REFUSALS = {
    errno.EACCES: "check its permissions",
    errno.EDQUOT: "make room, or choose another place",
    errno.EFBIG: "choose a place where files may be larger",
    errno.EIO: "check the disk, or the connection to it",
    errno.ELOOP: "its links lead in a circle: name another file",
    errno.EMFILE: "ulimit -n allows more open files",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENFILE: "close other programs",
    errno.ENOMEM: "close other programs, or allow this one more memory",
    errno.ENOSPC: "make room, or choose another place",
    errno.EROFS: "choose another place",
    errno.ESTALE: "check the connection to the disk",
}
"""Where nothing of what sonde did can be the cause, and what to change. All others are bugs if nobody expected them."""


def as_refusal(error: OSError) -> SondeError | None:
    """The error to be told for one that nobody expected where it came; None: it may be a bug."""
    hint = _REFUSALS.get(error.errno or 0)
    if hint is None:
        return None
    what = "cannot go on" if error.filename is None else f"cannot use '{_name(error.filename)}'"
    return SondeError(f"{what}: {error.strerror}", slug="refused-by-system", hint=hint)


def _name(name: object) -> str:
    return name.decode(errors="backslashreplace") if isinstance(name, bytes) else str(name)
