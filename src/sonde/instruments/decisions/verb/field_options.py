"""Options that are the fields of a dataclass: which units are hot, and how trees are made ready."""

import argparse
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

Options = TypeVar("Options")

HEAT_HELP = {
    "min_limit": "this many compilation units are hot whatever their time",
    "max_limit": "more compilation units are never hot",
    "percentile": "share of the time in compiled code, 0 to 1, that hot units may take together",
}
TREE_HELP = {
    "sort_inlining_tree": "calls in the order of their places, not of the record",
    "sort_unordered_phases": "sort what happened in phases in which the order means nothing",
    "remove_detailed_phases": "leave out canonicalization, dead code elimination, and what LLVM says of finished code",
}


def add_field_options(
    parser: argparse.ArgumentParser, options: type[Options], about: Mapping[str, str], *, prefix: str = ""
) -> None:
    """Add an option for each field that has a default of type bool, int, float or str.

    Args:
        about: what to say of each in the help; a field that is not in it is not offered.
        prefix: before the name of each option.
    """
    for each in fields(options):  # type: ignore[arg-type] # it is a dataclass
        if each.name not in about:
            continue
        name = f"--{prefix}{each.name.replace('_', '-')}"
        where = f"{prefix}{each.name}".replace("-", "_")
        default = each.default
        if isinstance(default, bool):
            usual = "yes" if default else "no"
            parser.add_argument(
                name,
                dest=where,
                action=argparse.BooleanOptionalAction,
                default=default,
                help=f"{about[each.name]} (default: {usual})",
            )
        else:
            kind = type(default)
            parser.add_argument(
                name,
                dest=where,
                type=kind,
                default=default,
                metavar="N" if kind is int else "SHARE" if kind is float else "NAME",
                help=f"{about[each.name]} (default: {default})",
            )


def fields_of(options: type[Options], arguments: argparse.Namespace, *, prefix: str = "") -> Options:
    """The dataclass with what the command line says.

    Raises:
        UsageError: what the dataclass refuses.
    """
    given: dict[str, Any] = {}
    for each in fields(options):  # type: ignore[arg-type] # it is a dataclass
        where = f"{prefix}{each.name}".replace("-", "_")
        if hasattr(arguments, where):
            given[each.name] = getattr(arguments, where)
    return options(**given)
