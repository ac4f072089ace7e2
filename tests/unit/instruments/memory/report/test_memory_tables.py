"""Memory profiles on a terminal: what is said, in which order, that it fits, and what is left out."""

import io
from dataclasses import replace

import pytest

from golden_text import GoldenText
from made_memory_profiles import (
    D1,
    HOSTILE,
    I1,
    L2,
    Accesses,
    Born,
    Tracked,
    counted_profile,
    empty_profile,
    hostile_profile,
    inventory_profile,
    large_profile,
    made_profile,
    native_function,
    native_profile,
    python_function,
)
from sonde.base.errors import UsageError
from sonde.base.fitted_text import display_width
from sonde.code import plain_function
from sonde.instruments.memory.profile.memory_profile import Lifetimes, MemoryProfile, MemoryType
from sonde.instruments.memory.report import MemoryOptions, findings, quantile_bin, sorting_level
from sonde.instruments.memory.report.terminal import memory_page, print_memory

MADE = {
    "inventory": inventory_profile,
    "native": native_profile,
    "empty": empty_profile,
    "hostile": hostile_profile,
    "counted": counted_profile,
}

EVAL = native_function("eval", "ceval.c", 1)
DEQUE = MemoryType("object", "deque")
BYTES = MemoryType("object", "bytes")


