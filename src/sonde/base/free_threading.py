"""Builds of CPython without a GIL (free-threaded): sonde does not run in them."""

import sys

from sonde.base.errors import MissingCapability

_FLAGS: str = getattr(sys, "abiflags", "")
INSTEAD = "sonde sample looks at it from outside, sonde bench times it; all else needs the build with a GIL"
"""What to do about a program that runs in one."""
INSTEAD_3_13 = "builds without one tell from 3.14 on how they are laid out; or use the build with a GIL"
"""The same for 3.13, whose stacks cannot be read from outside either."""


def is_free_threaded(flags: str = _FLAGS) -> bool:
    """Whether this interpreter is built without a GIL; one that a program has turned on again makes no difference.

    Args:
        flags: of the interpreter's binary interface.

    >>> is_free_threaded("t"), is_free_threaded("td"), is_free_threaded("d")
    (True, True, False)
    """
    return "t" in flags


def refuse_free_threaded(flags: str = _FLAGS) -> None:
    """Refuse to work in this interpreter if it is built without a GIL: agents rely on that.

    Args: as of `is_free_threaded`.
    Raises:
        MissingCapability: `free-threaded`.
    """
    if is_free_threaded(flags):
        version = "{}.{}".format(*sys.version_info)
        raise MissingCapability(
            f"cannot run sonde in '{sys.executable}': Python {version}t is built without a GIL (free-threaded)",
            slug="free-threaded",
            hint=f"python{version} -m pip install sonde; that sonde's sample and bench take programs of this one",
        )
