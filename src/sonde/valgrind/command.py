"""The command line and the environment of a program that runs in sonde's Valgrind tool."""

import os
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path

from sonde.valgrind.tool_build import TOOL, BuiltTool
from sonde.valgrind.tool_log import LOG

_STACK_BYTES = 16 << 20
"""What Valgrind gives the first thread at most, unless it is told."""
_UNLIMITED_STACK_BYTES = 1 << 30
"""What it gets where there is no limit: address space, of which only what is used becomes memory."""


def tool_command(
    argv: Sequence[str], tool: BuiltTool, spool: Path, words: Sequence[str], *, inline_info: bool = False
) -> tuple[str, ...]:
    """Valgrind's command line for `argv`, which begins with the tool itself.

    Valgrind's command is left out: all that it does is to start the tool, and on Debian it is a script that changes
    the program's environment. Options of files and variables are ignored: they are meant for other tools.

    Args:
        spool: a folder of the run, for the log.
        words: options of sonde's tool.
        inline_info: read which functions were inlined where, which takes a while.
    """
    folder = str(spool.resolve())
    found = [
        str(tool.program),
        f"--tool={TOOL}",
        "--command-line-only=yes",
        "--quiet",
        "--sigill-diagnostics=yes",
        "--vgdb=no",
        "--trace-children=no",
        "--smc-check=all-non-file",
        f"--read-inline-info={'yes' if inline_info else 'no'}",
        f"--log-file={folder.replace('%', '%%')}/{LOG}",
        f"--sonde-launcher={os.getpid()}",
        *words,
    ]
    stack, _ = resource.getrlimit(resource.RLIMIT_STACK)
    if stack == resource.RLIM_INFINITY:
        stack = _UNLIMITED_STACK_BYTES
    if stack > _STACK_BYTES:
        found.append(f"--main-stacksize={stack}")
    return (*found, *argv)


def tool_environment(environment: Mapping[str, str], tool: BuiltTool) -> dict[str, str]:
    """The environment of the tool, with what it asks for, and hides from the program."""
    return {
        **environment,
        "VALGRIND_LIB": str(tool.folder),
        "VALGRIND_LAUNCHER": str(tool.valgrind.command),
    }
