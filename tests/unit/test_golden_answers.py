"""Every answer of sonde as it was: its text on several terminals, its data, its Markdown, and the data of its page."""

import pytest

import golden_audit
import golden_bench
import golden_contexts
import golden_decisions
import golden_machine
import golden_memory
import golden_paths
import golden_phases
from golden_answers import Case, Desk, Look
from golden_text import DATA, GoldenText

CASES: dict[str, Case] = {
    **golden_contexts.CASES,
    **golden_memory.CASES,
    **golden_bench.CASES,
    **golden_decisions.CASES,
    **golden_machine.CASES,
    **golden_paths.CASES,
    **golden_phases.CASES,
    **golden_audit.CASES,
}


def having(form: str) -> list[str]:
    return [name for name, case in CASES.items() if form in case.forms]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("answers"))


@pytest.mark.parametrize(
    ("name", "look"),
    [pytest.param(name, look, id=f"{name}-{look.name}") for name in CASES for look in CASES[name].all_looks],
)
def test_a_text_is_as_it_was(name: str, look: Look, desk: Desk, golden: GoldenText) -> None:
    golden(desk.text(name, CASES[name], look), f"golden/{name}-{look.name}.txt")


@pytest.mark.parametrize("name", having("json"))
def test_data_are_as_they_were(name: str, desk: Desk, golden: GoldenText) -> None:
    golden(desk.data(name, CASES[name]), f"golden/{name}.json")


@pytest.mark.parametrize("name", having("markdown"))
def test_markdown_is_as_it_was(name: str, desk: Desk, golden: GoldenText) -> None:
    golden(desk.markdown(name, CASES[name]), f"golden/{name}.md")


@pytest.mark.parametrize("name", having("page"))
def test_the_data_of_a_page_are_as_they_were(name: str, desk: Desk, golden: GoldenText) -> None:
    golden(desk.page(name, CASES[name]), f"golden/{name}.page.json")


def test_every_golden_file_belongs_to_a_case(golden: GoldenText) -> None:
    texts = {f"{name}-{look.name}.txt" for name, case in CASES.items() for look in case.all_looks}
    ends = {"json": ".json", "markdown": ".md", "page": ".page.json"}
    data = {f"{name}{end}" for form, end in ends.items() for name in having(form)}
    there = {path.relative_to(DATA / "golden").as_posix(): path for path in (DATA / "golden").rglob("*.*")}
    left_over = there.keys() - texts - data
    if golden.updates:
        for name in left_over:
            there[name].unlink()
    else:
        assert not left_over
