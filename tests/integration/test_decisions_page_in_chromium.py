"""The page of decisions in a real browser: two trees side by side, folded, searched, walked with keys, at any width."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_consistency import everything
from made_decisions import (
    GET,
    called,
    decided,
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
from sonde.evidence import Doubt
from sonde.instruments.decisions.analysis import compare_runs
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.model import (
    DecisionRun,
    Phase,
    ReceiverProfile,
    ReceiverType,
    SourceRange,
    Trees,
)
from sonde.instruments.decisions.report import comparison_page, consistency_report, run_page
from sonde.render.html import write_report_page

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\"><script>window.broken='script'</script>"

LEAST_CONTRAST = 4.5
"""Of text with what is behind it: Web Content Accessibility Guidelines 2.1, success criterion 1.4.3."""

MANY = 10_000
FINDINGS = "section[aria-label='what differs most']"
METHODS = "section[aria-label='compared methods']"
UNITS = "section[aria-label='hot compilation units']"


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, width=1280, height=1000) as chromium:
        yield chromium


def show(browser: HeadlessChromium, folder: Path, first: DecisionRun, second: DecisionRun | None = None) -> Path:
    path = folder / "page.html"
    policy = HeatPolicy(percentile=1.0)
    if second is None:
        report = run_page(made_experiment(first, policy=policy))
    else:
        report = comparison_page(compare_runs(*made_sides(first, second, policy)))
    write_report_page(report, path)
    browser.open(path)
    return path


def slow_and_fast(browser: HeadlessChromium, folder: Path) -> Path:
    doubts = [Doubt("bad-line", "one line is cut off", 3)]
    return show(browser, folder, graal_run(doubts=doubts), graal_run(is_fast=False))


def text(browser: HeadlessChromium, selector: str) -> str:
    return re.sub(r"[^\S\n]+", " ", browser.text_of(selector)).strip()


def rows(browser: HeadlessChromium, card: str = ".deck") -> list[str]:
    """What is to be read in each row of a card that exists, its cells apart."""
    found: list[str] = browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(card + ' tbody tr[data-key]')})]"
        ".map(r => [...r.cells].map(c => c.innerText.trim()).join('|').replace(/\\s+/g, ' '))"
    )
    return found


def click_row(browser: HeadlessChromium, name: str, what: str = "", card: str = ".deck") -> None:
    """Click on the first row with this name in it, or on a part of it."""
    part = f".querySelector({json.dumps(what)})" if what else ""
    browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(card + ' tbody tr[data-key]')})]"
        f".find(r => r.innerText.includes({json.dumps(name)})){part}.click()"
    )


def click_button(browser: HeadlessChromium, label: str, card: str = ".deck") -> None:
    browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(card + ' button')})]"
        f".find(b => b.textContent.startsWith({json.dumps(label)})).click()"
    )


def shown_tree(browser: HeadlessChromium) -> str:
    return text(browser, ".deck .choice [aria-pressed='true']")


def test_it_opens_from_disk_without_a_complaint_or_a_request(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = slow_and_fast(browser, tmp_path)
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert "in 2 hot units\n60.2%" in text(browser, "#head")
    assert "bad-line (3): A: one line is cut off" in text(browser, "#head")


def test_what_differs_most_comes_first_and_leads_to_its_place(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    first, second = rows(browser, FINDINGS)
    assert first.startswith("java.util.HashMap.get(Object)") and "B, direct: too early; too big: 612 nodes" in first
    assert "LoopTransformations" in second
    assert shown_tree(browser) == "inlining 6"
    click_row(browser, "LoopTransformations", card=FINDINGS)
    assert shown_tree(browser) == "optimizations 16"
    click_button(browser, "optimizations of", "#details")
    assert "LoopPeeling" in text(browser, ".deck tr[aria-selected]")


def test_both_sides_stand_beside_each_other(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    assert text(browser, ".deck thead") == "A runs/fast B runs/slow"
    changed = next(row for row in rows(browser) if "|*|" in row)
    left, _, right = changed.partition("|*|")
    assert left.startswith("inlined HashMap.get(Object)|bci 5|relevance-based")
    assert right.startswith("direct HashMap.get(Object)|bci 5|too big: 612 nodes")
    only = next(row for row in rows(browser) if "HashMap.hash" in row)
    assert only.partition("|\N{MINUS SIGN}|")[2] == "||"


def test_what_is_the_same_is_folded_until_somebody_asks(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    assert not any("println" in row for row in rows(browser))
    assert any("2 the same" in row for row in rows(browser))
    click_button(browser, "Show what is the same")
    assert any("println" in row for row in rows(browser))
    click_button(browser, "Show what is the same")
    browser.evaluate("document.querySelector('.deck tr.gap').click()")
    assert any("println" in row for row in rows(browser))
    assert not any("the same" in row for row in rows(browser))


def test_nodes_fold_and_unfold(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    before = rows(browser)
    click_row(browser, "HashMap.get", ".arrow")
    folded = rows(browser)
    assert len(folded) == len(before) - 2
    assert any("2 below" in row for row in folded)
    click_row(browser, "HashMap.get", ".arrow")
    assert rows(browser) == before
    click_button(browser, "close all")
    assert len(rows(browser)) == 1


def test_the_tree_is_walked_with_the_keyboard(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    browser.evaluate("document.querySelector('.deck tr[data-key=\"0\"]').focus()")
    browser.press("ArrowDown")
    assert "HashMap.get" in browser.evaluate("document.activeElement.innerText")
    browser.press("ArrowLeft")
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    browser.press("ArrowRight")
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    browser.press("Enter")
    assert "A note\nrelevance-based, 33 nodes" in text(browser, "#details .cells")
    browser.press("End")
    assert browser.evaluate("document.activeElement.className") == "gap"
    browser.press("Enter")
    assert "println" in browser.evaluate("document.activeElement.innerText")
    assert browser.problems == []


def test_details_tell_what_each_side_said_and_what_it_means(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    click_row(browser, "HashMap.get")
    told = text(browser, "#details .cells")
    assert "A what was said\ntoo early\nrelevance-based, 33 nodes" in told
    assert "B what was said\ntoo early\ntoo big: 612 nodes" in told
    assert "The callee is too large to be inlined." in told
    assert told.count("bci 5") == 1
    show(browser, tmp_path, graal_run())
    click_row(browser, "Object.hashCode")
    assert "87.5% app.Key \N{RIGHTWARDS ARROW} app.Key.hashCode()" in text(browser, "#details .cells")


def test_a_unit_shows_its_trees(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, graal_run())
    assert text(browser, ".deck h2") == "app.Hot.work(int)"
    click_button(browser, "optimizations in context")
    assert any("AllocationVirtualization" in row for row in rows(browser))
    click_row(browser, "app.Hot.start", card=UNITS)
    assert text(browser, ".deck h2") == "app.Hot.start(String[])"
    assert shown_tree(browser).startswith("inlining")


def test_search_counts_in_all_trees_and_walks_over_their_rows(browser: HeadlessChromium, tmp_path: Path) -> None:
    second = Trees(root("a.Other.run()", called(GET, 3)), Phase("RootPhase"))
    show(browser, tmp_path, made_run([made_unit(0, work_trees(), period=600), made_unit(1, second, period=100)]))
    browser.press("/")
    browser.type("hashmap.get")
    assert int(text(browser, "#found").partition(" ")[0]) >= 4
    assert text(browser, ".deck > button") == "found in 1 more unit; next: a.Other.run()"
    browser.evaluate("document.querySelector('.deck > button').click()")
    assert text(browser, ".deck h2") == "a.Other.run()"
    assert any("HashMap.get" in row for row in rows(browser))
    browser.press("/")
    browser.type("no such name")
    assert text(browser, "#found") == "nothing found"


def test_search_finds_what_is_folded(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    browser.press("/")
    browser.type("println")
    assert [row.split("|")[0] for row in rows(browser)] == ["Hot.work(int)", "direct PrintStream.println(String)"]


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
        click_button(browser, tree)
        browser.evaluate("[...document.querySelectorAll('.deck tr[data-key]')].at(-1).click()")
    browser.press("/")
    browser.type("<img")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert browser.problems == []
    assert text(browser, ".deck h2") == HOSTILE


def test_ten_thousand_nodes_open_and_scroll(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made_run([made_unit(0, wide_trees(MANY), period=9)]))
    click_button(browser, "open all")
    assert len(rows(browser)) < 200
    browser.evaluate("document.querySelector('.deck .scroller').scrollTop = 1e9")
    browser.wait_until(
        f"[...document.querySelectorAll('.deck .main')].some(n => n.textContent === 'Wide.call{MANY - 1}()')"
    )
    browser.press("/")
    browser.type(f"call{MANY - 7}(")
    assert any(f"Wide.call{MANY - 7}()" in row for row in rows(browser))
    assert browser.problems == []


def test_what_is_the_same_in_large_trees_is_one_row(browser: HeadlessChromium, tmp_path: Path) -> None:
    first, second = (made_run([made_unit(0, wide_trees(1000, skip=skip), period=9)]) for skip in (-1, 700))
    show(browser, tmp_path, first, second)
    told = [row.split("|")[0] for row in rows(browser)]
    assert told[1] == "\N{VERTICAL ELLIPSIS} 700 the same" and told[3] == "\N{VERTICAL ELLIPSIS} 299 the same"
    click_button(browser, "Show what is the same")
    assert 10 < len(rows(browser)) < 200
    assert browser.problems == []


def test_methods_without_a_partner_say_so(browser: HeadlessChromium, tmp_path: Path) -> None:
    first = made_run([made_unit(0, Trees(root("only.First.run()"), Phase("R")), period=900)])
    second = made_run([made_unit(0, Trees(root("only.Second.run()"), Phase("R")), period=900)])
    show(browser, tmp_path, first, second)
    click_row(browser, "only.First", card=METHODS)
    told = text(browser, "#details .cells")
    assert "nothing to compare it with" in told and "not compiled, and not inlined into a hot unit" in told
    assert browser.problems == []


def test_runs_without_units_have_a_page(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made_run([]))
    assert "no units to show" in text(browser, "body")
    assert browser.problems == []


def test_a_narrow_window_has_both_sides_in_one_column(browser: HeadlessChromium, tmp_path: Path) -> None:
    browser.resize(420, 900)
    try:
        slow_and_fast(browser, tmp_path)
        changed = next(row for row in rows(browser) if row.startswith("*|"))
        assert changed.startswith("*|inlined \N{RIGHTWARDS ARROW} direct HashMap.get(Object)|bci 5")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 420
        show(browser, tmp_path, llvm_run_of(tmp_path))  # a path longer than the window is wide
        click_row(browser, "scale")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 420
    finally:
        browser.resize(1280, 1000)


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable_in_both_themes(dark: bool, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, width=1280, height=1000, dark=dark) as browser:
        slow_and_fast(browser, tmp_path)
        click_button(browser, "optimizations")
        second = sorted(set(classes(browser)))
        click_button(browser, "inlining")
        assert {*second, *classes(browser)} >= {"first", "notable"}
        card = channels(browser, ".deck .card", "backgroundColor")
        for row in ("first", "notable"):
            tint = channels(browser, f".deck tr.{row}", "backgroundColor")
            behind = [0.91 * under + 0.09 * over for under, over in zip(card, tint, strict=True)]
            for part in ("td.lead", ".sign"):
                assert contrast(channels(browser, f".deck tr.{row} {part}", "color"), behind) >= LEAST_CONTRAST


def classes(browser: HeadlessChromium) -> list[str]:
    found: list[str] = browser.evaluate("[...document.querySelectorAll('.deck tr[data-key]')].map(r => r.className)")
    return found


def channels(browser: HeadlessChromium, selector: str, style: str) -> list[float]:
    """Red, green and blue of a computed colour, 0 to 1, as the browser draws it without what lies behind it."""
    found: list[int] = browser.evaluate(
        "(() => { const pixel = document.createElement('canvas').getContext('2d');"
        f"pixel.fillStyle = getComputedStyle(document.querySelector({json.dumps(selector)})).{style};"
        "pixel.fillRect(0, 0, 1, 1); return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3); })()"
    )
    return [number / 255 for number in found]


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


def test_a_decision_is_selected_with_its_line_in_the_source(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run_of(tmp_path))
    click_button(browser, "optimizations")
    click_row(browser, "Vectorized")
    assert "does VectorizationFactor iterations at once" in text(browser, "#details .cells")
    browser.wait_until("document.querySelector('#details .source tr[aria-selected]') !== null")
    assert text(browser, "#details .source tr[aria-selected]") == "13 s += a[i] < 3;"
    assert browser.problems == []


def test_a_line_of_the_source_tells_what_was_decided_there(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run_of(tmp_path), llvm_run_of(tmp_path, is_fast=False))
    browser.evaluate(
        "[...document.querySelectorAll('#details .source tr.counted')].find(r => r.innerText.startsWith('14')).click()"
    )
    told = text(browser, "#details .related")
    assert "inlining of sum 1" in told and "scale" in told
    click_button(browser, "scale", "#details .related")
    assert "what differs most" in text(browser, "#details .soft")


def test_sources_that_could_not_be_read_are_said(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, llvm_run())
    assert "sources that could not be read: /src/app/sum.c" in text(browser, "#head")


def test_the_legend_tells_kinds_and_signs(browser: HeadlessChromium, tmp_path: Path) -> None:
    slow_and_fast(browser, tmp_path)
    told = text(browser, "#blocks")
    for part in (
        "inlined: its code is in the caller",
        "deleted: the call is gone",
        "- only in A, + only in B, * changed",
    ):
        assert part in told
    assert browser.evaluate("document.querySelector('.deck tr.first .sign').title") == "only in A"


def test_what_tells_groups_apart_has_what_the_words_mean_and_what_follows(
    browser: HeadlessChromium, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    write_report_page(consistency_report(everything(), kind="graal"), path)
    browser.open(path)
    card = "section[aria-label^='what tells fast from slow']"
    assert "java.util.HashMap.get(Object)" in rows(browser, card)[0]
    click_row(browser, "HashMap.get", card=card)
    told = text(browser, "#details .cells")
    assert "too big: The callee is too large to be inlined." in told
    figure = browser.evaluate("document.querySelector('#details .figures svg').getAttribute('aria-label')")
    assert figure == "fast runs: 100.0%, 75.0%; slow runs: 0.0%, 25.0%"
    assert browser.evaluate("document.querySelectorAll('#details .figures circle').length") == 4
    assert "AllocationVirtualization" in text(browser, "section[aria-label='what follows from others']")
    assert browser.problems == []
