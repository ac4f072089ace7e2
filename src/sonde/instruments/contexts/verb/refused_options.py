"""Options of `sonde contexts` that some programs do not have, or that cycles do not have."""

from collections.abc import Sequence

from sonde.base.errors import UsageError
from sonde.instruments.contexts.options import RunOptions
from sonde.options.declared import flag_of

_OF_PYTHON = ("record", "concurrent", "raw", "builtins", "threads", "tasks", "lines", "mechanism")
"""Options that mean nothing to compiled programs, or cannot be had of them."""


def refuse_options_of_python(word: str, options: RunOptions, others: Sequence[str] = ()) -> None:
    """See to it that nothing is asked for that compiled programs do not have.

    Args:
        word: the program.
        options: with `cycles`, lines can be told.
        others: options that were given and mean nothing either.
    Raises:
        UsageError: `not-of-compiled`.
    """
    told = ("lines",) if options.cycles else ()
    asked = [flag_of(name) for name in _OF_PYTHON if name not in told and getattr(options, name)]
    asked += others
    if asked:
        raise UsageError(
            f"cannot use {asked[0]} with '{word}': it is not for compiled programs",
            slug="not-of-compiled",
            hint=f"leave out {asked[0]}",
        )


def refuse_options_of_contexts(options: RunOptions, hot: Sequence[str]) -> None:
    """See to it that of cycles, nothing is asked for that calling contexts have.

    Args:
        hot: options of hotness and bursts that were given.
    Raises:
        UsageError: `not-of-cycles`.
    """
    names = ("no_time", "live", "probes")
    asked = [*hot, *(flag_of(name) for name in names if getattr(options, name))]
    asked += ["--clock cpu"] if options.clock == "cpu" else []
    asked += ["--stamps"] if options.stamps and options.time == "sampled" else []
    asked += ["--every"] if options.every and options.time not in ("sampled", "both") else []
    if asked:
        raise UsageError(
            f"cannot use {asked[0]} with --cycles: functions are measured by themselves, and all are kept",
            slug="not-of-cycles",
            hint=f"leave out {asked[0]}, or --cycles",
        )


def refuse_options_of_compiled_cycles(word: str, options: RunOptions) -> None:
    """See to it that of cycles of a Python program, which are those of what Numba compiles, nothing is asked for that
    only programs have that sonde compiles, or that only Python functions have.

    Raises:
        UsageError: `not-of-cycles`.
    """
    asked = [f"--time {options.time}"] if options.time in ("sampled", "both") else []
    asked += [flag_of(name) for name in _OF_PYTHON if name != "lines" and getattr(options, name)]
    if asked:
        raise UsageError(
            f"cannot use {asked[0]} with '{word}' and --cycles: of Python programs, what Numba compiles is measured by"
            " its probes, and nothing else",
            slug="not-of-cycles",
            hint=f"leave out {asked[0]}",
        )
