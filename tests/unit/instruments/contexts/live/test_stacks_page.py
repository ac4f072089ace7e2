"""The page of `sonde sample --live`: what it shows, in which order, and that it fits."""

from dataclasses import replace

import pytest

from sonde.base.fitted_text import display_width
from sonde.instruments.contexts.live import SUBJECTS, SeenThread, StacksPage, StackSums
from sonde.instruments.contexts.profile import WAITING, Function
from sonde.render.terminal.live_block import Canvas

SECOND = 10**9
HOT, ONCE = Function("hot", "app", "/srv/app.py", 10), Function("once", "app", "/srv/app.py", 20)
MAIN, OTHER = SeenThread(4711, 4711), SeenThread(4711, 4712)


def sums(hot: int, once: int, waits: int = 0, seconds: int = 10) -> StackSums:
    own = {function: ns for function, ns in ((HOT, hot), (ONCE, once), (WAITING, waits)) if ns}
    whole = hot + once + waits
    threads = {MAIN: hot, OTHER: once + waits}
    on_threads = {(MAIN, HOT): hot, (OTHER, ONCE): once + waits}
    lines = {(HOT, 12): hot // 10**6, (ONCE, 21): once // 10**6}
    return StackSums(seconds * SECOND, 900, 1000 * seconds, whole, own, own, lines, threads, on_threads)


PAGE = StacksPage(
    sums(hot=3 * SECOND, once=6 * SECOND),
    sums(hot=2 * SECOND, once=0, seconds=3),
    10 * SECOND,
    "pid 4711 python app.py",
    "cpu",
    has_keys=True,
)


def lines_of(page: StacksPage, columns: int = 80, rows: int = 22) -> list[str]:
    return page.lines(Canvas(columns - 1, rows, colour=False, encoding="utf-8"))


def test_what_is_hot_now_comes_first_and_what_was_hot_before_when_that_is_asked_for() -> None:
    now, before = lines_of(PAGE), lines_of(replace(PAGE, by_whole=True))
    assert now[0] == "10.0 s · 0.67 processors busy · pid 4711 python app.py"
    assert "900 stacks" in now[1] and "±3.3 points at most" in now[1] and "1000 samples a second" in now[1]
    assert now[2].split() == ["self", "3", "s", "total", "3", "s", "self", "all", "total", "all", "function"]
    assert now[3].split() == ["100.0%", "100.0%", "33.3%", "33.3%", "hot", "app.py:10"]
    assert now[4].split() == ["0.0%", "0.0%", "66.7%", "66.7%", "once", "app.py:20"]
    assert (before[3], before[4]) == (now[4], now[3])


def test_lines_and_threads_are_pages_of_their_own() -> None:
    lines, threads = (lines_of(replace(PAGE, subject=subject)) for subject in ("lines", "threads"))
    assert lines[3].split()[:3] == ["100.0%", "33.3%", "app.py:12"]
    assert threads[3].split() == ["66.7%", "30.0%", "MainThread", "hot", "app.py:10"]
    assert threads[4].split() == ["0.0%", "60.0%", "4712", "once", "app.py:20"]


@pytest.mark.parametrize("columns", [62, 80, 120])
@pytest.mark.parametrize("rows", [1, 2, 3, 8, 22])
def test_a_page_fits_with_the_keys_in_its_last_line(columns: int, rows: int) -> None:
    many = {Function(f"function_{i}" + "é" * i, "app", f"/srv/{i}/app.py", i + 1): 10**7 for i in range(90)}
    page = replace(PAGE, whole=PAGE.whole._replace(own=many, total=many), title="python " + "x" * 200)
    for subject in SUBJECTS:
        drawn = lines_of(replace(page, subject=subject), columns, rows)
        assert len(drawn) == rows
        assert all(display_width(line) < columns for line in drawn)
        assert rows < 8 or "q quit" in drawn[-1]


def test_a_log_has_one_line_of_it() -> None:
    assert PAGE.summary() == "10.0 s sampled, 0.67 processors busy, 900 stacks, hottest hot (app.py:10) 100.0%"
    waiting = replace(PAGE, what="wall", recent=sums(SECOND, 0, 5 * SECOND, 3))
    assert "(waiting)" in replace(waiting, whole=sums(SECOND, 0, 5 * SECOND)).summary()


def test_nothing_new_is_no_share_of_anything() -> None:
    quiet = StackSums(0, 0, 0, 0, {}, {}, {}, {}, {})
    for subject in SUBJECTS:
        drawn = lines_of(replace(PAGE, recent=quiet, whole=quiet, subject=subject))
        assert "0 stacks" in drawn[1] and "±" not in drawn[1]


def test_where_no_keys_are_read_that_is_said() -> None:
    assert "no keys" in lines_of(replace(PAGE, has_keys=False))[-1]
    assert "(paused)" in lines_of(replace(PAGE, is_paused=True))[-1]
