"""The page of a report in a real browser: opened from disk, sorted, searched, walked, followed to the source."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_memory_profiles import (
    counted_profile,
    empty_profile,
    hostile_profile,
    inventory_profile,
    large_profile,
    native_profile,
)
from made_path_profiles import smooth_profile
from made_reports import bare_report, full_report, hostile_report, large_report, types_table
from sonde.instruments.memory.profile import MemoryProfile
from sonde.instruments.memory.report import memory_report
from sonde.instruments.paths.options import PathViewOptions
from sonde.instruments.paths.report import path_report
from sonde.render.html import MAX_PAGE_BYTES, write_report_page
from sonde.report import Column, Report, Row, Table

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

MEMORY_REPORTS = [
    lambda: memory_report(inventory_profile()),
    lambda: memory_report(native_profile()),
    lambda: memory_report(hostile_profile()),
]

LEAST_CONTRAST = 4.5
"""Of text with what is behind it: Web Content Accessibility Guidelines 2.1, success criterion 1.4.3."""

TREE = "section[aria-label='hot contexts']"
CODE = "section[aria-label='functions, lines']"
MEMORY_CODE = "section[aria-label^='Python functions']"


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, width=1300, height=900) as chromium:
        yield chromium


def show(browser: HeadlessChromium, folder: Path, report: Report) -> Path:
    path = folder / "page.html"
    write_report_page(report, path)
    browser.open(path)
    return path


def text(browser: HeadlessChromium, selector: str) -> str:
    return browser.text_of(selector)


def names(browser: HeadlessChromium, card: str) -> list[str]:
    """First cells of the rows in sight, without what is faint."""
    query = f"{card} .scroller tr[data-key] td.lead .main"
    found: list[str] = browser.evaluate(f"[...document.querySelectorAll({json.dumps(query)})].map(b => b.textContent)")
    return found


def pick(browser: HeadlessChromium, card: str, name: str) -> None:
    """Click on the first row whose name begins so."""
    browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(card + ' tr[data-key]')})]"
        f".find(r => r.querySelector('.main').textContent.startsWith({json.dumps(name)})).click()"
    )


def focused_name(browser: HeadlessChromium) -> str:
    found: str = browser.evaluate("document.activeElement.querySelector('.main').textContent")
    return found


def test_it_opens_from_disk_without_a_complaint_or_a_request(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, full_report())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert text(browser, "#brand") == "sonde toy" and text(browser, "#changed") == "differs"
    facts = text(browser, "#head .facts").split("\n")
    assert facts[:4] == ["elapsed", "4.21 s", "calls", "945,775,974"]
    assert "process\n1" in text(browser, "#head .facts")
    assert "sorting.py:26 in shell_sort has half" in text(browser, "#head .sentences")
    assert "Times of a function are without" in text(browser, "#blocks")


def test_the_first_notices_are_shown_and_the_others_when_asked_for(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    notice = text(browser, ".notices .loss")
    assert "objects-not-tracked (312): 312 blocks" in notice and "hint: begin the window earlier" in notice
    assert "2 threads ended early" in text(browser, ".notices")
    assert "first accesses are counted" not in text(browser, ".notices")
    browser.press_button(".notices", "1 more note")
    assert "first accesses are counted" in text(browser, ".notices")


def test_cells_are_written_by_their_unit(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.evaluate("document.querySelector('.close').click()")
    browser.wait_until("document.querySelectorAll(\"section[aria-label='benchmarks'] th\").length === 6")

    def row(card: str, number: int) -> list[str]:
        cells = f"section[aria-label={json.dumps(card)}] tr[data-key='{number}'] td"
        found: list[str] = browser.evaluate(
            f"[...document.querySelectorAll({json.dumps(cells)})].map(c => c.innerText.replace(/\\s+/g, ' '))"
        )
        return found

    assert row("functions, lines", 0) == ["shell_sortsorting.py:21", "84.2%", "50.8 M6.4%", "9.12 M18.0%"]
    assert row("types", 0) == ["Entry", "20.0 k", "1.07 MiB28.0%", ""]
    assert row("benchmarks", 0) == [
        "sort", "12.3 ms[11.9 ms, 12.8 ms]", "1.120×[1.050×, 1.200×]", "0.00012", "3.4%", "bench.toml",
    ]  # fmt: skip
    assert row("benchmarks", 1)[3:5] == ["∞", "−2.0%"]
    assert row("what changed", 0)[1:] == ["120 → 18012.0% → 20.0%", "12.0 µs → 19.0 µs+7.00 µs", "+7.00 µs"]
    assert row("what changed", 1)[1:] == ["9 → \u2013", "90.0 ms → \u2013", "−90.0 ms"]


def test_facts_for_who_asks_are_closed_at_first(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    assert text(browser, "#head summary") == "More: environment"
    assert not browser.evaluate("document.querySelector('#head details').open")
    browser.evaluate("document.querySelector('#head summary').click()")
    assert text(browser, "#head details .facts").split("\n") == [
        *("tool", "lackey 3.25", "objects", "objects were not asked for"),
    ]


def test_margins_quantities_and_names_with_places_are_told_once(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.evaluate("document.querySelector('.close').click()")
    card = "section[aria-label='estimates']"
    browser.wait_until(f'document.querySelectorAll("{card} th").length === 8')
    heads = browser.evaluate(f'[...document.querySelectorAll("{card} th")].map(h => h.innerText)')
    assert heads == ["function", "self", "up to", "", "change", "p", "speed", "gain"]
    rows = [
        browser.evaluate(
            f"[...document.querySelectorAll(\"{card} tr[data-key='{number}'] td\")].map(c => c.innerText.trim())"
        )
        for number in (0, 1)
    ]
    assert rows[0] == [
        *("shell_sort", "2.99 s71.0%", "±4% +3%?", "sorting.py:21", "+1.2 pp", "< 0.001"),
        *("42.2 ms[40.9, 44.9]", "1.023×[1.011×, 1.035×]"),
    ]
    assert rows[1][0] == "read" and rows[1][2:] == [
        *("+>999%", "sorting.py:18", "−50.0 pp", "0.041", "2.50 M ops/s", "0.500×[0.000×, 0.900×]"),
    ]
    assert browser.evaluate(f'document.querySelectorAll("{card} td .origin").length') == 2
    below = text(browser, f"{card} .below").split("\n")
    assert [line for line in below if line] == [
        *("7 more rows are not in the report: 0.1% together.", "up to: margins", "more"),
    ]


def test_details_have_records_and_several_values(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    pick(browser, "section[aria-label='estimates']", "shell_sort")
    cells = text(browser, "#details .cells")
    assert "sizes\n1, 2, \u2013" in cells and '"why": [' in cells
    assert "±110,000,000, at most 81,000,000 more of 2,990,000,000; it may be over the threshold" in cells
    assert "42.2 ms [40.9, 44.9] (95% confidence)" in cells
    pick(browser, "section[aria-label='estimates']", "read")
    assert "59, \u2026 100 in all" in text(browser, "#details .cells")


def test_sentences_and_missing_rows_stand_beside_their_row(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    card = "section[aria-label='verdicts']"
    pick(browser, card, "not inlined")
    assert text(browser, "#details h2") == "not inlined"
    assert "because\ntoo large\nnot hot" in text(browser, "#details .cells")
    browser.evaluate("document.querySelector('.close').click()")
    rows = browser.evaluate(f'[...document.querySelectorAll("{card} tr[data-key] td.lead")].map(r => r.textContent)')
    assert rows == [
        "not inlinedbecause: too largebecause: not hot",
        "- not inlinedcall of len1,234 more belowsorting.py:24",
        "inlined",
    ]
    assert names(browser, card)[0] == "not inlined" and "aria-label" not in rows[0]


def test_plots_have_axes_and_say_what_is_to_be_seen(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.wait_until("document.querySelectorAll('.plot-card svg').length === 6")
    labels = browser.evaluate("[...document.querySelectorAll('.plot-card svg')].map(s => s.getAttribute('aria-label'))")
    assert labels[0] == "Histogram: 41 values of fast, mean 10.7 ms [10.4 ms, 11 ms], median 10.6 ms"
    assert labels[3] == "Intervals: fast mean 10.7 ms [10.4 ms, 11 ms]; slow mean 12.9 ms"
    assert labels[5].startswith("In their order: 41 values")
    units = browser.evaluate(
        "[...document.querySelectorAll('.plot-card svg')].map(s => [...s.querySelectorAll('text')]"
        ".filter(t => ['ms', 'M ops/s'].includes(t.textContent)).length)"
    )
    assert units == [1] * 6
    spread = text(browser, "section[aria-label='how runs are spread']")
    assert "wall time" in spread and "1 sample without values" in spread and "1 beyond" in spread
    assert browser.evaluate("document.querySelectorAll(\"section[aria-label='fast'] .plot\").length") == 2
    assert browser.evaluate("document.querySelectorAll(\"section[aria-label='fast'] .apart\").length") == 1
    links = browser.evaluate("[...document.querySelectorAll('#contents a')].map(a => a.textContent)")
    assert links[-2:] == ["verdicts", "plots"], "plots that follow one another have one link"


def test_the_value_next_to_the_pointer_is_told(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.wait_until("document.querySelectorAll('.plot-card svg').length === 6")
    box = browser.evaluate(
        "(() => { const s = [...document.querySelectorAll('.plot-card svg')].at(-1); s.scrollIntoView();"
        " const { left, top } = s.getBoundingClientRect();"
        " const far = s.querySelector('.far').getAttribute('d').match(/[\\d.]+/g).map(Number);"
        " return [left + far[0], top + far[1]]; })()"
    )
    browser.move(box[0] - 3, box[1] + 3)
    browser.wait_until("!document.querySelector('#tooltip').hidden")
    assert text(browser, "#tooltip") == "41: 31.2 ms, far from the others"
    browser.move(2, 2)
    browser.wait_until("document.querySelector('#tooltip').hidden")


def test_alike_tables_share_a_card(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    assert names(browser, CODE)[:2] == ["shell_sort", "read"]
    browser.press_button(CODE, "lines")
    assert names(browser, CODE)[:2] == ["sorting.py:26", "sorting.py:27"]
    assert "12 more lines are not in the report" in text(browser, CODE)


def test_a_table_without_rows_says_so_under_its_title(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    assert text(browser, "section[aria-label='objects not needed']").split() == ["objects", "not", "needed", "Nothing."]


def test_headings_sort_turn_the_order_and_restore_it(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    types = "section[aria-label='types']"
    browser.press_button(f"{types} thead", "born")
    assert names(browser, types) == ["str", "list", "Entry", "global: libpython3.11.so.1.0"]
    assert browser.evaluate(f'document.querySelector("{types} th[aria-sort=descending]").innerText') == "born"
    browser.press_button(f"{types} thead", "born")
    assert names(browser, types) == ["Entry", "list", "str", "global: libpython3.11.so.1.0"]
    browser.press_button(f"{types} thead", "type")
    assert names(browser, types)[:2] == ["Entry", "global: libpython3.11.so.1.0"]
    browser.press_button(f"{types} thead", "born")
    browser.press_button(f"{types} thead", "born")
    browser.press_button(f"{types} thead", "born")
    assert names(browser, types)[0] == "Entry" and names(browser, types)[2] == "str"


def test_words_are_found_in_all_tables(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.press("/")
    assert browser.evaluate("document.activeElement.id") == "search"
    browser.type("ENTRY init")
    assert names(browser, TREE) == ["<module __main__>", "read", "Entry.__init__ x20,000"]
    assert text(browser, f"{TREE} h2") == "hot contexts 1 of 7"
    assert names(browser, CODE) == []
    browser.type(" nothing like it")
    assert text(browser, "#found") == "nothing found"
    browser.press("Escape")
    assert len(names(browser, CODE)) == 5 and text(browser, "#found") == ""


def test_the_first_hit_is_one_key_away(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.press("/")
    browser.type("read")
    browser.press("Enter")
    assert focused_name(browser) == "read"


def test_rows_are_walked_and_selected_with_keys(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.evaluate("document.querySelector('.close').click()")
    browser.evaluate(f'document.querySelector("{CODE} tr[data-key]").focus()')
    browser.press("ArrowDown")
    assert focused_name(browser) == "read"
    assert browser.evaluate("document.querySelector('#details').hidden")
    browser.press("Enter")
    assert text(browser, "#details h2") == "read"
    browser.press("End")
    assert focused_name(browser) == "len" and text(browser, "#details h2") == "len"
    browser.press("Escape")
    assert browser.evaluate("document.querySelector('#details').hidden")


def test_trees_are_opened_and_closed_with_keys_and_arrows(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    assert len(names(browser, TREE)) == 7
    browser.evaluate(f'document.querySelector("{TREE} tr[data-key]").focus()')
    browser.press("ArrowRight")
    assert focused_name(browser) == "shell_sort"
    browser.press("ArrowLeft")
    assert len(names(browser, TREE)) == 5
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    browser.press("ArrowLeft")
    assert focused_name(browser) == "<module __main__>"
    browser.press("ArrowLeft")
    assert names(browser, TREE) == ["<module __main__>", "unknown"]
    browser.evaluate(f'document.querySelector("{TREE} .arrow").click()')
    assert len(names(browser, TREE)) == 5
    browser.press_button(TREE, "open all")
    assert len(names(browser, TREE)) == 7
    assert "via <genexpr>, sorted" in text(browser, TREE)


def test_a_sorted_tree_stays_a_tree(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.press_button(f"{TREE} thead", "time")
    browser.press_button(f"{TREE} thead", "time")
    assert names(browser, TREE)[:4] == ["unknown", "<module __main__>", "read", "Entry.__init__ x20,000"]


def test_a_selected_function_is_linked_in_every_table(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    pick(browser, TREE, "read")
    linked = browser.evaluate(
        "[...document.querySelectorAll('tr.linked')].map(r => r.closest('section').getAttribute('aria-label'))"
    )
    assert linked == ["functions, lines", "lines and types", "what changed", "estimates"]
    related = browser.evaluate("[...document.querySelectorAll('.related h3')].map(h => h.innerText)")
    assert related == ["functions 1", "lines 1", "lines and types 1", "what changed 1", "estimates 1"]
    browser.evaluate("document.querySelector('.related button').click()")
    assert text(browser, f"{CODE} tr[aria-selected] .main") == "read"


def test_details_tell_all_cells_also_those_for_programs(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    pick(browser, CODE, "shell_sort")
    cells = text(browser, "#details .cells")
    assert "loads\n597,000,000" in cells
    assert "9,120,000 of 50,800,000, 18.0%; 95.7% of all" in cells
    assert "/home/u/app/sorting.py:21" in text(browser, "#details .head")


def test_the_source_has_the_counts_of_several_tables_side_by_side(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.press_button(CODE, "lines")
    pick(browser, CODE, "sorting.py:26")
    heads = browser.evaluate("[...document.querySelectorAll('#details .source th')].map(h => h.innerText)")
    assert heads[0] == "Line" and heads[-1] == "Source"
    assert {"L2 misses", "samples"} < set(heads)
    row = text(browser, "#details .source tr[aria-selected]")
    assert "4.76 M" in row and "2,105" in row and "while k >= 0 and index[k]" in row
    assert browser.evaluate("document.querySelectorAll('#details .source .keyword').length") > 0
    browser.evaluate("[...document.querySelectorAll('#details tr.counted')].find(r => r.innerText[0] === '2').focus()")
    before = browser.evaluate("document.activeElement.querySelector('.line').innerText")
    browser.press("ArrowDown")
    after = browser.evaluate("document.activeElement.querySelector('.line').innerText")
    assert int(after) > int(before)
    browser.press("Enter")
    assert text(browser, "#details h2") == f"sorting.py:{after}"


def test_a_function_opens_at_its_hottest_line(browser: HeadlessChromium, tmp_path: Path) -> None:
    browser.resize(1300, 500)
    try:
        show(browser, tmp_path, full_report())
        pick(browser, TREE, "shell_sort")
        seen = browser.evaluate(
            "(() => { const scroller = document.querySelector('#details .source-view .scroller');"
            " const { top, bottom } = scroller.getBoundingClientRect();"
            " const isSeen = (box) => box.top >= top && box.bottom <= bottom;"
            " return [...scroller.querySelectorAll('tr[data-key]')].filter(r => isSeen(r.getBoundingClientRect()))"
            ".map(r => r.querySelector('.line').innerText); })()"
        )
        assert "26" in seen and "1" not in seen
    finally:
        browser.resize(1300, 900)


def test_native_code_without_its_source_lists_the_lines_with_counts(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    pick(browser, CODE, "unicode_compare")
    assert "The text of ./Objects/unicodeobject.c is not in this page" in text(browser, "#details .empty")
    assert text(browser, "#details .source tr.counted .line") == "10520"


def test_types_lead_to_their_lines(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    pick(browser, "section[aria-label='types']", "Entry")
    assert text(browser, ".related h3") == "lines and types 2"
    assert browser.evaluate("document.querySelectorAll('#details .figure rect').length") == 5
    heights = "[...document.querySelectorAll('#details rect')].map(r => Number(r.getAttribute('height')))"
    plain = browser.evaluate(heights)
    browser.press_button("#details", "Logarithm")
    assert browser.evaluate(heights)[0] > 3 * plain[0]


def test_the_address_keeps_the_selection(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    assert browser.evaluate("location.hash") == ""
    browser.press_button(TREE, "close all")
    pick(browser, TREE, "unknown")
    assert browser.evaluate("location.hash") == "#contexts:7"
    browser.evaluate("location.hash = '#contexts:4'")
    browser.wait_until("document.querySelector('#details h2').innerText === 'len'")
    assert len(names(browser, TREE)) > 2
    browser.evaluate("window.isOld = true; location.reload()")
    browser.wait_until("!window.isOld && document.querySelector('#details h2')?.innerText === 'len'")


def test_a_row_that_a_search_hides_is_shown_when_it_is_followed(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.press("/")
    browser.type("read")
    pick(browser, "section[aria-label='lines and types']", "str")
    browser.evaluate("location.hash = '#contexts:4'")
    browser.wait_until("document.querySelector('#details h2').innerText === 'len'")
    assert text(browser, f"{TREE} tr[aria-selected] .main") == "len"
    assert browser.evaluate("document.querySelector('#search').value") == ""


def test_a_table_for_programs_is_shown_if_it_holds_something(browser: HeadlessChromium, tmp_path: Path) -> None:
    columns = (Column("row", "row", "count", shown="data"), Column("what", "what", shown="data"))
    tables = (
        Table("failures", "failures", columns, (), is_secondary=True),
        Table("splits", "splits", columns, (Row((3, "why")),), is_secondary=True),
    )
    show(browser, tmp_path, Report("toy", "t", tables))
    assert browser.problems == []
    assert browser.evaluate("[...document.querySelectorAll('#blocks h2')].map(h => h.innerText)") == ["splits 1"]
    assert browser.evaluate("[...document.querySelectorAll('tr[data-key] td')].map(c => c.innerText)") == ["why", "3"]


def test_deep_rows_of_a_tree_tell_their_depth(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, large_report(300))
    tree = "section[aria-label='deep tree']"
    browser.press_button(tree, "open all")
    browser.evaluate(f'document.querySelector("{tree} tr[data-key]").focus()')
    browser.press("End")
    assert browser.evaluate("document.activeElement.querySelector('.depth').textContent") == "299 "
    box = browser.evaluate(
        "(() => { const name = document.activeElement.querySelector('.main').getBoundingClientRect();"
        " return [name.left, document.activeElement.cells[0].getBoundingClientRect().right]; })()"
    )
    assert box[0] < box[1]


def test_listings_have_their_own_columns(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, full_report())
    browser.evaluate("document.querySelector('.close').click()")
    listing = "#blocks .card > .source-view"
    assert text(browser, f"{listing} h2") == "sorting.py by line"
    heads = browser.evaluate(f"[...document.querySelectorAll('{listing} th')].map(h => h.innerText)")
    assert heads == ["Line", "decision", "time", "Source"]
    rows = browser.evaluate(f"[...document.querySelectorAll('{listing} tr[data-key]')].map(r => r.innerText)")
    assert any("inlined" in row and "2.40 s" in row and "while k >= 0" in row for row in rows)


@pytest.mark.parametrize("made", [hostile_report, MEMORY_REPORTS[2]])
def test_names_stay_text(browser: HeadlessChromium, tmp_path: Path, made: Callable[[], Report]) -> None:
    show(browser, tmp_path, made())
    assert browser.problems == []
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert "script><img src=x onerror=" in text(browser, "#details h2")
    assert browser.evaluate("[...document.querySelectorAll('td .main')].every(e => e.tagName === 'BDI')")


@pytest.mark.parametrize("width", [1280, 800, 400])
@pytest.mark.parametrize("made", [full_report, hostile_report, bare_report, *MEMORY_REPORTS])
def test_nothing_runs_out_of_the_window(
    browser: HeadlessChromium, tmp_path: Path, width: int, made: Callable[[], Report]
) -> None:
    browser.resize(width, 800)
    try:
        show(browser, tmp_path, made())
        assert browser.problems == []
        assert browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        if made is full_report:
            pick(browser, CODE, "read")
            assert browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    finally:
        browser.resize(1300, 900)


def test_where_there_is_no_room_columns_go_by_their_priority(browser: HeadlessChromium, tmp_path: Path) -> None:
    heads = f'[...document.querySelectorAll("{TREE} th")].map(h => h.innerText)'
    show(browser, tmp_path, full_report())
    assert browser.evaluate(heads) == ["context", "time", "self", "calls"]
    browser.resize(400, 800)
    try:
        browser.wait_until(f"{heads}.length < 4")
        assert browser.evaluate(heads)[:2] == ["context", "time"]
    finally:
        browser.resize(1300, 900)


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_hot_linked_or_faint_can_be_read(tmp_path: Path, dark: bool) -> None:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, width=1300, height=900, dark=dark) as chromium:
        show(chromium, tmp_path, full_report())
        card = channels(chromium, "#blocks .card", "backgroundColor")
        assert (luminance(card) < 0.2) == dark
        for selector in (".beside", "tr.bad .main", "tr.good .main", "tr.new .main", "tr.faint td", "#details .soft"):
            assert contrast(channels(chromium, selector, "color"), card) >= LEAST_CONTRAST, selector
        chromium.wait_until("Boolean(document.querySelector('.tick.beyond') && document.querySelector('.row-name'))")
        for selector in (".tick", ".tick.beyond", ".row-name"):
            assert contrast(channels(chromium, selector, "fill"), card) >= LEAST_CONTRAST, selector
        selected = channels(chromium, "tr[aria-selected] td", "color")
        assert (
            contrast(selected, channels(chromium, "tr[aria-selected]", "backgroundColor", "#blocks .card"))
            >= LEAST_CONTRAST
        )
        heated = channels(chromium, ".heated", "backgroundColor", "tr[aria-selected]")
        assert contrast(channels(chromium, ".heated .beside", "color"), heated) >= LEAST_CONTRAST
        line = "#details .source tr.counted:has(td.line)"
        tint = channels(chromium, line, "backgroundColor", "#details")
        assert contrast(channels(chromium, f"{line} .code", "color"), tint) >= LEAST_CONTRAST


def test_many_rows_open_scroll_and_are_found_as_few_are(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, large_report(300_000))
    assert browser.problems == []
    flat = "section[aria-label='many functions']"
    assert "50,000 lighter rows did not fit in this page" in text(browser, flat)
    browser.evaluate(f'document.querySelector("{flat} tr[data-key]").focus()')
    browser.press("End")
    assert browser.evaluate("document.activeElement.getAttribute('aria-rowindex')") == "250001"
    assert browser.evaluate(f'document.querySelectorAll("{flat} tbody tr").length') < 100
    browser.press("/")
    browser.type("function_77 m27.py")
    assert names(browser, flat)[0] == "function_77"


def test_control_flow_stands_out_where_a_path_goes(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, path_report(smooth_profile(), PathViewOptions(), with_data=True))
    card = "section[aria-label='control flow of smooth']"
    browser.wait_until(f"document.querySelectorAll({json.dumps(card + ' .flow-block')}).length === 9")
    assert browser.problems == []

    def on() -> list[int]:
        query = json.dumps(f"{card} .flow-block")
        found: list[int] = browser.evaluate(
            f"[...document.querySelectorAll({query})].flatMap((b, i) => b.classList.contains('on') ? [i] : [])"
        )
        return found

    assert on() == [1, 2, 3, 5]  # the hottest path, around the loop
    browser.press_button(card, "path 2 \u00b7 1,200")
    assert on() == [1, 2, 4, 5]
    assert browser.evaluate(f"document.querySelectorAll({json.dumps(card + ' .flow-edge.on')}).length") == 4
    browser.press_button(card, "all")
    assert on() == []
    labels = browser.evaluate(f"document.querySelector({json.dumps(card + ' svg')}).textContent")
    assert "5  out.append(value)" in labels and "(end)" in labels
    titles = browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(card + ' .flow-edge title')})].map(t => t.textContent)"
    )
    assert "block 2 to block 4: 1,200 times, 40.0% of block 2" in titles
    browser.evaluate(
        f"document.querySelectorAll({json.dumps(card + ' .flow-block')})[3].dispatchEvent(new Event('click'))"
    )
    selected = browser.evaluate("[...document.querySelectorAll('.source tr[aria-selected]')].map(r => r.textContent)")
    assert any("out.append(value)" in row for row in selected)


def test_on_paper_there_is_no_bar_and_no_scrolling(browser: HeadlessChromium, tmp_path: Path) -> None:
    report = Report("toy", "t", (types_table(),))
    show(browser, tmp_path, report)
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(names(browser, "section")) == 4
    show(browser, tmp_path, large_report(1_000))
    flat = "section[aria-label='many functions']"
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(names(browser, flat)) == 400
    browser.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert len(names(browser, flat)) < 100


def test_the_page_of_a_memory_profile_opens_at_the_line_with_the_most_misses(
    browser: HeadlessChromium, tmp_path: Path
) -> None:
    show(browser, tmp_path, memory_report(inventory_profile()))
    assert browser.problems == []
    assert "records.py:32 in shell_sort has 46.8% of the lost cycles" in text(browser, "#headline")
    head = text(browser, "#head")
    assert "945,775,974" in head and "2.2 times as much" in head and "attributed: 100.0% to functions" in head
    assert "objects-not-tracked (312): 312 blocks" in text(browser, "#head .notice")
    assert text(browser, "#details h2") == "records.py:32"
    lines = "[...document.querySelectorAll('#details .source tr[data-key]')].map(r => r.innerText.split(/\\s+/))"
    shown = {int(words[0]): words[1:] for words in browser.evaluate(lines)}
    assert shown[32][:3] == ["1.07", "G46.8%", "31.8%"] and "second" in shown[32]
    assert shown[34] == ["break"], "lines without accesses have no numbers"
    assert shown[24][0] == "def", "a function's sum is not its first line's count"
    pick(browser, MEMORY_CODE, "shell_sort")
    related = browser.evaluate("[...document.querySelectorAll('.related h3')].map(h => h.innerText)")
    assert related[0] == "Python lines 8"


def test_lines_of_a_memory_profile_lead_to_their_types_and_back(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, memory_report(inventory_profile()))
    browser.evaluate(
        "[...document.querySelectorAll('#details tr.counted')].find(r => r.innerText.startsWith('32')).click()"
    )
    assert text(browser, "#details h2") == "records.py:32"
    assert text(browser, "#details .related h3") == "Python lines 1"
    browser.evaluate("document.querySelector('#details tr[aria-selected]').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    browser.press("Enter")
    assert text(browser, "#details h2") == "records.py:35"
    pick(browser, "section[aria-label='types and regions, allocation sites']", "Entry")
    assert text(browser, "#details h2") == "Entry"
    related = browser.evaluate("[...document.querySelectorAll('.related h3')].map(h => h.innerText)")
    assert any(each.startswith("lines and the types they miss on") for each in related)
    assert any(each.startswith("lifetimes") for each in related)


def test_native_lines_of_a_memory_profile_are_listed_without_their_text(
    browser: HeadlessChromium, tmp_path: Path
) -> None:
    show(browser, tmp_path, memory_report(inventory_profile()))
    browser.press_button(MEMORY_CODE, "native functions")
    pick(browser, MEMORY_CODE, "unicodekeys_lookup_unicode")
    assert "The text of ./Objects/dictobject.c is not in this page" in text(browser, "#details .empty")
    numbers = browser.evaluate("[...document.querySelectorAll('#details .source .line')].map(c => c.innerText)")
    assert {"899", "902"} <= set(numbers)


@pytest.mark.parametrize("made", [empty_profile, counted_profile])
def test_a_memory_profile_of_which_little_is_known_says_so(
    browser: HeadlessChromium, tmp_path: Path, made: Callable[[], MemoryProfile]
) -> None:
    show(browser, tmp_path, memory_report(made()))
    assert browser.problems == []
    said = "no data access was counted" if made is empty_profile else "accesses were only counted"
    assert said in browser.evaluate("document.body.innerText")


def test_a_large_memory_profile_opens_as_a_small_one_does(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, memory_report(large_profile(lines=5_000)))
    assert path.stat().st_size <= MAX_PAGE_BYTES
    assert browser.problems == []
    assert "source files did not fit in this page" in text(browser, "#blocks > .notice")
    lines = "section[aria-label^='Python lines']"
    assert int(text(browser, f"{lines} h2").split()[-1].replace(",", "")) > 1000
    assert browser.evaluate(f'document.querySelectorAll("{lines} tbody tr").length') < 100


def channels(browser: HeadlessChromium, selector: str, style: str, over: str = "") -> list[float]:
    """Red, green and blue, drawn on a canvas, which knows every way to write a colour."""
    below = f"getComputedStyle(document.querySelector({over!r})).backgroundColor" if over else "'#000'"
    found: list[float] = browser.evaluate(
        "(() => { const c = document.createElement('canvas').getContext('2d');"
        f" for (const colour of [{below}, getComputedStyle(document.querySelector({selector!r})).{style}])"
        " { c.fillStyle = colour; c.fillRect(0, 0, 1, 1); }"
        " return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255); })()"
    )
    return found


def luminance(rgb: list[float]) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: list[float], second: list[float]) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)
