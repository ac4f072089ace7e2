"""NumPy and SciPy: an extra, which whatever judges measurements needs and nothing else."""

from importlib import import_module
from importlib.util import find_spec

from sonde.base.errors import MissingCapability

_NAMES = {"numpy": "NumPy", "scipy": "SciPy"}
INSTALL = "python -m pip install 'sonde[bench]'"


def numeric_packages_problem() -> tuple[str, str] | None:
    """Why they cannot be used, and what to do about it; None: they can.

    Cost: they are loaded, some 100 ms.
    """
    missing = [told for name, told in _NAMES.items() if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not installed", INSTALL
    for name, told in _NAMES.items():
        try:
            import_module(name)
        except ImportError as error:  # it is there, and what it needs is not
            reason = str(error.__cause__ or error).partition("\n")[0]
            return f"{told} does not load: {reason}", f"python -c 'import {name}' says more"
    return None


def require_numeric_packages(doing: str) -> None:
    """Refuse to do something without them.

    Args:
        doing: as in `cannot {doing}`.

    Raises:
        MissingCapability: `no-numpy`.
    """
    if problem := numeric_packages_problem():
        reason, hint = problem
        raise MissingCapability(f"cannot {doing}: {reason}", slug="no-numpy", hint=hint)
