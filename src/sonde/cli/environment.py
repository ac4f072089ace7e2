"""`sonde help environment`: variables that a user may set, and what they are for.

docs/environment.md has the same table, and what else is in the environment of processes that sonde starts.
"""

import textwrap
from typing import NamedTuple

from sonde.options.help_text import help_width


class Variable(NamedTuple):
    """A variable that sonde heeds."""

    name: str
    default: str
    verbs: str
    """Where it matters."""
    about: str


VARIABLES = (
    Variable(
        "SONDE_PROFILE",
        "not set",
        "`sonde.start_if_asked()`",
        "count from there on, and write the profile to this file at the end of the program",
    ),
    Variable(
        "SONDE_SIGNAL",
        "not set",
        "`sonde.start_if_asked()`",
        "with `SONDE_PROFILE`: count from this signal (`USR2`) to the next one",
    ),
    Variable(
        "SONDE_CC",
        "clang of the package ziglang, else `clang`",
        "vm, contexts, paths, memory",
        "the clang that compiles C and C++ for sonde's JIT",
    ),
    Variable("CC", "`cc`, `gcc` or `clang`", "memory", "the C compiler that builds the Valgrind tool"),
    Variable(
        "SONDE_CORE",
        "`native`",
        "all",
        "`python` analyses with the slow twins of the native code, which wheels lack: to find out which is wrong",
    ),
    Variable("NO_COLOR", "not set", "all", "with any value: nothing is coloured"),
    Variable(
        "FORCE_COLOR, CLICOLOR_FORCE",
        "0",
        "all",
        "with any other value: text is coloured in files and pipes, too, as for the log of a CI system",
    ),
    Variable("CLICOLOR", "1", "all", "`0`: nothing is coloured"),
    Variable("TERM", "set by the terminal", "all", "`dumb`: no colours, no line that is written over, no live view"),
    Variable("COLUMNS", "width of the terminal; 100 if there is none", "all", "width of reports"),
    Variable("XDG_CACHE_HOME", "`~/.cache`", "memory, contexts", "cache for compiled tools and objects"),
    Variable(
        "XDG_STATE_HOME",
        "`~/.local/state`",
        "vm, bench tune",
        "the shell's history, and settings to restore",
    ),
    Variable(
        "TMPDIR",
        "`/tmp`",
        "all that run programs",
        "counts are stored there while a program runs, unless `-o` is given",
    ),
)


def environment_help() -> str:
    """The table as text, fitted to the terminal."""
    width = help_width()
    lines = ["environment variables of sonde:", ""]
    for each in VARIABLES:
        about = f"{each.about} (default: {each.default}; matters to: {each.verbs})".replace("`", "")
        lines += [f"  {each.name}"]
        lines += textwrap.wrap(about, width, initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False)
    lines += ["", *textwrap.wrap("docs/environment.md lists also those that sonde sets for what it runs.", width)]
    return "\n".join(lines)
