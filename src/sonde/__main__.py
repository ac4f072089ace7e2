"""`python -m sonde` is `sonde`, and what the console script calls.

Whoever presses Ctrl-C while sonde is being imported has no use for a traceback of its imports: until `sonde.cli` is
there, the signal ends the process, as it would any program in C.
"""

import _signal  # type: ignore[import-not-found] # typeshed has `signal` only, which is Python code that takes 0.5 ms
import sys


def main() -> int:
    """Import sonde's command line, and run it; returns the exit code."""
    is_told_by_python = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler  # else it is ignored
    if is_told_by_python:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from sonde.cli import main as run

    if is_told_by_python:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    return run()


if __name__ == "__main__":
    sys.exit(main())
