"""The tables about memory: types, allocation sites, lines with types, single objects, lifetimes."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from sonde.base.units import counted, format_count
from sonde.code import Place
from sonde.instruments.memory.options import ACCESSES_FIRST, COST_FIRST
from sonde.instruments.memory.profile import (
    NO_PLACE,
    Lifetimes,
    LineTotals,
    MemoryProfile,
    MemoryTotals,
    ObjectClass,
    TrackedObject,
    by_type,
    lifetimes_by_type,
)
from sonde.instruments.memory.report.code_names import named_function, place_at, place_of_frame, type_name
from sonde.instruments.memory.report.data_blocks import TYPE, type_cells, whole_place
from sonde.instruments.memory.report.life_bins import bin_text, last_bin, quantile_bin
from sonde.instruments.memory.report.order import Order, amount_columns, amounts, miss_key
from sonde.instruments.memory.report.site_frames import site_frames
from sonde.report import Bins, Column, LazyRows, Part, Row, Table

_MOST_LINES = 3
_MOST_TYPES = 4
_FEWEST_DRAWN = 100
"""Accesses of a line, that its shares by type are told: half of a 95 % interval is a tenth then, at most."""
_SAMPLED = "share of the run's accesses; of types, estimated: of the line's sampled accesses"
_LEAST_SHARE = 0.01
"""Types with less than this share of a line's misses are not told."""

_BORN = (
    Column("born", "born", "count", priority=1, meaning="objects made in the window"),
    Column("freed", "freed", "count", shown="data"),
    Column("size", "bytes", "bytes", shown="data", meaning="sum over the objects, each as large as it ever was"),
    Column("lifetimes", "lifetimes", "bins", shown="data", meaning="accesses from birth to last use, by powers of two"),
    Column("in_use", "in use", "count", shown="data", meaning="sum of the lifetimes"),
)

_WHOLE = (*TYPE, Column("place", "place", "place", shown="data", meaning="with all that it was inlined into"))
"""Of what was made somewhere: the columns of `_whole`."""


def type_table(order: Order, most: int, *, is_detail: bool = False) -> Table:
    """Types of objects and regions of memory."""
    profile = order.profile

    def row(each: MemoryTotals) -> Row:
        number = each.types[0]
        name = type_name(profile.types[number])
        return Row((*amounts(order, each), *_born(each), name, *type_cells(profile, number)))

    columns = (*amount_columns(order), *_BORN, Column("type", "type", "name"), *TYPE)
    return order.table("types", "types and regions", columns, by_type(profile), row, "type", most, is_detail=is_detail)


def site_table(order: Order, classes: Sequence[ObjectClass], most: int) -> Table:
    """Which lines made the objects that misses are on.

    Args:
        classes: those of the profile that are looked at.
    """
    profile = order.profile
    made = [each for each in classes if each.site != NO_PLACE]
    place_of_site = site_places(profile)

    def row(each: ObjectClass) -> Row:
        name = type_name(profile.types[each.type])
        return Row((*amounts(order, each), *_born(each), name, place_of_site(each.site), *_whole(profile, each)))

    names = (Column("type", "type and place", "name"), Column("site", "", "place"))
    columns = (*amount_columns(order), *_BORN, *names, *_WHOLE)
    return order.table("sites", "allocation sites", columns, made, row, "site", most)


def object_table(order: Order, most: int) -> Table:
    """The single objects with the most misses."""
    profile = order.profile
    place_of_site = site_places(profile)

    def row(each: TrackedObject) -> Row:
        name = f"{type_name(profile.types[each.type])} #{each.number}"
        life = (max(each.last_use - each.birth, 0), each.birth, each.last_use, each.alive, each.number)
        site = place_of_site(each.site)
        return Row((*amounts(order, each), each.size_bytes, *life, name, site, *_whole(profile, each)))

    columns = (
        *amount_columns(order),
        Column("size", "size", "bytes", priority=1),
        Column("in_use", "in use", "count", priority=2, meaning="data accesses from birth to last use"),
        Column("birth", "birth", "count", shown="data", meaning="data accesses made before it was born"),
        Column("last_use", "last use", "count", shown="data", meaning="data accesses made before it was last used"),
        Column("alive", "alive", "count", shown="data", meaning="whether it was not freed"),
        Column("number", "number", "count", shown="data", meaning="the how many-th birth of the run it was"),
        *(Column("object", "object", "name"), Column("site", "", "place"), *_WHOLE),
    )
    return order.table(
        "objects", "objects", columns, profile.objects, row, "object", most, told="told apart", is_detail=True
    )


