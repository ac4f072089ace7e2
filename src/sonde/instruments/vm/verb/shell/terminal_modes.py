"""The terminal as the shell needs it: put back after a program that died in the middle of changing it."""

import os
import termios
from contextlib import suppress

_Attributes = list[int | list[bytes | int]]


class TerminalModes:
    """How standard input's terminal was set when this was made; if it is none, nothing happens."""

    def __init__(self) -> None:
        self._attributes: _Attributes | None = None
        with suppress(termios.error, OSError):
            self._attributes = termios.tcgetattr(0)

    def restore(self) -> None:
        """Set it as it was, if this process may: one in the background may not."""
        if self._attributes is None:
            return
        with suppress(termios.error, OSError):  # the terminal may be gone
            if os.tcgetpgrp(0) == os.getpgrp():
                termios.tcsetattr(0, termios.TCSADRAIN, self._attributes)
