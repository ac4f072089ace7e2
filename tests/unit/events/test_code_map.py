"""Addresses of machine code: what lies there now, what lay there before."""

import pytest

from sonde.base.errors import InternalError
from sonde.events import CodeFrame, CodeLocation, CodeMap, CodeRange, LineRow, LineTable

STACK = (CodeFrame("stir", "a.c", 3, 7), CodeFrame("fib", "a.c", 12, 2))
FIB = CodeRange(0x1000, 0x20, "fib", "O2", LineTable([LineRow(0, (CodeFrame("fib", "a.c", 10),)), LineRow(8, STACK)]))
MAIN = CodeRange(0x1020, 0x10, "main")


def a_map() -> CodeMap:
    code = CodeMap(keep_history=True)
    code.add(MAIN, FIB)
    return code


def test_an_address_has_function_version_offset_and_inline_stack() -> None:
    assert a_map().lookup(0x1009) == CodeLocation("fib", "O2", 9, STACK)


def test_code_without_lines_is_one_frame_without_line() -> None:
    assert a_map().lookup(0x1020) == CodeLocation("main", "", 0, (CodeFrame("main", "", 0, 0),))


def test_code_before_the_first_row_is_one_frame_without_line() -> None:
    code = CodeMap()
    code.add(CodeRange(0, 8, "f", lines=LineTable([LineRow(4, (CodeFrame("f", "a.c", 1),))])))

    found = code.lookup(3)

    assert found is not None
    assert found.frames == (CodeFrame("f"),)


@pytest.mark.parametrize("address", [0, 0xFFF, 0x1030, 1 << 63])
def test_an_address_outside_of_all_code_is_nothing(address: int) -> None:
    assert a_map().lookup(address) is None


def test_the_last_byte_belongs_to_the_range_and_the_next_to_its_neighbour() -> None:
    code = a_map()

    assert [found and found.function for found in code.lookup_all([0x101F, 0x1020, 0x102F, 0x1030])] == [
        "fib",
        "main",
        "main",
        None,
    ]


def test_many_addresses_are_looked_up_in_their_order() -> None:
    code = a_map()
    addresses = [0x1028, 0x1000, 0x1028, 5, 0x1008]

    assert code.lookup_all(addresses) == [code.lookup(address) for address in addresses]


@pytest.mark.parametrize(
    ("start", "size"), [(0x1000, 0x20), (0xFFF, 2), (0x102F, 1), (0x1018, 0x10), (0xF00, 0x1000), (0x1005, 1)]
)
def test_overlapping_code_is_refused_and_nothing_of_it_added(start: int, size: int) -> None:
    code = a_map()

    with pytest.raises(InternalError, match="cannot map the code of 'new'") as refusal:
        code.add(CodeRange(0x9000, 8, "also new"), CodeRange(start, size, "new"))

    assert refusal.value.slug == "code-overlap"
    assert list(code) == [FIB, MAIN]
    assert code.changes == 2


def test_new_code_may_not_overlap_itself() -> None:
    with pytest.raises(InternalError, match="'two' at 0x3-0x5: 'one' is at 0x0-0x4"):
        CodeMap().add(CodeRange(3, 2, "two"), CodeRange(0, 4, "one"))


def test_addresses_of_removed_code_can_be_used_again() -> None:
    code = a_map()

    gone = code.remove(0x1000)
    code.add(CodeRange(0x0FF8, 0x10, "other"))

    assert gone is FIB
    assert [found and found.function for found in code.lookup_all([0x1000, 0x1008])] == ["other", None]
    assert len(code) == 2


@pytest.mark.parametrize("start", [0x1001, 0x1030, 0])
def test_only_what_begins_there_can_be_removed(start: int) -> None:
    with pytest.raises(InternalError, match="none begins at") as refusal:
        a_map().remove(start)

    assert refusal.value.slug == "no-such-code"


def test_the_map_of_an_earlier_moment_can_be_had_again() -> None:
    code = a_map()
    before = code.changes
    code.remove(0x1000)
    code.add(CodeRange(0x1000, 4, "other"))

    assert list(code.as_of(before)) == [FIB, MAIN]
    assert list(code.as_of(before + 1)) == [MAIN]
    assert list(code.as_of(code.changes)) == list(code)
    assert list(code.as_of(0)) == []


def test_without_history_there_is_no_going_back() -> None:
    with pytest.raises(InternalError, match="no history is kept") as refusal:
        CodeMap().as_of(0)

    assert refusal.value.slug == "no-code-history"


@pytest.mark.parametrize("changes", [-1, 3])
def test_there_is_no_going_to_moments_that_never_were(changes: int) -> None:
    with pytest.raises(InternalError, match="there were 2"):
        a_map().as_of(changes)


@pytest.mark.parametrize(("start", "size"), [(0, 0), (4, -1), (-1, 4)])
def test_code_has_at_least_one_byte_at_an_address(start: int, size: int) -> None:
    with pytest.raises(InternalError, match="cannot map the code of 'f'") as refusal:
        CodeRange(start, size, "f")

    assert refusal.value.slug == "empty-code"


def test_a_label_names_the_version_if_there_is_one() -> None:
    assert (FIB.label, MAIN.label) == ("fib[O2]", "main")
