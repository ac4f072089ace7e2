"""A memory profile as a report: which code misses which caches, on what memory, and how long that was in use."""

from collections.abc import Sequence

from sonde.base.units import format_count, format_share
from sonde.instruments.memory.profile import (
    CacheLevel,
    CodeLayer,
    FunctionTotals,
    LineTotals,
    MemoryProfile,
    attribution,
    by_function,
    by_line,
)
from sonde.instruments.memory.report.code_names import named_function, place_at, source_line
from sonde.instruments.memory.report.findings import findings, upper_layer
from sonde.instruments.memory.report.memory_tables import (
    lifetime_table,
    line_type_table,
    object_table,
    site_table,
    type_table,
)
from sonde.instruments.memory.report.options import MemoryOptions, sorting_level
from sonde.instruments.memory.report.order import Order, amount_columns, amounts, reaching
from sonde.report import Block, Column, Fact, Facts, Findings, Note, Notice, Notices, Part, Report, Row, Table

_LAYER_WORDS: dict[CodeLayer, str] = {"python": "Python", "native": "native"}

_LEGEND = (
    "misses: with their share of the accesses that reached that cache; accesses: share of the run's data accesses;"
    " born: objects made in the window"
)

_CODE = (
    Column("loads", "loads", "count", shown="data"),
    Column("stores", "stores", "count", shown="data"),
    Column("instructions", "instructions", "count", shown="data"),
    Column("fetch_misses", "I1 misses", "count", shown="data"),
)


def memory_report(profile: MemoryProfile, options: MemoryOptions | None = None) -> Report:
    """Everything that is told of a memory profile.

    Args:
        profile: a valid profile.
    Raises:
        UsageError: `unknown-order`.
    Cost: O(n log n) for n rows of the profile.
    """
    options = options or MemoryOptions()
    order = Order(profile, sorting_level(options.sort, profile.data_levels))
    upper = upper_layer(profile)
    lines = by_line(profile, upper)
    head: list[Block] = [Facts(_facts(profile), "run"), Facts(_attributed(profile), "attributed"), _notices(profile)]
    if profile.caches:
        head.append(_cache_table(profile))
    head.append(Findings(tuple(findings(profile, lines))))
    body: Sequence[Block]
    if not profile.accesses:
        body = [Note("no data access was counted")]
    elif not profile.native_lines:
        body = [Note("accesses were only counted: nothing else is known of them")]
    else:
        tables = (table for table in _tables(order, upper, lines, options.rows) if table.rows)
        body = [*tables, Note(_LEGEND, "legend")]
    return Report("memory", " ".join(profile.run.command), (*head, *body), profile.sources)


def _tables(order: Order, upper: CodeLayer, lines: Sequence[LineTotals], most: int) -> list[Table]:
    tables = [_function_table(order, upper, most), _line_table(order, upper, lines, most)]
    if upper != "native":
        native_lines = by_line(order.profile, "native")
        tables += [
            _function_table(order, "native", most),
            _line_table(order, "native", native_lines, most, is_secondary=True),
        ]
    return [
        *tables,
        type_table(order, most),
        site_table(order, most),
        line_type_table(order, lines, most),
        object_table(order, most),
        lifetime_table(order.profile, most),
    ]


def _function_table(order: Order, layer: CodeLayer, most: int) -> Table:
    profile = order.profile
    totals = by_function(profile, layer)
    rows = []
    for each in order.sorted(totals):
        function = profile.functions[each.function]
        place = place_at(function, function.first_line)
        rows.append(Row((*amounts(each), *_code(each), named_function(function), place)))
    columns = (*amount_columns(order), *_CODE, Column("function", "function", "name"), Column("place", "", "place"))
    title = f"{_LAYER_WORDS[layer]} functions"
    return Table(f"{layer}_functions", title, columns, rows, order.notes(len(totals)), "function", most)


