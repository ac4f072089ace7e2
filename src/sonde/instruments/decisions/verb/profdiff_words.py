"""The command line of Graal's profdiff: its options, its commands, and help in its layout."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sonde.base.errors import UsageError
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.instruments.decisions.profdiff import ProfdiffOptions

PROGRAM = "sonde decisions profdiff"
_ABOUT = "show or compare what Graal's optimization log says of hot compilation units, as mx profdiff does"
Value = int | float | bool


@dataclass(frozen=True, slots=True)
class Option:
    """An option of all commands; it stands before the command."""

    name: str
    default: Value
    about: str

    @property
    def key(self) -> str:
        """Its name as that of a field."""
        return self.name.removeprefix("--").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Positional:
    """A word that a command needs."""

    name: str
    about: str
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """What can be asked for."""

    name: str
    about: str
    positionals: tuple[Positional, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What a command line asks for."""

    command: Command
    options: ProfdiffOptions = field(default_factory=ProfdiffOptions)
    values: tuple[str | None, ...] = ()
    """Of the command's positionals; None for those that are left out."""


_HEAT, _TREE, _TEXT = HeatPolicy(), TreeOptions(), ProfdiffOptions()
OPTIONS = (
    Option("--hot-min-limit", _HEAT.min_limit, "this many compilation units are hot whatever their time"),
    Option("--hot-max-limit", _HEAT.max_limit, "more compilation units are never hot"),
    Option("--hot-percentile", _HEAT.percentile, "share of compiled code's time that hot units may take, 0 to 1"),
    Option(
        "--optimization-context-tree", _TEXT.context_tree, "show optimizations in the calls whose code they changed"
    ),
    Option("--diff-compilations", _TEXT.diff_compilations, "compare hot compilations; else show them one by one"),
    Option("--long-bci", _TEXT.long_bci, "show the whole position of an optimization, with all callers"),
    Option("--sort-inlining-tree", _TREE.sort_inlining_tree, "calls in the order of bytecode index and name"),
    Option("--sort-unordered-phases", _TREE.sort_unordered_phases, "sort phases in which the order means nothing"),
    Option("--remove-detailed-phases", _TREE.remove_detailed_phases, "leave out phases with a great many changes"),
    Option("--prune-identities", _TEXT.prune_identities, "of a comparison show what differs, and what it is in"),
    Option("--create-fragments", _TEXT.create_fragments, "cut hot methods out of units they were inlined into"),
    Option("--inliner-reasoning", _TEXT.inliner_reasoning, "show what the inliner said of every call"),
)
_BY_NAME = {option.name: option for option in OPTIONS}
_LOG, _PROFILE = "folder with the optimization log of ", "JSON of proftool for "
_TWO_RUNS = (
    Positional("optimization_log_1", f"{_LOG}the first run"),
    Positional("proftool_output_1", f"{_PROFILE}the first run"),
    Positional("optimization_log_2", f"{_LOG}the second run"),
    Positional("proftool_output_2", f"{_PROFILE}the second run"),
)
COMMANDS = {
    command.name: command
    for command in (
        Command(
            "report",
            "show the optimization log of one run",
            (
                Positional("optimization_log", f"{_LOG}the run"),
                Positional("proftool_output", f"{_PROFILE}it; without, all units are shown", is_optional=True),
            ),
        ),
        Command(
            "jit-vs-jit",
            "compare two runs that were compiled just in time",
            _TWO_RUNS,
        ),
        Command(
            "jit-vs-aot",
            "compare a run compiled just in time with one compiled ahead of time",
            (
                Positional("jit_optimization_log", f"{_LOG}the run compiled just in time"),
                Positional("jit_proftool_output", f"{_PROFILE}it"),
                Positional("aot_optimization_log", f"{_LOG}the run compiled ahead of time"),
                Positional("aot_proftool_output", f"{_PROFILE}it", is_optional=True),
            ),
        ),
        Command(
            "aot-vs-aot",
            "compare two runs that were compiled ahead of time, with their profiles",
            _TWO_RUNS,
        ),
        Command(
            "aot-vs-aot-jit-profile",
            "compare two runs compiled ahead of time by the profile of a third",
            (
                Positional("jit_optimization_log", f"{_LOG}the run compiled just in time"),
                Positional("proftool_output", f"{_PROFILE}it"),
                Positional("aot_optimization_log_1", f"{_LOG}the first run"),
                Positional("aot_optimization_log_2", f"{_LOG}the second run"),
            ),
        ),
        Command("help", "show help for all, or for one command", (Positional("command", "the command", True),)),
    )
}
ALIASES = {"aot-vs-aot-ext-prof": "aot-vs-aot-jit-profile"}
"""As Graal 23 called it."""
_ARGUMENT = "command"


