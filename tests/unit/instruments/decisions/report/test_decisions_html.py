"""The page of decisions: one file, what is in it, and what is left out when there is no room."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from made_decisions import (
    decided,
    deep_trees,
    every_kind,
    graal_run,
    llvm_run,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
    wide_trees,
)
from sonde.base.errors import SondeError
from sonde.instruments.decisions.analysis import Comparison, compare_runs
from sonde.instruments.decisions.model import Decision, DecisionRun, Phase, SourceRange, Trees
from sonde.instruments.decisions.report.html import page_data, source_lines, write_differences, write_run


def written(path: Path) -> tuple[str, dict[str, Any]]:
    """The page, and the data in it."""
    page = path.read_text(encoding="ascii")
    found = re.search(r'<script type="application/json" id="decisions">(.*?)</script>', page, re.S)
    assert found is not None
    return page, json.loads(found[1])


def show(folder: Path, first: DecisionRun, second: DecisionRun | None = None) -> tuple[str, dict[str, Any]]:
    path = folder / "page.html"
    if second is None:
        write_run(made_experiment(first), path)
    else:
        write_differences(compare_runs(*made_sides(first, second)), path)
    return written(path)


@pytest.mark.parametrize("run", every_kind(), ids=lambda run: run.kind)
def test_every_compiler_has_a_page(run: DecisionRun, tmp_path: Path) -> None:
    page, data = show(tmp_path, run)
    assert data["mode"] == "run"
    assert set(data["methods"][0]["pairs"][0]["trees"]) == {"inlining", "optimizations", "context"}
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_the_columns_of_a_tree_tell_all_of_it(tmp_path: Path) -> None:
    _, data = show(tmp_path, graal_run(), graal_run(is_fast=False))
    tree = data["methods"][0]["pairs"][0]["trees"]["inlining"]
    assert tree["edits"] == ".*--.."
    assert tree["size"] == [6, 3, 2, 1, 1, 1]
    kinds = [data["kinds"][data["calls"][content >> 2][0]] if content >= 0 else None for content in tree["right"]]
    assert kinds == ["root", "direct", None, None, "direct", "deleted"]


def test_the_same_text_is_in_the_page_once(tmp_path: Path) -> None:
    page, _ = show(tmp_path, graal_run(), graal_run(is_fast=False))
    data = page.partition('id="decisions">')[2].partition("</script>")[0]
    assert data.count('"java.util.HashMap.get(Object)"') == 1


def test_sources_are_there_for_methods_that_are_named(tmp_path: Path) -> None:
    _, data = show(tmp_path, llvm_run())
    names = {
        data["strings"][int(number)]: [data["files"][file], line] for number, (file, line) in data["sources"].items()
    }
    assert names == {"sum": ["/src/app/sum.c", 10], "scale": ["/src/app/scale.h", 3]}


def run_of_file(path: Path, first_line: int = 2) -> DecisionRun:
    """A run of LLVM with a decision in the third line of a function `f`, in a file."""
    trees = Trees(root("f"), Phase("R", [decided("licm", "Hoisted", ("f", 2))]))
    run = made_run(
        [made_unit(0, trees, period=9, name="f")], kind="llvm", sources={"f": SourceRange(str(path), first_line)}
    )
    run.lines_from = "method"
    return run


def test_lines_with_decisions_and_those_around_them_are_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("".join(f"line {number}\r\n" for number in range(1, 30)))
    _, data = show(tmp_path, run_of_file(tmp_path / "f.c", first_line=10))
    file = data["files"].index(str(tmp_path / "f.c"))
    assert data["listings"][str(file)] == [[6, [f"line {number}" for number in range(6, 17)]]]
    assert data["sources_missing"] == data["sources_left_out"] == data["sources_changed"] == []


def test_sources_that_cannot_be_shown_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.c"
    _, data = show(tmp_path, run_of_file(path))
    assert (data["sources_missing"], data["listings"]) == ([str(path)], {})
    path.write_text("int f() {\n")
    _, data = show(tmp_path, run_of_file(path))
    assert data["sources_changed"] == [str(path)]  # it has fewer lines than the run has seen
    path.write_text("x\n" * 9)
    monkeypatch.setattr(source_lines, "MAX_SOURCE_BYTES", 10)
    _, data = show(tmp_path, run_of_file(path))
    assert (data["sources_left_out"], list(data["listings"].values())) == ([str(path)], [[]])


def test_lines_that_come_first_are_in_the_page_where_there_is_no_room_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.c"
    path.write_text("".join(f"{number}{'x' * 40}\n" for number in range(1, 1000)))
    decisions: list[Phase | Decision] = [decided("licm", "Hoisted", (name, 2)) for name in "ab"]
    unit = made_unit(0, Trees(root("a"), Phase("R", decisions)), period=9)
    sources = {"a": SourceRange(str(path), 900), "b": SourceRange(str(path), 100)}
    monkeypatch.setattr(source_lines, "MAX_SOURCE_BYTES", 800)
    run = made_run([unit], kind="llvm", sources=sources)
    run.lines_from = "method"
    _, data = show(tmp_path, run)
    assert data["sources_left_out"] == [str(path)]
    assert [part[0] for part in data["listings"]["0"]] == [896]


def test_a_source_is_looked_for_where_the_run_lies(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("x\n" * 9)
    run = run_of_file(Path("f.c"))
    run.name = str(tmp_path / "run")
    _, data = show(tmp_path, run)
    assert data["sources_missing"] == []


def test_a_source_is_looked_for_first_where_the_command_was_run(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "f.c").write_text("right\n" * 9)
    (tmp_path / "f.c").write_text("wrong\n" * 9)
    run = run_of_file(Path("f.c"))
    run.name, run.directory = str(tmp_path / "run"), str(tmp_path / "there")
    _, data = show(tmp_path, run)
    assert data["listings"]["0"][0][1][0] == "right"


def test_a_source_that_was_written_after_the_run_is_said(tmp_path: Path) -> None:
    path, record = tmp_path / "f.c", tmp_path / "f.opt.yaml"
    path.write_text("x\n" * 9)
    record.touch()
    run = run_of_file(path)
    run.name = str(record)
    os.utime(path, (2000, 2000))
    os.utime(record, (3000, 3000))
    assert show(tmp_path, run)[1]["sources_changed"] == []
    os.utime(record, (1000, 1000))
    assert show(tmp_path, run)[1]["sources_changed"] == [str(path)]


def test_words_of_the_page_are_explained_once(tmp_path: Path) -> None:
    _, data = show(tmp_path, run_of_file(tmp_path / "f.c"))
    assert [word for _, word, _, _ in data["meanings"]] == ["Hoisted"]
    assert list(data["meaning_of"]["decisions"].values()) == [0]
    assert data["unexplained"] == []


def test_the_same_input_gives_the_same_page(tmp_path: Path) -> None:
    assert show(tmp_path, graal_run(), graal_run(is_fast=False)) == show(
        tmp_path, graal_run(), graal_run(is_fast=False)
    )


def test_trees_without_room_are_pruned_and_then_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made_run([made_unit(0, wide_trees(100), period=9)])
    second = made_run([made_unit(0, wide_trees(100, skip=50), period=9)])
    monkeypatch.setattr(page_data, "MAX_NODES", 60)
    _, data = show(tmp_path, first, second)
    trees = data["methods"][0]["pairs"][0]["trees"]
    assert data["left_out"] == {"pruned": 2, "trees": 0}
    assert trees["inlining"]["edits"] == ".-"
    assert trees["optimizations"] == "the same"
    monkeypatch.setattr(page_data, "MAX_NODES", 1)
    _, data = show(tmp_path, first, second)
    assert data["left_out"] == {"pruned": 1, "trees": 1}
    assert data["methods"][0]["pairs"][0]["trees"]["inlining"] == "left out"


def test_a_tree_deeper_than_the_stack_is_written(tmp_path: Path) -> None:
    _, data = show(tmp_path, made_run([made_unit(0, deep_trees(3000), period=9)]))
    assert data["methods"][0]["pairs"][0]["trees"]["inlining"]["size"][0] == 3001


def test_names_cannot_end_the_data(tmp_path: Path) -> None:
    page, data = show(tmp_path, made_run(graal_run().units, name="</script><script>alert(1)</script>"))
    assert "<script>alert" not in page
    assert data["runs"][0]["name"] == "</script><script>alert(1)</script>"


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="cannot write") as refused:
        write_run(made_experiment(graal_run()), tmp_path / "no" / "page.html")
    assert refused.value.slug == "cannot-write"


def test_two_runs_without_anything_hot_have_a_page(tmp_path: Path) -> None:
    sides = made_sides(made_run([]), made_run([]))
    comparison: Comparison = compare_runs(*sides)
    write_differences(comparison, tmp_path / "page.html")
    _, data = written(tmp_path / "page.html")
    assert data["methods"] == []
