"""What follows a command's name: parameters, from which reading, usage lines and completion all derive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import InternalError, UsageError
from sonde.base.near_names import near_hint
from sonde.instruments.vm.verb.shell.call_syntax import parse_call
from sonde.instruments.vm.verb.shell.words import Word, split_words

Kind = Literal[
    "call",
    "command",
    "count",
    "file",
    "flag",
    "function",
    "module",
    "name",
    "osr",
    "pass",
    "setting",
    "text",
    "version",
    "versioned",
]
"""What a parameter is: it says how it is checked and how it is completed.

`name` is a function `f`, `function` is `f` or `f@version`, `versioned` is `f@version` only, `version` a version's
bare name; `call` is the rest of the line, a call; `osr` are the words of the command `osr`."""
Value = str | int | bool | list[str] | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that a command is told."""

    name: str
    """A name in lower case; an option begins with `--`."""
    kind: Kind
    help: str
    is_optional: bool = False
    is_many: bool = False
    """Takes all words that are left."""

    @property
    def is_option(self) -> bool:
        """Whether it is given by name, anywhere on the line."""
        return self.name.startswith("--")

    @property
    def usage(self) -> str:
        """As in a usage line."""
        if self.kind == "call":
            return "FUNCTION(ARGUMENTS)"
        if self.kind == "flag":
            return f"[{self.name}]"
        if self.is_option:
            return f"[{self.name} {self.kind.upper()}]"
        shown = {"versioned": "FUNCTION@VERSION", "function": "FUNCTION[@VERSION]"}.get(self.kind, self.name.upper())
        shown += " ..." if self.is_many else ""
        return f"[{shown}]" if self.is_optional else shown


class Arguments:
    """The values of a command's parameters; each is asked for as what it is."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = dict(values)

    def text(self, name: str) -> str:
        """A value that is always there."""
        value = self.values[name]
        if not isinstance(value, str):
            raise InternalError(f"cannot use '{name}' as text: it is {value!r}", slug="shell-value")
        return value

    def optional_text(self, name: str) -> str | None:
        """A value that may be missing."""
        return None if self.values.get(name) is None else self.text(name)

    def texts(self, name: str) -> list[str]:
        """Values of a parameter that takes many."""
        value = self.values[name]
        if not isinstance(value, list):
            raise InternalError(f"cannot use '{name}' as a list: it is {value!r}", slug="shell-value")
        return value

    def count(self, name: str, default: int) -> int:
        """A number, or the default."""
        value = self.values.get(name)
        return value if isinstance(value, int) else default

    def has(self, name: str) -> bool:
        """Whether a flag is set."""
        return self.values.get(name) is True


def read_arguments(
    line: str, start: int, parameters: Sequence[Parameter], *, usage: str, passes_options_on: bool = False
) -> Arguments:
    """Read what follows a command's name.

    Args:
        start: the place after the name.
        passes_options_on: words that begin with `-` are values like others (a compiler's options).
    Raises:
        UsageError: `bad-syntax`, `missing-argument`, `too-many-arguments`, `unknown-option`, `bad-count`.
    """
    plain = [parameter for parameter in parameters if not parameter.is_option]
    values: dict[str, Value] = {
        parameter.name: [] if parameter.is_many else False if parameter.kind == "flag" else None
        for parameter in parameters
    }
    if plain and plain[-1].kind == "call":
        start = _read_count_before_call(line, start, plain, values)
        call = parse_call(line, start)
        values["function"], values["arguments"] = call.function, call.arguments
        return Arguments(values)
    words = split_words(line, start)
    if not passes_options_on:
        words = _without_options(line, words, parameters, values, usage)
    for parameter in plain:
        if parameter.is_many:
            values[parameter.name], words = [word.text for word in words], []
        elif words:
            values[parameter.name] = _checked(words.pop(0).text, parameter, usage)
        if not parameter.is_optional and values[parameter.name] in (None, []):
            raise UsageError(
                f"cannot run '{line.strip()}': {_article(parameter.name)} is missing",
                slug="missing-argument",
                hint=f"usage: {usage}",
            )
    if words:
        raise UsageError(
            f"cannot run '{line.strip()}': '{words[0].text}' is one word too many",
            slug="too-many-arguments",
            hint=f"usage: {usage}",
        )
    return Arguments(values)


def _read_count_before_call(line: str, start: int, plain: Sequence[Parameter], values: dict[str, Value]) -> int:
    """`repeat 1000 f(1)`: no function's name is a number. The place after the number, if there is one."""
    counts = [parameter for parameter in plain if parameter.kind == "count"]
    rest = line[start:].lstrip()
    first = rest.split(maxsplit=1)[0] if rest else ""
    if not counts or not first.isdecimal():
        return start
    values[counts[0].name] = _count(first, counts[0], line.strip())
    return len(line) - len(rest) + len(first)


def _without_options(
    line: str, words: list[Word], parameters: Sequence[Parameter], values: dict[str, Value], usage: str
) -> list[Word]:
    options = {parameter.name: parameter for parameter in parameters if parameter.is_option}
    kept = []
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.text.startswith("--") or line[word.start] in "\"'":
            kept.append(word)
            continue
        name, has_value, value = word.text.partition("=")
        option = options.get(name)
        if option is None or (has_value and option.kind == "flag"):
            raise UsageError(
                f"cannot use the option '{word.text}' here: {'it takes no value' if option else 'there is none such'}",
                slug="unknown-option",
                hint=near_hint(name, options if option is None else (), f"usage: {usage}"),
            )
        if option.kind == "flag":
            values[name] = True
        elif has_value or left:
            values[name] = value if has_value else left.pop(0).text
        else:
            raise UsageError(
                f"cannot use the option '{name}': its value is missing", slug="missing-argument", hint=f"usage: {usage}"
            )
    return kept


def _checked(text: str, parameter: Parameter, usage: str) -> Value:
    if parameter.kind == "count":
        return _count(text, parameter, usage)
    if parameter.kind == "versioned" and not all(text.rpartition("@")):
        raise UsageError(
            f"cannot tell which version '{text}' is: it is written FUNCTION@VERSION",
            slug="missing-argument",
            hint=f"versions {text.strip('@')}",
        )
    return text


def _count(text: str, parameter: Parameter, usage: str) -> int:
    # Beyond 18 digits nothing would ever end; and it is what fits the machine's integers.
    if not (text.isascii() and text.isdecimal()) or int(text[:19]) < 1 or len(text) > 18:
        raise UsageError(
            f"cannot use '{text}' as {parameter.name}: it is a number from 1 on",
            slug="bad-count",
            hint=f"usage: {usage}",
        )
    return int(text)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"
