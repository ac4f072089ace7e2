"""The page of decisions in a real browser: opened from disk, unfolded, searched, walked with keys, at any width."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_decisions import (
    GET,
    WORK,
    called,
    callers_of_get,
    decided,
    every_kind,
    graal_run,
    inlined,
    llvm_run,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
    wide_trees,
    work_trees,
)
from sonde.instruments.decisions.analysis import compare_runs
from sonde.instruments.decisions.analysis.words import KIND_MEANING
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.model import (
    Decision,
    DecisionRun,
    Doubt,
    Phase,
    ReceiverProfile,
    ReceiverType,
    SourceRange,
    Trees,
)
from sonde.instruments.decisions.report.html import write_differences, write_run

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\"><script>window.broken='script'</script>"

LEAST_CONTRAST = 4.5
"""Of text with what is behind it: Web Content Accessibility Guidelines 2.1, success criterion 1.4.3."""

MANY = 50_000


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, height=1000) as chromium:
        yield chromium


def show(browser: HeadlessChromium, folder: Path, first: DecisionRun, second: DecisionRun | None = None) -> Path:
    path = folder / "page.html"
    policy = HeatPolicy(percentile=1.0)
    if second is None:
        write_run(made_experiment(first, policy=policy), path)
    else:
        write_differences(compare_runs(*made_sides(first, second, policy)), path)
    browser.open(path)
    return path


def slow_and_fast(browser: HeadlessChromium, folder: Path) -> Path:
    doubts = [Doubt("bad-line", "one line is cut off", 3)]
    return show(browser, folder, graal_run(doubts=doubts), graal_run(is_fast=False))


def text(browser: HeadlessChromium, selector: str) -> str:
    return str(browser.evaluate(f"document.querySelector({selector!r}).innerText")).strip()


def rows(browser: HeadlessChromium) -> list[str]:
    """What is to be read in each row of the tree that exists."""
    found: list[str] = browser.evaluate(
        "[...document.querySelectorAll('#detail tbody tr[data-key]')]"
        ".map(r => [...r.cells].map(c => c.innerText.trim()).join('|').replace(/\\s+/g, ' '))"
    )
    return found


def state(browser: HeadlessChromium) -> dict[str, Any]:
    found: dict[str, Any] = browser.evaluate("sonde.state()")
    return found


def click_row(browser: HeadlessChromium, name: str, what: str) -> None:
    """Click on a part of the first row with this name in it."""
    browser.evaluate(
        "[...document.querySelectorAll('#detail tbody tr[data-key]')]"
        f".find(r => r.innerText.includes({name!r})).querySelector({what!r}).click()"
    )


def test_it_opens_from_disk_without_a_complaint_or_a_request(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = slow_and_fast(browser, tmp_path)
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert "60.2% in 2 hot units" in text(browser, "#runs")
    assert "A: bad-line: one line is cut off (3 times)" in text(browser, "#notices")


def test_what_differs_most_comes_first_and_leads_to_its_place(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    first = text(browser, "#findings li")
    assert "HashMap.get(Object)" in first
    assert "inlined in A, direct in B; 3 differences follow" in first
    browser.evaluate("document.querySelectorAll('#findings .subject')[1].click()")
    assert state(browser)["tree"] == "optimizations"
    assert "LoopPeeling" in browser.evaluate("document.activeElement.innerText")


@pytest.mark.parametrize(("callers", "told"), [(3, ""), (4, ""), (5, "and 1 more place"), (7, "and 3 more places")])
def test_a_difference_in_several_places_tells_the_first_of_them(
    callers: int, told: str, browser: HeadlessChromium, tmp_path: Path
) -> None:
    fast, slow = (callers_of_get(is_fast=is_fast, callers=callers) for is_fast in (True, False))
    show(browser, tmp_path, fast, slow)
    places = [f"bci 5 in C{number}.f()" for number in range(min(callers, 4))]
    found = browser.evaluate("[...document.querySelectorAll('#findings li .at')].map(s => s.innerText.trim())")
    assert found == places + ([told] if told else [])


def place_after_click(browser: HeadlessChromium, place: str) -> str:
    """Where the page says that the row is, to which it went from the finding in this place."""
    browser.evaluate(
        "[...document.querySelectorAll('#findings li')]"
        f".find(li => li.querySelector('.at').innerText === {place!r}).querySelector('.subject').click()"
    )
    return text(browser, "#place")


def test_a_call_is_found_in_the_code_of_its_caller(browser: HeadlessChromium, tmp_path: Path) -> None:
    def run(*, is_first: bool) -> DecisionRun:
        """`get` is inlined into the first caller or into the second."""
        gets = [inlined(GET, 5), called(GET, 5, reasons=["too big"])]
        first, second = gets if is_first else gets[::-1]
        calls = root(WORK, inlined("a.First.f()", 1, first), inlined("a.Second.f()", 2, second))
        return made_run([made_unit(0, Trees(calls, Phase("R")), period=900)])

    show(browser, tmp_path, run(is_first=True), run(is_first=False))
    assert "a.First.f()" in place_after_click(browser, "bci 5 in First.f()")
    assert "a.Second.f()" in place_after_click(browser, "bci 5 in Second.f()")


def test_a_call_that_differs_because_of_another_is_not_taken_for_it(browser: HeadlessChromium, tmp_path: Path) -> None:
    def run(*, is_fast: bool) -> DecisionRun:
        """A caller of `get` is inlined twice in the fast run: once the slow one does not, and once not its `get`."""
        get = called(GET, 5, reasons=["too big"])
        first = inlined("a.C.f()", 1, inlined(GET, 5)) if is_fast else called("a.C.f()", 1, reasons=["cold"])
        second = inlined("a.C.f()", 2, inlined(GET, 5) if is_fast else get)
        return made_run([made_unit(0, Trees(root(WORK, first, second), Phase("R")), period=900)])

    show(browser, tmp_path, run(is_fast=True), run(is_fast=False))
    assert "called at bci 2" in place_after_click(browser, "bci 5 in C.f()")


def test_calls_in_one_line_are_told_apart_by_the_column(browser: HeadlessChromium, tmp_path: Path) -> None:
    def run(*, is_first: bool) -> DecisionRun:
        sites = [replace(inlined("g", 4), column=3), replace(called("g", 4, reasons=["too big"]), column=9)]
        if not is_first:
            sites = [replace(called("g", 4, reasons=["too big"]), column=3), replace(inlined("g", 4), column=9)]
        return made_run([made_unit(0, Trees(root("f", *sites), Phase("R")), period=900)], kind="llvm")

    show(browser, tmp_path, run(is_first=True), run(is_first=False))
    assert "line 4:3" in place_after_click(browser, "line 4:3 in f")
    assert "line 4:9" in place_after_click(browser, "line 4:9 in f")


@pytest.mark.parametrize("order", [1, -1])
def test_a_decision_is_found_where_it_is_and_not_where_another_of_its_name_is(
    order: int, browser: HeadlessChromium, tmp_path: Path
) -> None:
    def run(*, is_fast: bool) -> DecisionRun:
        decisions: list[Phase | Decision] = [decided("licm", "Hoisted", ("m()", 7)), decided("licm", "Hoisted")]
        phases = Phase("R", decisions[::order] if is_fast else [])
        return made_run([made_unit(0, Trees(root("m()"), phases), period=900)], kind="llvm")

    show(browser, tmp_path, run(is_fast=True), run(is_fast=False))
    assert "line 7" in place_after_click(browser, "line 7 in m()")
    assert "position not known" in place_after_click(browser, "in m()")


@pytest.mark.parametrize("kind", range(len(every_kind())), ids=[run.kind for run in every_kind()])
def test_every_difference_leads_to_a_row(kind: int, browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, every_kind()[kind], every_kind(is_fast=False)[kind])
    names = browser.evaluate("[...document.querySelectorAll('#findings .subject')].map(b => b.innerText)")
    assert names
    for number, name in enumerate(names):
        browser.evaluate(f"document.querySelectorAll('#findings .subject')[{number}].click()")
        assert name in browser.evaluate("document.activeElement.closest('#detail tr').innerText")


def test_both_sides_stand_beside_each_other(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    changed = next(row for row in rows(browser) if "|*|" in row)
    left, _, right = changed.partition("|*|")
    assert "inlined HashMap.get(Object)" in left
    assert "direct HashMap.get(Object)" in right
    deleted = next(row for row in rows(browser) if "HashMap.hash" in row)
    assert deleted.split("|")[1:] == ["-", ""]


def test_what_is_the_same_is_folded_until_somebody_asks(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    assert not any("println" in row for row in rows(browser))
    assert any("2 the same" in row for row in rows(browser))
    browser.evaluate("document.querySelector('#dull').click()")
    assert any("println" in row for row in rows(browser))
    browser.evaluate("document.querySelector('#dull').click()")
    browser.evaluate("document.querySelector('#detail tr.gap').click()")
    assert any("println" in row for row in rows(browser))
    assert not any("the same" in row for row in rows(browser))


def test_nodes_fold_and_unfold(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    before = rows(browser)
    click_row(browser, "HashMap.get", ".twisty")
    folded = rows(browser)
    assert len(folded) == len(before) - 2
    assert any("2 below" in row for row in folded)
    click_row(browser, "HashMap.get", ".twisty")
    assert rows(browser) == before
    browser.evaluate("document.querySelector('#close').click()")
    assert len(rows(browser)) < len(before)


def test_reasons_and_receivers_unfold_on_both_sides(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    click_row(browser, "HashMap.get", ".why")
    told = [row for row in rows(browser) if "reason" in row]
    assert any("relevance-based, 33 nodes" in row and "too big: 612 nodes" in row for row in told)
    only_receivers = called("a.X.run()", 3, receivers=ReceiverProfile(True, (ReceiverType("a.Y", 1.0),)), indirect=True)
    trees = Trees(root("m()", only_receivers), Phase("R"))
    show(browser, tmp_path, made_run([made_unit(0, trees, period=9)]))
    click_row(browser, "X.run", ".why")
    assert any("100.0% a.Y" in row for row in rows(browser))
    show(browser, tmp_path, graal_run())
    click_row(browser, "Object.hashCode", ".why")
    assert any("87.5% app.Key \N{RIGHTWARDS ARROW} app.Key.hashCode()" in row for row in rows(browser))


def test_the_tree_is_walked_with_the_keyboard(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    browser.evaluate("document.querySelector('#detail tr[data-key=\"0\"]').focus()")
    browser.press("ArrowDown")
    assert "HashMap.get" in browser.evaluate("document.activeElement.innerText")
    browser.press("ArrowLeft")
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    browser.press("ArrowRight")
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    browser.press("Enter")
    assert any("reason" in row for row in rows(browser))
    browser.press("End")
    assert browser.evaluate("document.activeElement.className") == "gap"
    browser.press("Enter")
    assert any("println" in row for row in rows(browser))


def test_a_row_tells_its_inline_stack_on_focus(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, graal_run())
    browser.evaluate("[...document.querySelectorAll('#trees button')].find(b => b.value === 'optimizations').click()")
    browser.evaluate("document.querySelector('#open').click()")
    browser.evaluate(
        "[...document.querySelectorAll('#detail tr')]"
        ".find(r => r.innerText.includes('AllocationVirtualization')).focus()"
    )
    stack = text(browser, "#place .stack")
    assert re.sub(r"\s+", " ", stack) == (
        "java.util.HashMap.hash(Object)bci 1 java.util.HashMap.get(Object)bci 2 app.Hot.work(int)bci 5"
    )


def test_lines_name_the_file(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run(), llvm_run(is_fast=False))
    assert any("sum.c:14" in row for row in rows(browser))
    assert "/src/app/sum.c:10" in text(browser, "#about")


def test_search_counts_highlights_and_jumps(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    browser.press("/")
    browser.type("println")
    assert text(browser, "#found") == "1 match in 1 method"
    browser.press("Enter")
    assert text(browser, "#found") == "1 of 1 match"
    assert "println" in text(browser, "#detail tr.match")
    browser.press("Escape")
    assert text(browser, "#found") == ""
    browser.type("no such name")
    assert text(browser, "#units .empty") == "Nothing here matches."


def test_search_walks_over_trees_and_methods(browser: HeadlessChromium, tmp_path: Path) -> None:
    def run() -> DecisionRun:
        second = Trees(root("a.Other.run()", called(GET, 3)), Phase("RootPhase"))
        return made_run([made_unit(0, work_trees(), period=600), made_unit(1, second, period=100)])

    show(browser, tmp_path, run())
    browser.press("/")
    browser.type("hashmap.get")
    # Of each unit the inlining tree and the context tree.
    assert text(browser, "#found") == "4 matches in 2 methods"
    methods = []
    for _ in range(5):
        browser.press("Enter")
        methods.append((state(browser)["method"], state(browser)["tree"]))
    assert methods == [(0, "inlining"), (0, "context"), (1, "inlining"), (1, "context"), (0, "inlining")]


def test_names_stay_text(browser: HeadlessChromium, tmp_path: Path) -> None:
    types = (ReceiverType(HOSTILE, 0.5, HOSTILE),)
    calls = root(
        HOSTILE, called(HOSTILE, 3, reasons=[HOSTILE], receivers=ReceiverProfile(True, types)), inlined(HOSTILE, 4)
    )
    trees = Trees(calls, Phase(HOSTILE, [decided(HOSTILE, HOSTILE, (HOSTILE, 1), key=HOSTILE)]))
    run = made_run([made_unit(0, trees, period=5, name=HOSTILE)], name=HOSTILE, doubts=[Doubt(HOSTILE, HOSTILE)])
    other = made_run([made_unit(0, Trees(root(HOSTILE), Phase("R")), period=5)], name=HOSTILE)
    show(browser, tmp_path, run, other)
    for tree in ("optimizations", "inlining"):
        browser.evaluate(f"[...document.querySelectorAll('#trees button')].find(b => b.value === {tree!r}).click()")
        browser.evaluate("document.querySelector('#open').click()")
        browser.evaluate("document.querySelector('#detail tbody tr:nth-child(3)').focus()")
    browser.evaluate("document.querySelector('.why')?.click()")
    browser.press("/")
    browser.type("<img")
    browser.press("Enter")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert browser.problems == []
    assert text(browser, "#detail h2") == HOSTILE


def test_a_hundred_thousand_nodes_open_and_scroll(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made_run([made_unit(0, wide_trees(MANY), period=9)]))
    assert state(browser)["rows"] == MANY + 1
    assert browser.evaluate("document.querySelectorAll('#detail tbody tr').length") < 200
    browser.evaluate("document.querySelector('#detail .scroller').scrollTop = 1e9")
    browser.wait_until(
        f"[...document.querySelectorAll('#detail .name')].some(n => n.textContent === 'Wide.call{MANY - 1}()')"
    )
    browser.press("/")
    browser.type(f"call{MANY - 7}(")
    browser.press("Enter")
    assert f"Wide.call{MANY - 7}()" in text(browser, "#detail tr.match")
    assert browser.problems == []


@pytest.mark.timing
def test_ten_times_as_many_nodes_take_no_more_than_that_to_open(browser: HeadlessChromium, tmp_path: Path) -> None:
    """In the same browser one after the other, with room for what comes between; what is quadratic takes 100 times."""
    took_ms = []
    for nodes in (MANY // 10, MANY):
        show(browser, tmp_path, made_run([made_unit(0, wide_trees(nodes), period=9)]))
        took_ms.append(browser.evaluate("performance.timing.domComplete - performance.timing.navigationStart"))
    assert took_ms[1] < 30 * took_ms[0]


def test_methods_without_a_pair_say_so(browser: HeadlessChromium, tmp_path: Path) -> None:
    first = made_run([made_unit(0, Trees(root("only.First.run()"), Phase("R")), period=900)])
    second = made_run([made_unit(0, Trees(root("only.Second.run()"), Phase("R")), period=900)])
    show(browser, tmp_path, first, second)
    assert "nothing to compare it with" in text(browser, "#detail .empty")
    assert "not compiled, and not inlined into a hot unit" in text(browser, "#about")
    assert browser.problems == []


def test_runs_without_units_have_a_page(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made_run([]))
    assert "there are no compilation units" in text(browser, "#notices")
    assert browser.problems == []


def test_a_narrow_window_has_both_sides_in_one_column(browser: HeadlessChromium, tmp_path: Path) -> None:
    browser.resize(420, 900)
    try:
        slow_and_fast(browser, tmp_path)
        assert any(re.search(r"inlined \N{RIGHTWARDS ARROW} direct ?HashMap.get", row) for row in rows(browser))
        assert browser.evaluate("document.documentElement.scrollWidth") <= 420
        show(browser, tmp_path, llvm_run_of(tmp_path))  # a path longer than the window is wide
        click_tree(browser, "source")
        browser.evaluate("document.querySelectorAll('#legend details').forEach(d => { d.open = true; })")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 420
    finally:
        browser.resize(1280, 1000)


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable_in_both_themes(dark: bool, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, height=1000, dark=dark) as browser:
        slow_and_fast(browser, tmp_path)
        page = channels(browser, "#detail tr.changed", "backgroundColor")
        for selector in ("#detail tr.changed .name", "#detail tr.changed .sign", "#detail tr.changed .at"):
            assert contrast(channels(browser, selector, "color"), page) >= LEAST_CONTRAST, selector
        for row in ("deleted",):
            behind = channels(browser, f"#detail tr.{row}", "backgroundColor")
            for part in (".name", ".sign", ".at"):
                assert contrast(channels(browser, f"#detail tr.{row} {part}", "color"), behind) >= LEAST_CONTRAST


def channels(browser: HeadlessChromium, selector: str, style: str) -> list[float]:
    found = browser.evaluate(f"getComputedStyle(document.querySelector({selector!r})).{style}")
    return [int(number) / 255 for number in re.findall(r"\d+", found)[:3]]


def luminance(rgb: list[float]) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: list[float], second: list[float]) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


SUM_C = "\n" * 9 + (
    "long sum(const long *a, long n) {\n"
    "  long s = 0;\n"
    "  for (long i = 0; i < n; i++)\n"
    "    s += a[i] < 3;\n"
    "  return scale(s);\n"
    "}\n"
)


def llvm_run_of(folder: Path, *, is_fast: bool = True) -> DecisionRun:
    """The run of `sum.c`, which lies in the folder; `scale.h` does not."""
    run = llvm_run(is_fast=is_fast)
    (folder / "sum.c").write_text(SUM_C)
    run.sources["sum"] = SourceRange(str(folder / "sum.c"), 10)
    return run


def source_rows(browser: HeadlessChromium) -> list[str]:
    found: list[str] = browser.evaluate(
        "[...document.querySelectorAll('.listing tr[data-key]')]"
        ".map(r => [...r.cells].map(c => c.innerText.trim()).join('|').replace(/\\s+/g, ' '))"
    )
    return found


def click_tree(browser: HeadlessChromium, name: str) -> None:
    browser.evaluate(f"[...document.querySelectorAll('#trees button')].find(b => b.value === {name!r}).click()")


def test_source_lines_have_what_was_decided_there_below_them(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run_of(tmp_path))
    click_tree(browser, "source")
    told = source_rows(browser)
    loop = told.index("13|s += a[i] < 3;")
    assert told[loop + 1].startswith("|loop-vectorize Vectorized VectorizationFactor 4")
    call = told.index("14|return scale(s);")
    assert told[call + 1] == "|inlined scale cost=-20, threshold=225"
    assert "10|long sum(const long *a, long n) {" in told
    browser.evaluate("[...document.querySelectorAll('.listing .said')].at(-1).click()")
    assert state(browser)["tree"] == "inlining"
    assert "scale" in browser.evaluate("document.activeElement.innerText")
    assert browser.problems == []


def test_decisions_at_source_lines_are_walked_with_the_keyboard(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run_of(tmp_path))
    click_tree(browser, "source")
    browser.evaluate("document.querySelector('.listing .said').focus()")
    browser.press("ArrowDown")
    assert "inlined scale" in browser.evaluate("document.activeElement.innerText")
    browser.press("ArrowUp")
    assert "loop-vectorize Vectorized" in browser.evaluate("document.activeElement.innerText")
    assert "does VectorizationFactor iterations at once" in text(browser, "#place")
    browser.press("Enter")
    assert state(browser)["tree"] == "optimizations"


def test_source_begins_at_the_method_not_at_what_was_inlined_into_it(browser: HeadlessChromium, tmp_path: Path) -> None:
    above: list[Phase | Decision] = [decided("gvn", "LoadElim", ("above", line)) for line in range(1, 100)]
    unit = made_unit(0, Trees(root("sum", called("above", 201)), Phase("R", above)), period=9, name="sum")
    (tmp_path / "sum.c").write_text("".join(f"line {number}\n" for number in range(1, 300)))
    sources = {name: SourceRange(str(tmp_path / "sum.c"), line) for name, line in (("above", 1), ("sum", 200))}
    show(browser, tmp_path, made_run([unit], kind="llvm", sources=sources))
    click_tree(browser, "source")
    browser.wait_until("document.querySelector('.listing').scrollTop > 0")
    assert "200|line 200" in source_rows(browser)


def test_source_of_a_comparison_has_what_differs(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run_of(tmp_path), llvm_run_of(tmp_path, is_fast=False))
    click_tree(browser, "source")
    told = source_rows(browser)
    loop = told.index("13|s += a[i] < 3;")
    assert [row[0] for row in told[loop + 1 : loop + 3]] == ["-", "+"]
    assert any(row.startswith("*|inlined \N{RIGHTWARDS ARROW} direct scale") for row in told)
    show(browser, tmp_path, llvm_run_of(tmp_path), llvm_run_of(tmp_path))
    click_tree(browser, "source")
    assert not any("Vectorized" in row for row in source_rows(browser))
    browser.evaluate("document.querySelector('#dull').click()")
    assert any("Vectorized" in row for row in source_rows(browser))


def test_a_source_that_is_not_there_is_said(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run())
    assert "Sources missing: /src/app/sum.c" in text(browser, "#notices")
    click_tree(browser, "source")
    told = source_rows(browser)
    assert told[0] == "|/src/app/sum.c its text is not in this page"
    assert any("Vectorized" in row for row in told)


def test_runs_without_lines_have_no_source(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, graal_run())
    assert not browser.evaluate("[...document.querySelectorAll('#trees button')].some(b => b.value === 'source')")


def test_a_decision_is_explained_or_known_not_to_be(browser: HeadlessChromium, tmp_path: Path) -> None:
    odd = decided("licm", "NoSuchRemark", ("m()", 1))
    known = decided("licm", "Hoisted", ("m()", 1))
    unit = made_unit(0, Trees(root("m()"), Phase("R", [odd, known])), period=9)
    show(browser, tmp_path, made_run([unit], kind="llvm"))
    click_tree(browser, "optimizations")
    place = "[...document.querySelectorAll('#detail tr[data-key]')].find(r => r.innerText.includes('{}')).focus()"
    browser.evaluate(place.format("NoSuchRemark"))
    assert "Not in the glossary." in text(browser, "#place")
    browser.evaluate(place.format("Hoisted"))
    assert "licm Hoisted The instruction computes the same in each iteration" in text(browser, "#place")
    assert "moved before the loop" in browser.evaluate(
        "[...document.querySelectorAll('#detail .name')].find(n => n.innerText.includes('Hoisted')).title"
    )
    browser.evaluate("document.querySelector('.glossary summary').click()")
    browser.wait_until("document.querySelector('.glossary dl') !== null")
    assert "Not in the glossary: licm NoSuchRemark" in text(browser, ".glossary")


def test_the_legend_tells_kinds_and_signs(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    browser.evaluate("document.querySelector('#legend summary').click()")
    told = re.sub(r"\s+", " ", text(browser, "#legend"))
    kinds = [f"{kind.value} {meaning}" for kind, meaning in KIND_MEANING.items()]
    for part in (*kinds, "remark the compiler only says", "- only in A", "+ only in B", "* in both, and different"):
        assert part in told


def test_a_long_reason_is_there_to_its_end(browser: HeadlessChromium, tmp_path: Path) -> None:
    reason = " ".join(f"word{number}" for number in range(300))
    site = called("a.X.run()", 3, reasons=[reason])
    show(browser, tmp_path, made_run([made_unit(0, Trees(root("m()", site), Phase("R")), period=9)]))
    click_row(browser, "X.run", ".why")
    parts = "[...document.querySelectorAll('#detail tr.detail .said')].map(s => s.textContent)"
    assert " ".join(browser.evaluate(parts)) == reason
    browser.evaluate("document.querySelector('#detail tr.detail').previousSibling.focus()")
    assert reason in text(browser, "#place")
