"""Run a program, or a compiler, and record its decisions in a folder.

  sonde decisions capture -o run -- java -jar app.jar        Graal if it is the compiler, else HotSpot
  sonde decisions capture -o run -- python app.py            what CPython 3.11 and newer specialised
  sonde decisions capture -o run -- clang -O2 -c main.c      remarks of LLVM; clang++, zig cc, rustc, cargo
  sonde decisions capture -o run -- prog.c -O2 -- input.txt  as sonde vm run compiles it, with times
  sonde decisions show run

The command runs as it would alone, with its own streams, folder and environment, except for the options that
make the compiler record. A message at the end says what was compiled again, and how much of the time could be
attributed.

exit code: that of the program; 128 and the number of the signal that killed it. 2: it cannot be captured.
prog.c without llvmlite is compiled, not run: 0, or 1 if that failed.
"""

import argparse
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture.captured import CaptureOptions
from sonde.options.declared import Option, add_options, options_from, split_at_program

EXIT_CODE_ANSWERS = True


class FolderOptions(NamedTuple):
    """Where the record goes."""

    output: Annotated[
        Path | None,
        Option("where to (default: decisions-NAME, of the program)", parse=Path, metavar="FOLDER", short="-o"),
    ] = None


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions capture`."""
    parser.usage = "sonde decisions capture [-o FOLDER] [OPTIONS] -- COMMAND ..."
    add_options(parser, FolderOptions, CaptureOptions)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our options, and the command: after `--`, or from the first word that is no option."""
    own, command = split_at_program(words, FolderOptions, CaptureOptions)
    return own, command[1:] if command[:1] == ["--"] else command


def run(arguments: argparse.Namespace) -> int:
    """Run the command and record.

    Returns:
        the exit code of the command.
    Raises:
        UsageError: `usage`, and what `capture` raises.
        MissingCapability: what is needed to record is missing.
    """
    from sonde.instruments.decisions.capture import capture

    command = arguments.program
    if not command:
        raise UsageError(
            "cannot capture nothing: a command is needed",
            slug="usage",
            hint="sonde decisions capture -o run -- java -jar app.jar",
        )
    folder = options_from(FolderOptions, arguments).output or Path(f"decisions-{Path(command[0]).name}")
    code = capture(command, folder, options_from(CaptureOptions, arguments))
    if _has_record(folder):
        print(f"sonde: recorded in {folder}; look at it with: sonde decisions show {folder}", file=sys.stderr)
    else:
        print(f"sonde: nothing was recorded: the command ended with exit code {code}", file=sys.stderr)
    return code


def _has_record(folder: Path) -> bool:
    from sonde.instruments.decisions.readers import MANIFEST

    return any(path.is_file() and path.name != MANIFEST for path in folder.rglob("*"))
