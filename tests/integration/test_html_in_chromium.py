"""The HTML page in a real browser: opened from disk, clicked, searched, zoomed, with and without much in it."""

import json
import random
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    Function,
    Loss,
    MeasuredProcess,
    Run,
    Sampling,
    contexts_from_self,
)
from sonde.instruments.contexts.report.html import write_html

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\">"
SOURCE = "def main():\n    work(1)\n    work(2)\n\ndef work(n):\n    return hash(n)  # </script><b>\n"

MAIN, WORK_1, WORK_2, HASH_1, HASH_2, AGAIN = range(6)
"""Rows of the small profile: main calls work from two lines, each calls hash, the second work calls itself."""


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM) as chromium:
        yield chromium


def test_it_opens_from_disk_without_a_complaint_or_a_request(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, small_profile())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert text(browser, "#title") == "a <b>run</b>"
    facts = text(browser, "#facts")
    assert "100 ns" in facts
    assert "3.12.1" in facts
    assert "killed by SIGTERM" in facts
    assert "events-lost: 3 Three events were lost." in text(browser, "#notices")


def test_what_was_taken_out_of_the_times_is_one_line_if_there_is_any(browser: HeadlessChromium, tmp_path: Path) -> None:
    profile = small_profile()
    show(browser, tmp_path, profile)
    assert browser.evaluate("document.querySelector('#taken').offsetHeight") == 0
    (process,) = profile.processes
    show(
        browser,
        tmp_path,
        replace(profile, processes=(replace(process, taken_ns=660, costs_ns=(20.0, 35.0, 0.0, 0.0)),)),
    )
    assert text(browser, "#taken") == "Taken out of the times: 660 ns that it cost to watch the calls, 55 ns each"
    assert 0 < browser.evaluate("document.querySelector('#taken').offsetHeight") < 30


