"""Options declared once: the fields of a frozen value, from which they are parsed, printed and documented.

    class ToyOptions(NamedTuple):
        rows: Annotated[int, Option("lines of each table", parse=positive, metavar="N")] = 10
        sort: Annotated[str, Option("what comes first", metavar="WHAT")] = ""
        exact: Annotated[bool, Option("keep everything")] = False

`rows` becomes `--rows N` with the default in its help, `exact` a flag; one that is on unless it is refused, a flag and
its `--no-`. The value is a dataclass, or a named tuple where a program waits for sonde to start: this module imports
nothing that is slow.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, get_type_hints

from sonde.base.errors import InternalError, UsageError

_Options = TypeVar("_Options")


class Option(NamedTuple):
    """What a command line needs to know of a field besides its name, type and default."""

    help: str
    """A sentence without its default, which is added."""
    parse: Callable[[str], Any] | None = None
    """From a word to the value; the default's type if not given."""
    metavar: str = ""
    choices: tuple[Any, ...] = ()
    show: Callable[[Any], str] | None = None
    """How a default is written; `str` if not given."""
    short: str = ""
    """Another spelling: `-o`."""
    excludes: str = ""
    """Options that have the same word here exclude one another."""
    is_repeated: bool = False
    """May be given several times; the field is a tuple."""
    suggested: tuple[str, ...] = ()
    """Words that completion offers, where others are allowed, too."""
    called: str = ""
    """Its name on the command line, if it is not the field's: `hot_min_limit` becomes `--hot-min-limit`."""


class _Field(NamedTuple):
    name: str
    option: Option
    default: Any

    @property
    def key(self) -> str:
        """Its name on the command line and in what was parsed."""
        return self.option.called or self.name

    @property
    def takes_value(self) -> bool:
        return not isinstance(self.default, bool)


def add_options(parser: argparse.ArgumentParser | argparse._ArgumentGroup, *declared: type) -> None:
    """Add fields as options; one that several values have is added once.

    What is not given is not in the namespace, so that `options_from` can tell it from a default that was given.

    Raises:
        InternalError: two values declare an option of one name differently.
    """
    seen: dict[str, Option] = {}
    groups: dict[str, Any] = {}
    for cls in declared:
        for field in _fields(cls):
            option = field.option
            if field.key in seen:
                if (seen[field.key].parse, seen[field.key].choices) != (option.parse, option.choices):
                    raise InternalError(
                        f"cannot declare option '{flag_of(field.key)}': two kinds of profile read it differently",
                        slug="bug",
                    )
                continue
            seen[field.key] = option
            if option.excludes and option.excludes not in groups:
                groups[option.excludes] = parser.add_mutually_exclusive_group()
            _add(groups.get(option.excludes, parser), field)


def options_from(cls: type[_Options], arguments: argparse.Namespace) -> _Options:
    """The options that one value declares, from what was parsed.

    Raises:
        UsageError: as the value does when it is made.
    """
    given = vars(arguments)
    values = {field.name: given[field.key] for field in _fields(cls) if field.key in given}
    return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def words_of(cls: type, arguments: argparse.Namespace) -> list[str]:
    """The options of a value that were given, as words of a command line."""
    words: list[str] = []
    for field in _fields(cls):
        given = vars(arguments).get(field.key)
        flag = flag_of(field.key)
        if given is None:
            continue
        if isinstance(given, bool):
            words.append(flag if given else f"--no-{flag.removeprefix('--')}")
        else:
            words += [f"{flag}={value}" for value in (given if isinstance(given, list) else [given])]
    return words


def check_declared(arguments: argparse.Namespace, cls: type, others: Sequence[type], *, of_what: str) -> None:
    """Refuse options that were given and mean nothing here.

    Args:
        cls: the value whose options mean something.
        others: values whose options were added, too.
        of_what: completes `cannot use --sort on`.
    Raises:
        UsageError: `option-of-other-kind`.
    """
    known = {field.key for field in _fields(cls)}
    for other in others:
        for field in _fields(other):
            if field.key not in known and field.key in arguments:
                flag = flag_of(field.key)
                raise UsageError(
                    f"cannot use {flag} on {of_what}", slug="option-of-other-kind", hint=f"leave out {flag}"
                )


def split_at_program(words: Sequence[str], *declared: type) -> tuple[list[str], list[str]]:
    """Words that are options of ours, and PROGRAM with everything after it, whatever that looks like.

    >>> split_at_program(["--json", "app.py", "--rows"])
    (['--json'], ['app.py', '--rows'])
    """
    with_value = {
        spelling
        for cls in declared
        for field in _fields(cls)
        if field.takes_value
        for spelling in (flag_of(field.key), field.option.short)
    }
    position = 0
    while position < len(words):
        word = words[position]
        if word in ("-m", "-c", "--", "-") or not word.startswith("-"):
            break
        position += 2 if word in with_value else 1
    return list(words[:position]), list(words[position:])


def suggest(action: argparse.Action, words: Sequence[str]) -> None:
    """Say which words completion offers for an argument that takes others, too."""
    action.suggested = tuple(words)  # type: ignore[attr-defined]  # argparse leaves room for it


def suggested_words(action: argparse.Action) -> tuple[str, ...]:
    """What completion offers: the choices of an argument, or the words that were suggested for it."""
    return tuple(map(str, action.choices if action.choices else getattr(action, "suggested", ())))


def flag_of(name: str) -> str:
    """How a field is called on the command line.

    >>> flag_of("min_share")
    '--min-share'
    >>> flag_of("from_")
    '--from'
    """
    return f"--{name.rstrip('_').replace('_', '-')}"


def _add(parser: Any, field: _Field) -> None:
    option, default = field.option, field.default
    spellings = (*filter(None, (option.short,)), flag_of(field.key))
    if default is True:
        parser.add_argument(
            *spellings,
            dest=field.key,
            action=argparse.BooleanOptionalAction,
            default=argparse.SUPPRESS,
            help=f"{option.help} (default: yes)",
        )
        return
    if not field.takes_value:
        parser.add_argument(
            *spellings, dest=field.key, action="store_true", default=argparse.SUPPRESS, help=option.help
        )
        return
    shown = "" if default is None or default in ("", ()) else (option.show or str)(default).replace("%", "%%")
    action = parser.add_argument(
        *spellings,
        dest=field.key,
        action="append" if option.is_repeated else "store",
        type=option.parse or (str if option.is_repeated else None) or (str if default is None else type(default)),
        metavar=option.metavar or None,
        choices=option.choices or None,
        default=argparse.SUPPRESS,
        help=f"{option.help} (default: {shown})" if shown else option.help,
    )
    if option.suggested:
        suggest(action, option.suggested)


def _fields(cls: type) -> Iterator[_Field]:
    defaults = getattr(cls, "_field_defaults", None)
    if defaults is None:
        defaults = {name: field.default for name, field in vars(cls)["__dataclass_fields__"].items()}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        for extra in getattr(hint, "__metadata__", ()):
            if isinstance(extra, Option):
                yield _Field(name, extra, defaults.get(name))
