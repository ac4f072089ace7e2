"""`sonde merge`: what it writes and says, and what it refuses."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from sonde.cli import main
from sonde.instruments.contexts.profile import Approximation, ContextProfile, read_profile, write_profile
from tree_builder import profile_of

MONDAY = "main 10\n  parse @101 20 x5"
TUESDAY = "main 10\n  parse @101 30 x7\n  write @102 400"


def written(folder: Path, name: str, profile: ContextProfile) -> str:
    path = folder / name
    write_profile(path, profile)
    return str(path)


def approximate(outline: str, *, metric: str = "calls", floor: int = 3) -> ContextProfile:
    bounds = Approximation("time" if metric == "time" else "calls", phi=0.1, epsilon=0.02, floor=floor, counters=50)
    return replace(profile_of(outline), approximation=bounds)


def test_runs_of_one_program_become_one_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = written(tmp_path, "mo.sonde", profile_of(MONDAY)), written(tmp_path, "tu.sonde", profile_of(TUESDAY))

    assert main(["merge", *days, "-o", str(tmp_path / "week.sonde")]) == 0

    merged = read_profile(tmp_path / "week.sonde")
    assert (merged.total_calls, merged.total_ns) == (15, 470)
    assert [merged.functions[number].name for number in merged.contexts.function] == ["main", "parse", "write"]
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"merged 2 profiles into {tmp_path / 'week.sonde'}: 3 contexts, 15 calls, exact\n"


def test_on_a_terminal_it_is_told_how_many_profiles_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    days = written(tmp_path, "mo.sonde", profile_of(MONDAY)), written(tmp_path, "tu.sonde", profile_of(TUESDAY))
    seconds = count()
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr("sonde.render.progress_line.can_write_over", lambda stream: True)

    assert main(["merge", *days, "-o", str(tmp_path / "week.sonde")]) == 0

    *told, rest = capsys.readouterr().err.split("\r")
    assert [text.strip() for text in told] == [
        "",
        "sonde: profiles read: 0 of 2",
        "sonde: profiles read: 1 of 2, about 2 s left",
        "",
    ]
    assert rest.startswith("merged 2 profiles")


def test_the_bound_of_an_approximate_result_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = written(tmp_path, "mo.sonde", profile_of(MONDAY)), written(tmp_path, "tu.sonde", approximate(TUESDAY))

    assert main(["merge", *days, "-o", str(tmp_path / "week.sonde")]) == 0

    assert "no context has more than 3 calls beyond its value (20% of the calls)" in capsys.readouterr().err
    assert read_profile(tmp_path / "week.sonde").approximation is not None


def test_arguments_and_folders_do_not_make_another_program(tmp_path: Path) -> None:
    parts = [
        written(tmp_path, f"{number}.sonde", profile_of(MONDAY, command=command))
        for number, command in enumerate((("python3", "app.py", "-v"), ("/usr/bin/python3.12", "/srv/app.py"), ("…",)))
    ]

    assert main(["merge", *parts, "-o", str(tmp_path / "all.sonde")]) == 0


@pytest.mark.parametrize(
    ("outline", "command"), [(MONDAY, ("other.py",)), ("start 5", ("app.py",)), ("start 5", ())], ids=str
)
def test_different_programs_are_refused_unless_asked_for(
    outline: str, command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = (
        written(tmp_path, "one.sonde", profile_of(MONDAY)),
        written(tmp_path, "two.sonde", profile_of(outline, command=command)),
    )
    output = tmp_path / "all.sonde"

    assert main(["merge", *parts, "-o", str(output)]) == 1
    assert "they are of different programs" in capsys.readouterr().err
    assert not output.exists()
    assert main(["merge", *parts, "-o", str(output), "--anyway"]) == 0


def test_what_cannot_be_merged_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exact = written(tmp_path, "exact.sonde", profile_of(MONDAY))
    untimed = written(tmp_path, "untimed.sonde", profile_of("main\n  parse @101", clock="none"))
    by_calls = written(tmp_path, "calls.sonde", approximate(MONDAY))
    by_time = written(tmp_path, "time.sonde", approximate(MONDAY, metric="time"))
    partial = written(tmp_path, "partial.sonde", replace(profile_of(MONDAY), pruned_contexts=1))
    for words, code, said in (
        ([by_calls, by_time], 1, "one is hot by calls, the other by time"),
        ([by_time, untimed], 1, "one is hot by time, the other has no times"),
        ([exact, partial], 1, "1 of its contexts were left out"),
        ([exact, exact], 2, "they are the same file"),
        ([exact, str(tmp_path / "none.sonde")], 1, "no such file"),
    ):
        assert main(["merge", *words, "-o", str(tmp_path / "all.sonde")]) == code
        assert said in capsys.readouterr().err
    assert not (tmp_path / "all.sonde").exists()


def test_an_output_is_overwritten_only_by_force_even_if_it_is_an_input(tmp_path: Path) -> None:
    one, two = written(tmp_path, "1.sonde", profile_of(MONDAY)), written(tmp_path, "2.sonde", profile_of(TUESDAY))

    assert main(["merge", one, two, "-o", one]) == 2
    assert main(["merge", one, two, "-o", one, "--force"]) == 0
    assert read_profile(Path(one)).total_calls == 15


def test_times_that_are_left_out_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = (
        written(tmp_path, "timed.sonde", profile_of(MONDAY)),
        written(tmp_path, "untimed.sonde", profile_of("main\n  parse @101", clock="none")),
    )

    assert main(["merge", *parts, "-o", str(tmp_path / "all.sonde")]) == 0
    assert "note: times-not-merged: 30: nanoseconds" in capsys.readouterr().err
