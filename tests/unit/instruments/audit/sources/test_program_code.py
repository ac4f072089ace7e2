"""Functions of a program are found by whatever is said of them."""

import py_compile
from pathlib import Path

import pytest

from sonde.instruments.audit.sources import CodeName, ProgramCode

SOURCE = """\
import functools


class Counter:
    def tick(self):
        return [n for n in range(3)]

    @functools.cache
    def total(
        self,
    ):
        return sum(n for n in [1])


def outer():
    def tick():
        pass

    key = lambda v: (lambda w: w)(v)
    return tick, key
"""


@pytest.fixture
def code(tmp_path: Path) -> ProgramCode:
    (tmp_path / "app.py").write_text(SOURCE)
    return ProgramCode(tmp_path)


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        (5, "Counter.tick", "Counter.tick"),
        (5, "tick", "Counter.tick"),
        (6, "", "Counter.tick"),  # or, before 3.12, the comprehension: see below
        (8, "total", "Counter.total"),  # code begins with its decorators
        (9, "total", "Counter.total"),  # where others say it begins
        (12, "<genexpr>", "Counter.total.<locals>.<genexpr>"),
        (12, "generator expression in total", "Counter.total.<locals>.<genexpr>"),
        (15, "outer", "outer"),
        (16, "tick", "outer.<locals>.tick"),
        (16, "outer.<locals>.tick", "outer.<locals>.tick"),
        (17, "", "outer.<locals>.tick"),
        (20, "", "outer"),
        (1, "<module>", "<module>"),
        (1, "", "<module>"),
        (4, "Counter", "Counter"),
    ],
)
def test_all_that_profilers_say_means_one_function(code: ProgramCode, line: int, name: str, expected: str) -> None:
    found = code.function(CodeName("app.py", line, name)).name
    assert found in (expected, f"{expected}.<locals>.<listcomp>") if line == 6 else found == expected


def test_paths_may_be_relative(code: ProgramCode, tmp_path: Path) -> None:
    absolute = CodeName(str(tmp_path / "app.py"), 15, "outer")
    assert code.function(absolute) == code.function(CodeName("app.py", 15, "outer"))


def test_what_the_source_does_not_have_is_called_as_it_is_said(code: ProgramCode) -> None:
    found = code.function(CodeName("app.py", 15, "made_by_exec"))
    assert (found.name, found.first_line) in {("outer", 15), ("made_by_exec", 15)}
    gone = code.function(CodeName("gone.py", 3, "f"))
    assert (gone.name, gone.first_line, gone.file.endswith("gone.py")) == ("f", 3, True)
    assert code.function(CodeName("<string>", 1, "<module>")).file == "<string>"
    # `__init__` of a data class: cProfile and samplers call it so.
    made = {code.function(CodeName("<string>", 2, name)) for name in ("__init__", "__create_fn__.<locals>.__init__")}
    assert len(made) == 1


def test_sources_that_are_no_python_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n")
    (tmp_path / "nul.py").write_bytes(b"x = 1\0\n")
    code = ProgramCode(tmp_path)
    assert code.function(CodeName("bad.py", 1, "f")).name == "f"
    assert code.function(CodeName("nul.py", 1, "f")).name == "f"


def test_what_python_compiled_before_is_used_while_it_is_true_and_nothing_is_written(tmp_path: Path) -> None:
    source = tmp_path / "app.py"
    source.write_text("\ndef first():\n    pass\n")
    asked = CodeName("app.py", 3)
    assert ProgramCode(tmp_path).function(asked).name == "first"
    assert [*tmp_path.iterdir()] == [source]

    # The name tells that it is taken from there: who changed it kept the time and the size that Python goes by.
    py_compile.compile(str(source), doraise=True)
    (cached,) = (tmp_path / "__pycache__").iterdir()
    cached.write_bytes(cached.read_bytes().replace(b"first", b"other"))
    assert ProgramCode(tmp_path).function(asked).name == "other"
    source.write_text("\ndef longer():\n    pass\n")
    assert ProgramCode(tmp_path).function(asked).name == "longer"
