"""Whatever README and the pages of the site show of a terminal is run by a test, or says why it is not."""

import re
from pathlib import Path

from console_pages import ROOT, Block, read_blocks

PAGES = {
    str(path.relative_to(ROOT)): read_blocks(path.read_text(encoding="utf-8"))
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
CODE = {"c", "cpp", "java", "json", "python", "sql", "toml"}
"""Languages of programs and data."""
TYPED = re.compile(r"^(?:\$ |sonde> |(?:sonde|python|pip|pytest) )", re.MULTILINE)
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
IN_README = {
    "make demo ": "both fill an environment of their own, for minutes; this test is a part of the second",
    "which function of mine is slow?": "tests/integration/test_example_answers_*.py run these",
}
"""Beginnings of blocks -> why they are not run. The README is read as plain text, too, so it has no comments."""


def shows_a_terminal(block: Block) -> bool:
    return not block.title and block.language not in {"text", *CODE}


def test_what_a_page_shows_of_a_terminal_is_run_or_says_why_not() -> None:
    undeclared = {
        page: block.content
        for page, blocks in PAGES.items()
        for block in blocks
        if shows_a_terminal(block) and block.language != "console" and block.declared not in {"run by", "not run"}
        if page != "README.md" or not block.content.startswith(tuple(IN_README))
    }
    assert undeclared == {}


def test_what_is_typed_is_in_fenced_blocks() -> None:
    typed = re.compile(r"^(?: {4}|\t)(?:\$ |sonde[> ]|python |pip )", re.MULTILINE)
    pages = [page for page in PAGES if typed.search(FENCED.sub("", (ROOT / page).read_text(encoding="utf-8")))]
    assert pages == []


def test_drawings_and_formulas_are_not_typed() -> None:
    drawings = [block for blocks in PAGES.values() for block in blocks if block.language == "text" and not block.title]
    assert [block.content for block in drawings if TYPED.search(block.content)] == []


def test_what_runs_a_block_knows_its_page() -> None:
    runners = {(page, block.by) for page, blocks in PAGES.items() for block in blocks if block.declared == "run by"}
    assert [case for case in runners if Path(case[0]).name not in (ROOT / case[1]).read_text(encoding="utf-8")] == []


def test_what_a_block_needs_is_known() -> None:
    needed = {block.by for blocks in PAGES.values() for block in blocks if block.declared == "needs"}
    assert needed == {"counters", "graal", "libdw", "sqlite3", "valgrind"}


def test_no_block_is_overlooked() -> None:
    for page, blocks in PAGES.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert 2 * len(blocks) == len(re.findall(r"^ *```", text, re.MULTILINE)), page
        declared = re.findall(r"^<!-- (?:needs|run by|not run)", text, re.MULTILINE)
        assert len(declared) == sum(block.declared != "" for block in blocks), page


def test_programs_on_pages_are_run() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    unknown = {
        page
        for page, blocks in PAGES.items()
        if not Path(page).name.startswith("adding-") and Path(page).name not in tests
        if any(block.language in CODE and not block.title and not block.declared for block in blocks)
    }
    assert unknown == set()
