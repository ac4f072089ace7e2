"""The end of a run that made a profile: it is kept, and told, whatever becomes of the file.

The program has run, and what was measured may have taken long: a profile that cannot be written where it was to be is
kept elsewhere, the answer is printed, and only then is it an error.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TextIO

from sonde.base.errors import EXIT_OK, SondeError
from sonde.options.error_message import tell_error
from sonde.options.keeping import KeepOptions
from sonde.render.answers import print_answer
from sonde.report import Report


def keep_profile(output: Path, write: Callable[[Path], None]) -> SondeError | None:
    """Write a profile; in a folder for temporary files if it does not go where it was to be.

    Returns:
        why it is not where it was to be; None: it is there.
    """
    try:
        write(output)
    except SondeError as error:
        try:
            spare = Path(tempfile.mkdtemp(prefix="sonde-kept-")) / output.name
            write(spare)
        except (OSError, SondeError):
            return error
        return SondeError(
            f"{error.message}; the profile is '{spare}'",
            slug="cannot-write",
            hint=f"where there is room and a folder for it: mv {quote(str(spare))} {quote(str(output))}",
        )
    return None


def keep_and_tell(
    write: Callable[[Path], None],
    report: Callable[[], Report],
    keep: KeepOptions,
    arguments: argparse.Namespace,
    stream: TextIO,
) -> int:
    """Keep a profile as the command line asks, and print the answer.

    Args:
        write: writes the profile to a file that may be there.
        report: makes the answer, if one is asked for.
        stream: where text goes.
    Returns:
        the exit code if the program succeeded.
    Raises:
        SondeError: `cannot-write`, once the answer is printed.
    """
    unkept = None if keep.output is None else keep_profile(keep.output, write)
    if arguments.json or arguments.markdown or not keep.quiet:
        print_answer(report(), arguments, stream)
    if unkept is not None:
        raise unkept
    if keep.output is not None and not keep.quiet:
        kept = quote(str(keep.output))
        print(f"sonde: wrote {keep.output}; sonde view {kept} --html run.html", file=sys.stderr)
    return EXIT_OK


def concluded(conclude: Callable[[], int]) -> int:
    """Do what is left once the program has run, and tell what fails; the exit code if the program succeeded.

    Whatever becomes of the profile, the program has run and ends as it ended.
    """
    try:
        return conclude()
    except SondeError as error:
        tell_error(error)
        return error.exit_code
