"""What is made of a run under the tool, and what is said when nothing can be made of it."""

import argparse
import json
from pathlib import Path

import pytest

from sonde.instruments.memory.options import MemoryOptions, WatchOptions
from sonde.instruments.memory.source import ToolRun
from sonde.instruments.memory.verb.report import Wanted, finish
from sonde.launch import Outcome, Refusal

RECORD = """sonde-memory\t1
cache\tI1\t32768\t8\t64
cache\tD1\t32768\t8\t64
policy\tlru\tneither\twrite-allocate\t1\tclassified\t0
total\tinstructions\t70
total\tloads\t20
total\tmodifies\t3
total\tstores\t10
total\tmisses1\t4
total\tclock\t30
F\t1\tnative\twalk\t{source}\t1\t/bin/walk
P\t1\t1:2
N\t1\t20\t10\t4\t0\t0\t70\t0\t0\t0
T\t1\tglobal\tcells
C\t1\t-1\t0\t0\t0\t30\t4\t0\t0\t-
X\t1\t1\t4\t0\t0\t0\t0
end
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    source = tmp_path / "walk.c"
    source.write_text("int cells[9];\nint walk() { return cells[3]; }\n", encoding="utf-8")
    path = tmp_path / "record"
    path.write_text(RECORD.format(source=source), encoding="utf-8")
    return path


def ended(record: Path, *, fault: str | None = None, refusals: tuple[Refusal, ...] = ()) -> ToolRun:
    return ToolRun(Outcome(1, 0, 0.0, 10**9), record, "valgrind 3.19.0, sonde's tool", fault, refusals, record.parent)


def report(
    run: ToolRun,
    output: Path | None = None,
    *,
    quiet: bool = False,
    json: bool = False,
    markdown: bool = False,
    count_only: bool = False,
    trace: Path | None = None,
) -> int:
    forms = argparse.Namespace(json=json, markdown=markdown)
    watch = WatchOptions(count_only=count_only, trace=trace)
    return finish(run, ("./walk",), None, Wanted(output, quiet, watch, MemoryOptions(), None, forms))


def test_the_report_has_the_line_that_ran(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert report(ended(record)) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("./walk\n") and "of 30 accesses miss D1" in err and "int walk() { return cells[3]; }" in err
    assert err.endswith("sonde: the profile was not kept; -o run.sonde keeps it\n")


def test_the_profile_is_kept_with_what_is_known_of_the_run(record: Path, tmp_path: Path) -> None:
    from sonde.instruments.memory.profile import read_memory_profile

    output = tmp_path / "run.sonde"
    assert report(ended(record), output, quiet=True) == 0
    profile = read_memory_profile(output)
    assert (profile.run.command, profile.run.ended, profile.run.complete) == (("./walk",), "exited 0", True)
    assert profile.run.started_at == "1970-01-01T00:00:00.000+00:00" and profile.run.duration_ns == 10**9
    assert list(profile.sources) == [str(tmp_path / "walk.c")]


def test_a_run_that_valgrind_ended_is_told_of_and_kept(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sonde.instruments.memory.profile import read_memory_profile

    record.write_text(record.read_text(encoding="utf-8").replace("end\n", ""), encoding="utf-8")
    output = tmp_path / "run.sonde"
    assert report(ended(record, fault="Valgrind itself failed: panic"), output, quiet=True) == 0
    assert capsys.readouterr().err.startswith("sonde: Valgrind itself failed: panic\n")
    assert not read_memory_profile(output).run.complete


@pytest.mark.parametrize("quiet", [False, True])
def test_a_profile_that_cannot_be_written_is_shown_and_kept_elsewhere(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    from sonde.instruments.memory.profile import read_memory_profile

    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    assert report(ended(record), tmp_path / "no folder" / "run.sonde", quiet=quiet) == 1
    said = capsys.readouterr().err
    assert ("30 accesses" in said) is not quiet
    (kept,) = tmp_path.glob("elsewhere/*/run.sonde")
    assert (
        f"the profile is '{kept}'" in said
        and f"mv {kept} '{tmp_path}/no folder/run.sonde'" in said
        and "wrote" not in said
    )
    assert read_memory_profile(kept).accesses == 30


@pytest.mark.parametrize(
    ("kind", "fact"),
    [("accesses-not-traced", "it lacks 1,234 accesses"), ("segments-not-traced", "it lacks 1,234 runs of code")],
)
def test_what_a_trace_lacks_is_an_error_which_quiet_does_not_silence(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, fact: str
) -> None:
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("end\n", f"lost\t{kind}\t1234\tdetail\nend\n"), encoding="utf-8")
    trace = tmp_path / "t.addr"
    trace.touch()
    assert report(ended(record), quiet=True, trace=trace) == 1
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"sonde: cannot write '{trace}': ") and fact in first


def test_a_trace_that_could_not_be_made_is_told_of(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(ended(record), quiet=True, trace=tmp_path / "t.addr") == 1
    assert "the tool could not make it" in capsys.readouterr().err


def test_the_data_go_to_stdout(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ended(record), json=True) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"], data["title"]) == ("sonde.report/1", "memory", "./walk")


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_what_goes_to_stdout_is_not_silenced_by_quiet(
    record: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert report(ended(record), None, quiet=True, json=form == "json", markdown=form == "markdown") == 0
    out, err = capsys.readouterr()
    assert "walk" in out and not err


def test_markdown_goes_to_stdout(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ended(record), markdown=True) == 0
    out = capsys.readouterr().out
    assert (
        out.startswith("## ./walk\n\n**")
        and "of 30 accesses miss" in out
        and "int walk() \\{ return cells\\[3\\]; \\}" in out
    )


def test_counts_alone(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ended(record), count_only=True) == 0
    err = capsys.readouterr().err
    assert "30 data accesses: 20 loads (3 of them store, too), 10 stores\n70 instructions · exited 0" in err
    assert report(ended(record), count_only=True, json=True) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["loads"], data["stores"], data["instructions"]) == (
        "sonde.memory-counts/1",
        20,
        10,
        70,
    )


def test_a_program_killed_before_the_first_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome, missing = Outcome(1, 9, 0.0, 10**9), tmp_path / "missing"
    killed = ToolRun(outcome, missing, "valgrind 3.19.0, sonde's tool", None, (), tmp_path)
    assert report(killed) == 3
    said = capsys.readouterr().err
    assert "nothing was measured: killed by SIGKILL, before" in said and "another program" not in said


def test_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ended(tmp_path / "missing")) == 3
    assert "nothing was measured: the command became another program" in capsys.readouterr().err


def test_no_record_because_valgrind_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ended(tmp_path / "missing", fault="Valgrind had no memory left: x")) == 1
    err = capsys.readouterr().err
    assert err.startswith("sonde: Valgrind had no memory left: x\n") and "nothing was measured" not in err


def empty(record: Path) -> ToolRun:
    lines = [line for line in record.read_text(encoding="utf-8").splitlines() if line[:2] not in ("N\t", "C\t", "X\t")]
    counted = [line if not line.startswith("total") else line.rpartition("\t")[0] + "\t0" for line in lines]
    record.write_text("\n".join(counted) + "\n", encoding="utf-8")
    return ended(record)


def test_no_window_was_opened(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(empty(record)) == 3
    assert "nothing was measured: no window of measuring was opened" in capsys.readouterr().err


def test_the_reason_of_an_agent_that_was_not_there(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = empty(record)
    refusal = Refusal("/bin/python3.9", "3.9", "it is another one")
    assert report(ended(run.record, refusals=(refusal,))) == 3
    assert capsys.readouterr().err == (
        "sonde: Python lines and objects are not known: no agent in /bin/python3.9 (Python 3.9): it is another one\n"
        "hint: sonde memory measures CPython 3.11 to 3.15, by the sonde that is installed there\n"
    )


def test_a_damaged_record_ends_nothing_but_the_report(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record.write_text("sonde-memory\t1\nnonsense\n", encoding="utf-8")
    assert report(ended(record)) == 1
    assert capsys.readouterr().err.startswith("sonde: cannot read memory record")


def test_a_trace_that_was_not_made_is_told_of(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "t.addr"
    assert report(ended(record), quiet=True, trace=trace) == 1
    assert f"cannot write '{trace}'" in capsys.readouterr().err
    trace.touch()
    assert report(ended(record), quiet=True, trace=trace) == 0
