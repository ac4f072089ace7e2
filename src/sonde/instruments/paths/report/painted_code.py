"""A routine's source and control flow, with its hottest paths painted on them."""

from collections.abc import Sequence

from sonde.instruments.paths.profile import PathRoutine, RoutineBlock
from sonde.instruments.paths.report.line_table import line_words
from sonde.report import Cell, Column, FlowBlock, FlowChart, FlowEdge, FlowWay, Listing, short_name

_PAINTED = 3
"""Paths that have a column beside the source."""
_LEAST_SHARE = 0.01
"""Of the routine's paths, for what does not lie in the hottest sequence."""
_MOST_WAYS = 12
"""Paths that can be chosen in a chart."""


def painted_paths(routine: PathRoutine, sequence: Sequence[int]) -> list[int]:
    """The paths that stand out: those of a sequence, then those taken most."""
    taken = routine.acyclic
    least = _LEAST_SHARE * sum(taken.values())
    often = [path for path in taken if taken[path] >= least]
    return list(dict.fromkeys((*sequence, *sorted(often, key=lambda path: -taken[path]))))


def painted_source(key: str, routine: PathRoutine, paths: Sequence[int], text: str, most: int) -> Listing:
    """Lines of a routine with how often each was come by, and by which of some paths how often.

    Args:
        paths: the first ones have columns.
        text: of the file.
        most: lines on paper.
    """
    taken = routine.acyclic
    painted = [(path, set(routine.code.lines(path))) for path in paths[:_PAINTED]]
    counts = routine.code.line_counts(taken)
    columns = (
        Column("times", "times", "count", max(counts.values(), default=0), is_hot=True),
        *(
            Column(f"path_{path}", f"path {path}", "count", priority=1 + at, meaning="how often that path ran here")
            for at, (path, _) in enumerate(painted)
        ),
    )
    lines: dict[int, tuple[Cell, ...]] = {
        line: (count, *(taken[path] if line in come_by else None for path, come_by in painted))
        for line, count in sorted(counts.items())
    }
    title = f"lines of {short_name(routine.function)}"
    return Listing(key, title, routine.function.file, text, columns, lines, ("by times executed",), most)


def painted_flow(key: str, routine: PathRoutine, paths: Sequence[int], most: int) -> FlowChart:
    """The control-flow graph of a routine, with some paths as ways through it.

    Args:
        most: blocks on paper.
    """
    code, taken = routine.code, routine.acyclic
    edges, entered = code.edge_counts(taken), code.block_counts(taken)
    went = [0] * len(entered)
    for (source, _), count in edges.items():
        went[source] += count
    blocks = tuple(
        FlowBlock(count, next(iter(block.lines), 0), _lines(block), block.inlined)
        for block, count in zip(code.blocks, entered, strict=True)
    )
    drawn = tuple(
        FlowEdge(
            number,
            target,
            # Where paths end before it is known which edge is taken, nobody knows.
            edges.get((number, target), 0) if went[number] == entered[number] else None,
            target in block.handlers,
        )
        for number, block in enumerate(code.blocks)
        for target in block.successors
        if target not in block.handlers or edges.get((number, target))
    )
    ways = tuple(
        FlowWay(f"path {path}", taken[path], (*way.blocks, *(() if way.leads_to is None else (way.leads_to,))))
        for path in paths[:_MOST_WAYS]
        for way in (code.ways[path],)
    )
    title = f"control flow of {short_name(routine.function)}"
    file = routine.function.file
    return FlowChart(key, title, file, blocks, drawn, ways, ("blocks in the order of the code",), most, is_detail=True)


def _lines(block: RoutineBlock) -> str:
    """Those of a block in words; what stands for the outside of Python functions has none."""
    return line_words(block.lines) if block.lines or block.successors else "(end)"
