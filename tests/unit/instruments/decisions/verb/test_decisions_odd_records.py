"""`sonde decisions` on records that are damaged, deep or hostile: answers or a fact, never a traceback."""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graal_logs import Json, call, did, entry, phase, root, unit, write_log, write_profile
from report_json import all_rows, facts
from sonde.cli import main
from sonde.instruments.decisions.readers import Manifest, write_manifest

FOO, BAR, BAZ = "demo.Foo.foo()", "demo.Bar.bar()", "demo.Baz.baz()"
DEEP = 6_000
HOSTILE = "demo.Foo.\x1b[31mred\x07\u202e()"
HALF_A_PAIR = "demo.Foo.\ud800()"


def write_run(folder: Path, *units: Json) -> Path:
    write_log(folder / "optimization_log", *units)
    entries = (entry(30, each["methodName"], each["compilationId"]) for each in units)
    write_profile(folder / "profile.json", 100, *entries, executionId=folder.name)
    return folder


def plain(method: str, number: str, kind: str = "inlined", peelings: int = 1) -> Json:
    decided = phase("RootPhase", phase("LoopPhase", did("Loop", "Peeling", {method: 7}, peelings=peelings)))
    return unit(method, number, root(method, call(BAZ, 1, kind)), decided)


def damaged(method: str, number: str) -> Json:
    made = plain(method, number)
    made["inliningTree"]["invokes"][0]["callsiteBci"] = "one"
    return made


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    return write_run(tmp_path / "odd", plain(FOO, "1"), damaged(BAR, "2"))


def test_a_damaged_hot_unit_is_told_and_the_others_are_compared(
    odd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_run(tmp_path / "other", plain(FOO, "1", "direct"), plain(BAR, "2"))

    assert main(["decisions", "diff", str(odd), str(other), "--hot-min-limit", "2", "-v"]) == 1

    out = capsys.readouterr().out
    assert "not compared: cannot read the unit" in " ".join(out.split())
    assert "inlined in A, direct in B" in out


def test_a_damaged_hot_unit_is_left_out_of_groups_with_a_remark(
    odd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [write_run(tmp_path / name, plain(FOO, "1", kind), plain(BAR, "2")) for name, kind in _GROUPS]

    groups = ["--fast", str(odd), str(runs[0]), "--slow", *map(str, runs[1:])]
    assert main(["decisions", "consistent", *groups, "--hot-min-limit", "2"]) == 0

    out = capsys.readouterr().out
    assert "1 unit is damaged" in out and "Baz.baz()" in out


_GROUPS = (("f", "inlined"), ("s1", "direct"), ("s2", "direct"))


def test_trees_of_any_depth_are_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = plain(FOO, "1")
    text = json.dumps(made | {"inliningTree": None})
    nested = '{"method":"demo.Foo.foo()","callsiteBci":1,"inlined":true,"invokes":[' * DEEP + "]}" * DEEP
    log = tmp_path / "deep" / "optimization_log"
    log.mkdir(parents=True)
    (log / "1").write_text(text.replace('"inliningTree": null', f'"inliningTree": {nested}') + "\n")

    assert main(["decisions", "show", str(tmp_path / "deep"), "--json"]) == 0

    out = capsys.readouterr().out
    assert out.count('"at":1') == DEEP
    assert out.startswith('{"schema":"sonde.report/1","kind":"decisions",') and out.endswith("]}\n")


@pytest.mark.parametrize(
    "way", [["show", "{}", "--all", "--format", "profdiff"], ["profdiff", "report", "{}/optimization_log"]]
)
def test_profdiffs_text_has_stand_ins_for_what_cannot_be_encoded(
    way: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    (run / "optimization_log").mkdir(parents=True)
    (run / "optimization_log" / "1").write_text(json.dumps(plain(HALF_A_PAIR, "1")) + "\n")  # in ASCII
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "utf-8"))

    assert main(["decisions", *(word.format(run) for word in way)]) == 0

    sys.stdout.flush()
    assert b"demo.Foo.?()" in written.getvalue()


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [_Terminal, io.TextIOWrapper])
def test_profdiffs_text_steers_no_terminal_and_is_exact_in_files(
    stream: type[io.TextIOWrapper], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run", plain(HOSTILE, "1"))
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", stream(written, "utf-8"))

    assert main(["decisions", "profdiff", "report", str(run / "optimization_log")]) == 0

    sys.stdout.flush()
    told = written.getvalue().decode()
    assert (HOSTILE in told) == (stream is io.TextIOWrapper)
    assert ("\x1b" in told) == (stream is io.TextIOWrapper)
    assert "demo.Foo.\ufffd[31mred\ufffd\ufffd()" in told or stream is io.TextIOWrapper


def test_what_is_hot_is_told_where_all_units_are_shown(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["decisions", "show", str(odd), "--all", "--hot-max-limit", "1", "-v"]

    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "2 units" in out and "in 1 hot unit" in out and "\ncompilation units  2 of 2" in out

    assert main([*asked, "--json"]) == 0
    assert sorted(unit["hot"] for unit in all_rows(json.loads(capsys.readouterr().out), "units")) == [False, True]


def test_decisions_that_look_the_same_say_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (write_run(tmp_path / str(n), plain(FOO, "1", peelings=n)) for n in (1, 2))

    assert main(["decisions", "diff", str(one), str(other)]) == 1

    assert "peelings 1 in A; peelings 2 in B" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("made", "fact"),
    [(lambda path: None, "no such file"), (Path.mkdir, "it is a folder"), (os.mkfifo, "it is no regular file")],
)
def test_a_profile_that_is_no_file_is_refused_as_a_profile(
    odd: Path, tmp_path: Path, made: Callable[[Path], None], fact: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path / "profile")

    assert main(["decisions", "show", str(odd), "--profile", str(tmp_path / "profile")]) == 1
    assert f"cannot read the profile '{tmp_path / 'profile'}': {fact}" in capsys.readouterr().err


def test_pipes_beside_the_log_and_as_profile_do_not_stop_profdiff(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_run(tmp_path, plain(FOO, "1")) / "optimization_log"
    pipe = log / "pipe"
    os.mkfifo(pipe)

    assert main(["decisions", "profdiff", "report", str(log)]) == 0
    assert main(["decisions", "profdiff", "report", str(log), str(pipe)]) == 1
    assert f"cannot read the profile '{pipe}': it is no regular file" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["show"], ["diff"]])
