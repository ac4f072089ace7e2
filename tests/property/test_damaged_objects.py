"""Objects that were damaged: read or refused, never anything else."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from sonde.base.errors import InputError
from sonde.events import LineTable
from sonde.jit.front_end import compile_file
from sonde.jit.object_code import ObjectCode

PROGRAM = Path(__file__).parents[1] / "programs_in_c" / "inlined_calls.c"


@cache
def an_object(version: int) -> bytes:
    return compile_file(PROGRAM, [f"-gdwarf-{version}"], debug=True, level=2).object(2)


def tables(image: bytes) -> Iterator[LineTable]:
    code = ObjectCode(image)
    placed = code.place({each.name: 1 << 32 for each in code.functions[:1]})
    return (each.lines for each in placed.ranges)


@examples(3)
@given(st.sampled_from([4, 5]), st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_object_is_read_or_refused(version: int, changes: list[tuple[int, int]]) -> None:
    image = bytearray(an_object(version))
    for at, value in changes:
        image[at % len(image)] = value

    with suppress(InputError):
        for table in tables(bytes(image)):
            offsets = [row.offset for row in table.rows]
            assert offsets == sorted(set(offsets))


@given(st.sampled_from([4, 5]), st.floats(0, 1, exclude_max=True))
def test_a_cut_off_object_is_refused(version: int, share: float) -> None:
    image = an_object(version)

    with pytest.raises(InputError, match="it is cut off or damaged"):  # the table of sections is at its end
        ObjectCode(image[: int(len(image) * share)])
