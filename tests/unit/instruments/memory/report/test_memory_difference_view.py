"""Two memory profiles compared on a terminal: what changed most comes first, with its sign and its rates."""

import io
import json
from dataclasses import replace

import pytest

from golden_text import GoldenText
from made_memory_profiles import (
    D1,
    I1,
    Accesses,
    faster_inventory_profile,
    hostile_profile,
    inventory_profile,
    made_profile,
    native_function,
    native_profile,
    python_function,
)
from sonde.base.errors import UsageError
from sonde.base.fitted_text import display_width
from sonde.instruments.memory.profile.difference import compare_memory
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, MemoryType
from sonde.instruments.memory.report import MemoryOptions
from sonde.instruments.memory.report.terminal import (
    memory_difference_data,
    memory_difference_page,
    print_memory_difference,
)

EVAL = native_function("eval", "ceval.c", 1)
DEQUE = MemoryType("object", "deque")


def page(
    before: MemoryProfile, after: MemoryProfile, options: MemoryOptions | None = None, *, columns: int = 80
) -> str:
    return memory_difference_page(compare_memory(before, after), options, columns=columns)


def one_line(name: str, loads: int, misses: tuple[int, ...], line: int = 2) -> Accesses:
    return Accesses((python_function(name, 1, "/app/a.py"), line), ((EVAL, 1),), DEQUE, None, loads, 0, misses)


@pytest.mark.parametrize("width", [80, 120])
def test_a_difference_looks_as_it_did(width: int, golden: GoldenText) -> None:
    text = page(inventory_profile(), faster_inventory_profile(), columns=width)
    golden(text, f"memory/views/difference-{width}.txt")


@pytest.mark.parametrize("width", [60, 80, 132])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    for before, after in (
        (inventory_profile(), faster_inventory_profile()),
        (inventory_profile(), hostile_profile()),
        (native_profile(), native_profile()),
    ):
        for line in page(before, after, columns=width).splitlines():
            assert display_width(line) <= width, line


def test_a_profile_does_not_differ_from_itself() -> None:
    text = page(inventory_profile(), inventory_profile())
    assert text.endswith("nothing else changed\n")
    assert "+0.0%" in text


def test_changes_have_signs_and_what_is_new_or_gone_a_mark() -> None:
    before = made_profile([one_line("old", 100, (50, 10)), one_line("both", 100, (40, 4))])
    after = made_profile([one_line("new", 300, (80, 40)), one_line("both", 100, (60, 2))])
    rows = page(before, after).partition("Python functions")[2].splitlines()[2:5]
    assert [row.split()[:3] for row in rows] == [["+300", "+80", "+40"], ["−100", "−50", "−10"], ["0", "+20", "−2"]]
    assert "-→50.0%  + new" in rows[0] and "20.0%→-  − old" in rows[1]
    assert "10.0%→3.3%  both" in rows[2]


def test_the_order_is_that_asked_for() -> None:
    before = made_profile([one_line("f", 100, (50, 10)), one_line("g", 100, (50, 10))])
    after = made_profile([one_line("f", 900, (51, 10)), one_line("g", 100, (50, 20))])
    first = [
        page(before, after, MemoryOptions(sort=sort)).partition("Python functions")[2].splitlines()[2].split()[-2]
        for sort in ("accesses", "d1", "L2")
    ]
    assert first == ["f", "f", "g"]
    with pytest.raises(UsageError, match="cannot sort by 'L3'"):
        page(before, after, MemoryOptions(sort="L3"))


def test_lines_that_moved_tell_both_numbers() -> None:
    text = page(inventory_profile(), faster_inventory_profile())
    assert "records.py:32→34" in text


def test_totals_fit_however_far_they_are_apart() -> None:
    few, many = (made_profile([one_line("f", loads, (loads, loads))]) for loads in (3, 4 * 10**12))
    for before, after in ((few, many), (many, few)):
        assert max(map(display_width, page(before, after, columns=60).splitlines())) <= 60
    assert ">999%" in page(few, many, columns=60) and "4.0T" in page(few, many, columns=60)


def test_one_level_is_enough() -> None:
    before = made_profile([one_line("f", 100, (50,))], caches=(I1, D1))
    assert "by change of D1 misses" in page(before, made_profile([one_line("f", 10, (5,))], caches=(I1, D1)))


def test_colours_go_with_signs() -> None:
    stream = io.StringIO()
    print_memory_difference(
        compare_memory(inventory_profile(), faster_inventory_profile()), stream, width=80, colour=True
    )
    assert "\x1b[32m" in stream.getvalue()


def test_data_are_json_with_both_sides() -> None:
    before = inventory_profile()
    after = replace(before, run=before.run)
    data = json.loads(json.dumps(memory_difference_data(compare_memory(before, after))))
    assert data["levels"] == ["D1", "L2"]
    assert (
        data["total"]["before"]
        == data["total"]["after"]
        == {"accesses": 945_775_974, "misses": [52_003_961, 9_531_425]}
    )
    assert data["python_functions"] == []
