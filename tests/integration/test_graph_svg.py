"""Pictures of control flow in a real browser, and how long large ones take."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headless_chromium import HeadlessChromium, find_chromium
from sonde.instruments.vm.graph import Edge, Graph, Node, svg

CHROMIUM = find_chromium()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium or google-chrome on PATH")

LARGE = 500
"""Blocks of a function."""

LEAST_CONTRAST = 4.5
"""Of text on what is below it: WCAG 2, level AA."""

CONTRASTS = """(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const fill = (element) => light(getComputedStyle(element).fill);
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const paper = fill(document.querySelector('.paper'));
  const found = [...document.querySelectorAll('.edge text')].map((text) => contrast(fill(text), paper));
  for (const node of document.querySelectorAll('.node'))
    for (const text of node.querySelectorAll('text'))
      found.push(contrast(fill(text), fill(node.querySelector(text.matches('.on-head') ? '.head' : '.card'))));
  return found;
})()"""

TEXT_OUTSIDE = """[...document.querySelectorAll('.node')].filter((node) => {
  const card = node.querySelector('.card').getBBox();
  return [...node.querySelectorAll('text')].some((text) => {
    const box = text.getBBox();
    return box.x < card.x || box.x + box.width > card.x + card.width || box.y + box.height > card.y + card.height;
  });
}).length"""

HEADS_OVERLAP = """[...document.querySelectorAll('.node')].filter((node) => {
  const [name, count] = node.querySelectorAll('.on-head');
  return count && name.getBBox().x + name.getBBox().width > count.getBBox().x;
}).length"""


def large_function(blocks: int, seed: int) -> Graph:
    """Like compiled code: mostly on and ahead, now and then back or far away."""
    chance = random.Random(seed)
    nodes = tuple(
        Node(str(number), f"%b{number}", ("%x = add i32 %y, 1",) * chance.randrange(1, 9), chance.randrange(10**6))
        for number in range(blocks)
    )
    edges: list[Edge] = []
    for number in range(blocks - 1):
        if chance.random() < 0.4:
            edges.append(Edge(str(number), str(number + 1)))
            continue
        ahead, near, kind = number + chance.randrange(2, 12), number - chance.randrange(0, 20), chance.random()
        other = ahead if kind < 0.75 else near if kind < 0.97 else chance.randrange(blocks)
        edges.append(Edge(str(number), str(number + 1), "T"))
        edges.append(Edge(str(number), str(min(max(other, 0), blocks - 1)), "F"))
    return Graph("large", nodes, tuple(edges), "0")


@pytest.fixture(scope="module", params=["light", "dark"])
def browser(request: pytest.FixtureRequest) -> Iterator[HeadlessChromium]:
    assert CHROMIUM is not None
    with HeadlessChromium(CHROMIUM, dark=request.param == "dark") as chromium:
        yield chromium


@pytest.mark.timing
def test_a_function_of_ten_times_the_blocks_takes_at_most_fifty_times_as_long() -> None:
    """In processor time, so that a busy machine changes nothing; if all pairs were looked at it would be a hundred."""
    took = []
    for blocks in (LARGE // 10, LARGE):
        graph = large_function(blocks, 1)
        start = time.process_time()
        svg(graph)
        took.append(time.process_time() - start)
    assert took[1] < 50 * took[0]


@needs_chromium
def test_text_is_legible_and_within_its_block(browser: HeadlessChromium, tmp_path: Path) -> None:
    small = large_function(40, 2)
    wide = Node("w", "%名前.body", ("%x = call i32 @printf(ptr @.str, double %value, i64 %naïve)  ; 名前",), 12345)
    graph = Graph("f", (*small.nodes, wide), (*small.edges, Edge("1", "w", "unwind"), Edge("w", "2", "-77")), "0")
    path = show(browser, tmp_path, graph)
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    contrasts: list[float] = evaluate(browser, CONTRASTS)
    assert len(contrasts) > 100
    assert min(contrasts) >= LEAST_CONTRAST
    assert evaluate(browser, TEXT_OUTSIDE) == 0
    assert evaluate(browser, HEADS_OVERLAP) == 0


@needs_chromium
def test_it_fits_the_width_of_the_page_that_shows_it(browser: HeadlessChromium, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><body style='margin:0'>{svg(large_function(100, 3))}</body>", encoding="utf-8")
    browser.resize(600, 400)
    browser.open(page)
    width = evaluate(browser, "document.documentElement.clientWidth")
    assert evaluate(browser, "document.querySelector('svg').getBoundingClientRect().width") == width
    assert evaluate(browser, "document.documentElement.scrollWidth") == width


def show(browser: HeadlessChromium, folder: Path, graph: Graph) -> Path:
    path = folder / "graph.svg"
    path.write_text(svg(graph), encoding="utf-8")
    browser.open(path)
    return path


def evaluate(browser: HeadlessChromium, script: str) -> Any:
    return browser.evaluate(script)
