"""The table of a script: lines of values with equal conditions brought together, words quoted for a shell."""

from collections.abc import Iterable, Iterator
from importlib.resources import files

from sonde.cli.commands import Command
from sonde.cli.shells.expected import Expected, expected_value

PLACE_OF_TABLE = "# @TABLE@\n"


def script_with(name: str, table: Iterable[str]) -> str:
    """A script from this folder, with its table."""
    text = (files("sonde.cli.shells") / name).read_text(encoding="utf-8")
    return text.replace(PLACE_OF_TABLE, "".join(f"{line}\n" for line in table))


def values_of_options(commands: Iterable[Command]) -> Iterator[tuple[Expected, list[str]]]:
    """What options expect, each with all `command|option` that expect it; an option without value is left out."""
    places: dict[Expected, list[str]] = {}
    for command in commands:
        for action in command.options:
            expected = expected_value(action)
            if expected is not None:
                places.setdefault(expected, []).extend(f"{command.words}|{each}" for each in action.option_strings)
    return iter(places.items())


def spellings(command: Command) -> list[str]:
    """All that begins with a dash, and where a program may begin."""
    words = [each for action in command.options for each in action.option_strings]
    return [*words, *(["-m", "-c"] if command.takes_program and "script.py" in (command.parser.usage or "") else [])]


def quoted(text: str) -> str:
    """In single quotes, for bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def fish_quoted(text: str) -> str:
    """In single quotes, for fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
