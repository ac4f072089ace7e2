"""Sources of runs: where they are looked for, and what is said of those that are not there or changed."""

import os
from pathlib import Path

from made_decisions import made_run
from sonde.instruments.decisions.analysis.source_texts import source_texts
from sonde.instruments.decisions.model import DecisionRun


def run_at(name: Path, directory: Path | None = None) -> DecisionRun:
    run = made_run([], kind="llvm", name=str(name))
    run.directory = "" if directory is None else str(directory)
    return run


def test_a_source_is_looked_for_where_the_run_lies(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("x\n" * 9)
    found = source_texts([run_at(tmp_path / "run")], {"f.c": 3})
    assert (found.texts, found.missing, found.changed) == ({"f.c": "x\n" * 9}, [], [])


def test_a_source_is_looked_for_first_where_the_command_was_run(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "f.c").write_text("right\n")
    (tmp_path / "f.c").write_text("wrong\n")
    assert source_texts([run_at(tmp_path / "run", tmp_path / "there")], {"f.c": 1}).texts == {"f.c": "right\n"}


def test_sources_that_are_not_there_are_named(tmp_path: Path) -> None:
    found = source_texts([run_at(tmp_path / "run")], {"no.c": 1, "a\0b": 1})
    assert (found.texts, found.missing) == ({}, ["no.c", "a\0b"])


def test_a_source_with_fewer_lines_than_the_run_has_seen_is_another(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("int f() {\n")
    assert source_texts([run_at(tmp_path / "run")], {"f.c": 1}).changed == []
    assert source_texts([run_at(tmp_path / "run")], {"f.c": 2}).changed == ["f.c"]


def test_a_source_that_was_written_after_the_run_is_told(tmp_path: Path) -> None:
    path, record = tmp_path / "f.c", tmp_path / "f.opt.yaml"
    path.write_text("x\n" * 9)
    record.touch()
    os.utime(path, (2000, 2000))
    os.utime(record, (3000, 3000))
    assert source_texts([run_at(record)], {"f.c": 3}).changed == []
    os.utime(record, (1000, 1000))
    assert source_texts([run_at(record)], {"f.c": 3}).changed == ["f.c"]
