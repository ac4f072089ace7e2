"""How an error is told, whoever has caught it."""

import sys

from sonde.base.errors import SondeError


def tell_error(error: SondeError) -> None:
    """Print it on stderr. It quotes what it is about, which may be anything, also what steers a terminal."""
    from sonde.base.fitted_text import printable  # loaded when something went wrong, not with each verb

    print("\n".join(map(printable, f"sonde: {error}".split("\n"))), file=sys.stderr, flush=True)
