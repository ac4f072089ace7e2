"""Options of `sonde memory`: which caches are simulated, what is watched, and what is shown in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

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
from sonde.base.units import format_percent
from sonde.options.code_filter import CodeFilter
from sonde.options.declared import Option
from sonde.options.numbers import positive, share

BY_ACCESSES = "accesses"
BY_COST = "cost"
"""The words for orders that are no cache levels."""
ACCESSES_FIRST = -1
COST_FIRST = -2
"""What `level_of_order` calls these."""
Window = Literal["program", "manual", "all"]
_MOST_DIGITS = 7
"""Of latencies."""
_NEITHER, _INCLUSIVE, _EXCLUSIVE = INCLUSIONS
_NAMES = ("I1", "D1", *(f"L{number}" for number in range(2, MOST_LEVELS + 1)))


def _cache(what: str, example: str) -> Option:
    return Option(f"the {what} cache, e.g. {example} (default: this machine's)", metavar="SIZE,WAYS,LINE")


class CacheOptions(NamedTuple):
    """Which caches are simulated; what is not given is as on this machine."""

    i1: Annotated[str | None, _cache("instruction", "32K,8,64")] = None
    l1: Annotated[str | None, _cache("data", "32K,8,64")] = None
    l2: Annotated[str | None, _cache("second-level", "1M,16,64")] = None
    l3: Annotated[str | None, _cache("third-level", "1M,16,64")] = None
    levels: Annotated[
        int | None,
        Option(
            "how many levels of data caches there are (default: as many as this machine has)",
            parse=int,
            choices=tuple(range(1, MOST_LEVELS + 1)),
        ),
    ] = None
    policy: Annotated[str, Option("which line of a full set goes", choices=POLICIES)] = POLICIES[0]
    inclusive: Annotated[
        bool, Option("what is in a level is in the next one too (default: neither is enforced)", excludes="inclusion")
    ] = False
    exclusive: Annotated[
        bool, Option("what is in a level is in no other (default: neither is enforced)", excludes="inclusion")
    ] = False
    no_write_allocate: Annotated[bool, Option("a store that misses brings nothing in")] = False
    classify: Annotated[bool, Option("tell cold, capacity and conflict misses apart (slower)")] = False

    def settings(self, here: MachineCaches) -> CacheSettings:
        """The caches that are simulated on a machine that has those of `here`.

        Raises:
            UsageError: `bad-cache`.
        """
        given = {name: parse_geometry(text) for name in ("i1", "l1", "l2", "l3") if (text := getattr(self, name))}
        asked = [given.get(f"l{number}") for number in range(1, MOST_LEVELS + 1)]
        highest = max((number for number, geometry in enumerate(asked, 1) if geometry), default=0)
        levels = self.levels or max(len(here.levels), highest)
        if highest > levels:
            raise UsageError(
                f"cannot model --l{highest} with --levels {levels}: it is the cache of level {highest}",
                slug="bad-cache",
                hint=f"--levels {highest}",
            )
        return CacheSettings(
            given.get("i1", here.instruction),
            tuple(_level(number, asked[number - 1], here.levels) for number in range(1, levels + 1)),
            self.policy,
            _INCLUSIVE if self.inclusive else _EXCLUSIVE if self.exclusive else _NEITHER,
            not self.no_write_allocate,
            self.classify,
        )


class WatchOptions(NamedTuple):
    """What of a program is watched."""

    window: Annotated[
        Window | None,
        Option(
            "what is measured: a Python program without the interpreter's start and end (default for Python), what"
            " the program marks (open_window, close_window of sonde.instruments.memory.toolkit), or everything"
            " (default for others)",
            choices=get_args(Window),
        ),
    ] = None
    count_only: Annotated[bool, Option("count loads, stores and instructions only, which is fastest")] = False
    lines_only: Annotated[
        bool,
        Option("tell which code misses, not on what: no types, objects, allocation sites, lifetimes (much faster)"),
    ] = False
    sharing: Annotated[
        bool, Option("tell which lines of memory threads share, who stores what others access there (slower)")
    ] = False
    tool: Annotated[
        str | None,
        Option("run a tool in the tool language too, see docs/tool-language.md", metavar="FILE[:CLASS]"),
    ] = None
    trace: Annotated[
        Path | None,
        Option("also write the address of every access, compressed, for simulators", parse=Path, metavar="FILE"),
    ] = None


def parse_latencies(text: str) -> tuple[int, ...]:
    """Read `4,14,40,200`: cycles of a load that L1 has, L2, and so on, and memory.

    Raises:
        UsageError: `bad-latencies`.

    >>> parse_latencies("4,14,200")
    (4, 14, 200)
    """
    words = [word.strip() for word in text.split(",")]
    cycles = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < _MOST_DIGITS]
    if (
        len(cycles) != len(words)
        or not 2 <= len(cycles) <= MOST_LEVELS + 1
        or cycles != sorted(cycles)
        or not cycles[0]
    ):
        raise _bad_latencies(text, "they are not cycles of the caches and of memory, ascending")
    return tuple(cycles)


_ROWS = Option("rows of each table", parse=positive, metavar="N")
_SORT = Option(
    "what comes first: cost (estimated cycles lost to misses), D1, L2, L3 (misses), or accesses (default: cost)",
    metavar="WHAT",
)
_LATENCIES = Option(
    "cycles of a load that L1 has, L2, ..., memory, e.g. 4,14,40,200 (default: as measured where it ran)",
    parse=parse_latencies,
    metavar="CYCLES,...",
)


_MIN_SHARE = Option(
    "list what has at least this share of what is sorted by", parse=share, metavar="SHARE", show=format_percent
)


@dataclass(frozen=True, slots=True)
class MemoryOptions(CodeFilter):
    """How much is told of which code, and what comes first."""

    rows: Annotated[int, _ROWS] = 10
    sort: Annotated[str, _SORT] = ""
    """`cost`, `accesses`, or the cache level whose misses count, as `D1`; empty for cost."""
    latencies: Annotated[tuple[int, ...] | None, _LATENCIES] = None
    """What misses are weighed by, instead of what the profile says."""
    min_share: Annotated[float, _MIN_SHARE] = 0.0


_MIN_CHANGE = Option(
    "smallest change that counts, as a share of the heavier run", parse=share, metavar="SHARE", show=format_percent
)


@dataclass(frozen=True, slots=True)
class MemoryDiffOptions(MemoryOptions):
    """How much is told of a comparison, of which code, and what comes first. Shares are of the heavier run."""

    min_change: Annotated[float, _MIN_CHANGE] = 0.005


class ReplayOptions(NamedTuple):
    """On which caches a trace is replayed."""

    caches: Annotated[
        str,
        Option(
            "replay a trace of addresses on these data caches, the nearest first, e.g. 48K,12,64:2M,16,64"
            " (default: this machine's)",
            metavar="SIZE,WAYS,LINE:...",
        ),
    ] = ""
    against: Annotated[
        str,
        Option(
            "what to compare that with: the profile of the run, or caches (default: this machine's)",
            metavar="FILE|CACHES",
        ),
    ] = ""

    @property
    def is_profile(self) -> bool:
        """Whether the comparison is with a profile, in a file, and not with caches."""
        return bool(self.against) and Path(self.against).exists()

    def settings(self, here: MachineCaches) -> CacheSettings:
        """The caches to replay on.

        Raises:
            UsageError: `bad-cache`.
        """
        return _hierarchy(self.caches, here)

    def settings_against(self, here: MachineCaches) -> CacheSettings:
        """The caches to compare with.

        Raises:
            UsageError: `bad-cache`.
        """
        return _hierarchy(self.against, here)


def _hierarchy(text: str, here: MachineCaches) -> CacheSettings:
    levels = tuple(map(parse_geometry, text.split(":"))) if text else here.levels
    return CacheSettings(levels[0], levels)  # the cache of instructions is not asked


def check_what_is_left_out(watch: WatchOptions, *, is_kept: bool, classify: bool) -> None:
    """Refuse what `--count-only` and `--lines-only` leave out.

    Raises:
        UsageError: `count-only`, `lines-only`.
    """
    looking = {
        "lines-only": watch.lines_only,
        "output": is_kept,
        "tool": watch.tool,
        "trace": watch.trace,
        "sharing": watch.sharing,
        "classify": classify,
    }
    asked = [name for name, value in looking.items() if value]
    if watch.count_only and asked:
        raise UsageError(
            f"cannot use --{asked[0]} with --count-only: accesses are counted then, and nothing else is known of them",
            slug="count-only",
            hint=f"leave out one of --count-only and --{asked[0]}",
        )
    if watch.lines_only and (watch.tool or watch.sharing):
        asked_for, told_of = ("tool", "tools are told of") if watch.tool else ("sharing", "lines are told by their")
        raise UsageError(
            f"cannot use --{asked_for} with --lines-only: {told_of} objects, which are not known then",
            slug="lines-only",
            hint="leave out --lines-only",
        )


def check_shown(shown: MemoryOptions, settings: CacheSettings) -> None:
    """Refuse what there will not be to show.

    Raises:
        UsageError: `unknown-order`, `bad-latencies`.
    """
    level_of_order(shown.sort, _NAMES[1 : 1 + len(settings.levels)])
    check_latencies(shown.latencies, len(settings.levels))


def check_latencies(cycles: tuple[int, ...] | None, levels: int) -> None:
    """Refuse latencies of more or fewer levels than there are.

    Raises:
        UsageError: `bad-latencies`.
    """
    if cycles is not None and len(cycles) != levels + 1:
        fact = f"these are {len(cycles)}, and the profile has {levels} levels and memory"
        raise _bad_latencies(",".join(map(str, cycles)), fact)


def _bad_latencies(text: str, fact: str) -> UsageError:
    return UsageError(
        f"cannot weigh misses by the latencies '{text}': {fact}",
        slug="bad-latencies",
        hint="--latencies 4,14,40,200: of L1, L2, L3 and memory",
    )


def level_of_order(sort: str, levels: Sequence[str]) -> int:
    """Which of the data levels a table is sorted by; `ACCESSES_FIRST` or `COST_FIRST` for what is none.

    Args:
        sort: as in `MemoryOptions`; case does not matter.
        levels: names of the data levels.
    Raises:
        UsageError: `unknown-order`.
    """
    wanted = sort.lower()
    if wanted == BY_ACCESSES or not (wanted or levels):
        return ACCESSES_FIRST
    if levels and wanted in ("", BY_COST):
        return COST_FIRST
    names = [level.lower() for level in levels]
    if wanted not in names:
        raise UsageError(
            f"cannot sort by '{sort}': the profile has {', '.join((*[BY_COST] * bool(levels), BY_ACCESSES, *levels))}",
            slug="unknown-order",
            hint=f"write --sort {BY_COST if levels else BY_ACCESSES}",
        )
    return names.index(wanted)


def _level(number: int, given: CacheGeometry | None, here: tuple[CacheGeometry, ...]) -> CacheGeometry:
    if given is None and number > len(here):
        raise UsageError(
            f"cannot model a cache of level {number}: this machine has none, and its size was not given",
            slug="bad-cache",
            hint=f"--l{number} SIZE,WAYS,LINE",
        )
    return given if given is not None else here[number - 1]
