"""A memory profile as a report: which code misses which caches, on what memory, and how long that was in use."""

from collections.abc import Sequence

from sonde.base.units import format_count, format_share
from sonde.code import is_import_machinery
from sonde.evidence import Loss, cut_off
from sonde.instruments.memory.options import MemoryOptions
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
from sonde.instruments.memory.profile.latencies import LatencySource
from sonde.instruments.memory.report.code_names import named_function, place_at, source_lines
from sonde.instruments.memory.report.context_table import all_contexts, context_graph, context_table
from sonde.instruments.memory.report.data_blocks import data_blocks
from sonde.instruments.memory.report.field_table import all_fields, field_table
from sonde.instruments.memory.report.from_function import blocks_from
from sonde.instruments.memory.report.headline import headline, heap_facts, upper_layer
from sonde.instruments.memory.report.memory_tables import (
    lifetime_table,
    line_type_table,
    object_table,
    site_table,
    type_table,
)
from sonde.instruments.memory.report.order import Order, amount_columns, amounts, miss_key, order_of, reaching
from sonde.instruments.memory.report.selected_rows import SelectedRows, check_least, selected_rows, selection_facts
from sonde.instruments.memory.report.sharing_table import sharing_blocks
from sonde.report import Block, Column, Fact, Facts, Note, Notices, Part, Report, Row, Table, Values

_LAYER_WORDS: dict[CodeLayer, str] = {"python": "Python", "native": "native"}

_LEGEND = (
    "misses: with their share of the accesses that reached that cache; accesses: share of the run's data accesses;"
    " born: objects made in the window"
)

_CODE = (
    Column("loads", "loads", "count", shown="data"),
    Column("stores", "stores", "count", shown="data"),
    Column("instructions", "instructions", "count", shown="data"),
)


def memory_report(profile: MemoryProfile, options: MemoryOptions | None = None) -> Report:
    """Everything that is told of a memory profile.

    Args:
        profile: a valid profile.
    Raises:
        UsageError: `unknown-order`, `bad-latencies`, `no-code-left`; `no-calling-contexts`, `no-such-function`.
    Cost: O(n log n) for n rows of the profile.
    """
    options = options or MemoryOptions()
    order = order_of(profile, options)
    if options.from_ is not None:
        sentences, blocks = blocks_from(order, options)
        legend = Note(_latency_words(order) + _LEGEND, "legend")
        told = (*blocks, legend, _notices(profile))
        return Report("memory", " ".join(profile.run.command), told, profile.sources, headline=sentences)
    upper = upper_layer(profile)
    shown = selected_rows(profile, options.selection)
    lines = shown.of_lines(by_line(profile, upper))
    if not lines and upper != "native":  # machine code was asked for
        upper = "native"
        lines = shown.of_lines(by_line(profile, upper))
    check_least(order, lines, options.min_share)
    head: list[Block] = [
        *selection_facts(order, options.selection, lines),
        Facts(_facts(profile), "run", is_detail=True),
        Facts(_attributed(profile), "attributed", is_detail=True),
        Facts(heap_facts(profile), "allocated", is_detail=True),
        Facts(_collections(profile), "collections", is_detail=True),
        _notices(profile),
    ]
    if profile.caches:
        head.append(_cache_table(profile))
    body: list[Block]
    if not profile.accesses:
        body = [Note("no data access was counted")]
    elif not profile.native_lines:
        body = [Note("accesses were only counted: nothing else is known of them")]
    else:
        tables = (table for table in _tables(order, shown, upper, lines, options.rows) if table.rows)
        body = [*sharing_blocks(profile, options.rows), *tables, Note(_latency_words(order) + _LEGEND, "legend")]
    graph = [context_graph(order, profile.contexts)] if profile.contexts else []
    return Report(
        "memory",
        " ".join(profile.run.command),
        (*head, *body, *graph, *data_blocks(profile)),
        profile.sources,
        headline=headline(order, lines),
    )


_SOURCES: dict[LatencySource, str] = {
    "measured": "latencies measured where it ran",
    "given": "latencies as given",
    "typical": "typical latencies, not measured",
}


def _latency_words(order: Order) -> str:
    """What misses are weighed by; empty without caches."""
    if not order.profile.data_levels:
        return ""
    near, *far = order.latencies.cycles
    names = [*(level.name for level in order.profile.data_levels[1:]), "memory"]
    first, *others = (f"{cycles - near} {{}} {name}" for name, cycles in zip(names, far, strict=True))
    each = ", ".join([first.format("for a miss that goes to"), *(other.format("to") for other in others)])
    return f"cycles lost: an estimate, {each} ({_SOURCES[order.latencies.source]}); "


def _tables(order: Order, shown: SelectedRows, upper: CodeLayer, lines: Sequence[LineTotals], most: int) -> list[Table]:
    """Lines and what they miss on; the rest is for who asks for more, and functions where no line is known."""
    profile = order.profile
    has_lines = any(line.line and order.weight(line) for line in lines)
    functions = shown.of_functions(by_function(profile, upper))
    of_functions = [_function_table(order, upper, functions, most, is_detail=has_lines)]
    native_lines: Sequence[LineTotals] = ()
    if upper != "native":
        functions = shown.of_functions(by_function(profile, "native"))
        of_functions.append(_function_table(order, "native", functions, most, is_detail=True))
        native_lines = shown.of_lines(by_line(profile, "native"))
    return [
        *_line_tables(order, upper, lines, most),
        line_type_table(order, lines, most),
        *_context_tables(order, shown, most),
        type_table(order, most, is_detail=not shown.is_everything),
        *_field_tables(order, shown, most),
        site_table(order, shown.of_sites(profile, profile.classes), most),
        *of_functions,
        *_line_tables(order, "native", native_lines, most, is_secondary=True),
        object_table(order, most),
        lifetime_table(profile, most),
    ]


