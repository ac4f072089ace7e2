"""docs/pytest.md does what it says, in one process and with workers; other tests are counted as well."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from measuring import environment

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
PROGRAM, TESTS, CHANGED = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
OTHERS = """
import asyncio, unittest, pytest
from hypothesis import given, strategies as st

@pytest.fixture
def ready():
    return [slow() for _ in range(50)]

def slow():
    return sorted(range(500))

@pytest.mark.asyncio
async def test_awaits(ready):
    await asyncio.gather(*map(one, range(7)))

async def one(n):
    await asyncio.sleep(0)

def test_fails():
    slow()
    assert False

@pytest.mark.skip
def test_skipped(): ...

@given(st.integers())
def test_drawn(n): ...

class TestOld(unittest.TestCase):
    def test_old(self):
        slow()
"""


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment(COLUMNS="100"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("shop")
    (where / "shop.py").write_text(PROGRAM, encoding="utf-8")
    (where / "test_shop.py").write_text(TESTS, encoding="utf-8")
    (where / "test_others.py").write_text(OTHERS, encoding="utf-8")
    return where


def test_the_page_runs(folder: Path) -> None:
    saved = run(folder, "--sonde", "--sonde-save", "baseline.sonde")

    assert saved.returncode == 1, saved.stdout + saved.stderr  # pytest's: a test fails
    assert "1 failed, 5 passed, 1 skipped" in saved.stdout
    section = saved.stdout[saved.stdout.index("sonde: what was hot") :]
    counted = {name: calls for calls, name in re.findall(r"(\d+) calls  \S+::(\S+)", section)}
    assert counted | {"test_drawn": ""} == {
        "test_total[3]": "9",
        "test_total[400]": "803",
        "test_awaits": "16",
        "test_fails": "2",
        "test_old": "2",
        "test_drawn": "",
    }
    assert "calls  test_shop.py::test_total[400]" in section
    assert not re.search(r" in .*(?:pluggy|_pytest|hypothesis|asyncio/|site-packages)", section)

    same = run(folder, "test_shop.py", "--sonde-compare", "baseline.sonde")
    assert same.returncode == 0, same.stdout + same.stderr
    assert "calls: none of 2 tests calls a function more often, by over 1% of its calls" in same.stdout
    assert "sonde: what was hot" not in same.stdout

    (folder / "shop.py").write_text(PROGRAM + CHANGED, encoding="utf-8")
    (folder / "test_new.py").write_text("def test_new(): ...", encoding="utf-8")
    chosen = "--deselect=test_others.py::test_fails"
    compared = run(folder, "-n", "2", chosen, "--sonde-compare", "baseline.sonde")

    assert compared.returncode == 1, compared.stdout + compared.stderr
    assert "6 passed, 1 skipped" in compared.stdout
    lines = compared.stdout.splitlines()
    said = re.findall(r"^```\n(regression.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)[0].replace("2 of 2", "2 of 4")
    assert [line for line in lines if line in said.splitlines()] == said.splitlines()
    assert "new, not compared: test_new.py::test_new" in lines
    assert "in the baseline, and did not run: test_others.py::test_fails" in lines
    assert "calls: cannot say, inputs are random: test_others.py::test_drawn" in lines


def test_what_is_no_baseline(folder: Path) -> None:
    (folder / "broken.sonde").write_text("no profile", encoding="utf-8")
    done = run(folder, "--sonde-compare", "broken.sonde")
    assert done.returncode == 4
    assert "sonde: " in done.stderr