def shown(
    profile: MemoryProfile,
    options: MemoryOptions | None = None,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    colour: bool | None = None,
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_memory(profile, stream, options, width=width, colour=colour)
    stream.flush()
    return raw.getvalue().decode(encoding)


def table(text: str, heading: str) -> list[str]:
    """The lines below a heading, its header left out."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(heading))
    rows = lines[start + 2 :]
    return rows[: rows.index("")] if "" in rows else rows


@pytest.mark.parametrize("name", ["inventory", "native", "empty", "counted"])
@pytest.mark.parametrize("width", [80, 120])
def test_a_profile_looks_as_it_did(name: str, width: int, golden: GoldenText) -> None:
    golden(memory_page(MADE[name](), columns=width), f"memory/views/{name}-{width}.txt")


@pytest.mark.parametrize("name", MADE)
def test_made_profiles_are_valid(name: str) -> None:
    MADE[name]().check_valid()


def test_large_made_profiles_are_valid() -> None:
    large_profile(lines=500, types=50, sites=100).check_valid()


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("width", [60, 80, 132])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_no_line_is_wider_than_the_page(name: str, width: int, encoding: str) -> None:
    for line in shown(MADE[name](), MemoryOptions(rows=50), width=width, encoding=encoding).splitlines():
        assert display_width(line) <= width, line


def test_nothing_of_a_made_name_reaches_the_terminal_as_a_command() -> None:
    assert "\x1b" not in shown(hostile_profile())
    assert "\udcff" not in shown(hostile_profile())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_plain_encodings_get_stand_ins_instead_of_question_marks(encoding: str) -> None:
    assert "?" not in shown(inventory_profile(), encoding=encoding)


def test_nothing_is_coloured_when_nobody_wants_colours() -> None:
    assert "\x1b" not in shown(inventory_profile())
    assert "\x1b[31;1m" in shown(inventory_profile(), colour=True)


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = Terminal(), Terminal()
    print_memory(inventory_profile(), coloured, width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    print_memory(inventory_profile(), plain, width=80)
    assert "\x1b" in coloured.getvalue()
    assert "\x1b" not in plain.getvalue()


def two_lines() -> MemoryProfile:
    """One line with the most accesses and D1 misses, another with the most L2 misses."""
    busy, slow = python_function("busy", 1, "a.py"), python_function("slow", 9, "b.py")
    return made_profile(
        [
            Accesses((busy, 2), ((EVAL, 1),), DEQUE, None, 900, 100, (400, 10)),
            Accesses((slow, 10), ((EVAL, 2),), BYTES, None, 80, 20, (90, 60)),
        ]
    )


@pytest.mark.parametrize(("sort", "first"), [("", "slow"), ("L2", "slow"), ("d1", "busy"), ("accesses", "busy")])
def test_tables_are_sorted_by_what_is_asked_for(sort: str, first: str) -> None:
    rows = table(shown(two_lines(), MemoryOptions(sort=sort)), "Python functions")
    assert first in rows[0] and len(rows) == 2


def test_an_unknown_order_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"cannot sort by 'L4': the profile has accesses, D1, L2") as caught:
        shown(two_lines(), MemoryOptions(sort="L4"))
    assert caught.value.slug == "unknown-order"


def test_orders_are_levels_by_name_or_accesses() -> None:
    assert [sorting_level(sort, (D1, L2)) for sort in ("", "d1", "L2", "Accesses")] == [1, 0, 1, -1]


def test_rates_are_of_the_accesses_that_reach_a_level() -> None:
    row = table(shown(two_lines()), "Python functions")[1]  # busy: 400 of 1,000 miss D1, 10 of these 400 miss L2
    assert "400  40.0%" in row and "10   2.5%" in row and "90.9%" in row


def test_rows_left_out_are_counted() -> None:
    text = shown(inventory_profile(), MemoryOptions(rows=3))
    assert len(table(text, "types and regions")) == 4
    assert table(text, "types and regions")[-1] == "… 8 more types"
    assert table(text, "Python functions")[-1] == "… 1 more function"


def test_the_text_of_a_line_is_told_where_it_is_known() -> None:
    profile = inventory_profile()
    assert "second = index[k + gap].items[i]" in shown(profile, width=132)
    assert "second = index[k + gap].items[i]" not in shown(replace(profile, sources={}), width=132)
    assert "shell_sort" in table(shown(replace(profile, sources={}), width=132), "Python lines")[0]


def test_without_python_lines_the_native_ones_are_told() -> None:
    text = shown(native_profile())
    assert "Python functions" not in text and "Python lines" not in text
    assert "s += v[i];" in text


def test_of_three_levels_the_one_sorted_by_has_a_column_at_any_width() -> None:
    assert "L2 misses" in shown(native_profile(), MemoryOptions(sort="L2"), width=80)
    assert "D1 misses      L3 misses" in shown(native_profile(), width=80)
    assert "L2 misses" in shown(native_profile(), width=120).partition("native functions")[2]


def test_types_of_a_line_add_up_to_its_misses() -> None:
    rows = table(shown(inventory_profile()), "lines and the types")
    assert rows[:3] == [
        "     4.8M   49.9%  inventory/records.py:32  shell_sort",
        "     2.8M   59.1%    Entry",
        "     1.9M   40.9%    dict keys and other object memory",
    ]


def test_losses_and_cut_off_runs_are_said() -> None:
    text = shown(empty_profile())
    assert "! record-cut-off: the record ends before its last line" in text
    assert "! the run was cut off" in text
    assert "no data access was counted" in text


def test_lifetimes_tell_unused_objects_and_quantiles() -> None:
    made = (python_function("f", 1, "a.py"), 2)
    row = Accesses(made, ((EVAL, 1),), DEQUE, made, 50, 50, (1, 0))
    lives = {0: 5, 4: 3, 10: 2}
    text = shown(made_profile([row], [Born(DEQUE, made, 10, 0, 640, lives)]))
    cells = table(text, "lifetimes")[0].split()
    assert cells[:5] == ["10", "50.0%", "unused", "<2^10", "<2^10"]


def test_quantiles_are_bins() -> None:
    lifetimes = Lifetimes((1, 0, 8, 0, 1), 40)
    assert [quantile_bin(lifetimes, share) for share in (0.1, 0.5, 0.9, 1.0)] == [0, 2, 2, 4]


def test_the_heap_finding_compares_with_all_accesses() -> None:
    stack = MemoryType("stack", "main thread")
    rows = [
        Accesses(None, ((EVAL, 1),), DEQUE, None, 100, 100, (40, 20)),
        Accesses(None, ((EVAL, 1),), stack, None, 500, 300, (10, 0)),
    ]
    text = findings(made_profile(rows))[-1]
    # On the heap 40 of 200 miss D1 and 20 miss L2; of all, 50 and 20 of 1,000.
    assert text == (
        "20.0% of the data accesses go to allocated memory. Looked at alone, they overestimate the miss rates:"
        " D1 20.0% instead of 5.0%, 4.0 times as much; L2 10.0% instead of 2.0%, 5.0 times as much."
    )


def test_objects_tell_their_number_size_and_use() -> None:
    tracked = Tracked(DEQUE, None, 17, 100, 1_100, 640, 50, (9, 3))
    row = Accesses(None, ((EVAL, 1),), DEQUE, None, 50, 50, (9, 3))
    text = table(shown(made_profile([row], tracked=[tracked])), "objects")[0]
    assert "deque #17" in text and " 640 " in text and "1,000" in text


def test_code_without_names_files_and_lines_is_told_all_the_same() -> None:
    bare = plain_function("native", "", "", 0, "")
    profile = made_profile([Accesses(None, ((bare, 0),), MemoryType("unknown", ""), None, 9, 1, (5, 5))])
    text = shown(profile)
    assert "(no name)" in table(text, "native functions")[0]
    assert table(text, "types and regions")[0].endswith("unknown")


@pytest.mark.parametrize("width", [60, 61, 64, 70])
def test_sites_in_code_without_a_file_are_cut_to_fit(width: int) -> None:
    site = (plain_function("native", "a_function_with_a_long_name", "", 0, ""), 0)
    profile = made_profile([Accesses(None, ((EVAL, 1),), MemoryType("object", "t" * 30), site, 900, 100, (1_000, 0))])
    for line in shown(profile, width=width).splitlines():
        assert display_width(line) <= width, line


def test_one_level_of_cache_is_enough() -> None:
    profile = made_profile([Accesses(None, ((EVAL, 1),), DEQUE, None, 9, 1, (5,))], caches=(I1, D1))
    assert "by D1 misses" in shown(profile)


def test_without_caches_code_and_memory_are_told_by_accesses() -> None:
    text = shown(
        made_profile([Accesses((python_function("f", 1, "a.py"), 2), ((EVAL, 1),), DEQUE, None, 9, 1, ())], caches=())
    )
    assert "Python functions  by accesses" in text and "types and regions  by accesses" in text
    assert "misses" not in text.partition("Python functions")[2].partition("\nmisses: ")[0]


def test_a_large_profile_is_as_short_as_a_small_one() -> None:
    text = shown(large_profile(lines=2_000, types=500, sites=400), MemoryOptions(rows=5))
    assert len(text.splitlines()) < 110


def test_a_hostile_name_is_cut_to_fit_and_still_there() -> None:
    assert HOSTILE[:20] in shown(hostile_profile())
