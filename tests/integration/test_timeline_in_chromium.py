"""The timeline of a page in a real browser: drawn, zoomed, moved, and picked from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from made_phases import sort_program
from sonde.instruments.phases.options import PhaseViewOptions
from sonde.instruments.phases.report import phase_report
from sonde.render.html import write_report_page

CHROMIUM = find_chromium()

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on PATH")

CARD = "section[aria-label='when']"
# Read once: Chromium warns of more.
DRAWN = f"""(() => {{
  const canvas = document.querySelector("{CARD} canvas");
  const {{ data }} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let ink = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]) ink++;
  return canvas.width * canvas.height > 0 ? ink / (canvas.width * canvas.height) : 0;
}})()"""


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    path = tmp_path / "page.html"
    write_report_page(phase_report(sort_program(), PhaseViewOptions()), path)
    with HeadlessChromium(CHROMIUM, width=1300, height=900) as chromium:
        chromium.open(path)
        chromium.wait_until(f'document.querySelector("{CARD} canvas").width > 300')
        chromium.evaluate(f'document.querySelector("{CARD}").scrollIntoView()')
        yield chromium


def shown(browser: HeadlessChromium) -> str:
    """What part of the time is to be seen; empty: all of it."""
    return str(browser.evaluate(f'document.querySelector("{CARD} .toolbar > span").textContent'))


def press(browser: HeadlessChromium, key: str) -> None:
    event = f'new KeyboardEvent("keydown", {{key: "{key}", bubbles: true}})'
    browser.evaluate(f'document.querySelector("{CARD} .timeline-stage").dispatchEvent({event})')


def test_a_timeline_is_zoomed_and_moved_by_keys_and_shows_all_again(browser: HeadlessChromium) -> None:
    assert shown(browser) == ""
    for _ in range(3):
        press(browser, "+")
    browser.wait_until(f'document.querySelector("{CARD} .toolbar > span").textContent.includes("(45.5%)")')
    before = shown(browser)
    press(browser, "ArrowRight")
    browser.wait_until(f'document.querySelector("{CARD} .toolbar > span").textContent !== "{before}"')
    press(browser, "0")
    browser.wait_until(f'document.querySelector("{CARD} .toolbar > span").textContent === ""')
    assert browser.problems == []
    assert browser.evaluate(DRAWN) > 0.1


def test_a_call_tells_what_it_is_and_selects_its_method(browser: HeadlessChromium) -> None:
    box = browser.evaluate(
        f"""(() => {{
          const {{ x, y, width }} = document.querySelector("{CARD} canvas").getBoundingClientRect();
          return [x, y, width];
        }})()"""
    )
    # The first call of `sort`, in the second lane, is from 4 to 14 of 121 ms.
    x, y = box[0] + box[2] * 9 / 121, box[1] + 18 + 18 + 9
    browser.move(x, y)
    browser.wait_until("!document.getElementById('tooltip').hidden")
    assert "sort" in browser.text_of("#tooltip")
    assert "10.0 ms" in browser.text_of("#tooltip")
    browser.click(x, y)
    browser.wait_until("document.querySelector('#details')?.innerText.includes('sort') ?? true")
    assert browser.problems == []
