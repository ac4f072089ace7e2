"""Options declared once: the fields of a frozen dataclass, from which they are parsed, printed and documented.

    @dataclass(frozen=True, slots=True)
    class ToyOptions:
        rows: Annotated[int, Option("lines of each table", parse=positive, metavar="N")] = 10
        sort: Annotated[str, Option("what comes first", metavar="WHAT")] = ""
        exact: Annotated[bool, Option("keep everything")] = False

`rows` becomes `--rows N` with the default in its help, `exact` a flag.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, TypeVar, get_type_hints

from sonde.base.errors import InternalError, UsageError

_Options = TypeVar("_Options")


@dataclass(frozen=True, slots=True)
class Option:
    """What a command line needs to know of a field besides its name, type and default."""

    help: str
    """A sentence without its default, which is added."""
    parse: Callable[[str], Any] | None = None
    """From a word to the value; the field's type if not given."""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    show: Callable[[Any], str] | None = None
    """How a default is written; `str` if not given."""


def add_options(parser: argparse.ArgumentParser, *declared: type) -> None:
    """Add the fields of dataclasses as options; one that several have is added once.

    What is not given is not in the namespace, so that `options_from` can tell it from a default that was given.

    Raises:
        InternalError: two dataclasses declare an option of one name differently.
    """
    seen: dict[str, Option] = {}
    for cls in declared:
        for field, option in _options(cls):
            if field.name in seen:
                if (seen[field.name].parse, seen[field.name].choices) != (option.parse, option.choices):
                    raise InternalError(
                        f"cannot declare option '{flag_of(field.name)}': two kinds of profile read it differently",
                        slug="bug",
                    )
                continue
            seen[field.name] = option
            _add(parser, field, option)


def options_from(cls: type[_Options], arguments: argparse.Namespace) -> _Options:
    """The options of one dataclass, from what was parsed.

    Raises:
        UsageError: as the dataclass does when it is made.
    """
    return cls(**{field.name: getattr(arguments, field.name) for field, _ in _options(cls) if field.name in arguments})


def check_declared(arguments: argparse.Namespace, cls: type, others: Sequence[type], *, of_what: str) -> None:
    """Refuse options that were given and mean nothing here.

    Args:
        cls: the dataclass whose options mean something.
        others: dataclasses whose options were added, too.
        of_what: completes `cannot use --sort on`.
    Raises:
        UsageError: `option-of-other-kind`.
    """
    known = {field.name for field, _ in _options(cls)}
    for other in others:
        for field, _ in _options(other):
            if field.name not in known and field.name in arguments:
                flag = flag_of(field.name)
                raise UsageError(
                    f"cannot use {flag} on {of_what}", slug="option-of-other-kind", hint=f"leave out {flag}"
                )


def flag_of(name: str) -> str:
    """How a field is called on the command line.

    >>> flag_of("min_share")
    '--min-share'
    """
    return f"--{name.replace('_', '-')}"


def _add(parser: argparse.ArgumentParser, field: "Field[Any]", option: Option) -> None:
    default = None if field.default is MISSING else field.default
    if isinstance(default, bool):
        parser.add_argument(flag_of(field.name), action="store_true", default=argparse.SUPPRESS, help=option.help)
        return
    shown = "" if default is None or default == "" else (option.show or str)(default).replace("%", "%%")
    parser.add_argument(
        flag_of(field.name),
        type=option.parse or type(default),
        metavar=option.metavar or None,
        choices=option.choices or None,
        default=argparse.SUPPRESS,
        help=f"{option.help} (default: {shown})" if shown else option.help,
    )


def _options(cls: type) -> "Iterator[tuple[Field[Any], Option]]":
    hints = get_type_hints(cls, include_extras=True)
    for field in fields(cls):
        for extra in getattr(hints[field.name], "__metadata__", ()):
            if isinstance(extra, Option):
                yield field, extra
