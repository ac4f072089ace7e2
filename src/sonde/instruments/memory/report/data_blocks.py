"""What only programs and pages are told of a memory profile: how it was measured, all totals, and whole places."""

from collections.abc import Iterator

from sonde.code import Place
from sonde.instruments.memory.profile import MemoryProfile, heap_share
from sonde.instruments.memory.profile.memory_profile import NO_PLACE, TypeMisses
from sonde.instruments.memory.report.code_names import type_name
from sonde.instruments.memory.report.order import miss_columns, miss_key
from sonde.report import Block, Column, Fact, Facts, LazyRows, Part, Row, Table, Values

TYPE = (Column("kind", "kind", shown="data"), Column("type_name", "name of the type", shown="data"))
"""Columns of a type as the profile has it; its name in reports tells the kind, too, where that is not plain."""


def data_blocks(profile: MemoryProfile) -> Iterator[Block]:
    """Facts and tables that paper has no room for."""
    run, heap = profile.run, heap_share(profile)
    yield Facts(
        (
            Fact("command", Values(run.command)),
            Fact("started_at", run.started_at),
            Fact("machine", run.machine),
            Fact("sonde_version", run.sonde_version),
            Fact("complete", run.complete, "count"),
            Fact("policy", profile.policy),
            Fact("latencies", Values(profile.latencies.cycles)),
            Fact("latencies_are", profile.latencies.source),
        ),
        "measuring",
        is_secondary=True,
    )
    yield Facts(tuple(Fact(key, count, "count") for key, count in profile.totals.items()), "totals", is_secondary=True)
    misses = zip(profile.data_levels, heap.misses, heap.of_misses, strict=True)
    on_heap = (Fact(f"heap_{miss_key(level.name)}", Part(part, whole), "count") for level, part, whole in misses)
    accesses = Fact("heap_accesses", Part(heap.accesses, heap.of_accesses), "count")
    yield Facts((accesses, *on_heap), "heap", is_secondary=True)
    if profile.collections:
        yield _collection_table(profile)
    if profile.line_types:
        yield _place_type_table(profile)


def type_cells(profile: MemoryProfile, number: int) -> tuple[str, str]:
    """The cells of `TYPE`."""
    return profile.types[number].kind, profile.types[number].name


def whole_place(profile: MemoryProfile, number: int) -> Place | None:
    """A place with all that it was inlined into."""
    if number == NO_PLACE:
        return None
    innermost, *callers = (
        Place(function.file, line, function)
        for function, line in ((profile.functions[at], line) for at, line in profile.places[number].frames)
    )
    return Place(innermost.file, innermost.line, innermost.function, tuple(callers))


def _collection_table(profile: MemoryProfile) -> Table:
    columns = (
        Column("generation", "generation", "count"),
        Column("collections", "collections", "count"),
        Column("accesses", "accesses", "count", profile.accesses),
    )
    rows = [Row((each.generation, each.count, each.accesses)) for each in profile.collections]
    return Table("collections", "garbage collections", columns, rows, noun="generation", is_secondary=True)


def _place_type_table(profile: MemoryProfile) -> Table:
    columns = (
        *miss_columns(profile),
        *(
            Column(f"sampled_{what}", f"{what} sampled", "count", meaning="of the sample of accesses")
            for what in (("loads", "stores") if profile.sampled else ())
        ),
        *(Column("type", "type", "name"), *TYPE, Column("place", "place", "place")),
    )

    def row(each: TypeMisses) -> Row:
        types = (type_name(profile.types[each.type]), *type_cells(profile, each.type))
        sampled = (each.sampled_loads, each.sampled_stores) if profile.sampled else ()
        return Row((*each.misses, *sampled, *types, whole_place(profile, each.place)))

    rows = LazyRows(profile.line_types, row)
    return Table("places_types", "places and the types they miss on", columns, rows, is_secondary=True)
