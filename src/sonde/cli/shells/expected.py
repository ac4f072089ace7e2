"""What may stand in a place of the command line, as far as a shell can complete it."""

import argparse
from typing import NamedTuple

from sonde.cli.commands import Command
from sonde.options.declared import suggested_words

_OF_METAVAR = {
    "PROFILE": "profile",
    "FILE": "file",
    "FOLDER_OR_FILE": "file",
    "SUITE": "file",
    "TRACE": "file",
    "RESULTS": "file",
    "NEW": "file",
    "RUN": "file",
    "RUN_A": "file",
    "RUN_B": "file",
    "SCRIPT": "file",
    "FOLDER": "folder",
    "DIR": "folder",
    "COMMAND": "command",
    "CMD": "command",
    "PID": "process",
}
"""Names of values in the help, in capitals -> what completes them. Others are made up by whoever types."""
_LIST = "NAMES"
"""What the help calls several names with commas between."""


class Expected(NamedTuple):
    """What completes a word."""

    kind: str
    """`words`, `list` (of words, with commas), `profile`, `file`, `folder`, `command`, `process`, or `free`."""
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As tables have it: `words|time calls`."""
        return f"{self.kind}|{' '.join(self.words)}" if self.words else self.kind


def expected_value(action: argparse.Action) -> Expected | None:
    """What follows an option, or stands where an argument is; None if the option takes no value."""
    if action.nargs == 0:
        return None
    words = suggested_words(action)
    metavar = str(action.metavar or action.dest).upper()
    if words:
        return Expected("list" if metavar == _LIST else "words", words)
    return Expected(_OF_METAVAR.get(metavar, "free"))


def expected_argument(command: Command) -> Expected:
    """What stands where no option does; for a command that runs a program, before that begins."""
    if command.takes_program:
        return Expected("file")
    first = next(command.positionals, None)
    expected = first and expected_value(first)
    return expected or Expected("free")


def short_help(action: argparse.Action) -> str:
    """The help of an option up to its first stop, for a list beside the prompt."""
    text = " ".join((action.help or "").replace("%%", "%").split())
    for stop in (" (default", "; ", ": ", " (", ", "):
        if len(text) > _LONGEST:
            text = text.partition(stop)[0]
    return text


_LONGEST = 60
"""Characters of help beside an option."""
