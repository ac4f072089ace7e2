"""The settings of a suite: their names, what they may be, and how the more particular ones prevail."""

from collections.abc import Callable, Mapping
from typing import Any

from sonde.base.errors import UsageError
from sonde.instruments.bench.directions import Direction
from sonde.instruments.bench.printed_metric import PrintedMetric
from sonde.instruments.bench.runs.quantities import MOST_HASH_SEED, MOST_SEED, count_of, range_of, seconds_of, share_of
from sonde.instruments.bench.runs.suite_mistakes import Mistakes, near_to


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text in quotes")
    if "\0" in value:
        raise ValueError(f"{value!r} has a NUL character, which no program can be given")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _variables(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError(f"{value!r} is not a table of texts, such as {{ LANG = 'C' }}")
    if any("\0" in name + text for name, text in value.items()):
        raise ValueError(f"{value!r} has a NUL character, which no program can be given")
    return dict(value)


def _metric(value: Any) -> PrintedMetric:
    keys = {"name", "pattern", "unit", "better"}
    if not isinstance(value, dict) or not {"name", "pattern"} <= value.keys() <= keys:
        raise ValueError(f"{value!r} is not a table of name and pattern, and perhaps unit and better")
    texts = {key: _text(text) for key, text in value.items()}
    better = texts.get("better")
    if better not in ("lower", "higher", None):
        raise ValueError(f"'better' is {better!r}, neither 'lower' nor 'higher'")
    direction: Direction | None = "lower" if better == "lower" else "higher" if better == "higher" else None
    try:
        return PrintedMetric.of(texts["name"], texts["pattern"], texts.get("unit", ""), direction)
    except UsageError as error:
        raise ValueError(error.message) from error


def _quantity(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"{value!r} is neither a text nor a number")
        return read(value)

    return checked


def _natural(value: Any) -> int:
    return count_of(value, 0)


def _hash_seed(value: Any) -> int:
    return count_of(value, 0, MOST_HASH_SEED)


def _seed(value: Any) -> int:
    return count_of(value, 0, MOST_SEED)


def _two_or_more(value: Any) -> int:
    return count_of(value, 2)


SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "rounds": _quantity(count_of),
    "precision": _quantity(share_of),
    "min-rounds": _quantity(_two_or_more),
    "max-rounds": _quantity(_two_or_more),
    "warmup": _quantity(_natural),
    "timeout": _quantity(seconds_of),
    "pin": _quantity(_natural),
    "aslr": _flag,
    "hash-seed": _quantity(_hash_seed),
    "vary-environment": _flag,
    "ignore-failure": _flag,
    "metric": _metric,
    "shell": _flag,
    "folder": _text,
    "environment": _variables,
    "stdin": _text,
    "output": _text,
    "prepare": _text,
    "setup": _text,
    "cleanup": _text,
    "interpreter": _text,
    "iterations": _quantity(range_of),
    "window": _quantity(_two_or_more),
    "threshold": _quantity(share_of),
    "min-time": _quantity(seconds_of),
    "loops": _quantity(count_of),
    "arguments": _text,
    "gc": _flag,
}
"""Name -> what reads it; of all benchmarks in `[run]`, or of one."""

RUN_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "seed": _quantity(_seed),
    "budget": _quantity(seconds_of),
}
"""Those that a whole run has only once."""

_ADAPTIVE = ("precision", "min-rounds", "max-rounds")


def read_settings(
    table: Mapping[str, Any], known: Mapping[str, Callable[[Any], Any]], place: tuple[str, ...], mistakes: Mistakes
) -> dict[str, Any]:
    """Read the settings of a table; what is wrong with them becomes mistakes."""
    settings = {}
    for name, value in table.items():
        if name not in known:
            mistakes.add((*place, name), f"there is no setting '{name}'", near_to(name, known))
            continue
        try:
            settings[name] = known[name](value)
        except ValueError as error:
            mistakes.add((*place, name), f"cannot set '{name}': {error}")
    if "rounds" in settings and any(name in settings for name in _ADAPTIVE):
        other = next(name for name in _ADAPTIVE if name in settings)
        mistakes.add((*place, "rounds"), f"'rounds' is a fixed number, and '{other}' asks for as many as it takes")
    return settings


def prevail(general: Mapping[str, Any], particular: Mapping[str, Any]) -> dict[str, Any]:
    """General settings, with those in their place that are more particular.

    A precision replaces a fixed number of rounds, and the other way round; variables of the environment are added.

    >>> prevail({"rounds": 30, "warmup": 2}, {"precision": 0.01})
    {'warmup': 2, 'precision': 0.01}
    """
    merged = dict(general)
    if any(name in particular for name in _ADAPTIVE):
        merged.pop("rounds", None)
    if "rounds" in particular:
        for name in _ADAPTIVE:
            merged.pop(name, None)
    merged |= particular
    if "environment" in general and "environment" in particular:
        merged["environment"] = {**general["environment"], **particular["environment"]}
    return merged
