"""`sonde diff`: exit codes, data, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from made_approximations import looked_at
from report_json import all_rows, facts, notices, table
from sonde.cli import main
from sonde.code import Function
from sonde.instruments.contexts.profile import Approximation, read_profile, write_profile
from tree_builder import profile_of

BASE = "main 10\n  parse @101 20\n    token @201 500 x1000\n  write @102 470 x3"


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    before, after = tmp_path / "before.sonde", tmp_path / "after.sonde"
    write_profile(before, profile_of(BASE))
    write_profile(after, profile_of(BASE.replace("500 x1000", "900 x2000")))
    return str(before), str(after)


def test_counts_that_differ_are_exit_code_one(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *runs, "--metric", "calls"]) == 1
    assert "▲ token" in capsys.readouterr().out


def test_times_of_two_single_runs_cannot_be_told_from_noise(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *runs]) == 4
    assert "Noise of single runs could explain it" in capsys.readouterr().out
    assert main(["diff", *runs, "--json"]) == 4
    data = json.loads(capsys.readouterr().out)
    assert data["undecided"] is True and "changed" not in data


def test_no_differences_are_exit_code_zero(runs: tuple[str, str]) -> None:
    assert main(["diff", runs[0], runs[0]]) == 0
    assert main(["diff", *runs, "--min-change", "60%"]) == 0


@pytest.fixture
def importing(tmp_path: Path) -> list[str]:
    """Runs of which the second one imports another module, which calls `token`, too."""
    machinery = {"find": Function("find", "importlib._bootstrap", "<frozen>", 1)}
    paths = []
    for name, more in (("one", ""), ("two", "\n    token @8 30\n  find @9 300\n    <new> @2 500")):
        paths.append(str(tmp_path / f"{name}.sonde"))
        write_profile(Path(paths[-1]), profile_of(f"main 10\n  token @2 900\n  find @1 5{more}", functions=machinery))
    return paths


def test_what_is_imported_is_one_line(importing: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    # Imports take 5 ns before and 5 + 30 + 300 + 500 after, in 1 and 2 calls from main.
    assert main(["diff", *importing, "--json"]) == 4
    data = json.loads(capsys.readouterr().out)
    assert [(row["function"], row["before"], row["after"]) for row in table(data, "functions")] == [
        ("(imports)", 5, 835)
    ]
    assert "imports got slower" in data["headline"][0]
    (below,) = [row for row in all_rows(data, "contexts") if row["context"] == "(imports)"]
    assert "place" not in below and below["status"] == "hotter"
    assert notices(data) == []  # no function is said to be on one side only
    assert main(["diff", *importing, "--json", "--imports"]) == 4
    apart = json.loads(capsys.readouterr().out)
    names = {row["function"]["name"] for row in table(apart, "functions")}
    assert names == {"find", "token", "<new>"}


def test_code_that_only_ran_in_imports_is_not_there_to_choose(
    importing: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *importing, "--include", "<new>"]) == 2
    assert "add --imports" in capsys.readouterr().err
    assert main(["diff", *importing, "--include", "<new>", "--imports"]) == 4


def test_the_flame_graph_has_imports_as_one_frame(importing: list[str], tmp_path: Path) -> None:
    for words, is_there in (([], False), (["--imports"], True)):
        page = tmp_path / f"{len(words)}.html"
        main(["diff", *importing, *words, "--html", str(page)])
        assert ("u003cnew" in page.read_text(encoding="ascii")) is is_there


def test_profiles_of_different_programs_are_compared_and_that_is_said(
    runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(tmp_path / "other.sonde")
    write_profile(Path(other), profile_of(BASE, command=("python3", "/srv/other.py")))
    same = str(tmp_path / "same.sonde")
    write_profile(Path(same), profile_of(BASE, command=("python3", "/elsewhere/app.py", "-v")))
    said = f"of different programs: app.py ('{runs[0]}') and other.py ('{other}')"
    for words in ([runs[0], other], [*runs, same, "--against", other]):
        main(["diff", *words, "--json"])
        assert said in capsys.readouterr().out
    for words in ([runs[0], same], [*runs, "--against", same]):
        main(["diff", *words, "--json"])
        assert "different programs" not in capsys.readouterr().out


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    """Five runs each that took turns; token takes 1.8 times as long in the second ones, write varies as much."""
    monkeypatch.chdir(tmp_path)
    sides: tuple[list[str], list[str]] = ([], [])
    for number in range(10):
        noise = (number * 7) % 5
        token = (500 + 3 * noise) if number % 2 == 0 else (900 + 2 * noise)
        text = BASE.replace("500 x1000", f"{token} x1000").replace("470", str(470 + 5 * noise))
        profile = profile_of(text)
        path = f"{'ab'[number % 2]}{number // 2}.sonde"
        write_profile(
            Path(path), replace(profile, run=replace(profile.run, started_at=f"2026-01-01T10:00:{number:02}Z"))
        )
        sides[number % 2].append(path)
    return sides


def test_groups_say_what_noise_cannot_explain(
    groups: tuple[list[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *groups[0], "--against", *groups[1]]) == 1
    assert "1 of 4 functions changed: token is 1.79 times [1.7" in capsys.readouterr().out
    assert main(["diff", *groups[0], "--against", *groups[1], "--metric", "calls"]) == 0
    assert "nothing changed that noise of 5 and 5 runs could not explain" in capsys.readouterr().out


def test_groups_have_all_renderings(groups: tuple[list[str], list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *groups[0], "--against", *groups[1], "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    first = table(data, "functions")[0]
    assert (data["kind"], first["function"]["label"], first["established"]) == ("contexts-groups", "token", "yes")
    assert len(table(data, "runs")) == 10
    assert main(["diff", *groups[0], "--against", *groups[1], "--markdown"]) == 1
    assert "**1 of 4 functions changed" in capsys.readouterr().out
    assert main(["diff", *groups[0], "--against", *groups[1], "--html", "groups.html"]) == 1
    page = Path("groups.html").read_text(encoding="ascii")
    assert "1 of 4 functions changed" in page and "flame graph of 5 runs on each side together" in page
    assert main(["diff", *groups[0][:3], "--against", *groups[1], "--html", "few.html"]) == 4
    assert "flame graph of 3 runs on each side together" in Path("few.html").read_text(encoding="ascii")


def test_few_runs_or_none_in_turn_never_fail_a_build(
    groups: tuple[list[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *groups[0][:4], "--against", *groups[1][:4]]) == 4
    assert main(["diff", groups[0][0], "--against", *groups[1]]) == 4
    assert main(["diff", groups[0][0], "--against", groups[1][0]]) == 4
    # a0 a1 ... a4 against themselves later: no turns
    for path in groups[0]:
        profile = read_profile(Path(path))
        later = replace(profile.run, started_at=profile.run.started_at.replace("10:00", "11:00"))
        write_profile(Path(f"late-{path}"), replace(profile, run=later))
    late = [f"late-{path}" for path in groups[0]]
    capsys.readouterr()
    assert main(["diff", *groups[0], "--against", *late]) == 4
    assert "took no turns" in capsys.readouterr().out
    assert main(["diff", *groups[0], "--against", *late, "--assume-independent"]) == 0


def test_only_selected_functions_are_compared(
    groups: tuple[list[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["diff", *groups[0], "--against", *groups[1]]
    assert main([*words, "--exclude", "token"]) == 1  # the whole takes longer all the same
    text = capsys.readouterr().out
    assert "(without 'token')" in text and " token " not in text
    assert main([*words, "--from", "write"]) == 0
    assert main([*words, "--include", "tokne"]) == 2
    assert "did you mean 'token'" in capsys.readouterr().err


@pytest.mark.parametrize("normalise", ["none", "total"])
def test_only_what_has_the_share_on_either_side_is_compared(
    tmp_path: Path, normalise: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = []
    for name, tree in (
        ("before", "main 10\n  parse @1 20\n    token @2 30 x1000\n  write @3 940 x3"),
        ("after", "main 20\n  parse @1 40\n    token @2 600 x1000\n  write @3 40 x3"),
    ):
        runs.append(str(tmp_path / f"{name}.sonde"))
        write_profile(Path(runs[-1]), profile_of(tree))
    # Of 1000 ns; of 700 ns after. Own: write 94% and 6%, token 3% and 86%, parse 2% and 6%, main 1% and 3%.
    for share, functions, contexts in (
        ("0%", {"write", "token", "parse", "main"}, {"write", "token", "parse", "main"}),
        ("30%", {"write", "token"}, {"write", "token", "parse", "main"}),
        ("91%", {"write"}, {"write", "parse", "main"} if normalise == "total" else {"write", "main"}),
    ):
        main(["diff", *runs, "--normalise", normalise, "--min-share", share, "--json"])
        data = json.loads(capsys.readouterr().out)
        assert {row["function"]["name"] for row in table(data, "functions")} == functions
        changed = [row for row in all_rows(data, "changed_contexts") if row["status"] != "unchanged"]
        assert {row["function"]["name"] for row in changed} == contexts
        on_the_way = {"main", "parse"} if "token" in contexts else {"main"}
        assert {row["context"]["name"] for row in all_rows(data, "contexts")} == contexts | on_the_way


def test_the_tree_has_what_is_asked_for_and_the_way_there(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for words, marked in (([], {"main", "parse", "token"}), (["--include", "token"], {"token"})):
        main(["diff", *runs, *words, "--json"])
        rows = all_rows(json.loads(capsys.readouterr().out), "contexts")
        assert {row["context"]["name"] for row in rows if row["status"] != "unchanged"} == marked


def test_only_changes_of_selected_functions_are_told(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["diff", *runs, "--metric", "calls"]
    assert main([*words, "--include", "token"]) == 1
    assert "token is called more often: +1,000 (2 times)" in capsys.readouterr().out
    assert main([*words, "--exclude", "token", "--exclude", "parse", "--exclude", "main"]) == 0
    assert "nothing changed (without 'token', 'parse', 'main') by" in capsys.readouterr().out
    assert main([*words, "--from", "write"]) == 0
    assert main([*words, "--include", "tokne"]) == 2
    assert "did you mean 'token'" in capsys.readouterr().err
    assert main([*words, "--include", "token", "--min-share", "100%"]) == 2
    assert "only 'token', what has at least 100% of the heavier run" in capsys.readouterr().err
    assert main(["diff", "--accuracy", *runs, "--min-share", "1%"]) == 2
    assert "cannot use --min-share with --accuracy" in capsys.readouterr().err
    assert main(["diff", "--accuracy", *runs, "--mine"]) == 2
    assert "cannot use --mine with --accuracy" in capsys.readouterr().err


def test_sides_that_are_none_are_refused(
    groups: tuple[list[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    for words, said in (
        (groups[0], "cannot compare 5 profiles: without --against there are two"),
        (groups[0][:1], "cannot compare one profile"),
        ([*groups[0], "--against", groups[0][0]], f"cannot compare groups with '{groups[0][0]}' in them twice"),
        ([groups[0][0], groups[1][0], "--assume-independent"], "cannot use --assume-independent without --against"),
        ([*groups[0], "--against", *groups[1], "--normalise", "calls"], "cannot compare groups per call"),
        ([*groups[0], "--against", *groups[1], "--accuracy"], "cannot use --accuracy with --against"),
    ):
        assert main(["diff", *words]) == 2
        assert said in capsys.readouterr().err


def test_groups_without_numpy_say_what_to_install(
    groups: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sonde.base.numeric_packages.find_spec", lambda name: None)

    assert main(["diff", *groups[0], "--against", *groups[1]]) == 3
    assert "pip install 'sonde[bench]'" in capsys.readouterr().err


def test_json_has_a_schema_and_says_whether_anything_changed(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *runs, "--json", "--metric", "calls"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"], data["changed"]) == ("sonde.report/1", "contexts-diff", True)
    assert facts(data, "measure")["metric"] == "calls"
    assert table(data, "functions")[0]["function"]["label"] == "token"


def test_times_that_were_not_measured_are_refused_with_a_way_out(
    runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = tmp_path / "counted.sonde"
    write_profile(counted, profile_of(BASE, clock="none"))
    assert main(["diff", runs[0], str(counted), "--metric", "time"]) == 2
    assert "--metric calls" in capsys.readouterr().err


def test_unknown_normalisations_are_usage_errors(runs: tuple[str, str]) -> None:
    assert main(["diff", *runs, "--normalise", "speed"]) == 2


@pytest.fixture
def exact_and_approximate(tmp_path: Path) -> tuple[str, str]:
    exact, approximate = tmp_path / "exact.sonde", tmp_path / "approx.sonde"
    write_profile(exact, profile_of(BASE))
    bounds = Approximation(metric="calls", phi=0.1, epsilon=0.01, floor=3, counters=100)
    without_write = profile_of(BASE.rpartition("\n")[0])
    write_profile(approximate, replace(without_write, approximation=bounds, pruned_root_calls=3))
    return str(exact), str(approximate)


def test_accuracy_is_told_and_is_exit_code_zero(
    exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", "--accuracy", *exact_and_approximate]) == 0

    text = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert any({"found", "1", "33.3%"} <= {*line.split()} for line in lines)  # main and parse lead to token
    assert any({"overlap", "99.7%", "calls,"} <= {*line.split()} for line in lines)
    assert "of all contexts, listed or not, 0 break the bounds stated" in lines
    assert any(line.startswith("0.05 1 0 3") for line in lines)


def test_accuracy_as_json(exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--accuracy", *exact_and_approximate, "--json", "--phi", "50%,0.2"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"]) == ("sonde.report/1", "accuracy")
    assert (facts(data, "judged_at")["judged_phi"], facts(data, "bounds")["violations"]) == (0.5, 0)
    assert [point["phi"] for point in table(data, "curve")] == [0.5, 0.2]


def test_options_of_one_comparison_are_refused_in_the_other(
    exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for words, code, said in (
        (["--accuracy", *exact_and_approximate, "--metric", "calls"], 2, "cannot use --metric with --accuracy"),
        ([*exact_and_approximate, "--phi", "0.1"], 2, "cannot use --phi without --accuracy"),
        (["--accuracy", *exact_and_approximate, "--phi", "0"], 2, "not a list of shares above 0"),
        (["--accuracy", *reversed(exact_and_approximate)], 2, "it is approximate itself"),
    ):
        assert main(["diff", *words]) == code
        assert said in capsys.readouterr().err


def test_a_difference_to_an_approximate_profile_says_so(
    exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *exact_and_approximate, "--metric", "calls", "--json"]) in (0, 1)

    said = [note["text"] for note in notices(json.loads(capsys.readouterr().out))]
    assert any(text.startswith("second profile: ") and "too low" in text for text in said)


@pytest.fixture
def looks(tmp_path: Path) -> list[str]:
    """A run, one that is as it was, and one with a slower function."""
    paths = []
    for name, parse in (("before", 3000), ("same", 3010), ("slower", 4000)):
        paths.append(str(tmp_path / f"{name}.sonde"))
        write_profile(Path(paths[-1]), looked_at({"parse": (parse, 40), "token": (2000, 35)}))
    return paths


def test_sampled_profiles_are_judged_line_by_line(looks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before, same, slower = looks
    assert main(["diff", before, slower]) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("parse got slower by 33% [")
    assert main(["diff", before, same]) == 4
    assert "cannot say whether anything changed" in capsys.readouterr().out
    assert main(["diff", before, same, "--min-change", "20%"]) == 0
    assert main(["diff", before, slower, "--run-noise", "50%"]) == 4


def test_calls_of_stacks_that_were_looked_at_are_not_compared(
    looks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        [*looks[:2], "--metric", "calls"],
        [*looks[:2], "--normalise", "calls"],
        [looks[0], "--against", looks[1], "--metric", "calls"],
    ):
        assert main(["diff", *words]) == 2
        assert "cannot compare calls" in capsys.readouterr().err


def test_calls_that_were_all_counted_are_compared_as_they_are_though_times_are_of_looks(
    looks: list[str], tmp_path: Path
) -> None:
    paths = [str(tmp_path / f"{name}.sonde") for name in "ab"]
    for path, calls in zip(paths, ("x10", "x20"), strict=True):
        sample = read_profile(Path(looks[0]))
        assert sample.sampling is not None
        counted = profile_of(f"main 0\n  parse @101 3000000000 {calls}", clock="sampled")
        write_profile(Path(path), replace(counted, sampling=replace(sample.sampling, has_calls=True)))
    assert main(["diff", *paths, "--metric", "calls"]) == 1


def test_a_part_of_a_sampled_run_is_judged_by_the_looks_at_the_whole(looks: list[str]) -> None:
    assert main(["diff", looks[0], looks[2], "--from", "parse", "--json"]) == 1
    assert main(["diff", looks[0], looks[2], "--from", "token"]) == 4


def test_a_dense_sample_judges_one_profile_or_several(looks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--accuracy", looks[0], looks[2], "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["kind"] == "likeness"
    assert table(data, "overlaps")[0]["weighted"] == pytest.approx(3 / 5 + 2 / 6)
    assert main(["diff", "--accuracy", *looks, "--json"]) == 0
    stability = facts(json.loads(capsys.readouterr().out), "files")["stability_functions"]
    assert stability == pytest.approx(3010 / 5010 + 2 / 6)


def test_several_are_judged_by_overlap_alone(looks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["--accuracy", *looks, "--phi", "0.1"], "cannot use --phi with several profiles"),
        (["--accuracy", *looks, looks[1]], "in them twice"),
        (["--accuracy", *looks[:2], "--run-noise", "1%"], "cannot use --run-noise with --accuracy"),
        (looks, "cannot compare 3 profiles"),
    ):
        assert main(["diff", *words]) == 2
        assert said in capsys.readouterr().err


def test_the_page_draws_the_curve_over_the_hottest(looks: list[str], tmp_path: Path) -> None:
    assert main(["diff", "--accuracy", *looks, "--html", str(tmp_path / "page.html")]) == 0
    assert "how many of the hottest are seen" in (tmp_path / "page.html").read_text()
