"""The flame graph of a report's page in a real browser: clicked, walked, searched, zoomed, linked with all tables."""

import json
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    Contexts,
    Function,
    Loss,
    Run,
    Sampling,
    contexts_from_self,
)
from sonde.instruments.contexts.profile.comparison import diff_contexts
from sonde.instruments.contexts.report import contexts_page
from sonde.instruments.contexts.report.comparison import difference_report
from sonde.render.html import write_report_page

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\">"
SOURCE = "def main():\n    work(1)\n    work(2)\n\ndef work(n):\n    return hash(n)  # </script><b>\n"
FRAME_HEIGHT = 20

MAIN, WORK_1, WORK_2, HASH_1, HASH_2, AGAIN = range(6)
"""Rows of the small profile: main calls work from two lines, each calls hash, the second work calls itself."""

STAGE = ".flame-stage"


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM) as chromium:
        yield chromium


def test_the_graph_stands_first_and_fits_the_window(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, small_profile())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert "events-lost (3): Three events were lost." in text(browser, "#head .notices")
    assert text(browser, "#graphs h2") == "flame graph 7"
    width = browser.evaluate("document.querySelector('#graphs section').clientWidth")
    assert width > 0.9 * browser.evaluate("innerWidth")


def test_a_click_zooms_selects_everywhere_and_escape_resets(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    click_frame(browser, 30, 60, depth=2)
    assert crumbs(browser) == ["whole program", "main", "work"]
    assert text(browser, "#details h2") == "work"
    assert (
        browser.evaluate("document.querySelectorAll('section[aria-label=\"calling contexts\"] tr.linked').length") >= 2
    )
    # It fills the width now.
    assert told_at(browser, 0.98, depth=2).startswith("work app.py:5 called from line 3 of main total 60 ns 60.0%")
    assert told_at(browser, 0.1, depth=3).endswith("of the zoomed frame 50.0%")
    browser.press("Escape")
    assert crumbs(browser) == []
    assert browser.evaluate("document.querySelector('#details').hidden") is False
    browser.press("Escape")
    assert browser.evaluate("document.querySelector('#details').hidden")
    click_frame(browser, 30, 60, depth=2)
    browser.click_on("#graphs nav + button")
    assert crumbs(browser) == []


def test_the_tooltip_tells_place_calls_and_shares(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    assert told_at(browser, 0.3, depth=2) == (
        "work app.py:5 called from line 3 of main total 60 ns 60.0% self 22 ns 22.0% calls 2"
    )
    assert told_at(browser, 0.5, depth=0) == "whole program total 100 ns 100.0%"
    assert told_at(browser, 0.61, depth=3).startswith("hash (builtin) builtins called from line 6 of work")


def test_the_keyboard_walks_zooms_and_searches(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    browser.evaluate(f"document.querySelector('{STAGE}').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "Enter"):
        browser.press(key)
    settle(browser)
    assert crumbs(browser) == ["whole program", "main", "work"]
    browser.press("/")
    browser.type("hash")
    assert text(browser, "#graphs .found") == "13.0% of time in 2 frames"
    assert text(browser, "#found").endswith("found")
    browser.press("Escape")
    assert text(browser, "#graphs .found") == ""
    assert crumbs(browser) == ["whole program", "main", "work"]


def test_the_share_of_matches_counts_nested_ones_once(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    search(browser, "WORK app")
    assert text(browser, "#graphs .found") == "90.0% of time in 3 frames"
    search(browser, "/^(main|hash)$/")
    assert text(browser, "#graphs .found") == "100.0% of time in 3 frames"
    search(browser, "nowhere")
    assert text(browser, "#graphs .found") == "0.0% of time in 0 frames"


def test_a_colour_marks_the_frames_of_its_group(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    assert text(browser, "#graphs .legend") == "app87.0% built-in13.0%"
    browser.click_on("#graphs .legend li:nth-child(2) button")
    assert text(browser, "#graphs .found") == "13.0% of time in 2 frames"
    browser.press("Escape")
    assert text(browser, "#graphs .found") == ""


def test_widths_and_direction_switch(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    press(browser, "Calls")
    assert told_at(browser, 0.1, depth=0) == "whole program total 12 100.0%"
    assert told_at(browser, 0.3, depth=2) == "work app.py:5 called from line 3 of main total 8 66.7% calls 2 16.7%"
    press(browser, "Flame")
    height = browser.evaluate(f"document.querySelector('{STAGE}').clientHeight")
    assert told_at(browser, 0.1, y=height - 10).startswith("whole program")
    assert told_at(browser, 0.3, y=height - 2 * FRAME_HEIGHT - 10).startswith("work")


def test_source_lines_carry_the_cost_of_their_calls(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    click_frame(browser, 0, 98, depth=1)
    rows = browser.evaluate(
        "[...document.querySelectorAll('#details .source tr[data-key]')]"
        ".map(row => [...row.children].map(cell => cell.innerText))"
    )
    lines = {row[0]: row[1:-1] for row in rows}
    assert lines["1"] == ["1", "10 ns", ""]
    assert lines["2"] == ["1", "", "30 ns"]
    assert lines["3"] == ["2", "", "60 ns"]
    assert lines["5"] == ["8", "77 ns", ""]
    assert lines["6"] == ["7", "", "43 ns"]


def test_callers_and_callees_are_listed(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile())
    click_frame(browser, 0, 60, depth=2)
    # The nested activation is the recursive caller's, without time of its own.
    assert neighbours(browser, "Called by") == [["main", "3", "90 ns100.0%"], ["work", "5", "0 ns0.0%"]]
    assert neighbours(browser, "Calls") == [["work", "5", "30 ns33.3%"], ["hash", "2", "13 ns14.4%"]]
    browser.evaluate("document.querySelector(\"table[aria-label='Called by'] button\").click()")
    assert text(browser, "#details h2") == "main"
    assert text(browser, "#details .neighbours td").startswith("(start of a thread)")


def test_a_function_without_time_of_its_own_has_details(browser: HeadlessChromium, tmp_path: Path) -> None:
    profile = contexts_from_self(parent=[-1, 0], function=[0, 1], call_line=[0, 2], calls=[1, 1], self_ns=[0, 9])
    functions = (Function(HOSTILE, "", "", 0), Function("work", "app", "app.py", 5))
    show(browser, tmp_path, ContextProfile(functions, profile, run=Run(clock="tsc")))
    click_frame(browser, 0, 98, depth=1)
    assert text(browser, "#details h2") == HOSTILE
    assert neighbours(browser, "Calls") == [["work", "1", "9 ns100.0%"]]
    assert told_at(browser, 0.5, depth=1).startswith(HOSTILE)
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert browser.problems == []


def test_ten_thousand_levels_scroll_zoom_and_reset(browser: HeadlessChromium, tmp_path: Path) -> None:
    depth = 10_000
    show(browser, tmp_path, deep_profile(depth))
    browser.evaluate(f"document.querySelector('{STAGE}').scrollTop = 1e9")
    settle(browser)
    height = browser.evaluate(f"document.querySelector('{STAGE}').clientHeight")
    assert told_at(browser, 0.001, y=height - 10).startswith("whole program") is False
    x, y = position(browser, 0.00005, height - 10)
    browser.click(x, y)
    settle(browser)
    assert len(crumbs(browser)) == 6
    assert "more" in text(browser, "#graphs .crumbs .more")
    press(browser, "Flame")
    browser.press("Escape")
    assert crumbs(browser) == []
    assert browser.problems == []


def test_very_many_siblings_are_merged_and_counted(browser: HeadlessChromium, tmp_path: Path) -> None:
    width = 20_000
    show(browser, tmp_path, wide_profile(width))
    merged = int(text(browser, ".merged").split()[0].replace(",", ""))
    assert merged > width * 0.9
    assert "too narrow to draw apart" in text(browser, ".merged")


def test_what_there_is_no_room_for_is_counted(
    browser: HeadlessChromium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sonde.render.html.page_data.MOST_FRAMES", 3)
    show(browser, tmp_path, small_profile())
    assert text(browser, "#graphs h2") == "flame graph 7"
    assert text(browser, "#graphs section > .below") == (
        "4 lighter contexts not shown (43 ns, 43.0%). The widths of frames include them; callers and callees do not."
    )
    assert told_at(browser, 0.3, depth=2).startswith("work app.py:5 called from line 3 of main total 60 ns 60.0%")


def test_counting_profiles_have_no_times(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, small_profile(clock="none"))
    assert browser.evaluate("document.querySelector('[aria-label=\"Width of frames\"]').offsetHeight") == 0
    assert told_at(browser, 0.1, depth=0) == "whole program total 12 100.0%"
    click_frame(browser, 0, 60, depth=2)
    assert neighbours(browser, "Called by") == [["main", "10100.0%"], ["work", "00.0%"]]
    assert browser.problems == []


def test_what_was_not_kept_is_a_block_of_its_own(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, bounded_profile())
    # Work itself: 60 ns, 40 of them not kept, at its left end; 20 more beside main.
    assert told_at(browser, 0.2, depth=3) == (
        "contexts not kept below work; given up in bounded memory, each had at most 7 ns total 40 ns 40.0% calls 0"
    )
    assert told_at(browser, 0.9, depth=1).startswith("contexts not kept below whole program")
    assert text(browser, "#graphs .legend") == "app40.0% contexts not kept60.0%"
    search(browser, "work")
    assert text(browser, "#graphs .found") == "60.0% of time in 1 frame"
    browser.press("Escape")
    click_frame(browser, 45, 60, depth=2)
    assert neighbours(browser, "Calls") == [["(contexts not kept)", "0", "40 ns66.7%"]]
    assert browser.problems == []


def test_bounds_are_told_and_possibly_hot_contexts_marked(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, bounded_profile())
    assert "hot contexts: from 22% of the time on" in text(browser, "#head")
    assert "self times at most 7 ns (7%) too low" in text(browser, "#head")
    assert told_at(browser, 0.7, depth=1).endswith("context is cold")
    assert told_at(browser, 0.55, depth=2).endswith("context is possibly hot self may be more by \u2264 7 ns 7.0%")


def test_a_sample_has_intervals(browser: HeadlessChromium, tmp_path: Path) -> None:
    exact = small_profile()
    deviations = array("q", [1] * len(exact.contexts))
    contexts = replace(exact.contexts, calls_deviation=deviations, ns_deviation=deviations)
    sampling = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101)
    show(browser, tmp_path, replace(exact, contexts=contexts, sampling=sampling))
    assert "watched 10.1% of the run in 37 bursts of 2 ms" in text(browser, "#head")
    assert "self 25 ns \u00b18% 25.0% calls 1 \u00b1200%" in told_at(browser, 0.65, depth=2)
    assert browser.problems == []


def test_a_comparison_is_coloured_by_its_changes(browser: HeadlessChromium, tmp_path: Path) -> None:
    before = small_profile()
    slower = array("q", [10, 65, 2, 5, 8, 30, 0])
    after = replace(before, contexts=contexts_of(before, slower))
    path = tmp_path / "page.html"
    write_report_page(difference_report(diff_contexts(before, after)), path)
    browser.open(path)
    assert told_at(browser, 0.2, depth=2) == (
        "work app.py:5 called from line 2 of main"
        " after 70 ns 58.3% before 30 ns 30.0% change +40 ns self after 65 ns 54.2% self before 25 ns 25.0%"
    )
    assert text(browser, "#graphs .legend") == "less than before as before more than before"
    assert browser.problems == []
    slow, fast = (colour_at(browser, share) for share in (0.3, 0.7))
    assert slow[0] > slow[2] + 40 and fast[2] > fast[0]
    titles = browser.evaluate("[...document.querySelectorAll('#graphs h2')].map(each => each.textContent)")
    assert titles == ["flame graph, after 7", "flame graph, before 7"]
    # What one side is zoomed to, the other one is, too, and back again.
    click_frame(browser, 10, 30, depth=2)
    assert crumbs(browser) == ["whole program", "main", "work"] * 2
    browser.press("Escape")
    assert crumbs(browser) == []


def contexts_of(profile: ContextProfile, self_ns: "array[int]") -> Contexts:
    tree = profile.contexts
    return contexts_from_self(
        parent=tree.parent, function=tree.function, call_line=tree.call_line, calls=tree.calls, self_ns=self_ns
    )


def colour_at(browser: HeadlessChromium, share: float) -> list[int]:
    """Red, green, blue in a frame of the second level below the whole."""
    found: list[int] = browser.evaluate(
        f"(c => [...c.getContext('2d').getImageData({share} * c.width, c.height * 45 / c.clientHeight, 1, 1).data])"
        f"(document.querySelector('{STAGE} canvas'))"
    )
    return found[:3]


def test_an_empty_profile_says_so(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(
        browser,
        tmp_path,
        ContextProfile((), contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])),
    )
    assert "no calls were recorded" in text(browser, "body")
    assert browser.problems == []


@pytest.mark.parametrize("width", [1280, 900, 600, 360])
def test_nothing_is_wider_than_the_window(browser: HeadlessChromium, tmp_path: Path, width: int) -> None:
    browser.resize(width, 700)
    show(browser, tmp_path, small_profile())
    click_frame(browser, 0, 60, depth=2)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    browser.resize(1280, 800)


def show(browser: HeadlessChromium, folder: Path, profile: ContextProfile) -> Path:
    profile.check_valid()
    path = folder / "page.html"
    write_report_page(contexts_page(profile), path)
    browser.open(path)
    settle(browser)
    return path


def settle(browser: HeadlessChromium) -> None:
    browser.wait_until(f"!document.querySelector('{STAGE}[aria-busy]')")


def text(browser: HeadlessChromium, selector: str) -> str:
    return " ".join(browser.text_of(selector).split())


def crumbs(browser: HeadlessChromium) -> list[str]:
    settle(browser)
    found: list[str] = browser.evaluate("[...document.querySelectorAll('.crumbs button')].map(b => b.textContent)")
    return found


def press(browser: HeadlessChromium, label: str) -> None:
    browser.evaluate(
        "[...document.querySelectorAll('#graphs .choice button')]"
        f".find(b => b.textContent === {json.dumps(label)}).click()"
    )
    settle(browser)


def position(browser: HeadlessChromium, share: float, y: float) -> tuple[float, float]:
    """In the window: a share of the way across the graph, so many pixels below its top."""
    left, top, width = browser.evaluate(
        f"(b => [b.left, b.top, b.width])(document.querySelector('{STAGE} canvas').getBoundingClientRect())"
    )
    return left + share * width, top + y


def told_at(browser: HeadlessChromium, share: float, *, depth: int = 0, y: float = 0) -> str:
    """The tooltip at a level."""
    settle(browser)
    browser.move(1, 1)
    browser.move(*position(browser, share, y or depth * FRAME_HEIGHT + FRAME_HEIGHT / 2))
    return text(browser, "#tooltip")


def click_frame(browser: HeadlessChromium, first: float, last: float, *, depth: int) -> None:
    """Click between two percentages of the width."""
    settle(browser)
    browser.click(*position(browser, (first + last) / 200, depth * FRAME_HEIGHT + FRAME_HEIGHT / 2))
    settle(browser)


def search(browser: HeadlessChromium, wanted: str) -> None:
    browser.evaluate("(document.getElementById('search').focus(), document.getElementById('search').select())")
    browser.type(wanted)


def neighbours(browser: HeadlessChromium, title: str) -> list[list[str]]:
    rows: list[list[str]] = browser.evaluate(
        f"[...document.querySelectorAll(\"table[aria-label='{title}'] tbody tr\")]"
        ".map(row => [...row.children].map(cell => cell.textContent))"
    )
    return rows


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
        losses=(Loss("events-lost", 3, "Three events were lost."),),
        sources={"app.py": SOURCE},
    )


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