def test_a_page_is_not_written_to_a_stream(odd: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(odd)] * (1 + (words == ["diff"]))
    assert main(["decisions", *words, *runs, "--html", "-"]) == (2 if words == ["diff"] else 1)
    assert "cannot write to '-': this output goes into a file" in capsys.readouterr().err
    assert not Path("-").exists()


def test_a_run_compared_with_itself_is_told(odd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "again").symlink_to(odd)

    main(["decisions", "diff", str(odd), str(tmp_path / "again")])
    assert "both are the same run" in capsys.readouterr().err

    other = write_run(tmp_path / "other", plain(FOO, "1"))
    main(["decisions", "diff", str(odd), str(other)])
    assert "both are the same run" not in capsys.readouterr().err


NINES = "9" * 5_000


@pytest.mark.parametrize("what", ["a bci", "a position", "a property", "an id", "a period"])
def test_a_number_of_thousands_of_digits_is_told_in_our_words(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked = {
        "a bci": unit(FOO, "1", root(FOO, call(BAR, 987654321))),
        "a position": unit(FOO, "1", None, phase("R", did("L", "P", {FOO: 987654321}))),
        "a property": unit(FOO, "1", None, phase("R", did("L", "P", {FOO: 1}, factor=987654321))),
        "an id": unit(FOO, "1") | {"compilationId": 987654321},
        "a period": unit(FOO, "1"),
    }[what]
    write_log(tmp_path / "log", marked)
    write_profile(tmp_path / "profile", 987654321 if what == "a period" else 5)
    for file in (tmp_path / "log" / "0_7", tmp_path / "profile"):
        file.write_text(file.read_text().replace("987654321", NINES))

    for question in ("show", "diff"):
        runs = [str(tmp_path / "log")] * (2 if question == "diff" else 1)
        profiles = ["--profile-a" if question == "diff" else "--profile", str(tmp_path / "profile")]
        main(["decisions", question, *runs, *profiles])
        said = " ".join("".join(capsys.readouterr()).split())
        assert "a number in it has thousands of digits" in said and "sys." not in said


def test_a_period_that_no_clock_shows_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run", plain(FOO, "1"))
    write_profile(run / "profile.json", 10**400, entry(10**400, FOO, "1"), unit="nanoseconds")
    assert main(["decisions", "show", str(run)]) == 1
    assert "not a whole number of at most 64 bits" in capsys.readouterr().err


def test_an_error_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", "\x1b[31mgone\x07"]) == 1
    err = capsys.readouterr().err
    assert "\x1b" not in err and "\x07" not in err and err.count("\n") == 2


@pytest.mark.parametrize("record", ["optimization_log", "remarks"])
def test_a_captured_run_in_which_nothing_was_compiled_says_so(
    record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / record).mkdir()
    kind = "llvm" if record == "remarks" else "graal"
    manifest = Manifest(kind, tmp_path / record, command=("java", "Main"), exit_code=3)
    write_manifest(tmp_path, manifest)
    assert main(["decisions", "show", str(tmp_path)]) == 1
    assert "nothing was compiled by 'java Main', which ended with exit code 3" in capsys.readouterr().err


def test_deep_recursion_is_compared_in_part_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def nested(kind: str) -> Json:
        site = call(FOO, 3, kind)
        for _ in range(100):
            site = call(FOO, 3, "inlined", site)
        return unit(FOO, "1", root(FOO, site))

    runs = [str(write_run(tmp_path / kind, nested(kind))) for kind in ("direct", "deleted")]
    assert main(["decisions", "diff", *runs, "-v"]) == 1
    assert "72 fragments left out: of each unit the 64 outermost are compared" in capsys.readouterr().out
    assert main(["decisions", "diff", *runs, "--json"]) == 1
    scope = facts(json.loads(capsys.readouterr().out), "scope")
    assert [scope[f"{side}_fragments_left_out"] for side in ("first", "second")] == [36, 36]
