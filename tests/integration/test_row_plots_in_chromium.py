"""Plots of rows in a real browser: drawn while their row is selected, stepped through, filtered, at any width."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_judgements import made_comparison, made_judgement, made_sample, made_steady_sample, made_summary
from made_plots import measured_report
from sonde.instruments.bench.judging import Judgement
from sonde.instruments.bench.report import judgement_report
from sonde.render.html import MAX_PAGE_BYTES, write_report_page
from sonde.report import Report
from sonde.stats.findings import Assumption

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\">"

MEMBER = "[...document.querySelectorAll('#details figcaption')].find(c => c.textContent.startsWith('iterations'))"


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, width=1300, height=900) as chromium:
        yield chromium


def show(browser: HeadlessChromium, folder: Path, shown: Report | Judgement) -> Path:
    path = folder / "page.html"
    write_report_page(shown if isinstance(shown, Report) else judgement_report(shown, of_rows=True), path)
    browser.open(path)
    return path


def text(browser: HeadlessChromium, selector: str) -> str:
    return browser.text_of(selector).strip()


def count(browser: HeadlessChromium, selector: str) -> int:
    found: int = browser.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")
    return found


def names(browser: HeadlessChromium, card: str) -> list[str]:
    query = f"section[aria-label={json.dumps(card)}] tr[data-key] td.lead .main"
    found: list[str] = browser.evaluate(f"[...document.querySelectorAll({json.dumps(query)})].map(b => b.textContent)")
    return found


def drawn(browser: HeadlessChromium) -> None:
    browser.wait_until("document.querySelector('.row-plot svg') !== null")


def test_the_first_row_with_a_plot_is_selected_and_drawn(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, measured_report())
    drawn(browser)
    assert browser.problems == [] and browser.requests == [path.as_uri()]
    assert text(browser, "#details h2") == "sort"
    assert "why\nbecause worse" in text(browser, "#details > .cells")
    labels = browser.evaluate("[...document.querySelectorAll('.row-plot svg')].map(s => s.getAttribute('aria-label'))")
    assert labels[0].startswith("Intervals: old mean 10.2 ms [10.1 ms, 10.3 ms]; new mean 11.5 ms")
    assert [label.partition(":")[0].partition(" of ")[0] for label in labels[1:]] == [
        *("Histogram", "In their order", "In their order", "Normal quantiles", "Autocorrelation"),
        *("Histogram", "In their order"),
    ]
    assert count(browser, ".row-plot .gap") == 1 and count(browser, ".plot-card") == 0
    assert "4: failed exit code 3" in text(browser, ".row-plot .gaps")
    assert "\N{MULTIPLICATION SIGN}: no value" in text(browser, ".row-plot")


def test_what_only_programs_read_is_closed_below_the_plot(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, measured_report())
    drawn(browser)
    assert "by hand" not in text(browser, "#details")
    browser.evaluate("document.querySelector('.row-plot summary').click()")
    assert "by hand" in text(browser, ".row-plot details")


def test_another_row_has_its_own_plot_or_keeps_that_of_both(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, measured_report())
    drawn(browser)
    browser.evaluate("document.querySelector('.row-plot .plot').mark = 1")
    browser.evaluate("document.querySelector(\"section[aria-label='series'] tr[data-key='1']\").click()")
    assert text(browser, "#details h2") == "new"
    assert browser.evaluate("document.querySelector('.row-plot .plot').mark") == 1
    browser.evaluate("document.querySelector(\"section[aria-label='comparisons'] tr[data-key='1']\").click()")
    assert text(browser, "#details h2") == "find"
    assert browser.evaluate("document.querySelector('.row-plot .plot').mark") is None


def test_iterations_of_any_invocation_can_be_looked_at(browser: HeadlessChromium, tmp_path: Path) -> None:
    runs = [[3.0, 2.0, *np.linspace(1.0, 1.0 + k / 100, 30).tolist()] for k in range(5)]
    shown = made_judgement(summaries=[made_summary(made_steady_sample(runs, steady_from=2), (0.9, 1.1))])
    show(browser, tmp_path, shown)
    browser.evaluate("document.querySelector('tr[data-key]').click()")
    drawn(browser)
    assert browser.evaluate(f"{MEMBER}.textContent").startswith("iterations of invocation 3: warms up")
    browser.evaluate("document.querySelector('[aria-label=\"the next one\"]').focus()")
    browser.press("Enter")
    browser.press("Enter")
    assert browser.evaluate(f"{MEMBER}.textContent").startswith("iterations of invocation 5: warms up")
    assert browser.evaluate("document.activeElement.getAttribute('aria-label')") == "the next one"
    assert count(browser, ".row-plot .beyond") == 1
    browser.press_button(".chooser", "whole range")
    assert count(browser, ".row-plot .beyond") == 0 and count(browser, ".row-plot .apart") == 1
    assert count(browser, ".row-plot .chosen") == 1


def test_a_click_on_a_value_shows_what_it_was_computed_from(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, measured_report())
    drawn(browser)
    x, y = browser.evaluate(
        "(() => { const s = document.querySelector('.choosing'); s.scrollIntoView({block: 'center'});"
        " const { left, top } = s.getBoundingClientRect();"
        " const far = s.querySelector('.far').getAttribute('d').match(/[\\d.]+/g).map(Number);"
        " return [left + far[0], top + far[1]]; })()"
    )
    browser.click(x + 1, y + 1)
    assert browser.evaluate(f"{MEMBER}.textContent").startswith("iterations of invocation 10")
    browser.move(x + 1, y - 1)
    assert text(browser, "#tooltip") == "12: 10.3 ms, far from the others"


def test_rows_of_one_kind_can_be_shown(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, two_files())
    assert text(browser, "#changed") == "regression"
    assert names(browser, "comparisons")[0] == "suite.worse_2" and len(names(browser, "comparisons")) == 12
    browser.press_button(".filter", "better")
    assert names(browser, "comparisons") == ["suite.better_2", "suite.better_1", "suite.better_0"]
    assert text(browser, "section[aria-label='comparisons'] h2") == "comparisons 3 of 12"
    assert text(browser, ".filter [aria-pressed='true']") == "better 3"
    browser.press("/")
    browser.type("BETTER_1")
    assert names(browser, "comparisons") == ["suite.better_1"]
    browser.type(" nothing like it")
    assert names(browser, "comparisons") == []
    browser.press("Escape")
    assert len(names(browser, "comparisons")) == 3
    browser.press_button(".filter", "all")
    assert len(names(browser, "comparisons")) == 12


def test_a_row_that_is_followed_is_shown_whatever_was_filtered(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, two_files())
    browser.press_button(".filter", "better")
    browser.evaluate("location.hash = '#worse:1'")
    browser.wait_until("document.querySelector('#details h2').innerText === 'suite.worse_2'")
    assert len(names(browser, "comparisons")) == 12 and path.exists()


def test_what_speaks_against_figures_is_told_before_them(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, measured_report())
    notices = text(browser, "#head .notices").split("\n")
    assert notices[0] == "busy: others ran" and notices[-1] == "each ran 12 times"
    assert text(browser, "#head .facts").split("\n") == ["intervals", "95%"]


def test_the_method_can_be_copied(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, measured_report())
    browser.evaluate("document.querySelector('.note-head').scrollIntoView()")
    browser.click_on(".note-head button")
    browser.wait_until("document.querySelector('.note-head [role=status]').textContent !== ''")
    assert text(browser, ".note-head [role=status]") == "copied"


def test_assumptions_are_told_with_the_series_that_they_are_of(browser: HeadlessChromium, tmp_path: Path) -> None:
    found = [
        Assumption("normality", False, "p < 0.001"),
        Assumption("independence", True, "p = 0.5"),
        Assumption("one mode", None, "5 values are too few"),
    ]
    show(browser, tmp_path, made_judgement(summaries=[made_summary(made_sample([1.0, 2.0]), assumptions=found)]))
    browser.evaluate("document.querySelector(\"section[aria-label='series'] tr[data-key]\").click()")
    rows = browser.evaluate("[...document.querySelectorAll('.related tbody tr')].map(r => r.innerText)")
    assert [row.split("\t")[:3] for row in rows] == [
        ["normality", "no", "p < 0.001"],
        ["independence", "yes", "p = 0.5"],
        ["one mode", "", "5 values are too few"],
    ]


def test_names_stay_text(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, measured_report(HOSTILE))
    drawn(browser)
    assert text(browser, "#details h2") == f"sort{HOSTILE}"
    assert HOSTILE in text(browser, ".row-plot .gaps") and HOSTILE in browser.evaluate(f"{MEMBER}.textContent")
    assert count(browser, "img") == 0 and browser.evaluate("window.broken") is None
    assert browser.problems == []


def test_odd_samples_can_be_drawn(browser: HeadlessChromium, tmp_path: Path) -> None:
    samples = [
        made_sample([], failures=["exit code 1"]),
        made_sample([1.0]),
        made_sample([2.0] * 9),
        made_sample([0.0] * 6),
        made_sample([-1.0, 1.0, 0.5, 0.2, -0.1, 0.0]),
        made_sample([1e-12, 1.0, 1e12, 5.0, 6.0]),
        *(made_steady_sample([[1.0, 1.0], [1.0]]) for _ in range(5)),
    ]
    show(browser, tmp_path, made_judgement(summaries=[made_summary(sample) for sample in samples]))
    browser.evaluate("document.querySelector('tr[data-key]').click()")
    drawn(browser)
    assert browser.problems == []
    assert count(browser, ".row-plot .pictures .side-by-side") == 8
    browser.press_button(".row-plot", "2 more")
    assert count(browser, ".row-plot .pictures .side-by-side") == 10
    assert browser.evaluate("!document.querySelector('.row-plot').innerHTML.includes('NaN')")


@pytest.mark.parametrize("width", [360, 700, 1600])
def test_nothing_runs_out_of_the_window(browser: HeadlessChromium, tmp_path: Path, width: int) -> None:
    browser.resize(width, 800)
    try:
        show(browser, tmp_path, two_files())
        browser.evaluate("document.querySelector('tr[data-key]').click()")
        drawn(browser)
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert browser.evaluate("(d => d.scrollWidth <= d.clientWidth)(document.querySelector('#details'))")
        assert len(names(browser, "comparisons")) == 12
    finally:
        browser.resize(1300, 900)


def test_a_thousand_benchmarks_keep_their_rows_and_say_what_was_thinned(
    browser: HeadlessChromium, tmp_path: Path
) -> None:
    path = show(browser, tmp_path, many_benchmarks(1_000))
    assert path.stat().st_size <= MAX_PAGE_BYTES
    drawn(browser)
    assert browser.problems == []
    assert text(browser, "section[aria-label='comparisons'] h2") == "comparisons 1,000"
    assert text(browser, "section[aria-label='series'] h2") == "series 2,000"
    assert "least and greatest of every 25" in text(browser, ".row-plot")
    assert "did not fit" not in text(browser, "#blocks")


def two_files() -> Judgement:
    """Three comparisons of each verdict, out of order."""
    comparisons = []
    for verdict, middle in (("same", 1.0), ("unclear", 1.01), ("better", 0.9), ("worse", 1.1)):
        for i in range(3):
            ratio = middle + (middle - 1.0) * i
            ends = (ratio - 0.1, ratio + 0.1)
            comparisons.append(made_comparison(verdict, ratio, ends, benchmark=f"suite.{verdict}_{i}"))  # type: ignore[arg-type]
    summaries = [
        made_summary(sample, (0.9 * float(sample.values.mean()), 1.1 * float(sample.values.mean())))
        for comparison in comparisons
        for sample in (comparison.first, comparison.second)
    ]
    return made_judgement(summaries=summaries, comparisons=comparisons)


def many_benchmarks(number: int) -> Judgement:
    """Two sides of so many benchmarks, 30 invocations and 100 iterations each."""
    numbers = np.random.default_rng(1)
    comparisons, summaries = [], []
    for i in range(number):
        sides = [
            made_steady_sample(list(numbers.normal(1.0, 0.01, (30, 100))), benchmark=f"bench_{i}", alternative=name)
            for name in ("old", "new")
        ]
        summaries += [made_summary(side, (0.99, 1.01)) for side in sides]
        comparisons.append(
            made_comparison("unclear", 1.0, (0.99, 1.01), benchmark=f"bench_{i}", first=sides[0], second=sides[1])
        )
    return made_judgement(summaries=summaries, comparisons=comparisons)
