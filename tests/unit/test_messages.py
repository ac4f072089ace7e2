"""Every slug and every kind of loss in the code has an entry in docs/messages.md, and no entry is left over."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import sonde

ROOT = Path(__file__).parents[2]
PACKAGE = Path(sonde.__file__).parent
BENCH, DECISIONS = PACKAGE / "instruments" / "bench", PACKAGE / "instruments" / "decisions"
AUDIT = PACKAGE / "instruments" / "audit"
COMPARISON = PACKAGE / "instruments" / "contexts" / "report" / "comparison"
NOTE = re.compile(r'sn_note\(\s*"([^"]+)"')
HEADING = re.compile(r"^### `([^`]+)`$")
NAME = re.compile(r"[a-z]+(-[a-z]+)*")
TOLD = re.compile(r"slug|Loss|lose|Doubt|Remark|_tell")
"""What is in each file that says something which has an entry; others need not be parsed."""


def test_every_slug_is_documented() -> None:
    assert entries("Errors") == sorted(slugs_in_code())


def test_every_kind_of_loss_is_documented() -> None:
    assert sorted(entries("Losses") + entries("Notes of a comparison")) == sorted(
        loss_kinds_in_python() | loss_kinds_in_c()
    )


def test_every_doubt_about_measurements_is_documented() -> None:
    assert entries("Doubts about measurements") == sorted(doubts_about_measurements())


def test_every_doubt_about_decisions_is_documented() -> None:
    assert entries("Doubts about decisions") == sorted(doubts_about_decisions())


def test_every_doubt_about_audits_is_documented() -> None:
    assert entries("Doubts about audits") == sorted(doubts_about_audits())


def test_every_doubt_about_comparisons_of_samples_is_documented() -> None:
    doubts, others = first_arguments("Doubt", lambda path: COMPARISON in path.parents)
    assert others == 1, "those of what could not be aligned are losses"
    assert entries("Doubts about comparisons of samples") == sorted(doubts)


def test_slugs_and_kinds_are_kebab_case() -> None:
    names = (
        slugs_in_code()
        | loss_kinds_in_python()
        | loss_kinds_in_c()
        | doubts_about_measurements()
        | doubts_about_decisions()
        | doubts_about_audits()
    )

    assert [name for name in names if not NAME.fullmatch(name)] == []


def entries(chapter: str) -> list[str]:
    """Headings of a chapter of the page; a heading that is there twice is listed twice."""
    text = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    body = text.split(f"\n## {chapter}\n", 1)[1].split("\n## ", 1)[0]
    found = [match[1] for line in body.splitlines() if (match := HEADING.match(line))]
    assert found == sorted(found), "entries are in alphabetical order"
    return found


def slugs_in_code() -> set[str]:
    """The value of each `slug=` in a call: a plain string, or that of another error."""
    slugs = set()
    for path, call in calls():
        for keyword in call.keywords:
            handed_on = isinstance(keyword.value, ast.Attribute) and keyword.value.attr == "slug"
            if keyword.arg == "slug" and not handed_on:
                assert isinstance(keyword.value, ast.Constant), f"{path}:{call.lineno}: slug is not a plain string"
                slugs.add(str(keyword.value.value))
    return slugs


def loss_kinds_in_python() -> set[str]:
    """The first argument of each `Loss(...)`, `.lose(...)` and `_lose(...)`, through one loop over a table if need be;
    those that say it all in their text have none."""
    kinds = set()
    for _, call in calls():
        if call.args and called(call) in ("Loss", "lose", "_lose") and isinstance(call.args[0], ast.Constant):
            kinds.add(str(call.args[0].value))
    for node in (node for _, tree in modules() for node in ast.walk(tree)):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Tuple) and isinstance(node.iter, ast.Tuple):
            names = [each.id for each in node.target.elts if isinstance(each, ast.Name)]
            if "kind" in names and any(called(call) == "Loss" for call in calls_below(node)):
                rows = [row.elts[names.index("kind")] for row in node.iter.elts if isinstance(row, ast.Tuple)]
                kinds |= {str(cell.value) for cell in rows if isinstance(cell, ast.Constant)}
    return kinds - {""}


def doubts_about_measurements() -> set[str]:
    """The first argument of each `Doubt(...)`; but for one place, where doubts are read from a file, a plain string."""
    doubts, others = first_arguments("Doubt", lambda path: BENCH in path.parents)
    assert others == 1
    return doubts


def doubts_about_decisions() -> set[str]:
    """The same for the doubts of a run of decisions; the reader of remarks tells those that it counts by `_tell`, and
    reports tell several of one kind as one."""
    doubts, others = first_arguments("Doubt", lambda path: DECISIONS in path.parents)
    told, _ = first_arguments("_tell", lambda path: DECISIONS in path.parents)
    assert others == 2
    return doubts | told


def doubts_about_audits() -> set[str]:
    """Doubts and remarks of an audit's report, all plain strings."""
    doubts, others = first_arguments("Doubt", lambda path: AUDIT in path.parents)
    remarks, further = first_arguments("Remark", lambda path: AUDIT in path.parents)
    assert others == further == 0
    return doubts | remarks


def first_arguments(name: str, is_meant: Callable[[Path], bool]) -> tuple[set[str], int]:
    """What calls of that name get first: plain strings, and how many other things."""
    firsts = [call.args[0] for path, call in calls() if called(call) == name and call.args and is_meant(path)]
    plain = {str(each.value) for each in firsts if isinstance(each, ast.Constant)} - {""}
    return plain, sum(not isinstance(each, ast.Constant) for each in firsts)


def loss_kinds_in_c() -> set[str]:
    """The first argument of each note that the agent writes, and of each loss that the Valgrind tool does."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "native" / "cpython").glob("*.c"))
    tool = (path.read_text(encoding="utf-8") for path in (ROOT / "native" / "valgrind").glob("*.c"))
    return {kind for text in texts for kind in NOTE.findall(text)} | {
        kind for text in tool for kind in re.findall(r'\blost\("([a-z-]+)"', text)
    }


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    """All of the package but the contracts, whose made-up profiles lose made-up things."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if PACKAGE / "testing" not in path.parents)
    texts = ((path, path.read_text(encoding="utf-8")) for path in paths)
    return tuple((path, ast.parse(text, str(path))) for path, text in texts if TOLD.search(text))


@cache
def calls() -> tuple[tuple[Path, ast.Call], ...]:
    return tuple((path, call) for path, tree in modules() for call in calls_below(tree))


def calls_below(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
