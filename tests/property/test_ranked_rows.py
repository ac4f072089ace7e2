"""What is kept of a table: the heaviest rows with all that they are below, whatever the tree."""

from hypothesis import given
from hypothesis import strategies as st

from sonde.render.html.ranked_rows import RankedRows
from sonde.report import Column, Row, Table

COLUMNS = (Column("number", "number"), Column("time", "time", "duration", is_hot=True))

shapes = st.recursive(
    st.lists(st.integers(-9, 9), max_size=4), lambda below: st.lists(st.tuples(st.integers(-9, 9), below), max_size=4)
)


def rows_of(shape: list[object]) -> tuple[Row, ...]:
    made = [one if isinstance(one, tuple) else (one, []) for one in shape]
    return tuple(Row(("", weight), rows_of(below)) for weight, below in made)


@given(shapes, st.integers(0, 30))
def test_the_heaviest_rows_are_kept_with_all_above_them(shape: list[object], most: int) -> None:
    ranked = RankedRows(Table("t", "t", COLUMNS, rows_of(shape)))
    all_rows, all_depths = ranked.all
    rows, depths = ranked.heaviest(most)
    assert len(rows) == min(most, len(all_rows))
    kept = [number for number, row in enumerate(all_rows) if any(row is one for one in rows)]
    assert [id(all_rows[number]) for number in kept] == [id(row) for row in rows]
    # The way up from each row is there, in the order of the table.
    assert depths == [all_depths[number] for number in kept]
    assert all(after <= before + 1 for before, after in zip([-1, *depths], depths, strict=False))
    for number in kept:
        above = next((i for i in range(number, -1, -1) if all_depths[i] == all_depths[number] - 1), None)
        assert above is None or above in kept
    # Nothing that was left is heavier than everything that was kept.
    weights = [abs(row.cells[1]) for row in all_rows if isinstance(row.cells[1], int)]
    if kept and len(kept) < len(weights):
        assert max(weights) == max(weights[number] for number in kept) or most < depth_of_heaviest(weights, all_depths)


def depth_of_heaviest(weights: list[int], depths: list[int]) -> int:
    """How many rows the first of the heaviest needs: itself and those above it."""
    return depths[weights.index(max(weights))] + 1
