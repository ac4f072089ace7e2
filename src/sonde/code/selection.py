"""Which functions a reader wants to see: the program's own, or those that patterns name."""

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.base.near_names import did_you_mean, near_names
from sonde.code.function import Function
from sonde.code.origin import origins_of

_WILD = frozenset("*?[")


class CodeSelection(NamedTuple):
    """Functions that are looked at; all of them unless something is asked for.

    >>> only = CodeSelection(include=("black",), exclude=("*.visit_*",))
    >>> only.has(Function("parse", "black.parsing", "/v/site-packages/black/parsing.py", 1))
    True
    >>> only.has(Function("Visitor.visit_x", "black.nodes", "/v/site-packages/black/nodes.py", 1))
    False
    """

    mine: bool = False
    """Only the program's own code, see `origin_of`."""
    include: tuple[str, ...] = ()
    """Only what fits one of these, see `fits`."""
    exclude: tuple[str, ...] = ()
    """Nothing that fits one of these."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return not (self.mine or self.include or self.exclude)

    def has(self, function: Function) -> bool:
        """Whether a function is looked at of which nothing else is known; see `among`."""
        return bool(self.among((function,)))

    def among(self, functions: Iterable[Function]) -> frozenset[Function]:
        """Which functions of a program are looked at; of code that was compiled from a string, its package tells."""
        origins = origins_of(functions) if self.mine else dict.fromkeys(functions, "own")
        return frozenset(each for each, origin in origins.items() if origin == "own" and self._is_named(each))

    def _is_named(self, function: Function) -> bool:
        if self.include and not any(fits(function, pattern) for pattern in self.include):
            return False
        return not any(fits(function, pattern) for pattern in self.exclude)

    def words(self) -> str:
        """What is looked at, in words; empty for everything.

        >>> CodeSelection(mine=True, exclude=("tests",)).words()
        "code of this project, without 'tests'"
        """
        said = ["code of this project"] if self.mine else []
        if self.include:
            said.append(f"only {_listed(self.include)}")
        if self.exclude:
            said.append(f"without {_listed(self.exclude)}")
        return ", ".join(said)


def fits(function: Function, pattern: str) -> bool:
    """Whether a pattern means a function.

    With `*`, `?` or `[` it is compared with the whole name, module, file and library; without, it is a name or the last
    parts of one, a module or a package, a file, a folder of its path, or a library.

    >>> parse = Function("Parser.parse", "app.grammar", "/home/ada/app/grammar.py", 3)
    >>> [fits(parse, pattern) for pattern in ("parse", "app", "grammar.py", "*/ada/*", "Parser.*", "arse", "ammar")]
    [True, True, True, True, True, False, False]
    """
    names = (function.name, function.label, function.module, function.file, function.library)
    if _WILD & set(pattern):
        return any(name and fnmatchcase(name, pattern) for name in names)
    bare = function.name.partition("(")[0]
    return (
        pattern in names
        or bare == pattern
        or bare.endswith((f".{pattern}", f"::{pattern}"))
        or function.module.startswith(f"{pattern}.")
        or pattern in PurePath(function.file).parts
        or PurePath(function.library).name == pattern
        or ("/" in pattern and function.file.endswith(f"/{pattern}"))
    )


def near_code_names(functions: Sequence[Function], patterns: Sequence[str]) -> list[str]:
    """What a pattern that fits nothing may have meant: names, modules and files that look like it, at most three."""
    known: dict[str, None] = {}
    forms: tuple[Callable[[Function], str], ...] = (
        lambda each: each.name,
        lambda each: each.name.rpartition(".")[2],
        lambda each: each.module,
        lambda each: PurePath(each.file).name,
    )
    for function in functions:
        known.update(dict.fromkeys(name for form in forms if (name := form(function))))
    near = [name for pattern in patterns for name in near_names(pattern.strip("*"), known)]
    return list(dict.fromkeys(near))[:3]


def is_called(function: Function, name: str) -> bool:
    """Whether a function has a name: qualified, its last part or parts (`parse` for `Parser.parse`), or as printed."""
    return name in (function.name, function.label) or function.name.endswith(f".{name}")


def no_such_function(name: str, functions: Sequence[Function]) -> UsageError:
    """The error for a function to look from that did not run; names that come near are its hint.

    Args:
        functions: those that ran.
    """
    return UsageError(
        f"cannot show what ran from '{name}': no function that ran is called so",
        slug="no-such-function",
        hint=did_you_mean(near_code_names(functions, [name]), "sonde view lists the names"),
    )


def no_code_left(
    selection: CodeSelection,
    functions: Sequence[Function],
    *,
    what: str = "function that ran",
    and_words: str = "",
    hint: str = "leave out one of the filters",
) -> UsageError:
    """The error for a selection that leaves nothing; patterns that fit nothing get what comes near for a hint.

    Args:
        functions: those that there are.
        what: what one of them is.
        and_words: what else is asked for.
        hint: where no name comes near.

    >>> no_code_left(CodeSelection(include=("pars",)), [Function("parse", "app", "app.py", 1)]).message
    "cannot show only 'pars': no function that ran is left"
    """
    patterns = [*selection.include, *selection.exclude]
    unknown = [pattern for pattern in patterns if not any(fits(function, pattern) for function in functions)]
    words = ", ".join(filter(None, (selection.words(), and_words)))
    return UsageError(
        f"cannot show {words}: no {what} is left",
        slug="no-code-left",
        hint=did_you_mean(near_code_names(functions, unknown), hint),
    )


def _listed(patterns: Sequence[str]) -> str:
    return ", ".join(f"'{pattern}'" for pattern in patterns)