def request_of(words: Sequence[str]) -> Request:
    """Read a command line.

    Raises:
        UsageError: `usage`, or `heat-limits`.
    """
    given: dict[str, Value] = {}
    rest = list(words)
    while rest and rest[0].startswith("--"):
        word = rest.pop(0)
        name, equals, text = word.partition("=")
        option = _BY_NAME.get(name)
        if option is None:
            raise _refusal(f"there is no option '{word}'")
        if not equals:
            if not rest:
                raise _refusal(f"a value is missing after '{name}'")
            text = rest.pop(0)
        given[option.key] = _value(option, text)
    if not rest:
        raise _refusal("a command is missing")
    command = COMMANDS.get(ALIASES.get(rest[0], rest[0]))
    if command is None:
        raise _refusal(f"there is no command '{rest[0]}'")
    return Request(command, _options(given), _positionals(command, rest[1:]))


def program_help() -> str:
    """Help for all of it."""
    return f"usage: {PROGRAM} {_option_usage()} {_ARGUMENT.upper()}\n\n{_ABOUT}\n\n{option_and_command_help()}"


def option_and_command_help() -> str:
    """Options with their defaults, and commands, a line each."""
    parts = [
        "options:\n" + "".join(_row(each.name, f"{each.about} (default: {_text(each.default)})") for each in OPTIONS),
        "positional arguments:\n" + _row(_ARGUMENT, "what to do"),
        commands_help(),
    ]
    return "\n".join(parts)


def command_help(command: Command) -> str:
    """Help for one command."""
    names = (f"[{each.name.upper()}]" if each.is_optional else each.name.upper() for each in command.positionals)
    parts = [
        f"usage: {PROGRAM} {_option_usage()} {command.name} {' '.join(names)}\n",
        f"{command.about}\n",
        "positional arguments:\n" + "".join(_row(each.name, each.about) for each in command.positionals),
    ]
    return "\n".join(parts)


def commands_help() -> str:
    """The commands, a line each."""
    return "available commands:\n" + "".join(_row(command.name, command.about) for command in COMMANDS.values())


def _option_usage() -> str:
    return " ".join(f"[{each.name} {each.name.removeprefix('--').upper()}]" for each in OPTIONS)


def _row(name: str, about: str) -> str:
    return f"  {name:<30} {about}\n"


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(option: Option, text: str) -> Value:
    kind = type(option.default)
    read, shape, what = _KINDS[kind]
    if not re.fullmatch(shape, text, re.ASCII | re.IGNORECASE):
        raise _refusal(f"'{text}' after '{option.name}' is not {what}")
    return read(text)


def _truth(text: str) -> bool:
    return text.lower() == "true"


_KINDS: dict[type[Value], tuple[Callable[[str], Value], str, str]] = {
    bool: (_truth, "true|false", "true or false"),
    int: (int, r"[+-]?\d+", "a whole number"),
    float: (float, r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", "a number"),
}
"""Type of an option -> how it is read, and what it looks like."""


def _options(given: dict[str, Value]) -> ProfdiffOptions:
    def taken(defaults: object, **keys: str) -> dict[str, Value]:
        return {name: given.get(key, getattr(defaults, name)) for name, key in keys.items()}

    heat = taken(_HEAT, min_limit="hot_min_limit", max_limit="hot_max_limit", percentile="hot_percentile")
    tree = taken(_TREE, **{name: name for name in TreeOptions.__slots__})
    text = taken(
        _TEXT,
        context_tree="optimization_context_tree",
        **{
            name: name
            for name in ("diff_compilations", "long_bci", "prune_identities", "create_fragments", "inliner_reasoning")
        },
    )
    return ProfdiffOptions(HeatPolicy(**heat), TreeOptions(**tree), **text)  # type: ignore[arg-type] # as their defaults


def _positionals(command: Command, words: Sequence[str]) -> tuple[str | None, ...]:
    for word in words:
        if word.startswith("--"):
            raise _refusal(f"'{command.name}' has no option '{word}'; options stand before the command")
    if len(words) > len(command.positionals):
        raise _refusal(f"'{words[len(command.positionals)]}' is one word too many for '{command.name}'")
    for missing in command.positionals[len(words) :]:
        if not missing.is_optional:
            raise _refusal(f"'{command.name}' lacks {missing.name.upper()}")
    return (*words, *[None] * (len(command.positionals) - len(words)))


def _refusal(fact: str) -> UsageError:
    return UsageError(f"cannot read the command line: {fact}", slug="usage", hint=f"{PROGRAM} help")
