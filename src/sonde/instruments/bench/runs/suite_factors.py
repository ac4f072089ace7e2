"""Factors of a suite: what their levels stand for, where texts mention them, and which combinations there are."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sonde.instruments.bench.runs.suite_mistakes import Mistakes, near_to

_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_][\w-]*)\}\}|(?<!\$)\{([A-Za-z_][\w-]*)\}")
"""`{python}` is replaced, `{{python}}` means the text `{python}`; `${HOME}`, `{}` and `{print $1}` are left alone."""

ALTERNATIVE = "alternative"
"""The factor that a benchmark's own table of commands or functions makes."""

_ROWS = ("rounds", "residual")
"""Rows of an analysis of variance that are no factors'."""

Factors = Mapping[str, Mapping[str, str]]
"""Factor -> level -> the text that it stands for."""


def read_factors(table: Any, mistakes: Mistakes) -> dict[str, dict[str, str]]:
    """Read `[factors]`: each a list of texts, or a table of names and texts."""
    factors: dict[str, dict[str, str]] = {}
    if not isinstance(table, dict):
        mistakes.add(("factors",), "'factors' is not a table")
        return factors
    for name, levels in table.items():
        place = ("factors", name)
        if isinstance(levels, list):
            names = [str(level) or "none" for level in levels]
            twice = next((level for level in names if names.count(level) > 1), None)
            if twice is not None:
                mistakes.add(place, f"the factor '{name}' has the level '{twice}' twice")
                continue
            levels = dict(zip(names, levels, strict=True))
        if not isinstance(levels, dict) or not levels:
            mistakes.add(place, f"the factor '{name}' is neither a list of texts nor a table of names and texts")
        elif not all(isinstance(text, str | int | float) and not isinstance(text, bool) for text in levels.values()):
            mistakes.add(place, f"a level of the factor '{name}' is not a text")
        elif any("\0" in f"{level}{text}" for level, text in levels.items()):
            mistakes.add(place, f"a level of the factor '{name}' has a NUL character, which no program can be given")
        elif name == ALTERNATIVE:
            fact = "a benchmark's own table of commands or functions is called that"
            mistakes.add(place, f"'{name}' cannot be a factor: {fact}")
        elif name in _ROWS:
            mistakes.add(place, f"'{name}' cannot be a factor: a row of each analysis of variance is called that")
        elif not _PLACEHOLDER.fullmatch(f"{{{name}}}"):
            mistakes.add(place, f"'{name}' cannot be a factor: its name begins with a letter and has no blanks")
        else:
            factors[name] = {level: str(text) for level, text in levels.items()}
    return factors


def read_exclusions(
    tables: Any, factors: Factors, place: tuple[str, ...], mistakes: Mistakes
) -> list[dict[str, tuple[str, ...]]]:
    """Read `[[exclude]]`: combinations of levels that are left out; a list of levels means any of them."""
    exclusions: list[dict[str, tuple[str, ...]]] = []
    if not isinstance(tables, list) or not all(isinstance(table, dict) and table for table in tables):
        mistakes.add(place, "'exclude' is not a list of tables of factors and levels")
        return exclusions
    for table in tables:
        exclusion = {}
        for name, levels in table.items():
            if name not in factors:
                mistakes.add((*place, name), f"there is no factor '{name}' to exclude", near_to(name, factors))
                continue
            exclusion[name] = tuple(map(str, levels if isinstance(levels, list) else [levels]))
            for level in exclusion[name]:
                if level not in factors[name]:
                    fact = f"the factor '{name}' has no level '{level}' to exclude"
                    mistakes.add((*place, name), fact, near_to(level, factors[name]))
        exclusions.append(exclusion)
    return exclusions


def is_factor_name(name: str) -> bool:
    """Whether a factor may be called that, so that texts can mention it.

    >>> is_factor_name("n"), is_factor_name("2 n"), is_factor_name("rounds")
    (True, False, False)
    """
    return name not in (ALTERNATIVE, *_ROWS) and _PLACEHOLDER.fullmatch(f"{{{name}}}") is not None


def placeholders(texts: Iterable[str]) -> list[str]:
    """The factors that texts mention, in order.

    >>> placeholders(["{python} {flags} a.py", "echo ${HOME} {{not}} {python}"])
    ['python', 'flags']
    """
    found = (name for text in texts for _, name in _PLACEHOLDER.findall(text))
    return list(dict.fromkeys(name for name in found if name))


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with levels in the places of its placeholders; unknown ones stay.

    >>> filled("{python} {flags} a.py", {"python": "python3.12", "flags": "-O"})
    'python3.12 -O a.py'
    """
    return _PLACEHOLDER.sub(lambda found: f"{{{found[1]}}}" if found[1] else values.get(found[2], found[0]), text)


def combinations(factors: Factors, exclusions: Sequence[Mapping[str, Sequence[str]]]) -> Iterator[dict[str, str]]:
    """Each combination of levels that is not excluded: factor -> level.

    An exclusion that mentions a factor which is not among these does not apply.

    >>> list(combinations({"py": {"3.11": "", "3.12": ""}, "f": {"-O": ""}}, [{"py": ["3.11"], "f": ["-O"]}]))
    [{'py': '3.12', 'f': '-O'}]
    """
    for levels in product(*factors.values()):
        combination = dict(zip(factors, levels, strict=True))
        if not any(_is_excluded(combination, exclusion) for exclusion in exclusions):
            yield combination


def _is_excluded(combination: Mapping[str, str], exclusion: Mapping[str, Sequence[str]]) -> bool:
    return bool(exclusion) and all(
        name in combination and combination[name] in levels for name, levels in exclusion.items()
    )
