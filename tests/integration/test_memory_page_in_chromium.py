"""The page of a memory profile in a real browser: opened from disk, sorted, searched, walked, at any width."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_memory_profiles import (
    HOSTILE,
    counted_profile,
    empty_profile,
    hostile_profile,
    inventory_profile,
    large_profile,
    native_profile,
)
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.report.html import MAX_PAGE_BYTES, write_memory_page

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

LEAST_CONTRAST = 4.5
"""Of text with what is behind it: Web Content Accessibility Guidelines 2.1, success criterion 1.4.3."""


@pytest.fixture(scope="module")
def browser() -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM) as chromium:
        yield chromium


def show(browser: HeadlessChromium, folder: Path, profile: MemoryProfile) -> Path:
    path = folder / "page.html"
    write_memory_page(profile, path)
    browser.open(path)
    return path


def text(browser: HeadlessChromium, selector: str) -> str:
    found: str = browser.evaluate(f"document.querySelector({selector!r}).innerText")
    return found


def names(browser: HeadlessChromium, section: str) -> list[str]:
    query = f"[...document.querySelectorAll('{section} .list tbody td.name button')].map(b => b.textContent)"
    found: list[str] = browser.evaluate(query)
    return found


def press_button(browser: HeadlessChromium, place: str, label: str) -> None:
    pressed = browser.evaluate(
        f"(() => {{ const one = [...document.querySelectorAll('{place} button')]"
        f".find(b => b.textContent.startsWith({label!r})); one?.click(); return Boolean(one); }})()"
    )
    assert pressed, f"no button {label!r} in {place}"


def test_it_opens_from_disk_without_a_complaint_or_a_request(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = show(browser, tmp_path, inventory_profile())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert "945,775,974" in text(browser, "#facts")
    assert "2.2 times as much" in text(browser, "#findings")
    assert "objects-not-tracked: 312 blocks" in text(browser, "#notices")
    assert "valgrind 3.19.0" in text(browser, "#legend")


def test_the_hottest_line_is_open_and_tells_what_it_missed_on(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    row = browser.evaluate("document.querySelector('#source tr[aria-current=true]').innerText").split()
    assert row[:7] == ["32", "301", "M", "18.8", "M", "6.2%", "4.76"]
    assert "second = index[k + gap].items[i]" in " ".join(row)
    detail = text(browser, "#line")
    assert "records.py:32 in shell_sort" in detail
    assert "2.81 M 59.1%" in detail


def test_source_without_accesses_has_no_numbers(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    rows = browser.evaluate("[...document.querySelectorAll('#source tbody tr:not(.spacer)')].map(r => r.innerText)")
    assert any(row.split() == ["34", "break"] for row in rows)
    heat = "getComputedStyle([...document.querySelectorAll('#source tr')].find(r => r.innerText.startsWith('{}')))"
    hot = browser.evaluate(heat.format(32) + ".backgroundColor")
    assert hot != browser.evaluate(heat.format(29) + ".backgroundColor")


def test_a_click_on_another_line_tells_of_that_line(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    browser.evaluate("[...document.querySelectorAll('#source .line button')].find(b => b.textContent === '19').click()")
    assert "records.py:19 in read" in text(browser, "#line")
    assert "Made here: " in text(browser, "#line") and "80,000 str" in text(browser, "#line")


def test_headings_sort_and_turn_the_order(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    assert names(browser, "#code")[0] == "shell_sort"
    press_button(browser, "#code .list thead", "Function")
    assert names(browser, "#code") == ["<module>", "Entry.__init__", "read", "shell_sort"]
    press_button(browser, "#code .list thead", "Function")
    assert names(browser, "#code")[0] == "shell_sort"
    press_button(browser, "#memory .list thead", "Accesses")
    assert names(browser, "#memory")[0] == "frames of Python functions"
    assert browser.evaluate("document.querySelector('#memory th[aria-sort=descending]').textContent") == "Accesses"


def test_words_filter_functions_and_types(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    browser.press("/")
    browser.type("ENTRY init")
    assert names(browser, "#code") == ["Entry.__init__"]
    assert text(browser, "#code .found") == "1 of 4"
    browser.type(" nothing like it")
    assert names(browser, "#code") == []
    assert text(browser, "#code .empty") == "Nothing here matches."
    browser.press("Escape")
    assert len(names(browser, "#code")) == 4
    browser.evaluate("document.querySelector('#memory input').focus()")
    browser.type("global")
    assert names(browser, "#memory") == ["global: libpython3.11.so.1.0"]


def test_functions_are_walked_with_the_arrow_keys(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    browser.evaluate("document.querySelector('#code .list tbody button').focus()")
    browser.press("ArrowDown")
    assert browser.evaluate("document.activeElement.textContent") == "read"
    browser.press("Enter")
    assert "records.py:19 in read" in text(browser, "#line")
    browser.press("End")
    assert browser.evaluate("document.activeElement.textContent") == "Entry.__init__"


def test_lines_with_accesses_are_walked_with_the_arrow_keys(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    browser.evaluate("document.querySelector('#source tr[aria-current=true] button').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    assert browser.evaluate("document.activeElement.textContent") == "35"
    browser.press("Enter")
    assert "records.py:35" in text(browser, "#line")


def test_native_code_without_its_source_is_listed_by_line(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    press_button(browser, "#layers", "Native")
    press_button(browser, "#code .list tbody", "unicodekeys_lookup_unicode")
    assert "The text of ./Objects/dictobject.c is not in this page" in text(browser, "#source .empty")
    lines = browser.evaluate("[...document.querySelectorAll('#source .line button')].map(b => b.textContent)")
    assert lines == ["899", "902"]
    assert "What it missed on while a Python line ran is told there." in text(browser, "#line")
    press_button(browser, "#code .list tbody", "__memmove")
    assert "__memmove_avx_unaligned_erms: line not known" in text(browser, "#source tbody")


def test_types_lead_to_their_lines_and_lines_to_their_types(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    press_button(browser, "#line", "list")
    assert text(browser, "#subject h2") == "list"
    press_button(browser, "#subject", "records.py:31")
    assert "records.py:31 in shell_sort" in text(browser, "#line")


def test_lifetimes_are_drawn_and_their_counts_can_be_logarithms(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    press_button(browser, "#memory .list tbody", "str")
    assert "75.0% unused" in text(browser, "#subject")
    heights = "[...document.querySelectorAll('#subject rect.bar')].map(r => Number(r.getAttribute('height')))"
    plain = browser.evaluate(heights)
    assert len(plain) == 5
    press_button(browser, "#subject", "Logarithm")
    logarithmic = browser.evaluate(heights)
    assert logarithmic[1] > 3 * plain[1] and logarithmic[0] == plain[0]
    label = browser.evaluate("document.querySelector('#subject svg').getAttribute('aria-label')")
    assert label == "How long 80,000 objects of str were in use"


def test_sites_and_objects_have_their_own_lists(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, inventory_profile())
    press_button(browser, "#subjects", "Allocation sites")
    assert text(browser, "#subject h2") == "Entry made by records.py:20"
    press_button(browser, "#subjects", "Objects")
    assert text(browser, "#subject h2") == "list #1"
    assert "156 KiB" in text(browser, "#subject") and "alive" in text(browser, "#subject")


def test_names_stay_text(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, hostile_profile())
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("window.broken") is None
    assert text(browser, "#subject h2").startswith(HOSTILE.partition("\x1b")[0].rstrip())
    assert HOSTILE.partition(" ")[0] in text(browser, "#source td.text")
    assert browser.problems == []


@pytest.mark.parametrize("width", [1280, 800, 480])
@pytest.mark.parametrize("made", [inventory_profile, native_profile, hostile_profile])
def test_nothing_runs_out_of_the_window(browser: HeadlessChromium, tmp_path: Path, width: int, made: object) -> None:
    assert callable(made)
    browser.resize(width, 800)
    try:
        show(browser, tmp_path, made())
        assert browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    finally:
        browser.resize(1280, 800)


def test_a_run_without_accesses_says_so(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, empty_profile())
    assert browser.problems == []
    assert "Cut off" in text(browser, "#notices")
    assert text(browser, "#subject") == "No memory was accessed."


def test_a_run_of_which_only_accesses_were_counted_says_these(browser: HeadlessChromium, tmp_path: Path) -> None:
    show(browser, tmp_path, counted_profile())
    assert browser.problems == []
    assert "945,775,974" in text(browser, "#facts")


@pytest.mark.parametrize("dark", [False, True])
def test_hot_lines_can_be_read_in_light_and_in_dark(tmp_path: Path, dark: bool) -> None:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, dark=dark) as chromium:
        show(chromium, tmp_path, inventory_profile())
        card = channels(chromium, "#code", "backgroundColor")
        assert (luminance(card) < 0.2) == dark
        tint = channels(chromium, "#source tr[aria-current=true]", "backgroundColor", over="#code")
        for selector in ("#source tr[aria-current=true] td.text", "#source tr[aria-current=true] .line button"):
            assert contrast(channels(chromium, selector, "color"), tint) >= LEAST_CONTRAST, selector
        for selector in ("#line .soft", "#subject .rate", "#code .after", "#line .quiet"):
            assert contrast(channels(chromium, selector, "color"), card) >= LEAST_CONTRAST, selector


def test_a_large_profile_opens_as_a_small_one_does(browser: HeadlessChromium, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    write_memory_page(large_profile(), path)
    assert path.stat().st_size <= MAX_PAGE_BYTES
    browser.open(path)
    assert browser.problems == []
    assert " source files with few misses" in text(browser, "#notices")
    press_button(browser, "#grain", "Lines")
    assert browser.evaluate("document.querySelectorAll('#code .list tbody tr').length") < 100


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
