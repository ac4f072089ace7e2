"""`sonde paths`, and what view, merge and diff do with its profiles."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from path_streams import RUNNING_EXAMPLE, Activation, stream_text
from report_json import all_rows, facts, table
from sonde.cli.main import main

EXAMPLE = stream_text([Activation(0, RUNNING_EXAMPLE)])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the running example, in which commands are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "ids.txt").write_bytes(EXAMPLE)
    return tmp_path


def analyse(*words: str) -> int:
    return main(["paths", "--stream", "ids.txt", *words])


def test_the_running_example_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse("-k", "4") == 0

    assert capsys.readouterr().out.startswith(
        "sonde paths --stream ids.txt\n"
        "2 → 0 ×2 → 2 is the hottest sequence: taken 3 times, at least 71.4% of 14 paths\n"
        "  lie in it.\n"
        "14 paths · 1 activation · 22 different sequences of up to 4 · k = 4\n"
        "\n"
        "hottest sequences  by paths covered, at least  one of those with the same paths\n"
        "covers  share  taken  paths  sequence\n"
        "    10  71.4%      3      4  2 → 0 ×2 → 2\n"
    )


def test_data_has_the_whole_forest(capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse("--json", "--min-share", "0") == 0

    answer = json.loads(capsys.readouterr().out)
    assert facts(answer) == {"paths": 14, "activations": 1, "sequences": 22, "k": 4}
    first = table(answer, "sequences")[0]
    assert (first["ids"], first["count"], first["covered"]) == ("2 0 0 2", 3, 10)
    assert len(all_rows(answer, "forest")) == 22
    assert {row["path"]: row["count"] for row in table(answer, "forest")} == {"0": 6, "2": 6, "3": 1, "6": 1}


def test_small_branches_are_left_out_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse("--min-share", "20%") == 0

    told = capsys.readouterr().out
    assert "    6      42.9%   100.0%  ├ 0\n" in told and "└ … 4 more below\n" in told


@pytest.mark.parametrize("k", ["1", "2", "16"])
def test_the_first_level_is_the_acyclic_profile(k: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse("-k", k, "--json") == 0

    rows = table(json.loads(capsys.readouterr().out), "forest")
    assert {row["path"]: row["count"] for row in rows} == {"0": 6, "2": 6, "3": 1, "6": 1}
    assert any("below" in row for row in rows) is (k != "1")


def test_of_acyclic_paths_the_hottest_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse("-k", "1") == 0

    told = capsys.readouterr().out
    assert "Path 0 is the hottest one: 42.9% of 14 paths.\n" in told and "hottest sequences" not in told


def test_standard_input_is_a_stream(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EXAMPLE)))

    assert main(["paths", "--stream", "-"]) == 0
    assert "2 → 0 ×2 → 2 is the hottest" in capsys.readouterr().out


class EndlessInput(io.BufferedIOBase):
    """A stream that another program writes, until somebody presses Ctrl-C, or it fails."""

    def __init__(self, ending: type[BaseException]) -> None:
        self._ending = ending
        self._parts = [EXAMPLE]

    def read1(self, size: int = -1) -> bytes:
        if not self._parts:
            raise self._ending(5, "Input/output error")
        return self._parts.pop()


@pytest.mark.parametrize(
    ("ending", "code", "said"),
    [
        (KeyboardInterrupt, 130, ""),
        (OSError, 1, "cannot read 'standard input': Input/output"),
    ],
)
def test_what_was_read_of_a_stream_that_breaks_off_is_told_and_kept(
    ending: type[BaseException],
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=EndlessInput(ending)))

    assert main(["paths", "--stream", "-", "-o", "a.sonde"]) == code

    told = capsys.readouterr()
    assert "taken 3 times" in told.out and "the stream was not read to its end" in told.out
    assert said in told.err
    assert main(["view", "a.sonde"]) == 0


def test_a_profile_is_kept_viewed_merged_and_compared(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ids.txt").write_bytes(stream_text([Activation(0, RUNNING_EXAMPLE), Activation(1, (5, 5, 5))]))
    assert analyse("-o", "a.sonde") == 0
    direct = capsys.readouterr()
    assert direct.err == "sonde: wrote a.sonde; sonde view a.sonde --html run.html\n"
    assert "functions  by paths taken" in direct.out and "paths of r0" in direct.out and "paths of r1" not in direct.out

    assert main(["view", "a.sonde"]) == 0
    assert capsys.readouterr().out == direct.out
    assert main(["view", "a.sonde", "--function", "r1"]) == 0
    assert "5 ×3 is the hottest" not in capsys.readouterr().out  # it was taken once
    assert main(["view", "a.sonde", "--html", "a.html"]) == 0
    assert main(["view", "a.sonde", "--markdown"]) == 0
    assert "| 2 → 0 ×2 → 2 |" in capsys.readouterr().out

    (here / "ids.txt").write_bytes(EXAMPLE)
    assert analyse("-o", "b.sonde", "--quiet") == 0
    assert main(["merge", "a.sonde", "b.sonde", "-o", "all.sonde"]) == 0
    assert "merged 2 profiles into all.sonde: 31 paths\n" in capsys.readouterr().err
    assert main(["export", "b.sonde", "--to", "collapsed", "-o", "-"]) == 0
    assert "r0;2;0;0;2 3\n" in capsys.readouterr().out
    assert main(["diff", "a.sonde", "a.sonde"]) == 0
    assert main(["diff", "b.sonde", "a.sonde"]) == 1
    assert "Path 5 of r1 was taken 3 times instead of 0; total +21%." in capsys.readouterr().out


def test_groups_of_runs_are_compared_by_function(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides: dict[str, list[str]] = {"a": [], "b": []}
    for number in range(5):
        for side, times in (("a", 40), ("b", 80)):
            ids = (1, 2) * (times + number)
            (here / "ids.txt").write_bytes(stream_text([Activation(0, ids), Activation(1, (3,) * (50 + number % 2))]))
            sides[side].append(f"{side}{number}.sonde")
            assert analyse("-o", sides[side][-1], "--quiet") == 0

    assert main(["diff", *sides["a"], "--against", *sides["b"]]) == 1
    assert "1 of 2 functions changed: r0 has 1.95 times" in capsys.readouterr().out


def test_what_stands_before_a_bad_line_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ids.txt").write_bytes(EXAMPLE + b"oops\n1\n")

    assert analyse("-o", "a.sonde") == 1

    said = capsys.readouterr()
    assert "taken 3 times" in said.out and "the stream was not read to its end" in said.out
    assert "sonde: cannot read 'ids.txt': line 16: 'oops' is no id of a path\nhint: " in said.err
    assert main(["view", "a.sonde"]) == 0
    assert "(path-stream-cut-off)" in capsys.readouterr().out


def test_little_memory_gives_a_partial_answer(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ids.txt").write_bytes(b"*\n" + b"".join(b"%d\n" % (number * number % 9973) for number in range(9000)))

    assert analyse("-k", "8", "--memory", "64k") == 0

    assert "no memory for new sequences" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--stream", "ids.txt", "-k", "0"], 2, "'0' is not a number of paths: write 1 to 4,294,967,295"),
        (["--stream", "ids.txt", "-k", "4294967296"], 2, "'4294967296' is not a number of paths"),
        (["--stream", "ids.txt", "--memory", "1k"], 2, "'1k' is too little memory: write 64k or more"),
        (["--stream", "ids.txt", "--function", "r9"], 2, "cannot show 'r9': no function of that name took a path"),
        (["--stream", "ids.txt", "--probes", "early"], 2, "cannot use '--probes early': paths of a stream are there"),
        (["--stream", "ids.txt", "--burst", "20ms/2ms"], 2, "cannot watch 'ids.txt' in bursts: a stream is read as"),
        (["--burst", "2ms/2ms", "app.py"], 2, "cannot watch for 2 ms in every 2 ms: a burst must be shorter than"),
        (["--burst", "2ms", "app.py"], 2, "'2ms' is not INTERVAL/LENGTH: write 20ms/2ms"),
        (["--burst", "2ms/1ms", "--probes", "early", "a.c"], 2, "cannot watch in bursts with --probes early: what the"),
        (["--probes", "late", "-m", "app"], 2, "cannot use '--probes late': sonde does not compile '-m app'\nhint: "),
        (["--stream", "ids.txt", "--quiet"], 2, "cannot analyse with --quiet alone"),
        ([], 2, "cannot find paths: there is nothing to look at\nhint: name a program"),
        (["--stream", "none.txt"], 1, "cannot read 'none.txt': No such file or directory\nhint: name a file"),
        (["--stream", "."], 1, "cannot read '.': Is a directory"),
        (["--stream", "empty.txt"], 1, "cannot analyse 'empty.txt': there is no path id in it\nhint: "),
        (["--stream", "marks.txt"], 1, "cannot analyse 'marks.txt': there is no path id in it\nhint: "),
        (["--stream", "bad.txt"], 1, "cannot read 'bad.txt': line 1: 'x' is no id of a path\nhint: "),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], code: int, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "empty.txt").write_bytes(b"")
    (here / "marks.txt").write_bytes(b"* f\n* g\n")
    (here / "bad.txt").write_bytes(b"x\n1\n")

    assert main(["paths", *words]) == code

    out, err = capsys.readouterr()
    assert out == "" and said in err
