"""docs/notebook.md is a notebook, and a real kernel shows for it what the page says."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

PAGE = (Path(__file__).parents[2] / "docs" / "notebook.md").read_text(encoding="utf-8")
CELLS = re.findall(r"```python\n(.*?)\n```", PAGE, re.DOTALL)
ODD_CELLS = [
    "%%sonde\n%%bash\necho hi",
    "%%sonde\nimport asyncio\nawait asyncio.sleep(0)",
    "%sonde bench work()",
    "%sonde frobnicate",
    "%%sonde\nfib(3);",
    "%%sonde\nfib(4)\n1 / 0",
]

Output = dict[str, Any]


@pytest.fixture(scope="module")
def cells() -> list[list[Output]]:
    """What each cell shows."""
    empty: dict[str, object] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    code = [{**empty, "id": f"cell-{number}", "source": text} for number, text in enumerate((*CELLS, *ODD_CELLS))]
    book = nbformat.from_dict({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})  # type: ignore[no-untyped-call]
    NotebookClient(book, timeout=300, kernel_name="python3", allow_errors=True).execute()
    return [cell.outputs for cell in book.cells]


def shown(outputs: list[Output], kind: str = "text/plain") -> str:
    return "\n".join(
        each["text"] if "text" in each else each["data"].get(kind, "") for each in outputs if "ename" not in each
    )


def test_the_page_is_a_notebook(cells: list[list[Output]]) -> None:
    loading, cell, block, bench = cells[: len(CELLS)]

    assert loading == []
    assert "986" in shown(cell).splitlines()
    assert re.search(r"^this cell\n", shown(cell), re.MULTILINE)
    assert re.search(r"s  slow = fib\(18\)$", shown(cell), re.MULTILINE)
    assert re.search(r"^ +     total = 0$", shown(cell), re.MULTILINE)
    assert re.search(r" 8,361  .*fib ×18 levels", shown(cell))
    page = shown(cell, "text/html")
    assert len(re.findall("<tr ", page)) == len(CELLS[1].splitlines()) - 1
    assert len(re.findall(r"rgba\(224, 82, 6, 0\.000\)", page)) < len(CELLS[1].splitlines()) - 1
    assert "<iframe" in shown(block, "text/html")
    assert re.search(r"^work\(\): \d", shown(bench))
    assert "faster" in shown(bench)


def test_what_cannot_be_measured_is_said(cells: list[list[Output]]) -> None:
    bash, awaiting, alone, unknown, silent, raising = cells[len(CELLS) :]

    assert shown(bash).startswith("cannot measure this cell: '%%bash' hands it on")
    assert shown(awaiting).startswith("cannot measure this cell: it awaits")
    assert shown(alone).startswith("cannot compare 'work()': it names no two expressions")
    assert shown(unknown).startswith("cannot do '%sonde frobnicate': there is no such thing")
    assert not [each for each in silent if each["output_type"] == "execute_result"]
    assert [each["ename"] for each in raising if each["output_type"] == "error"] == ["ZeroDivisionError"]
    assert "fib ×4 levels" in shown(raising)
