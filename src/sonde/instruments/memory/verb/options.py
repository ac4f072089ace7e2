"""Options of `sonde memory`: which caches are simulated, and what is watched."""

import argparse
from pathlib import Path

from sonde.base.cache_geometry import (
    INCLUSIONS,
    MOST_LEVELS,
    POLICIES,
    CacheGeometry,
    CacheSettings,
    MachineCaches,
    parse_geometry,
)
from sonde.base.errors import UsageError
from sonde.options.numbers import positive

OPTIONS_WITH_VALUE = (
    *("-o", "--output", "--i1", "--l1", "--l2", "--l3", "--levels", "--policy", "--window"),
    *("--tool", "--trace", "--rows", "--sort"),
)
_NEITHER, _INCLUSIVE, _EXCLUSIVE = INCLUSIONS
_NAMES = ("I1", "D1", *(f"L{number}" for number in range(2, MOST_LEVELS + 1)))
_LOOKING = ("lines_only", "output", "tool", "trace", "classify")


def add_cache_options(parser: argparse.ArgumentParser) -> None:
    """Add `--i1`, `--l1` and so on, `--levels`, `--policy`, `--inclusive`, `--exclusive`, and how misses are told."""
    for name, what in (("i1", "instruction"), ("l1", "data"), ("l2", "second-level"), ("l3", "third-level")):
        parser.add_argument(
            f"--{name}",
            metavar="SIZE,WAYS,LINE",
            help=f"the {what} cache, e.g. {'32K,8,64' if name[1] == '1' else '1M,16,64'} (default: this machine's)",
        )
    parser.add_argument(
        "--levels",
        type=int,
        choices=range(1, MOST_LEVELS + 1),
        help="how many levels of data caches there are (default: as many as this machine has)",
    )
    parser.add_argument(
        "--policy", choices=POLICIES, default=POLICIES[0], help="which line of a full set goes (default: %(default)s)"
    )
    inclusion = parser.add_mutually_exclusive_group()
    for word, meaning in ((_INCLUSIVE, "is in the next one too"), (_EXCLUSIVE, "is in no other")):
        inclusion.add_argument(
            f"--{word}",
            action="store_const",
            const=word,
            default=_NEITHER,
            dest="inclusion",
            help=f"what is in a level {meaning} (default: neither is enforced)",
        )
    parser.add_argument("--no-write-allocate", action="store_true", help="a store that misses brings nothing in")
    parser.add_argument(
        "--classify", action="store_true", help="tell cold, capacity and conflict misses apart (slower)"
    )


def add_watching_options(parser: argparse.ArgumentParser) -> None:
    """Add `--window`, `--count-only`, `--lines-only`, `--tool`, `--trace`."""
    parser.add_argument(
        "--window",
        choices=("program", "manual", "all"),
        help="what is measured: a Python program without the interpreter's start and end (default for Python), what"
        " the program marks (open_window, close_window of sonde.instruments.memory.toolkit), or everything (default for"
        " others)",
    )
    parser.add_argument(
        "--count-only", action="store_true", help="count loads, stores and instructions only, which is fastest"
    )
    parser.add_argument(
        "--lines-only",
        action="store_true",
        help="tell which code misses, not on what: no types, objects, allocation sites, lifetimes (much faster)",
    )
    parser.add_argument(
        "--tool", metavar="FILE[:CLASS]", help="run a tool in the tool language too, see docs/tool-language.md"
    )
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="also write the address of every access, compressed, for simulators"
    )


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add `--rows` and `--sort`."""
    parser.add_argument("--rows", type=positive, default=10, metavar="N", help="rows of each table (default: 10)")
    parser.add_argument(
        "--sort", default="", metavar="WHAT", help="D1, L2, L3: by misses there; or accesses (default: the last level)"
    )


def check_what_is_left_out(arguments: argparse.Namespace) -> None:
    """Refuse what `--count-only` and `--lines-only` leave out.

    Raises:
        UsageError: `count-only`, `lines-only`.
    """
    asked = [name.replace("_", "-") for name in _LOOKING if getattr(arguments, name)]
    if arguments.count_only and asked:
        raise UsageError(
            f"cannot use --{asked[0]} with --count-only: accesses are counted then, and nothing else is known of them",
            slug="count-only",
            hint=f"leave out one of --count-only and --{asked[0]}",
        )
    if arguments.lines_only and arguments.tool:
        raise UsageError(
            "cannot use --tool with --lines-only: tools are told of objects, which are not known then",
            slug="lines-only",
            hint="leave out --lines-only",
        )


def check_sort(sort: str, settings: CacheSettings) -> None:
    """Refuse an order that there will not be.

    Raises:
        UsageError: `unknown-order`.
    """
    from sonde.instruments.memory.report.options import level_of_order

    level_of_order(sort, _NAMES[1 : 1 + len(settings.levels)])


def cache_settings(arguments: argparse.Namespace, here: MachineCaches) -> CacheSettings:
    """The caches that the options describe; what they leave open is as `here`.

    Raises:
        UsageError: `bad-cache`.
    """
    given = {name: parse_geometry(text) for name in ("i1", "l1", "l2", "l3") if (text := getattr(arguments, name))}
    asked = [given.get(f"l{number}") for number in range(1, MOST_LEVELS + 1)]
    highest = max((number for number, geometry in enumerate(asked, 1) if geometry), default=0)
    levels = arguments.levels or max(len(here.levels), highest)
    if highest > levels:
        raise UsageError(
            f"cannot model --l{highest} with --levels {levels}: it is the cache of level {highest}",
            slug="bad-cache",
            hint=f"--levels {highest}",
        )
    return CacheSettings(
        given.get("i1", here.instruction),
        tuple(_level(number, asked[number - 1], here.levels) for number in range(1, levels + 1)),
        arguments.policy,
        arguments.inclusion,
        not arguments.no_write_allocate,
        arguments.classify,
    )


def _level(number: int, given: CacheGeometry | None, here: tuple[CacheGeometry, ...]) -> CacheGeometry:
    if given is None and number > len(here):
        raise UsageError(
            f"cannot model a cache of level {number}: this machine has none, and its size was not given",
            slug="bad-cache",
            hint=f"--l{number} SIZE,WAYS,LINE",
        )
    return given if given is not None else here[number - 1]


def caches_for_the_tool(settings: CacheSettings) -> str:
    """As the tool's command line has them: `I1:SIZE,WAYS,LINE;D1:...`, all in plain numbers."""
    geometries = (settings.instruction, *settings.levels)
    return ";".join(
        f"{name}:{each.size_bytes},{each.ways},{each.line_bytes}"
        for name, each in zip(_NAMES, geometries, strict=False)
    )