def test_names_and_sources_stay_text(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    names = browser.evaluate("[...document.querySelectorAll('#functions tbody button')].map(b => b.textContent)")
    assert HOSTILE in names
    select_function(browser, HOSTILE)
    assert text(browser, "#detail .title") == HOSTILE
    assert browser.evaluate("document.querySelectorAll('img, #detail b:not(.numbers b)').length") == 0
    assert browser.evaluate("window.broken") is None
    assert browser.problems == []


def test_a_click_zooms_and_escape_resets(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    assert state(browser)["zoomedRow"] == -1
    before = box_of(browser, WORK_2)
    click_frame(browser, WORK_2)
    after = box_of(browser, WORK_2)
    assert state(browser)["zoomedRow"] == WORK_2
    assert after["width"] > before["width"]
    assert after["width"] == pytest.approx(browser.evaluate("document.querySelector('canvas').clientWidth"), abs=1)
    assert text(browser, "#detail .title") == "work"
    crumbs = browser.evaluate("[...document.querySelectorAll('#crumbs button')].map(b => b.textContent)")
    assert crumbs == ["whole program", "main", "work"]
    browser.press("Escape")
    assert state(browser)["zoomedRow"] == -1
    click_frame(browser, WORK_2)
    browser.click_on("#reset")
    assert state(browser)["zoomedRow"] == -1


def test_the_tooltip_tells_place_calls_and_shares(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    box = box_of(browser, WORK_2)
    browser.move(box["x"] + box["width"] / 2, box["y"] + 8)
    told = text(browser, "#tooltip")
    assert "app.py:5" in told
    assert "called from line 3 of main" in told
    assert "60 ns" in told
    assert "60.0%" in told


def test_the_keyboard_walks_zooms_and_searches(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    browser.evaluate("document.getElementById('stage').focus()")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        browser.press(key)
    assert state(browser)["zoomedRow"] == WORK_2
    browser.press("/")
    browser.type("hash")
    assert browser.evaluate("document.activeElement.id") == "search"
    assert state(browser)["search"]["text"] == "hash"
    browser.press("Escape")
    assert state(browser)["search"]["text"] == ""
    assert state(browser)["zoomedRow"] == WORK_2


def test_the_share_of_matches_counts_nested_ones_once(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    search(browser, "WORK")
    found = state(browser)["search"]
    assert (found["functions"], found["contexts"]) == (1, 3)
    assert found["share"] == pytest.approx(0.9)
    assert text(browser, "#found").startswith("90.0% of time")
    assert text(browser, "#functions .count") == "1 of 4"
    search(browser, "/^(main|hash)$/")
    assert state(browser)["search"]["share"] == pytest.approx(1.0)
    search(browser, "/(/")
    assert state(browser)["search"]["error"] != ""
    browser.click_on("#clear")
    assert text(browser, "#functions .count") == "4"
    assert browser.problems == []


def test_shares_agree_with_walking_up_from_every_context(browser: HeadlessChromium, tmp_path: Path) -> None:
    choose = random.Random(7)
    size = 2_000
    tree = contexts_from_self(
        parent=[-1, *(choose.randrange(max(0, row - 40), row) for row in range(1, size))],
        function=choose.choices(range(30), k=size),
        call_line=[1] * size,
        calls=[choose.randrange(9) for _ in range(size)],
        self_ns=[choose.randrange(1000) for _ in range(size)],
    )
    profile = ContextProfile(
        tuple(Function(f"f{index:02}", "m", "m.py", index) for index in range(30)), tree, run=Run(clock="tsc")
    )
    show(browser, tmp_path, profile)
    for pattern, wanted in (("f07", {7}), ("/f1[0-4]/", {10, 11, 12, 13, 14}), ("f", set(range(30)))):
        search(browser, pattern)
        found = state(browser)["search"]
        total = 0
        for row, function in enumerate(tree.function):
            above = tree.parent[row]
            while above >= 0 and tree.function[above] not in wanted:
                above = tree.parent[above]
            if function in wanted and above < 0:
                total += tree.total_ns[row]
        assert found["share"] == pytest.approx(total / profile.total_ns)
        assert found["contexts"] == sum(function in wanted for function in tree.function)


def test_metric_and_direction_switch(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    timed, top = box_of(browser, HASH_1), box_of(browser, MAIN)["y"]
    browser.click_on("#metric button[value=calls]")
    assert state(browser)["metric"] == "calls"
    assert box_of(browser, HASH_1)["width"] != timed["width"]
    browser.click_on("#direction button[value=flame]")
    assert state(browser)["direction"] == "flame"
    assert box_of(browser, MAIN)["y"] > box_of(browser, WORK_1)["y"]
    click_frame(browser, WORK_1)
    assert state(browser)["zoomedRow"] == WORK_1
    browser.press("Escape")
    browser.click_on("#direction button[value=icicle]")
    browser.click_on("#metric button[value=time]")
    assert box_of(browser, MAIN)["y"] == top
    assert box_of(browser, HASH_1) == timed


def test_the_table_sorts_by_every_column(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    names = browser.evaluate("sonde.data().functions.name")
    columns = browser.evaluate("sonde.data().functions")

    def order(key: str) -> list[str]:
        browser.click_on(f"#functions th[data-key={key}] button")
        return [names[function] for function in state(browser)["tableFunctions"]]

    assert order("total")[0] == "main"
    assert order("total")[-1] == "main"
    assert order("label") == sorted(names, key=str.lower)
    assert order("calls") == sorted(names, key=lambda name: -columns["calls"][names.index(name)])
    assert browser.evaluate("document.querySelector('th[data-key=calls]').getAttribute('aria-sort')") == "descending"


def test_source_lines_carry_the_cost_of_their_calls(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    select_function(browser, "main")
    lines = {line[3]: line for line in source_lines(browser)}
    assert lines["2"] == ["1", "", "30 ns", "2", "    work(1)"]
    assert lines["3"] == ["2", "", "60 ns", "3", "    work(2)"]
    assert lines["1"] == ["1", "10 ns", "", "1", "def main():"]
    assert lines["5"][:2] == ["8", "77 ns"]
    # Line 6 calls hash (5 + 8 ns, 2 calls) and work itself (30 ns, 5 calls).
    assert lines["6"] == ["7", "", "43 ns", "6", "    return hash(n)  # </script><b>"]
    select_function(browser, "hash")
    assert "built-in" in text(browser, "#source .note")


def test_callers_and_callees_are_listed(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    select_function(browser, "work")
    browser.click_on("#neighbours-tab")
    callers, callees = (table(browser, f"#{name} tbody") for name in ("callers", "callees"))
    # The nested activation is the recursive caller's, without time of its own.
    assert callers == [["main", "3", "90 ns", "100.0%"], ["work", "5", "0 ns", "0.0%"]]
    assert callees == [["work", "5", "30 ns", "33.3%"], ["hash", "2", "13 ns", "14.4%"]]
    browser.click_on("#callers tbody button")
    assert text(browser, "#detail .title") == "main"


def test_ten_thousand_levels_scroll_zoom_and_reset(browser: HeadlessChromium, tmp_path: Path) -> None:
    depth = 10_000
    show(browser, tmp_path, deep_profile(depth))
    assert state(browser)["levels"] == depth + 1
    browser.evaluate(f"sonde.zoom({depth - 3})")
    settle(browser)
    assert box_of(browser, depth - 3)["width"] > 500
    assert len(browser.evaluate("[...document.querySelectorAll('#crumbs button')].map(b => b.textContent)")) == 6
    browser.click_on("#direction button[value=flame]")
    click_frame(browser, 0)
    assert state(browser)["zoomedRow"] == 0
    search(browser, "down")
    assert state(browser)["search"]["share"] == pytest.approx(1.0)
    assert browser.problems == []


def test_very_many_siblings_are_merged_and_counted(browser: HeadlessChromium, tmp_path: Path) -> None:
    width = 20_000
    show(browser, tmp_path, wide_profile(width))
    seen = state(browser)
    assert seen["mergedFrames"] > width * 0.9
    assert "too narrow to draw apart" in text(browser, "#merged")
    assert browser.evaluate("document.querySelectorAll('#functions tbody tr').length") < 100
    browser.evaluate(f"sonde.zoom({width // 2})")
    settle(browser)
    assert box_of(browser, width // 2)["width"] > 500


@pytest.mark.timing
@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_ten_times_as_many_contexts_take_no_more_than_that_to_lay_out_and_draw(
    shape: str, browser: HeadlessChromium, tmp_path: Path
) -> None:
    """In the same browser one after the other, with room for what comes between; what is quadratic takes 100 times."""
    layout_ms, draw_ms = [], []
    for contexts in (2_000, 20_000):
        show(browser, tmp_path, deep_profile(contexts) if shape == "deep" else wide_profile(contexts))
        layout_ms.append(max(state(browser)["layoutMs"], 0.1))  # the browser's clock has ticks of 0.1 ms
        draw_ms.append(browser.evaluate("Array.from({ length: 50 }, () => sonde.draw()).reduce((a, b) => a + b)"))
    assert layout_ms[1] < 40 * layout_ms[0]
    assert draw_ms[1] < 40 * draw_ms[0]


def test_counting_profiles_have_no_times(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile(clock="none"))
    assert state(browser)["metric"] == "calls"
    assert browser.evaluate("getComputedStyle(document.getElementById('metric')).display") == "none"
    assert browser.problems == []


def test_what_was_not_kept_is_a_block_of_its_own(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, bounded_profile())
    assert state(browser)["gaps"] == 2
    gap, at_top = (box_of(browser, BOUNDED_ROWS + number) for number in range(2))
    work, main = box_of(browser, 1), box_of(browser, 0)
    assert gap["width"] == pytest.approx(work["width"] * 40 / 60, abs=1)  # work itself: 60 ns, 40 of them not kept
    assert gap["y"] > work["y"]
    assert at_top["y"] == main["y"]
    assert at_top["x"] == pytest.approx(main["x"] + main["width"], abs=1)
    browser.move(gap["x"] + gap["width"] / 2, gap["y"] + 8)
    told = text(browser, "#tooltip")
    assert "contexts not kept" in told
    assert "below work; given up in bounded memory, each had at most 7 ns" in told
    assert "40 ns" in told
    click_frame(browser, BOUNDED_ROWS)
    assert state(browser)["zoomedRow"] == BOUNDED_ROWS
    browser.press("Escape")
    search(browser, "work")
    assert state(browser)["search"]["share"] == pytest.approx(0.6)
    browser.click_on("#clear")
    browser.click_on("#metric button[value=calls]")
    assert "contexts not kept" in text(browser, "#legend")
    browser.click_on("#metric button[value=time]")
    assert text(browser, "#legend") == "app40.0% contexts not kept60.0%"
    select_function(browser, "work")
    browser.click_on("#neighbours-tab")
    assert table(browser, "#callees tbody") == [["(contexts not kept)", "0", "40 ns", "66.7%"]]
    browser.click_on("#source-tab")
    assert browser.problems == []


def test_bounds_are_told_and_possibly_hot_contexts_marked(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, bounded_profile())
    notices = text(browser, "#notices")
    assert "Hot contexts: from 22% of the time on. Own times at most 7 ns (7%) too low" in notices
    assert "Together these have 60 ns, 60.0%: hatched in the graph" in notices
    assert "lower bounds" in text(browser, "#facts")
    assert text(browser, "#functions .count") == "2 \u00b7 lower bounds"
    for row, heat in ((0, "cold"), (1, "possibly hot")):
        box = box_of(browser, row)
        browser.move(box["x"] + 4, box["y"] + 8)
        assert f"context is {heat}" in text(browser, "#tooltip")
    assert "self may be more by \u2264 7 ns 7.0%" in text(browser, "#tooltip")
    select_function(browser, "work")
    assert text(browser, "#detail .numbers").startswith("\u2265 2 calls \u2265 20 ns self")


def test_a_sample_has_intervals(browser: HeadlessChromium, tmp_path: Path) -> None:
    exact = small_profile()
    deviations = array("q", [1] * len(exact.contexts))
    contexts = replace(exact.contexts, calls_deviation=deviations, ns_deviation=deviations)
    sampling = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101)
    show(browser, tmp_path, replace(exact, contexts=contexts, sampling=sampling))
    assert "Looked at 10.1% of the run in 37 bursts of 2 ms. Values scaled up" in text(browser, "#notices")
    assert "values estimates" in text(browser, "#facts")
    box = box_of(browser, WORK_1)
    browser.move(box["x"] + 4, box["y"] + 8)
    assert "self 25 ns \u00b18% 25.0%" in text(browser, "#tooltip")
    select_function(browser, "main")
    assert "10 ns \u00b120% self" in text(browser, "#detail .numbers")
    assert state(browser)["gaps"] == 0
    assert browser.problems == []


def test_an_exact_profile_has_neither_gaps_nor_bounds(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    assert state(browser)["gaps"] == 0
    assert "values exact" in text(browser, "#facts")
    assert "Hot contexts" not in text(browser, "#notices")
    assert "contexts not kept" not in text(browser, "#legend")


def test_an_empty_profile_says_so(browser: HeadlessChromium, tmp_path: Path) -> None:
    empty = ContextProfile((), contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[]))
    show(browser, tmp_path, empty)
    assert text(browser, "#empty") == "No context was recorded."
    assert browser.problems == []


@pytest.mark.parametrize("width", [1280, 900, 600])
def test_nothing_is_wider_than_the_window(browser: HeadlessChromium, tmp_path: Path, width: int) -> None:
    browser.resize(width, 700)
    show(browser, tmp_path, small_profile())
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    browser.resize(1280, 800)


def test_dark_mode_has_dark_paper_and_light_ink(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, dark=True) as browser:
        show(browser, tmp_path, small_profile())
        paper, ink = browser.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
            ".map(colour => colour.match(/[0-9]+/g).map(Number).reduce((a, b) => a + b))"
        )
        assert paper < 150 < 600 < ink
        assert browser.problems == []


def show(browser: HeadlessChromium, folder: Path, profile: ContextProfile) -> Path:
    profile.check_valid()
    path = folder / "page.html"
    with path.open("w", encoding="ascii") as stream:
        write_html(profile, stream, title="a <b>run</b>")
    browser.open(path)
    settle(browser)
    return path


def settle(browser: HeadlessChromium) -> None:
    browser.wait_until("!sonde.state().animating")


def state(browser: HeadlessChromium) -> Any:
    settle(browser)
    return browser.evaluate("sonde.state()")


def text(browser: HeadlessChromium, selector: str) -> str:
    written: str = browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")
    return " ".join(written.split())


def box_of(browser: HeadlessChromium, row: int) -> dict[str, float]:
    settle(browser)
    box: dict[str, float] | None = browser.evaluate(f"sonde.boxOf({row})")
    assert box is not None
    return box


def click_frame(browser: HeadlessChromium, row: int) -> None:
    box = box_of(browser, row)
    browser.click(box["x"] + box["width"] / 2, box["y"] + 8)
    settle(browser)


def search(browser: HeadlessChromium, wanted: str) -> None:
    browser.evaluate("(document.getElementById('search').focus(), document.getElementById('search').select())")
    browser.type(wanted)


def select_function(browser: HeadlessChromium, name: str) -> None:
    """Click a function's name in the table, wherever it stands."""
    names = f"[...document.querySelectorAll('#functions tbody button')].find(b => b.textContent === {json.dumps(name)})"
    x, y = browser.evaluate(
        f"(b => {{ const r = b.getBoundingClientRect(); return [r.left + 20, r.top + 8]; }})({names})"
    )
    browser.click(x, y)


def table(browser: HeadlessChromium, selector: str) -> list[list[str]]:
    rows: list[list[str]] = browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector + ' tr:not(.spacer)')})]"
        ".map(row => [...row.children].map(cell => cell.textContent))"
    )
    return rows


def source_lines(browser: HeadlessChromium) -> list[list[str]]:
    return table(browser, "#source tbody")


def small_profile(clock: str = "tsc") -> ContextProfile:
    functions = (
        Function("main", "app", "app.py", 1),
        Function("work", "app", "app.py", 5),
        Function("hash", "builtins", "", 0, "builtin"),
        Function(HOSTILE, "app", "app.py", 7),
    )
    # Rows after the named ones: a hostile name, called by main.
    tree = contexts_from_self(
        parent=[-1, MAIN, MAIN, WORK_1, WORK_2, WORK_2, MAIN],
        function=[0, 1, 1, 2, 2, 1, 3],
        call_line=[0, 2, 3, 6, 6, 6, 4],
        calls=[1, 1, 2, 1, 1, 5, 1],
        self_ns=[10, 25, 22, 5, 8, 30, 0] if clock != "none" else [0] * 7,
    )
    return ContextProfile(
        functions=functions,
        contexts=tree,
        run=Run(command=("python", "app.py"), duration_ns=123, clock=clock, ended="killed by SIGTERM"),
        processes=(MeasuredProcess(7, 1, "python app.py", "3.12.1", "cpython-monitoring", 1, 12, "killed by SIGTERM"),),
        losses=(Loss("events-lost", 3, "Three events were lost."),),
        sources={"app.py": SOURCE},
    )


BOUNDED_ROWS = 2


def bounded_profile() -> ContextProfile:
    """Main (20 ns) calls work (20 ns, possibly hot); 40 ns below work and 20 ns at the top were not kept."""
    tree = contexts_from_self(parent=[-1, 0], function=[0, 1], call_line=[0, 2], calls=[1, 2], self_ns=[20, 20])
    return ContextProfile(
        functions=(Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5)),
        contexts=replace(tree, total_ns=array("q", [80, 60]), error=array("q", [0, 7])),
        run=Run(clock="tsc", ended="exited 0"),
        pruned_root_ns=20,
        approximation=Approximation(metric="time", phi=0.22, epsilon=0.07, floor=7, counters=15),
    )


def deep_profile(depth: int) -> ContextProfile:
    tree = contexts_from_self(
        parent=range(-1, depth - 1),
        function=[0] * depth,
        call_line=[2] * depth,
        calls=[1] * depth,
        self_ns=[7] * depth,
    )
    return ContextProfile((Function("down", "deep", "deep.py", 1),), tree, run=Run(clock="tsc"))


def wide_profile(width: int) -> ContextProfile:
    tree = contexts_from_self(
        parent=[-1] + [0] * width,
        function=range(width + 1),
        call_line=[0] + [3] * width,
        calls=[1] * (width + 1),
        self_ns=[50] * (width + 1),
    )
    functions = tuple(Function(f"task_{index}", "wide", "wide.py", index + 1) for index in range(width + 1))
    return ContextProfile(functions, tree, run=Run(clock="tsc"))
