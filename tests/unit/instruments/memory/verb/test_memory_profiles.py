"""`sonde view`, `diff`, `merge` and `export` of profiles of memory accesses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from made_memory_profiles import inventory_profile, made_run, native_profile
from report_json import facts
from sonde.cli import main
from sonde.instruments.contexts.profile import write_profile
from sonde.instruments.memory.profile import read_memory_profile, write_memory_profile
from tree_builder import profile_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with profiles of both kinds."""
    write_memory_profile(tmp_path / "a.sonde", inventory_profile())
    write_memory_profile(tmp_path / "b.sonde", replace(inventory_profile(), sources={}))
    write_memory_profile(tmp_path / "native.sonde", native_profile())
    write_profile(tmp_path / "contexts.sonde", profile_of("main 10\n  work @3 20"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_memory_profile_is_viewed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "a.sonde", "--rows", "2", "--sort", "d1", "-v"]) == 0

    out = capsys.readouterr().out
    assert "945,775,974 data accesses" in out and "shell_sort" in out and "calling contexts" not in out


def test_its_data_have_the_schema_of_all_reports(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "a.sonde", "--json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"]) == ("sonde.report/1", "memory")
    assert facts(data)["accesses"] == inventory_profile().accesses


def test_it_is_markdown_for_a_pull_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "a.sonde", "--markdown", "--rows", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("## python3 inventory.py") and "| shell\\_sort |" in out and "84.2%" in out
    assert main(["view", "a.sonde", "--markdown", "--json"]) == 2
    assert "--json and --markdown exclude each other" in capsys.readouterr().err


def test_its_page_is_written_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "a.sonde", "--html", "a.html"]) == 0
    assert "wrote a.html" in capsys.readouterr().err
    page = (folder / "a.html").read_text()
    assert "shell_sort" in page
    assert main(["view", "a.sonde", "--html", "a.html"]) == 2
    assert "it exists already" in capsys.readouterr().err
    assert main(["view", "a.sonde", "--html", "a.html", "--force", "--json"]) == 2


def test_equal_profiles_do_not_differ(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.sonde", "b.sonde"]) == 0
    assert "nothing else changed" in capsys.readouterr().out


def test_changes_are_told_and_make_the_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", "a.sonde", "b.sonde", "-o", "both.sonde"]) == 0
    assert "1,891,551,948 data accesses" in capsys.readouterr().err

    assert main(["diff", "a.sonde", "both.sonde"]) == 1
    assert "shell_sort" in capsys.readouterr().out
    assert main(["diff", "a.sonde", "both.sonde", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"], data["changed"]) == ("sonde.report/1", "memory-diff", True)
    assert main(["diff", "a.sonde", "both.sonde", "--markdown"]) == 1
    assert capsys.readouterr().out.startswith("## a.sonde → both.sonde\n")
    assert main(["diff", "a.sonde", "both.sonde", "--min-change", "1"]) == 0


def test_merged_profiles_are_a_profile(folder: Path) -> None:
    assert main(["merge", "a.sonde", "b.sonde", "-o", "both.sonde"]) == 0

    merged = read_memory_profile(folder / "both.sonde")
    assert merged.accesses == 2 * inventory_profile().accesses
    assert merged.sources == inventory_profile().sources


def test_other_programs_and_caches_are_not_merged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = replace(inventory_profile(), run=made_run(["python3", "other.py"]))
    write_memory_profile(folder / "other.sonde", other)

    assert main(["merge", "a.sonde", "other.sonde", "-o", "both.sonde"]) == 1
    assert "'inventory.py' and 'other.py'" in capsys.readouterr().err
    assert main(["merge", "a.sonde", "native.sonde", "--anyway", "-o", "both.sonde"]) == 1
    assert "measured with" in capsys.readouterr().err
    assert not (folder / "both.sonde").exists()
    assert main(["merge", "a.sonde", "other.sonde", "--anyway", "-o", "both.sonde"]) == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["view", "a.sonde", "--functions", "3"], 2, "on 'a.sonde': it holds a profile of memory accesses"),
        (["view", "a.sonde", "--imports"], 2, "cannot use --imports"),
        (["view", "a.sonde", "--sort", "L7"], 2, "cannot sort by 'L7'"),
        (["view", "contexts.sonde", "--sort", "D1"], 2, "cannot use --sort on 'contexts.sonde'"),
        (["diff", "a.sonde", "contexts.sonde"], 2, "holds a profile of memory accesses, the other a"),
        (["diff", "contexts.sonde", "a.sonde"], 2, "holds a profile of calling contexts, the other a"),
        (["diff", "a.sonde", "b.sonde", "--accuracy"], 2, "cannot use --accuracy"),
        (["diff", "a.sonde", "b.sonde", "--normalise", "total"], 2, "cannot use --normalise"),
        (["diff", "a.sonde", "b.sonde", "--metric", "calls"], 2, "cannot use --metric"),
        (["diff", "a.sonde", "native.sonde"], 2, "one has misses of D1, L2, the other of D1, L2, L3"),
        (["merge", "a.sonde", "contexts.sonde", "-o", "x.sonde"], 1, "'a.sonde' and 'contexts.sonde' together"),
        (["export", "a.sonde", "--to", "pprof"], 2, "cannot write 'a.sonde' as pprof"),
        (["export", "a.sonde", "--to", "callgrin"], 2, "did you mean '--to callgrind'?"),
        (["export", "a.sonde", "--to", "callgrind", "--metric", "calls"], 2, "cannot use --metric"),
        (["export", "a.sonde", "--to", "callgrind", "-o", "-", "--json"], 2, "drop --json"),
        (["export", "none.sonde", "--to", "callgrind"], 1, "no such file"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_kind_is_refused(
    words: list[str], code: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in folder.iterdir())

    assert main(words) == code

    assert said in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_lines_are_exported_for_callgrind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "a.sonde", "--to", "callgrind"]) == 0

    said = capsys.readouterr().err
    assert "wrote a.callgrind.out" in said and "callgrind_annotate a.callgrind.out" in said
    assert "no room to say it: objects-not-tracked: 312" in said
    assert ") shell_sort\n" in (folder / "a.callgrind.out").read_text()
    assert main(["export", "a.sonde", "--to", "callgrind"]) == 2
    assert main(["export", "a.sonde", "--to", "callgrind", "--force", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["format"], data["losses"]) == ("sonde.export/2", "callgrind", 1)


def test_the_export_may_go_to_stdout(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", "native.sonde", "--to", "callgrind", "-o", "-"]) == 0

    assert capfdbinary.readouterr().out.startswith(b"# callgrind format\n")
