"""The page of what tells fast runs from slow ones in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_decisions import GET, HASH, WORK
from sonde.instruments.decisions.groups import (
    CallSubject,
    Consistency,
    ConsistencyOptions,
    DecisionSubject,
    Difference,
    Finding,
    GroupReason,
    MethodSubject,
    Subject,
    TimeSubject,
)
from sonde.instruments.decisions.report.html import write_consistency

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

HOSTILE = "<img src=x onerror=\"window.broken='name'\"></script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, height=1000) as chromium:
        yield chromium


def found(subject: Subject, q_value: float = 0.01, weight: float = 0.5) -> Finding:
    return Finding(subject, (Difference("inlined", (1.0, 0.75), (0.0, 0.25), 1, q_value / 2, q_value),), weight)


def made(*findings: Finding, remarks: tuple[str, ...] = ("1 of 4 runs has no times",)) -> Consistency:
    options = ConsistencyOptions(allow=1)
    return Consistency(("f1", "f2"), ("s1", HOSTILE), options, findings, 1234, 56, 78, remarks)


def everything() -> Consistency:
    first = found(CallSubject(WORK, 5, GET), weight=0.6)
    first.slow_reasons = (GroupReason("too big", 2, 3),)
    first.followers = [found(DecisionSubject(HASH, 1, "PartialEscapeLog", "AllocationVirtualization", ()))]
    second = found(DecisionSubject(HASH, 1, "LoopTransformations", "LoopPeeling", ()))
    return made(first, second, found(TimeSubject(HOSTILE), q_value=0.4))


def show(browser: HeadlessChromium, folder: Path, consistency: Consistency) -> Path:
    path = folder / "page.html"
    write_consistency(consistency, path, "graal")
    browser.open(path)
    return path


def text(browser: HeadlessChromium, selector: str) -> str:
    return re.sub(r"\s+", " ", str(browser.evaluate(f"document.querySelector({selector!r}).innerText"))).strip()


def test_it_opens_from_disk_and_tells_what_is_conclusive_first(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, everything())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    first = text(browser, "#conclusive li")
    assert first.startswith("60.0% java.util.HashMap.get(Object) at bci 5 in app.Hot.work(int)")
    assert "inlined fast 75-100% slow 0-25% 1 exception" in first
    assert "slow too big (2 of 3 runs asked)" in first
    assert "The callee is too large to be inlined." in first
    assert "LoopPeeling" in text(browser, "#conclusive li:nth-child(2)")
    assert "The first iteration was put before the loop" in text(browser, "#conclusive li:nth-child(2)")
    assert "adjusted p 0.4" in text(browser, "#chance li")
    assert "1 of 4 runs has no times" in text(browser, "#notices")
    assert "1 run may be on the wrong side." in text(browser, "#method")


def test_every_run_is_a_dot_and_the_drawing_says_so_in_words(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, everything())
    drawn = browser.evaluate(
        "[...document.querySelectorAll('#conclusive svg')[0].querySelectorAll('path')].map(p => p.getAttribute('d'))"
    )
    assert [path.count("M") for path in drawn] == [2, 2]
    assert browser.evaluate("document.querySelector('#conclusive svg').getAttribute('aria-label')") == (
        "inlined: fast 75-100%, slow 0-25%"
    )


def test_what_follows_unfolds(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, everything())
    assert text(browser, "#conclusive summary") == "1 difference follows"
    browser.evaluate("document.querySelector('#conclusive summary').click()")
    browser.wait_until("document.querySelector('.followers') !== null")
    assert "PartialEscapeLog AllocationVirtualization" in text(browser, ".followers")


def test_search_keeps_what_matches_also_in_what_follows(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, everything())
    browser.press("/")
    browser.type("virtualization")
    assert text(browser, "#found") == "1 finding"
    assert "HashMap.get" in text(browser, "#conclusive li")
    assert browser.evaluate("document.querySelector('#chance').hidden")
    browser.press("Escape")
    assert not browser.evaluate("document.querySelector('#chance').hidden")


def test_names_stay_text(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, everything())
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert HOSTILE in text(browser, "#groups")


def test_no_finding_is_said(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made())
    assert "nothing is one way in all fast runs" in text(browser, "#notices")
    assert browser.problems == []


def test_many_findings_are_shown_a_part_at_a_time(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, made(*(found(MethodSubject(f"a.B.m{number}()")) for number in range(1_200))))
    assert browser.evaluate("document.querySelectorAll('#conclusive ol > li').length") < 100
    browser.evaluate("document.querySelector('#conclusive .more').click()")
    assert browser.evaluate("document.querySelectorAll('#conclusive ol > li').length") == 1_000
    assert "200 findings did not fit" in text(browser, "#method")


def test_a_narrow_window_needs_no_scrolling_sideways(browser: HeadlessChromium, tmp_path: Path) -> None:
    browser.resize(420, 900)
    try:
        show(browser, tmp_path, everything())
        assert browser.evaluate("document.documentElement.scrollWidth") <= 420
    finally:
        browser.resize(1280, 1000)
