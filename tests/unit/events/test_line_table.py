"""Line tables: sorted by offset, read when somebody looks."""

import pytest

from sonde.base.errors import InternalError
from sonde.events import CodeFrame, LineRow, LineTable

ONE, TWO = (CodeFrame("f", "f.c", 1),), (CodeFrame("f", "f.c", 2),)


def test_a_row_holds_up_to_the_next() -> None:
    table = LineTable([LineRow(0, ONE), LineRow(4, ()), LineRow(8, TWO)])

    assert [table.frames_at(offset) for offset in (0, 3, 4, 7, 8, 1000)] == [ONE, ONE, (), (), TWO, TWO]


def test_nothing_is_known_before_the_first_row_or_without_rows() -> None:
    assert LineTable([LineRow(2, ONE)]).frames_at(1) == ()
    assert LineTable().frames_at(0) == ()


@pytest.mark.parametrize("offsets", [(4, 4), (4, 2), (-1, 3)])
def test_offsets_increase(offsets: tuple[int, int]) -> None:
    with pytest.raises(InternalError, match="comes after offset") as refusal:
        LineTable(LineRow(offset, ONE) for offset in offsets)

    assert refusal.value.slug == "line-order"


def test_a_table_for_later_is_read_once_and_only_when_looked_at() -> None:
    reads = []

    def read() -> list[LineRow]:
        reads.append("read")
        return [LineRow(0, ONE)]

    table = LineTable.later(read)
    before = list(reads)

    assert (table.frames_at(0), table.frames_at(1), table.rows) == (ONE, ONE, (LineRow(0, ONE),))
    assert (before, reads) == ([], ["read"])


def test_a_table_that_could_not_be_read_is_tried_again() -> None:
    answers = iter([InternalError("no", slug="no"), None])

    def read() -> list[LineRow]:
        answer = next(answers)
        if answer is not None:
            raise answer
        return [LineRow(0, ONE)]

    table = LineTable.later(read)

    with pytest.raises(InternalError):
        table.frames_at(0)
    assert table.frames_at(0) == ONE