def _line_table(
    order: Order, layer: CodeLayer, lines: Sequence[LineTotals], most: int, *, is_secondary: bool = False
) -> Table:
    """The lines of a layer, with their text where it is known, else with their function's name."""
    profile = order.profile
    totals = [line for line in lines if line.line]
    rows = []
    for each in order.sorted(totals):
        function = profile.functions[each.functions[0]]
        named = named_function(function)
        text = source_line(profile, function, each.line) or named
        rows.append(Row((*amounts(each), *_code(each), place_at(function, each.line), text, named)))
    columns = (
        *(*amount_columns(order), *_CODE),
        Column("line", "line", "place"),
        Column("source", "", "code"),
        Column("function", "function", "name", shown="data"),
    )
    title, notes = f"{_LAYER_WORDS[layer]} lines", order.notes(len(totals))
    return Table(f"{layer}_lines", title, columns, rows, notes, "line", most, is_secondary=is_secondary)


def _code(each: FunctionTotals | LineTotals) -> tuple[int | None, ...]:
    return each.loads, each.stores, each.instructions or None, each.fetch_misses[0] if each.fetch_misses else None


def _facts(profile: MemoryProfile) -> tuple[Fact, ...]:
    run, totals = profile.run, profile.totals
    instructions = totals.get("instructions")
    facts = [
        Fact("accesses", profile.accesses, "count", "{} data accesses", "{} data access"),
        *([Fact("instructions", instructions, "count", "{} instructions")] if instructions is not None else ()),
        Fact("ended", run.ended),
        Fact("duration", run.duration_ns, "duration"),
        Fact("tool", run.tool),
    ]
    if run.started_at:
        facts.append(Fact("started_at", run.started_at))
    return tuple(facts)


def _attributed(profile: MemoryProfile) -> tuple[Fact, ...]:
    """Of how much it is known where it comes from and where it went; how much the collector made."""
    known, whole = attribution(profile), profile.accesses
    facts: list[Fact] = []
    if whole and profile.native_lines:
        facts += [
            Fact("with_function", known.with_function / whole, "share", "attributed: {} to functions"),
            Fact("with_line", known.with_line / whole, "share", "{} to lines"),
            Fact("with_object", known.with_object / whole, "share", "{} to objects and named regions")
            if profile.classes
            else Fact("with_object", None, "share", "what memory it was, was not asked for"),
        ]
        if profile.python_lines:
            python = sum(line.loads + line.stores for line in profile.python_lines)
            facts.append(Fact("in_python", python / whole, "share", "{} while Python lines ran"))
    for each in profile.collections:
        share = format_share(each.accesses, whole)
        words = f"{{}} garbage collections of generation {each.generation} ({share} of the accesses)"
        one = words.replace("collections", "collection", 1)
        facts.append(Fact(f"collections_{each.generation}", each.count, "count", words, one))
    return tuple(facts)


def _notices(profile: MemoryProfile) -> Notices:
    notices = [Notice(loss.kind, loss.detail) for loss in profile.losses]
    if not profile.run.complete:
        notices.append(Notice("", "the run was cut off: what was counted last may be missing"))
    return Notices(tuple(notices))


def _cache_table(profile: MemoryProfile) -> Table:
    misses, rows = profile.total_misses, []
    for number, level in enumerate(profile.data_levels):
        reached = reaching(profile.accesses, misses, number)
        rows.append(_cache_row(level, Part(misses[number], reached), Part(misses[number], profile.accesses)))
    fetches = profile.totals.get("instructions", 0)
    for level in profile.caches[: len(profile.caches) - len(profile.data_levels)]:
        missed = Part(profile.totals.get("fetch_misses1", 0), fetches)
        rows.append(_cache_row(level, missed, missed))
    kinds = [key for key in ("cold", "capacity", "conflict") if key in profile.totals]
    told = ", ".join(f"{format_count(profile.totals[key])} {key}" for key in kinds)
    columns = (
        Column("cache", "", "name"),
        Column("size", "size", "bytes"),
        Column("ways", "ways", "count", priority=1),
        Column("line", "line", "bytes", priority=1),
        Column("misses", "misses", "count", meaning="with their share of the accesses that reached it"),
        Column("of_all", "of all", "count", shown="share", priority=2, meaning="share of all accesses"),
    )
    legend = f"{profile.data_levels[0].name} misses: {told}" if told else ""
    return Table("caches", "caches", columns, rows, (profile.policy,), legend=legend)


def _cache_row(level: CacheLevel, missed: Part, of_all: Part) -> Row:
    return Row((level.name, level.size_bytes, level.ways, level.line_bytes, missed, of_all))