def _context_tables(order: Order, shown: SelectedRows, most: int) -> list[Table]:
    profile = order.profile
    if not profile.contexts:
        return []
    # What stands between a module and the ones that it imports is in no tree.
    is_shown = [
        shown.has(number) and not is_import_machinery(function) for number, function in enumerate(profile.functions)
    ]
    return [context_table(order, profile.contexts, is_shown, most), all_contexts(profile)]


def _field_tables(order: Order, shown: SelectedRows, most: int) -> list[Table]:
    if not order.profile.fields:
        return []
    return [field_table(order, most, is_detail=not shown.is_everything), all_fields(order.profile)]


def _function_table(
    order: Order, layer: CodeLayer, totals: Sequence[FunctionTotals], most: int, *, is_detail: bool
) -> Table:
    profile = order.profile

    def row(each: FunctionTotals) -> Row:
        function = profile.functions[each.function]
        place = place_at(function, function.first_line)
        return Row((*amounts(order, each), *_code(order, each), named_function(function), place))

    names = (Column("function", "function", "name"), Column("place", "", "place"))
    columns = (*amount_columns(order), *_code_columns(order), *names)
    title = f"{_LAYER_WORDS[layer]} functions"
    return order.table(f"{layer}_functions", title, columns, totals, row, "function", most, is_detail=is_detail)


def _line_tables(
    order: Order, layer: CodeLayer, lines: Sequence[LineTotals], most: int, *, is_secondary: bool = False
) -> tuple[Table, Table]:
    """The lines of a layer, with their text where it is known, else with their function's name; and, for programs, what
    is of no known line."""
    profile = order.profile
    text_of = source_lines(profile)

    def row(each: LineTotals) -> Row:
        functions = [profile.functions[number] for number in each.functions]
        function = functions[0]
        named = named_function(function)
        text = text_of(function.file, each.line) or named
        names = Values([other.name for other in functions]) if len(functions) > 1 else None
        return Row((*amounts(order, each), *_code(order, each), place_at(function, each.line), text, named, names))

    columns = (
        *(*amount_columns(order), *_code_columns(order)),
        Column("line", "line", "place"),
        Column("source", "", "code"),
        Column("function", "function", "name", shown="data"),
        Column("functions", "functions", shown="data", meaning="where it is of several, which were defined in turn"),
    )
    word, told = _LAYER_WORDS[layer], [line for line in lines if line.line]
    untold = [line for line in lines if not line.line]
    return (
        order.table(f"{layer}_lines", f"{word} lines", columns, told, row, "line", most, is_secondary=is_secondary),
        order.table(
            f"{layer}_without_lines",
            f"{word} code of no known line",
            *(columns, untold, row, "function", most),
            is_secondary=True,
        ),
    )


def _code_columns(order: Order) -> tuple[Column, ...]:
    """For programs; instructions are fetched through a first cache of their own."""
    behind = [level.name for level in order.profile.data_levels[1:]]
    names = ["I1", *behind] if order.profile.data_levels else []
    return (
        *_CODE,
        *(Column(f"fetch_{miss_key(name)}", f"{name} misses of fetches", "count", shown="data") for name in names),
    )


def _code(order: Order, each: FunctionTotals | LineTotals) -> tuple[int | None, ...]:
    """The cells of `_code_columns`."""
    fetches = each.fetch_misses or (None,) * len(order.profile.data_levels)
    return each.loads, each.stores, each.instructions or None, *fetches


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
    return tuple(facts)


def _attributed(profile: MemoryProfile) -> tuple[Fact, ...]:
    """Of how much it is known where it comes from and where it went."""
    known, whole = attribution(profile), profile.accesses
    facts: list[Fact] = []
    if whole and profile.native_lines:
        facts += [
            Fact("with_function", Part(known.with_function, whole), "share", "attributed: {} to functions"),
            Fact("with_line", Part(known.with_line, whole), "share", "{} to lines"),
            Fact("with_object", Part(known.with_object, whole), "share", "{} to objects and named regions")
            if profile.classes
            else Fact("with_object", None, "share", "what memory it was, was not asked for"),
        ]
        if profile.python_lines:
            python = sum(line.loads + line.stores for line in profile.python_lines)
            facts.append(Fact("in_python", Part(python, whole), "share", "{} while Python lines ran"))
    return tuple(facts)


def _collections(profile: MemoryProfile) -> tuple[Fact, ...]:
    """How much the garbage collector did."""
    facts = []
    for each in profile.collections:
        share = format_share(each.accesses, profile.accesses)
        words = f"{{}} garbage collections of generation {each.generation} ({share} of the accesses)"
        one = words.replace("collections", "collection", 1)
        facts.append(Fact(f"collections_{each.generation}", each.count, "count", words, one))
    return tuple(facts)


def _notices(profile: MemoryProfile) -> Notices:
    notices = [Loss(loss.kind, loss.amount, loss.detail) for loss in profile.losses]
    if not profile.run.complete:
        notices.append(cut_off())
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
        Column("misses", "misses, rate", "count", meaning="with their share of the accesses that reached it"),
        Column("of_all", "of all", "count", shown="share", priority=2, meaning="share of all accesses"),
    )
    legend = f"{profile.data_levels[0].name} misses: {told}" if told else ""
    return Table("caches", "caches", columns, rows, (profile.policy,), legend=legend, is_detail=True)


def _cache_row(level: CacheLevel, missed: Part, of_all: Part) -> Row:
    return Row((level.name, level.size_bytes, level.ways, level.line_bytes, missed, of_all))