def line_type_table(order: Order, totals: Sequence[LineTotals], most: int) -> Table:
    """Of the lines with the most misses: on which types they are; and where accesses were sampled, those by type.

    Misses are those of the level that the report is sorted by, or else what misses of all levels cost.

    Args:
        totals: the lines of the upper layer.
    """
    profile, title = order.profile, "lines and the types they miss on"
    by_samples = order.level == ACCESSES_FIRST and profile.sampled > 0
    if not profile.data_levels:
        return Table("line_types", title, (), ())
    if order.level < 0:
        order = replace(order, level=COST_FIRST)
    whole, on, drawn = order.whole, _types_by_line(order), _samples_by_line(profile)
    sampled = (Column("accesses", "accesses", "share", priority=1, meaning=_SAMPLED),) if drawn else ()

    def types(line: LineTotals) -> list[tuple[int, int]]:
        """Numbers of types with what they are sorted by, the heaviest first."""
        found = drawn[line.file, line.line] if by_samples else on[line.file, line.line]
        least = max(_LEAST_SHARE * (sum(found.values()) if by_samples else order.weight(line)), 1)
        return sorted(((k, n) for k, n in found.items() if n >= least), key=lambda item: (-item[1], item[0]))

    def row(line: LineTotals) -> Row:
        at, missed = (line.file, line.line), order.weight(line)
        function, of_line = profile.functions[line.functions[0]], sum(drawn[at].values())
        below = []
        for kind, _ in types(line)[:_MOST_TYPES]:
            share = drawn[at].get(kind, 0) / of_line if of_line >= _FEWEST_DRAWN else None
            shares = (share,) if sampled else ()
            below.append(Row((Part(on[at].get(kind, 0), missed), *shares, type_name(profile.types[kind]), None)))
        own = (line.accesses / profile.accesses,) if sampled else ()
        names = (named_function(function), place_at(function, line.line))
        return Row((Part(missed, whole), *own, *names), tuple(below), tone="strong")

    least = order.least_share * whole
    told = [line for line in totals if line.line and order.weight(line) >= least and types(line)]
    is_cost = order.level == COST_FIRST
    legend = "shares: of the run's; those of types, of the line's"
    if sampled:
        one_in = format_count(round(profile.accesses / profile.sampled))
        legend += f"; accesses by type are estimated: one in {one_in} was sampled"
    columns = (
        Column(
            "cost" if is_cost else miss_key(profile.data_levels[order.level].name),
            "cycles lost" if is_cost else order.noun,
            "count",
        ),
        *sampled,
        Column("name", "line or type", "name"),
        Column("place", "", "place"),
    )
    return Table(
        "line_types",
        "lines and the types they access" if by_samples else title,
        columns,
        LazyRows(sorted(told, key=lambda line: -line.accesses) if by_samples else order.sorted(told), row),
        ("by accesses" if by_samples else order.words,),
        "line",
        min(most, _MOST_LINES),
        legend=legend,
        is_grouped=True,
    )


def lifetime_table(profile: MemoryProfile, most: int) -> Table:
    """Types with the most objects, how long these were in use, and how that is spread."""
    by_kind = lifetimes_by_type(profile)
    listed = sorted(by_kind.items(), key=lambda item: (-item[1].objects, item[0]))
    bins = 1 + max((last_bin(lifetimes) for _, lifetimes in listed), default=0)
    rows = [Row((*_life_cells(lifetimes, bins), type_name(profile.types[kind]))) for kind, lifetimes in listed]
    columns = (
        Column("objects", "objects", "count"),
        Column("unused", "unused", "share", meaning="never accessed after birth"),
        Column("median", "median", "number", priority=1),
        *(Column(key, title, "number", priority=2) for key, title in (("ninety", "90 %"), ("longest", "longest"))),
        Column("lifetimes", "lifetimes", "bins", scale=("1", f"2^{bins - 1}")),
        Column("type", "type", "name"),
    )
    return Table(
        "lifetimes",
        "lifetimes",
        columns,
        rows,
        ("birth to last use, in data accesses", counted(len(rows), "type")),
        "type",
        most,
        legend="unused: never accessed after birth; the higher a bar, the more objects",
        is_detail=True,
    )


def site_places(profile: MemoryProfile) -> Callable[[int], Place | None]:
    """A function of a site: where objects were made, by the frames that tell it from other sites."""
    frames = site_frames(profile)

    def place(site: int) -> Place | None:
        if site not in frames:
            return None
        told = frames[site]
        innermost, telling = place_of_frame(profile, told.innermost), place_of_frame(profile, told.telling)
        if told.by_name:
            telling = Place("", 0, telling.function)
        return innermost if telling == innermost else replace(innermost, inlined_into=(telling,))

    return place


def _born(each: MemoryTotals | ObjectClass) -> tuple[int | Bins | None, ...]:
    lives = each.lifetimes
    return each.born or None, each.freed, each.size_bytes, Bins(lives.counts), lives.total


def _whole(profile: MemoryProfile, each: ObjectClass | TrackedObject) -> tuple[Place | str | None, ...]:
    return *type_cells(profile, each.type), whole_place(profile, each.site)


def _life_cells(lifetimes: Lifetimes, bins: int) -> tuple[int | float | str | Bins, ...]:
    quantiles = (bin_text(quantile_bin(lifetimes, share)) for share in (0.5, 0.9))
    unused = lifetimes.counts[0] / lifetimes.objects
    counts = (*lifetimes.counts, *(0,) * (bins - len(lifetimes.counts)))
    return lifetimes.objects, unused, *quantiles, bin_text(last_bin(lifetimes)), Bins(counts)


def _types_by_line(order: Order) -> dict[tuple[str, int], dict[int, int]]:
    """What misses have of what is sorted by, by line and number of type."""
    profile = order.profile
    found: dict[tuple[str, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in profile.line_types:
        number, line = profile.places[row.place].frames[0]
        if missed := order.missed(row.misses):
            found[profile.functions[number].file, line][row.type] += missed
    return found


def _samples_by_line(profile: MemoryProfile) -> dict[tuple[str, int], dict[int, int]]:
    """How many accesses were drawn, by line and number of type; empty where none were."""
    found: dict[tuple[str, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in profile.line_types:
        if row.sampled:
            number, line = profile.places[row.place].frames[0]
            found[profile.functions[number].file, line][row.type] += row.sampled
    return found
