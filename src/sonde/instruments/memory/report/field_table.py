"""The tables of fields: on which part of the objects of a type the misses are."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sonde.base.fitted_text import printable
from sonde.instruments.memory.options import MemoryOptions
from sonde.instruments.memory.profile import NO_PLACE, TO_THE_END, FieldMisses, MemoryProfile
from sonde.instruments.memory.report.code_names import type_name
from sonde.instruments.memory.report.data_blocks import TYPE, type_cells, whole_place
from sonde.instruments.memory.report.memory_tables import site_places
from sonde.instruments.memory.report.order import Order, amount_columns, miss_columns, misses_of
from sonde.report import Cell, Column, LazyRows, Row, Table

_MOST_ROWS = 6
_LEAST_SHARE = 0.05
"""Of what is sorted by; of types with less, fields are told only to who asks for more."""
_VALUES = "values of "
_FIRST_NAMED = 16
"""Bytes from the reference count on: what is before is the interpreter's, and no attribute."""
_FIELD = Column("field", "field", "name")
_TYPE = Column("type", "type", "name", shown="data")


@dataclass(frozen=True, slots=True)
class _Counted:
    """A field as a row."""

    field: FieldMisses
    accesses: int
    """Estimated."""

    @property
    def misses(self) -> tuple[int, ...]:
        return self.field.misses


def field_table(order: Order, most: int, *, is_detail: bool) -> Table:
    """Fields of the classes of the program, and of what it allocates, that lose most; else of all types, for who asks.

    Args:
        most: rows that tables have on paper; this one has at most six, unless more than usual are asked for.
        is_detail: other things are asked for.
    """
    profile = order.profile
    counted = _counted(profile)
    told, place_of_site = list(_telling(order, counted)), site_places(profile)
    columns = [
        # Names of fields are long, and misses are in the table of types.
        each if each.is_hot or each.key == "accesses" else replace(each, shown="data")
        for each in amount_columns(order)
        if each.key != "accesses" or profile.sampled
    ]

    def row(each: _Counted) -> Row:
        field = each.field
        kind = type_name(profile.types[field.type])
        names = (field.bytes, field_name(profile, field), place_of_site(field.site), kind)
        return Row((*_amounts(order, each), *names))

    return order.table(
        "fields",
        "fields of objects",
        (
            *columns,
            Column("bytes", "bytes", "number", meaning="from the reference count, or from where a block begins"),
            _FIELD,
            Column("site", "", "place"),
            _TYPE,
        ),
        told or counted,
        row,
        "field",
        most if most > MemoryOptions().rows else min(most, _MOST_ROWS),
        is_detail=is_detail or not told,
    )


def all_fields(profile: MemoryProfile) -> Table:
    """Every field of every type, for programs."""
    columns = (
        *miss_columns(profile),
        *(Column(f"sampled_{what}", f"{what} sampled", "count") for what in ("loads", "stores")),
        *(_FIELD, Column("name", "name of the field")),
        Column("offset", "offset", "number", meaning="bytes from the reference count, or from where a block begins"),
        Column("size", "size", "bytes", meaning="none: all that is behind"),
        *(_TYPE, *TYPE, Column("site", "site", "place", meaning="of blocks of malloc and operator new")),
    )

    def row(each: FieldMisses) -> Row:
        size = None if each.size_bytes == TO_THE_END else each.size_bytes
        where = (field_name(profile, each), printable(each.name), each.offset, size)
        types = (type_name(profile.types[each.type]), *type_cells(profile, each.type))
        return Row(
            (*each.misses, each.sampled_loads, each.sampled_stores, *where, *types, whole_place(profile, each.site))
        )

    rows = LazyRows(sorted(profile.fields, key=lambda each: (each.misses, each.sampled), reverse=True), row)
    return Table("all_fields", "fields of objects of all types", columns, rows, noun="field", is_secondary=True)


def field_name(profile: MemoryProfile, field: FieldMisses) -> str:
    """The type with the attribute, or with what else the word is for; the type alone where that is not known.

    What a class keeps in memory besides its instances is an attribute of the class.
    """
    kind, name = type_name(profile.types[field.type]), printable(field.name)
    if not name:
        return kind
    is_value = kind.startswith(_VALUES)
    is_attribute = all(word.isidentifier() for word in name.split(", ")) and field.size_bytes != TO_THE_END
    if is_attribute and field.offset >= (0 if is_value else _FIRST_NAMED):
        return f"{kind.removeprefix(_VALUES)}.{name}"
    return f"{kind}: {name}"


def _counted(profile: MemoryProfile) -> list[_Counted]:
    drawn = profile.sampled or 1
    return [_Counted(each, profile.accesses * each.sampled // drawn) for each in profile.fields]


def _amounts(order: Order, row: _Counted) -> tuple[Cell, ...]:
    """Of accesses that are estimated there is no rate."""
    cost = (order.latencies.lost(row.misses),) if row.misses else ()
    accesses = (row.accesses,) if order.profile.sampled else ()
    return *cost, *accesses, *row.misses[:1], *misses_of(0, row.misses)[1:]


def _telling(order: Order, counted: Sequence[_Counted]) -> Iterator[_Counted]:
    """Of types whose layout is the program's own, those with a notable share, in two fields or more.

    Where most is behind the words that are told apart, it is an array.
    """
    groups: dict[tuple[int, int], list[_Counted]] = defaultdict(list)
    for each in counted:
        if _is_own(order.profile, each.field):
            groups[each.field.type, each.field.site].append(each)
    for group in groups.values():
        weights = [order.weight(each) for each in group]
        behind = sum(order.weight(each) for each in group if each.field.size_bytes == TO_THE_END)
        if (
            sum(weights) >= max(_LEAST_SHARE * order.whole, 1)
            and sum(weight > 0 for weight in weights) > 1
            and 2 * behind <= sum(weights)
        ):
            yield from group


def _is_own(profile: MemoryProfile, field: FieldMisses) -> bool:
    """Of a class of a module, and not of the interpreter's own types; or of what is allocated at one place."""
    kind = profile.types[field.type]
    if kind.kind == "object":
        return "." in kind.name
    return field.site != NO_PLACE or kind.name.startswith(_VALUES)
