"""Run a program, or a compiler, so that what it decides is left in a folder.

  sonde decisions capture -o run -- java -jar app.jar        Graal if it is the compiler, else HotSpot
  sonde decisions capture -o run -- python app.py            what CPython 3.11 and newer specialised
  sonde decisions capture -o run -- clang -O2 -c main.c      remarks of LLVM; clang++, zig cc, rustc, cargo
  sonde decisions capture -o run -- prog.c -O2 -- input.txt  as sonde vm run compiles it, with times
  sonde decisions show run

The command runs as it would alone: its streams, folder and environment are its own, but for the options that
make the compiler record. What was compiled again and how much of the time could be linked is said at the end.

exit code: that of the program; 128 and the number of the signal that killed it. 2: it cannot be captured.
"""

import argparse
import sys
from pathlib import Path
from typing import get_args

from sonde.base.errors import UsageError
from sonde.options.numbers import duration_ns

_WITH_VALUE = ("-o", "--output", "--kind", "--interval", "--tick")

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions capture`."""
    from sonde.instruments.decisions.capture import CaptureOptions
    from sonde.instruments.decisions.model import CompilerKind

    parser.usage = "sonde decisions capture [-o FOLDER] [OPTIONS] -- COMMAND ..."
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="where to (default: decisions-NAME, of the program)"
    )
    parser.add_argument(
        "--kind", choices=get_args(CompilerKind), help="what to record (default: what the command says)"
    )
    usual = CaptureOptions()
    parser.add_argument(
        "--interval",
        type=duration_ns,
        default=round(usual.interval_s * 1e9),
        metavar="TIME",
        help=f"Python: from one snapshot of what is specialised to the next (default: {usual.interval_s:g}s)",
    )
    parser.add_argument(
        "--tick",
        type=_tick_ms,
        default=usual.tick_ms,
        metavar="TIME",
        help=f"Python: from one look at where the program is to the next; 0: no times (default: {usual.tick_ms}ms)",
    )
    parser.add_argument("--force", action="store_true", help="write into a folder in which something is")


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our options, and the command: after `--`, or from the first word that is no option."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[:at], words[at + 1 :]
        if not word.startswith("-"):
            break
        at += 2 if word in _WITH_VALUE else 1
    return words[:at], words[at:]


def run(arguments: argparse.Namespace) -> int:
    """Run the command and record.

    Returns:
        the exit code of the command.
    Raises:
        UsageError: `usage`, and what `capture` raises.
        MissingCapability: what is needed to record is missing.
    """
    from sonde.instruments.decisions.capture import CaptureOptions, capture

    command = arguments.program
    if not command:
        raise UsageError(
            "cannot capture nothing: a command is needed",
            slug="usage",
            hint="sonde decisions capture -o run -- java -jar app.jar",
        )
    folder = arguments.output or Path(f"decisions-{Path(command[0]).name}")
    options = CaptureOptions(
        kind=arguments.kind, force=arguments.force, interval_s=arguments.interval / 1e9, tick_ms=arguments.tick
    )
    code = capture(command, folder, options)
    if _has_record(folder):
        print(f"sonde: recorded in {folder}; look at it with: sonde decisions show {folder}", file=sys.stderr)
    else:
        print(f"sonde: nothing was recorded: the command ended with exit code {code}", file=sys.stderr)
    return code


def _has_record(folder: Path) -> bool:
    from sonde.instruments.decisions.readers import MANIFEST

    return any(path.is_file() and path.name != MANIFEST for path in folder.rglob("*"))


def _tick_ms(text: str) -> int:
    """Milliseconds; 0 for none."""
    ms = 0 if text == "0" else duration_ns(text) // 1_000_000
    if not ms and text != "0":
        raise argparse.ArgumentTypeError(f"'{text}' is too short: write 1ms or more, or 0 for no times")
    return ms
