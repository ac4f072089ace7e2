"""Tables that paper tells in parts, as wholes: a page has room for all rows, and filters them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from sonde.base.units import format_count
from sonde.report import Block, Table


def with_whole_tables(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, where parts of one table that follow one another are a single one; it has the key of the first part.

    What the notes say of a part stands below the whole.
    """
    parts: list[Table] = []
    for block in blocks:
        if isinstance(block, Table) and block.part_of:
            if parts and (parts[0].part_of, parts[0].columns) != (block.part_of, block.columns):
                yield _whole(parts)
                parts = []
            parts.append(block)
            continue
        if parts:
            yield _whole(parts)
            parts = []
        yield block
    if parts:
        yield _whole(parts)


def _whole(parts: Sequence[Table]) -> Table:
    told = []
    for part in parts:
        notes = [note for note in part.notes if note and note != format_count(len(part.rows))]
        told += [f"{part.title}: {', '.join(notes)}"] if notes else []
        told += [part.legend] if part.legend else []
    return replace(
        parts[0],
        title=parts[0].part_of,
        rows=tuple(chain.from_iterable(part.rows for part in parts)),
        notes=(),
        most=0,
        left_out=sum(part.left_out for part in parts),
        legend="\n".join(dict.fromkeys(told)),
        is_secondary=all(part.is_secondary for part in parts),
    )
