"""The page of a judgement in a real browser: opened from disk, sorted, filtered, walked with keys, at any width."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_judgements import (
    made_comparison,
    made_judgement,
    made_sample,
    made_steady_sample,
    made_summary,
)
from sonde.evidence import Doubt
from sonde.instruments.bench.judging import Comparison, Judgement, Summary, Verdict
from sonde.instruments.bench.report.html import write_bench_page
from sonde.stats.findings import Assumption

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\">"

MAX_PAGE_BYTES = 10_000_000

LEAST_CONTRAST = 4.5
"""Of text with what is behind it: Web Content Accessibility Guidelines 2.1, success criterion 1.4.3."""


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM) as chromium:
        yield chromium


def test_it_opens_from_disk_without_a_complaint_or_a_request(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, two_files())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert "comparisons\n12" in text(browser, "#facts")
    assert "busy: others ran. Hint: stop them" in text(browser, "#notices")
    assert "Everything here is made up." in text(browser, "#method")
    assert "load" in text(browser, "#environments")


def test_the_worst_comparison_comes_first_and_is_shown(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, two_files())
    assert names(browser)[0] == "suite.worse_2"
    assert text(browser, "#detail h2") == "suite.worse_2"
    assert "1.300\N{MULTIPLICATION SIGN} [1.200, 1.400]" in text(browser, "#detail .comparison")
    assert "new against old" in text(browser, "#detail .comparison")


def test_a_click_on_a_heading_sorts_and_another_turns_the_order(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, two_files())
    browser.evaluate("[...document.querySelectorAll('thead button')].find(b => b.textContent === 'Benchmark').click()")
    first = names(browser)
    assert first == sorted(first)
    browser.evaluate("[...document.querySelectorAll('thead button')].find(b => b.textContent === 'Benchmark').click()")
    assert names(browser) == sorted(first, reverse=True)
    assert browser.evaluate("document.querySelector('th[aria-sort=descending]').textContent") == "Benchmark"


def test_verdicts_and_words_filter_the_table(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, two_files())
    browser.evaluate("document.querySelector('#filter button[value=better]').click()")
    assert names(browser) == ["suite.better_2", "suite.better_1", "suite.better_0"]
    assert text(browser, "#found") == "3 of 12"
    browser.press("/")
    browser.type("BETTER_1")
    assert names(browser) == ["suite.better_1"]
    browser.type(" nothing like it")
    assert names(browser) == []
    assert text(browser, "#empty") == "Nothing here matches."
    browser.press("Escape")
    assert len(names(browser)) == 3


def test_the_table_is_walked_with_the_arrow_keys(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, two_files())
    browser.evaluate("document.querySelector('tbody button').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    assert browser.evaluate("document.activeElement.textContent") == names(browser)[2]
    browser.press("Enter")
    assert text(browser, "#detail h2") == names(browser)[2]
    browser.press("End")
    assert browser.evaluate("document.activeElement.textContent") == names(browser)[-1]


def test_names_stay_text(browser: HeadlessChromium, tmp_path: Path) -> None:
    first = made_sample([1.0, 1.1], benchmark=HOSTILE, alternative=HOSTILE, failures=[HOSTILE])
    second = made_sample([1.2, 1.3], benchmark=HOSTILE, alternative="b")
    comparison = made_comparison("worse", 1.2, (1.1, 1.3), benchmark=HOSTILE, why=HOSTILE, first=first, second=second)
    doubts = [Doubt(HOSTILE, HOSTILE, hint=HOSTILE)]
    summaries = [made_summary(first, (0.9, 1.2)), made_summary(second, (1.1, 1.4))]
    show(browser, tmp_path, made_judgement(summaries=summaries, comparisons=[comparison], doubts=doubts))
    assert text(browser, "#detail h2") == HOSTILE
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert browser.problems == []


def test_an_interval_that_was_withheld_is_drawn_nowhere(browser: HeadlessChromium, tmp_path: Path) -> None:
    first, second = made_sample([1.0, 1.2], alternative="a"), made_sample([1.1, 1.3], alternative="b")
    summaries = [made_summary(sample, withheld="two values say too little") for sample in (first, second)]
    comparison = made_comparison("unclear", 1.1, None, first=first, second=second, why="cannot say: too few")
    show(browser, tmp_path, made_judgement(summaries=summaries, comparisons=[comparison] * 2))
    assert browser.evaluate("document.querySelectorAll('.interval, .band').length") == 0
    assert browser.evaluate("document.querySelectorAll('.dot.alone').length") > 0
    assert "No interval of the mean: two values say too little." in text(browser, "#detail")
    assert "withheld" in text(browser, "#verdicts tbody")


def test_iterations_of_any_invocation_can_be_looked_at(browser: HeadlessChromium, tmp_path: Path) -> None:
    runs = [[3.0, 2.0, *np.linspace(1.0, 1.0 + k / 100, 30).tolist()] for k in range(5)]
    show(
        browser, tmp_path, made_judgement(summaries=[made_summary(made_steady_sample(runs, steady_from=2), (0.9, 1.1))])
    )
    caption = (
        "[...document.querySelectorAll('figcaption')].find(c => c.textContent.startsWith('Iterations')).textContent"
    )
    assert browser.evaluate(caption).startswith("Iterations of invocation 3: warms up")
    browser.evaluate("document.querySelector('[aria-label=\"Next invocation\"]').focus()")
    browser.press("Enter")
    browser.press("Enter")
    assert browser.evaluate(caption).startswith("Iterations of invocation 5: warms up")
    assert browser.evaluate("document.querySelectorAll('#detail .beyond-mark').length") == 1
    browser.evaluate("document.querySelector('.chooser .range').click()")
    assert browser.evaluate("document.querySelectorAll('#detail .beyond-mark').length") == 0
    assert browser.evaluate("document.querySelectorAll('.steady').length") == 1


def test_pointing_at_a_value_tells_which_it_is(browser: HeadlessChromium, tmp_path: Path) -> None:
    summary = made_summary(made_sample([0.010, 0.011, 0.012, 0.030], failures=["exit code 3"]), outliers=[3])
    show(browser, tmp_path, made_judgement(summaries=[summary]))
    browser.evaluate("document.querySelectorAll('figure')[1].scrollIntoView()")
    box = browser.evaluate(
        "(() => { const box = document.querySelectorAll('figure')[1].querySelector('.outlier').getBoundingClientRect();"
        " return [box.left + box.width / 2, box.top + box.height / 2]; })()"
    )
    browser.move(*box)
    assert text(browser, "#tooltip") == "invocation 4: 30.000 ms, far from the others"
    assert "invocation 5: failed exit code 3" in text(browser, "#detail")


def test_the_method_can_be_copied(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, two_files())
    browser.evaluate("document.querySelector('#copy').scrollIntoView()")
    browser.click_on("#copy")
    browser.wait_until("document.querySelector('#copied').textContent !== ''")
    assert text(browser, "#copied") == "copied"


def test_assumptions_that_fail_are_told_by_sign_and_word(browser: HeadlessChromium, tmp_path: Path) -> None:
    found = [
        Assumption("normality", False, "p < 0.001"),
        Assumption("independence", True, "p = 0.5"),
        Assumption("one mode", None, "5 values are too few"),
    ]
    show(browser, tmp_path, made_judgement(summaries=[made_summary(made_sample([1.0, 2.0]), assumptions=found)]))
    told = text(browser, "#detail .assumptions")
    assert "\N{BALLOT X} normality does not hold: p < 0.001" in told
    assert "\N{CHECK MARK} independence holds: p = 0.5" in told
    assert "? one mode not known: 5 values are too few" in told


@pytest.mark.parametrize("width", [360, 700, 1600])
def test_nothing_runs_out_of_the_window(browser: HeadlessChromium, tmp_path: Path, width: int) -> None:
    browser.resize(width, 800)
    try:
        show(browser, tmp_path, two_files())
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert len(names(browser)) == 12
    finally:
        browser.resize(1280, 800)


def test_a_judgement_of_nothing_says_so(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made_judgement())
    assert browser.problems == []
    assert "Nothing was measured." in text(browser, "#detail")


def test_odd_samples_can_be_drawn(browser: HeadlessChromium, tmp_path: Path) -> None:
    samples = [
        made_sample([], failures=["exit code 1"]),
        made_sample([1.0]),
        made_sample([2.0] * 9),
        made_sample([0.0] * 6),
        made_sample([-1.0, 1.0, 0.5, 0.2, -0.1, 0.0]),
        made_sample([1e-12, 1.0, 1e12, 5.0, 6.0]),
        made_steady_sample([[1.0, 1.0], [1.0]]),
    ]
    show(browser, tmp_path, made_judgement(summaries=[made_summary(sample) for sample in samples]))
    assert browser.problems == []
    assert browser.evaluate("document.querySelectorAll('#detail article').length") == len(samples)
    assert browser.evaluate("!document.querySelector('#detail').innerHTML.includes('NaN')")


@pytest.mark.parametrize("dark", [False, True])
def test_verdicts_can_be_read_in_light_and_in_dark(tmp_path: Path, dark: bool) -> None:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, dark=dark) as chromium:
        show(chromium, tmp_path, two_files())
        card = channels(chromium, "#verdicts", "backgroundColor")
        assert (luminance(card) < 0.2) == dark
        for verdict in ("worse", "better", "unclear", "same"):
            ink = channels(chromium, f"#filter .{verdict}", "color")
            assert contrast(ink, card) >= LEAST_CONTRAST, verdict


@pytest.mark.timing
def test_ten_times_as_many_benchmarks_take_no_more_than_that_to_open(browser: HeadlessChromium, tmp_path: Path) -> None:
    """In the same browser one after the other, with room for what comes between; what is quadratic takes 100 times."""
    took_ms = []
    for benchmarks in (100, 1_000):
        show(browser, tmp_path, many_benchmarks(benchmarks))
        took_ms.append(browser.evaluate("performance.timing.domComplete - performance.timing.navigationStart"))
    assert took_ms[1] < 30 * took_ms[0]


def test_a_page_of_a_thousand_benchmarks_says_what_was_thinned(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, many_benchmarks(1_000))
    assert path.stat().st_size < MAX_PAGE_BYTES
    assert "of 6,000,000 iterations this page keeps those that can be drawn" in text(browser, "#notices")
    assert "least and greatest of every" in text(browser, "#detail")
    browser.evaluate("document.querySelector('#verdicts .scroller').scrollTop = 20000")
    browser.wait_until("[...document.querySelectorAll('td.name button')].some(b => b.textContent === 'bench_670')")
    assert browser.problems == []


def show(browser: HeadlessChromium, folder: Path, judgement: Judgement) -> Path:
    path = folder / "page.html"
    write_bench_page(judgement, path)
    browser.open(path)
    return path


def text(browser: HeadlessChromium, selector: str) -> str:
    """What is to be read there."""
    told = browser.evaluate(f"document.querySelector({selector!r}).innerText")
    return str(told).strip()


def names(browser: HeadlessChromium) -> list[str]:
    """Of the rows of the table."""
    found: list[str] = browser.evaluate("[...document.querySelectorAll('td.name button')].map(b => b.textContent)")
    return found


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


def two_files() -> Judgement:
    """Three comparisons of each verdict, out of order."""
    verdicts: dict[Verdict, float] = {"same": 1.0, "unclear": 1.01, "better": 0.9, "worse": 1.1}
    comparisons = []
    for verdict, middle in verdicts.items():
        for i in range(3):
            ratio = middle + (middle - 1.0) * i
            ends = (ratio - 0.1, ratio + 0.1)
            comparisons.append(made_comparison(verdict, ratio, ends, benchmark=f"suite.{verdict}_{i}"))
    summaries = [
        made_summary(sample, (0.9 * float(sample.values.mean()), 1.1 * float(sample.values.mean())))
        for comparison in comparisons
        for sample in (comparison.first, comparison.second)
    ]
    return made_judgement(
        summaries=summaries, comparisons=comparisons, doubts=[Doubt("busy", "others ran", hint="stop them")]
    )


def many_benchmarks(count: int) -> Judgement:
    """Two sides of so many benchmarks, 30 invocations and 100 iterations each."""
    numbers = np.random.default_rng(1)
    comparisons: list[Comparison] = []
    summaries: list[Summary] = []
    for i in range(count):
        sides = [
            made_steady_sample(list(numbers.normal(1.0, 0.01, (30, 100))), benchmark=f"bench_{i}", alternative=name)
            for name in ("old", "new")
        ]
        summaries.extend(made_summary(side, (0.99, 1.01)) for side in sides)
        comparisons.append(
            made_comparison("unclear", 1.0, (0.99, 1.01), benchmark=f"bench_{i}", first=sides[0], second=sides[1])
        )
    return made_judgement(summaries=summaries, comparisons=comparisons)
