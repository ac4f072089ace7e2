"""`sonde decisions show`, `diff` and `consistent`: answers, exit codes, data, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graal_logs import Json, call, did, entry, phase, root, unit, write_log, write_profile
from report_json import all_rows, facts
from sonde.cli import main
from sonde.instruments.decisions.verb.decisions import QUESTIONS

FOO, BAR = "demo.Foo.foo()", "demo.Bar.bar()"


def write_run(folder: Path, *units: Json, profiled: bool = True, total: int = 100, more: bytes = b"") -> Path:
    """A run as it is captured: a log, and a profile in which units take the same time."""
    write_log(folder / "optimization_log", *units, more=more)
    if profiled:
        period = total // (len(units) + 1)
        entries = (entry(period, each["methodName"], each["compilationId"]) for each in units)
        write_profile(folder / "profile.json", total, *entries, executionId=folder.name)
    return folder


def foo(kind: str, *, reason: str = "trivial", peelings: int = 1) -> Json:
    return unit(
        FOO,
        "10",
        root(FOO, call(BAR, 1, kind, reason=[reason])),
        phase("RootPhase", phase("LoopPhase", did("Loop", "Peeling", {FOO: 7}, peelings=peelings))),
    )


@pytest.fixture
def fast(tmp_path: Path) -> Path:
    return write_run(tmp_path / "fast", foo("inlined"))


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return write_run(tmp_path / "slow", foo("direct", reason="too big"))


def test_a_run_is_shown_with_both_trees(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", str(fast)]) == 0

    out = capsys.readouterr().out
    assert "foo" in out and "bar" in out and "inlined Bar.bar()" in out and "Peeling" in out


def test_one_tree_can_be_asked_for(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", str(fast), "--tree", "inlining"]) == 0
    assert "Peeling" not in capsys.readouterr().out
    assert main(["decisions", "show", str(fast), "--tree", "optimizations"]) == 0
    assert "inlined Bar.bar()" not in capsys.readouterr().out


def test_what_is_not_hot_is_shown_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run", foo("inlined"), unit("demo.Cold.cold()", "11", root("demo.Cold.cold()")))

    for options, told in (([], 1), (["--all"], 2)):
        assert main(["decisions", "show", str(run), "--hot-max-limit", "1", "--json", *options]) == 0
        assert len(all_rows(json.loads(capsys.readouterr().out), "units")) == told


def test_a_run_without_a_profile_is_shown_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    units = [unit(f"demo.M.m{number}()", str(number)) for number in range(12)]
    run = write_run(tmp_path / "run", *units, profiled=False)

    assert main(["decisions", "show", str(run), "--hot"]) == 0
    out, err = capsys.readouterr()
    assert all(f"m{number}" in out for number in range(12))
    assert "--hot cannot tell" in err


def test_another_profile_can_be_named(fast: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = write_profile(tmp_path / "other.json", 1000, entry(125, FOO, "10"))

    assert main(["decisions", "show", str(fast), "--profile", str(profile)]) == 0
    assert "12.5" in capsys.readouterr().out


def test_data_has_a_schema_and_a_kind(fast: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", str(fast), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "decisions"
    assert main(["decisions", "diff", str(fast), str(slow), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["kind"], answer["changed"]) == ("sonde.report/1", "decisions-diff", True)


def test_answers_are_told_in_pull_requests(fast: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "diff", str(fast), str(slow), "--markdown"]) == 1
    assert "\\* inlined → direct Bar.bar()" in capsys.readouterr().out
    assert main(["decisions", "show", str(fast), "--markdown", "--json"]) == 2
    assert "--json and --markdown exclude each other" in capsys.readouterr().err
    assert main(["decisions", "explain", "LoadClobbered", "--markdown"]) == 0
    assert "Keep it in a local variable" in capsys.readouterr().out


def test_differences_are_exit_code_one(fast: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "diff", str(fast), str(slow)]) == 1

    out = capsys.readouterr().out
    assert "bar" in out and "inlined" in out and "direct" in out


def test_no_differences_are_exit_code_zero(fast: Path, tmp_path: Path) -> None:
    same = write_run(tmp_path / "same", foo("inlined"))

    assert main(["decisions", "diff", str(fast), str(same)]) == 0
    assert main(["decisions", "diff", str(fast), str(same), "--match", "exact", "--context"]) == 0
    assert main(["decisions", "diff", str(fast), str(same), "--format", "profdiff"]) == 0


def test_reasons_are_told_on_request(fast: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "diff", str(fast), str(slow), "--why"]) == 1
    assert "too big" in capsys.readouterr().out


def test_the_text_of_profdiff_is_the_same_by_both_ways(
    fast: Path, slow: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [str(run / name) for run in (fast, slow) for name in ("optimization_log", "profile.json")]

    assert main(["decisions", "diff", str(fast), str(slow), "--format", "profdiff"]) == 1
    by_diff = capsys.readouterr().out
    assert main(["decisions", "profdiff", "jit-vs-jit", *sides]) == 0
    assert capsys.readouterr().out == by_diff

    assert main(["decisions", "show", str(fast), "--format", "profdiff", "--tree", "context"]) == 0
    by_show = capsys.readouterr().out
    assert main(["decisions", "profdiff", "--optimization-context-tree=true", "report", *sides[:2]]) == 0
    assert capsys.readouterr().out == by_show


def test_a_run_without_a_profile_is_compared_by_the_other(
    fast: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = write_run(tmp_path / "bare", foo("direct"), unit("demo.Cold.cold()", "11"), profiled=False)

    assert main(["decisions", "diff", str(fast), str(bare)]) == 1
    out, err = capsys.readouterr()
    assert "no profile for" in err and "cold" not in out

    assert main(["decisions", "diff", str(bare), str(bare)]) == 0
    assert "no profile on either side" in capsys.readouterr().err


def test_lambdas_of_a_method_that_is_hot_in_one_run_only_are_recognised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(name: str, address: str, times: tuple[int, int]) -> Path:
        called = call(f"A$$Lambda/0x{address}.run()", 3, "inlined")
        units = unit("a()", "1"), unit("b()", "2", root("b()", called))
        write_log(tmp_path / name / "optimization_log", *units)
        entries = (entry(period, f"{each}()", str(at)) for at, each, period in zip((1, 2), "ab", times, strict=True))
        write_profile(tmp_path / name / "profile.json", 100, *entries)
        return tmp_path / name

    first, second = run("first", "7f10", (60, 1)), run("second", "7f20", (1, 60))
    assert main(["decisions", "diff", str(first), str(second)]) == 0
    assert "b()" in capsys.readouterr().out


def two_methods(folder: Path, kind: str, *, cold_period: int = 20, more: tuple[Json, ...] = ()) -> Path:
    """A hot method that is the same in all runs, and a cold one, `foo`, in which `bar` is inlined or not."""
    units = (unit("demo.Hot.hot()", "1"), foo(kind), *more)
    write_log(folder / "optimization_log", *units)
    entries = (entry(36, "demo.Hot.hot()", "1"), *([entry(cold_period, FOO, "10")] if cold_period else []))
    write_profile(folder / "profile.json", 100, *entries)
    return folder


@pytest.mark.parametrize("cold_period", [20, 0])
def test_a_difference_in_cold_code_is_found_when_hot_code_is_the_same(
    tmp_path: Path, cold_period: int, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(two_methods(tmp_path / kind, kind, cold_period=cold_period)) for kind in ("inlined", "direct")]
    words = ["decisions", "diff", *runs, "--hot-max-limit", "1"]

    assert main(words) == 1
    out, err = capsys.readouterr()
    assert "A, inlined: " in out and "B, direct: " in out
    assert "hot code does not differ" in err and "36.0% of the time of A" in err

    assert main([*words, "--hot"]) == 0
    out, err = capsys.readouterr()
    assert "no differences" in out and "without --hot" in " ".join(out.split()) and not err

    assert main([*words, "--json"]) == 1
    scope = facts(json.loads(capsys.readouterr().out), "scope")
    assert scope["units"] == "all"
    assert [scope["first_share"], scope["second_share"]] == pytest.approx([0.36 + cold_period / 100] * 2)


def test_all_code_is_compared_on_request_and_what_is_the_same_everywhere_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (str(two_methods(tmp_path / name, "inlined")) for name in ("first", "second"))

    for words in ([], ["--all"]):
        assert main(["decisions", "diff", first, second, "--hot-max-limit", "1", *words]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "no differences" in out and "2 units against 2 for 2 methods, 56.0% of the time of A" in out


def test_a_cold_method_of_one_run_counts_only_if_time_was_measured_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = str(two_methods(tmp_path / "first", "inlined"))
    second = str(two_methods(tmp_path / "second", "inlined", more=(unit("demo.Lone.lone()", "3"),)))
    assert main(["decisions", "diff", first, second, "--hot-max-limit", "1", "-v"]) == 0
    assert "1 method without measured time was compiled in one run only" in " ".join(capsys.readouterr().out.split())

    entries = entry(36, "demo.Hot.hot()", "1"), entry(20, FOO, "10"), entry(1, "demo.Lone.lone()", "3")
    write_profile(tmp_path / "second" / "profile.json", 100, *entries)
    assert main(["decisions", "diff", first, second, "--hot-max-limit", "1"]) == 1
    assert "compiled in one run only" in (out := capsys.readouterr().out) and "Lone.lone()" in out


def test_lambdas_of_cold_code_are_recognised(tmp_path: Path) -> None:
    runs = [
        two_methods(
            tmp_path / name,
            "inlined",
            more=(unit("b()", "2", root("b()", call(f"A$$Lambda/0x{name}.run()", 3, "inlined"))),),
        )
        for name in ("7f10", "7f20")
    ]
    assert main(["decisions", "diff", *map(str, runs), "--hot-max-limit", "1"]) == 0


def test_that_profdiff_compares_hot_code_only_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(two_methods(tmp_path / kind, kind)) for kind in ("inlined", "direct")]
    words = ["decisions", "diff", *runs, "--hot-max-limit", "1", "--format", "profdiff"]
    assert main(words) == 0
    assert "only hot units are compared" in capsys.readouterr().err


def test_runs_of_two_programs_are_refused(fast: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = write_run(tmp_path / "other", unit("elsewhere.Main.main(String[])", "1"))

    assert main(["decisions", "diff", str(fast), str(other), "--debug"]) == 2
    assert "none of the 1 methods" in (err := capsys.readouterr().err) and "nothing-in-common" in err


def test_that_nothing_could_be_compared_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (write_run(tmp_path / name, unit(f"{name}.Main.main(String[])", "1"), unit(BAR, "2")) for name in "ab")

    assert main(["decisions", "diff", str(one), str(other), "--hot-max-limit", "1", "--no-fragments"]) == 1
    assert "no method is hot in both runs" in capsys.readouterr().err


def test_fragments_count_as_something_in_common(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outer = write_run(tmp_path / "outer", foo("inlined"))
    inner = write_run(tmp_path / "inner", unit(BAR, "1", root(BAR), phase("RootPhase", phase("LoopPhase"))))

    assert main(["decisions", "diff", str(outer), str(inner), "--no-fragments"]) == 2
    assert "none of the" in capsys.readouterr().err
    assert main(["decisions", "diff", str(outer), str(inner)]) == 1  # foo() is hot in one run only
    assert "none of the" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "slug"),
    [
        (["show", "{none}"], 1, "no-such-run"),
        (["show", "{empty}"], 1, "empty-run"),
        (["show", "{prose}"], 1, "unknown-decision-record"),
        (["show", "{fast}", "--reader", "grall"], 2, "unknown-decision-reader"),
        (["show", "{fast}", "--profile", "{none}"], 1, ""),
        (["show", "{fast}", "--html", "{page}", "--json"], 2, "two-outputs"),
        (["show", "{fast}", "--html", "{prose}"], 2, "output-exists"),
        (["show", "{fast}", "--format", "profdiff", "--all"], 2, "profdiff-shows-hot-units"),
        (["show", "{fast}", "--hot-percentile", "1.5"], 2, "heat-limits"),
        (["show", "{fast}", "--hot", "--all"], 2, "usage"),
        (["show"], 2, "usage"),
        (["diff", "{fast}"], 2, "usage"),
        (["diff", "{fast}", "{none}"], 2, "no-such-run"),
        (["diff", "{fast}", "{fast}", "--format", "profdiff", "--json"], 2, "two-outputs"),
        (["diff", "{fast}", "{fast}", "--format", "profdiff", "--all"], 2, "profdiff-shows-hot-units"),
        (["diff", "{fast}", "{fast}", "--hot", "--all"], 2, "usage"),
        (["capture"], 2, "usage"),
        (["capture", "-o", "{page}", "--", "no-such-compiler"], 2, "unknown-capture"),
        (["consistent", "--fast", "{fast}"], 2, "usage"),
        ([], 2, "unknown-question"),
        (["shwo"], 2, "unknown-question"),
        (["{fast}"], 2, "unknown-question"),
    ],
)
def test_what_cannot_be_done_is_said(
    fast: Path, tmp_path: Path, words: list[str], code: int, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "prose").write_text("It was a dark and stormy night.\n")
    places = {name: tmp_path / name for name in ("none", "empty", "prose", "page")}

    assert main(["decisions", *(word.format(fast=fast, **places) for word in words), "--debug"]) == code

    out, err = capsys.readouterr()
    assert out == "" and f"slug: {slug}" in err and "hint: " in err


@pytest.mark.parametrize("text", ["100us", "-1ms", "soon", "5"])
def test_how_often_python_is_looked_at_is_a_time(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "capture", f"--tick={text}", "--", "python", "-c", ""]) == 2
    assert "--tick" in capsys.readouterr().err


def test_a_question_is_guessed(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["decisions", "shwo"])
    assert "did you mean 'sonde decisions show'?" in capsys.readouterr().err
    main(["decisions", str(fast)])
    assert f"hint: sonde decisions show {fast}" in capsys.readouterr().err


def test_groups_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fast = [str(write_run(tmp_path / f"f{number}", foo("inlined", peelings=number))) for number in range(4)]
    slow = [str(write_run(tmp_path / f"s{number}", foo("direct", peelings=number))) for number in range(4)]

    assert main(["decisions", "consistent", "--fast", *fast, "--slow", *slow]) == 0
    assert "bar" in capsys.readouterr().out
    assert main(["decisions", "consistent", "--fast", *fast, "--slow", *slow, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "decisions-consistent"
    page = tmp_path / "why.html"
    groups = ["--fast", *fast, "--slow", *slow]
    assert main(["decisions", "consistent", *groups, "--html", str(page)]) == 0
    assert "demo.Bar.bar()" in page.read_text()
    assert main(["decisions", "consistent", *groups, "--html", str(page)]) == 2
    assert main(["decisions", "consistent", *groups, "--html", str(page), "--force", "--json"]) == 2
    told = capsys.readouterr().err
    assert "add --force" in told
    assert "--html and --json exclude each other" in told


def test_damaged_lines_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run", foo("inlined"), more=b'{"methodName": "cut')

    assert main(["decisions", "show", str(run)]) == 0
    assert "left out" in " ".join(capsys.readouterr().out.split())


def test_view_shows_runs(fast: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", str(fast)]) == 0
    shown = capsys.readouterr().out
    assert main(["view", str(fast)]) == 0
    assert capsys.readouterr().out == shown

    assert main(["view", str(fast), str(slow), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["kind"] == "decisions-diff"

    assert main(["view", str(fast / "optimization_log" / "0_7")]) == 0
    capsys.readouterr()
    assert main(["view", str(fast), "--functions", "3", "--debug"]) == 2
    assert "slug: option-of-other-kind" in capsys.readouterr().err


def test_pages_are_written(fast: Path, slow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = [tmp_path / name for name in ("show.html", "diff.html", "view.html")]
    assert main(["decisions", "show", str(fast), "--html", str(pages[0])]) == 0
    assert main(["decisions", "diff", str(fast), str(slow), "--html", str(pages[1])]) == 1
    assert main(["view", str(fast), str(slow), "--html", str(pages[2])]) == 1

    out, err = capsys.readouterr()
    assert out == "" and all(f"wrote {page}" in err for page in pages)
    assert all("demo" in page.read_text() for page in pages)


@pytest.mark.parametrize("question", ["", *QUESTIONS])
def test_help_has_examples_and_fits(
    question: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "110")

    assert main(["decisions", *([question] if question else []), "--help"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"  sonde decisions {question}".rstrip()) for line in lines)
    assert any(line.startswith("exit code:") for line in lines)
    assert max(map(len, lines)) <= 110


def test_help_of_sonde_loads_nothing_of_it() -> None:
    code = (
        "import sys; from sonde.cli import main; main(['--help']); print([m for m in sys.modules if 'decisions' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
