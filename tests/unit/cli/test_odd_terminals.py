"""Answers on terminals that are narrow, or write no more than ASCII: as wide as they are, and nothing fails."""

import contextlib
import io
from pathlib import Path

import pytest

from sonde.cli.main import main
from sonde.code import Function
from sonde.instruments.contexts.profile import ContextProfile, contexts_from_self, write_profile


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_names_of_any_script_fit_every_terminal(encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        "größe",
        "計算する関数",
        "a_function_with_a_name_that_is_longer_than_any_terminal_of_forty_columns_is_wide",
    )
    functions = tuple(Function(name, "modül", f"/tmp/ä/{name}.py", 1) for name in names)
    tree = contexts_from_self(
        parent=[-1, 0, 1], function=[0, 1, 2], call_line=[0, 3, 4], calls=[1, 2, 3], self_ns=[5_000, 60_000, 7_000_000]
    )
    other = contexts_from_self(
        parent=[-1, 0, 1], function=[0, 1, 2], call_line=[0, 3, 4], calls=[1, 2, 9], self_ns=[5_000, 60_000, 70_000_000]
    )
    for name, contexts in (("a.sonde", tree), ("b.sonde", other)):
        write_profile(tmp_path / name, ContextProfile(functions, contexts))
    monkeypatch.chdir(tmp_path)
    for columns in (1, 40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words in (
            ["view", "a.sonde", "-v"],
            ["diff", "a.sonde", "b.sonde"],
            ["--help"],
            ["help", "environment"],
            ["vm", "--help"],
        ):
            out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                assert main(words) in (0, 1, 4)
            out.flush()
            assert isinstance(out.buffer, io.BytesIO)
            lines = out.buffer.getvalue().decode(encoding).splitlines()
            assert lines and "Traceback" not in lines[0]
            if columns >= 40 and encoding == "utf-8":
                # What is typed is not broken.
                assert [line for line in lines if len(line) > columns and "sonde " not in line] == [], words
