"""What was counted outlives whatever happens to sonde itself."""

import os
from pathlib import Path

import pytest

from cell_file import CellFile
from sonde.base.errors import SondeError, UsageError
from sonde.cli.kinds import resolve_profile
from sonde.instruments.contexts.profile import Function
from sonde.instruments.contexts.verb.live_run import LiveRun, RunPlan, with_sources
from sonde.launch import Outcome
from sonde.store.run_folder import RunFolder, live_folder, remove_folder
from tree_builder import profile_of

PLAN = RunPlan(("app",), None, None)


def fail_after_counting(live: LiveRun) -> None:
    with live:
        (live.folder / "1-0.cells").write_bytes(b"counts")
        raise RuntimeError("a bug")


def test_an_orderly_end_removes_the_folder(tmp_path: Path) -> None:
    with LiveRun.begin(tmp_path / "run.sonde", PLAN, force=False) as live:
        (live.folder / "1-0.cells").write_bytes(b"counts")

    assert not live.folder.exists()


def test_an_unexpected_error_keeps_the_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "run.sonde"

    live = LiveRun.begin(output, PLAN, force=False)

    with pytest.raises(RuntimeError):
        fail_after_counting(live)

    assert (live_folder(output) / "1-0.cells").read_bytes() == b"counts"
    assert f"sonde view {output}" in capsys.readouterr().err


def test_a_folder_with_no_output_to_recover_into_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    live = LiveRun.begin(None, PLAN, force=False)

    with pytest.raises(RuntimeError):
        fail_after_counting(live)

    assert list(tmp_path.iterdir()) == []


def test_what_is_known_of_a_run_is_in_its_folder_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(path: Path, text: str, **_: str) -> None:
        path.write_bytes(text[:1].encode())
        raise KeyboardInterrupt

    live = LiveRun.begin(tmp_path / "run.sonde", PLAN, force=False)
    monkeypatch.setattr(Path, "write_text", killed)
    with pytest.raises(KeyboardInterrupt):
        live.prepare()
    monkeypatch.undo()

    assert not (live.folder / "run.json").exists()
    live.prepare()
    assert (live.folder / "run.json").exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_run_that_goes_on_keeps_its_counts_whoever_else_wants_its_place(force: bool, tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    with LiveRun.begin(output, PLAN, force=False) as live:
        (live.folder / "1-0.cells").write_bytes(b"counts")

        with pytest.raises(
            UsageError, match=f"another run that is to write it goes on .process {os.getpid()}."
        ) as error:
            LiveRun.begin(output, PLAN, force=force)

        assert error.value.slug == "run-in-use"
        assert (live.folder / "1-0.cells").read_bytes() == b"counts"


def test_of_two_runs_that_begin_at_once_one_gets_the_place(tmp_path: Path) -> None:
    folder = live_folder(tmp_path / "run.sonde")
    first = RunFolder(folder, "contexts")

    with pytest.raises(UsageError) as error:
        RunFolder(folder, "contexts")
    first.close()

    assert error.value.slug == "run-in-use"
    assert list(tmp_path.iterdir()) == [folder]


def test_a_run_that_was_cut_off_makes_way_with_force_only(tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    LiveRun.begin(output, PLAN, force=False).let_go()

    with pytest.raises(UsageError) as error:
        LiveRun.begin(output, PLAN, force=False)
    with LiveRun.begin(output, PLAN, force=True) as live:
        assert [each.name for each in sorted(live.folder.iterdir())] == ["contexts.kind", "lock"]

    assert error.value.slug == "unfinished-run"


def test_a_run_whose_program_has_ended_is_not_recovered_while_its_launcher_lives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run.sonde"
    cells = CellFile(pid=2**22 + 1)  # beyond what Linux gives to processes
    cells.context(cells.root, cells.function("main", "app", "app.py", 1), calls=1)
    live = LiveRun.begin(output, PLAN, force=False)
    cells.write(live.folder / "1-0.cells")

    meanwhile = resolve_profile(output)
    live.let_go()
    after = resolve_profile(output)

    assert (meanwhile, after) == (live_folder(output) / "snapshot.sonde", output)
    assert not live_folder(output).exists()
    assert "still goes on" in capsys.readouterr().err


def test_what_ran_when_the_program_was_killed_ran_until_then(tmp_path: Path) -> None:
    cells = CellFile(pid=os.getpid(), start=10, end_ticks=0)
    main = cells.context(cells.root, cells.function("main", "app", "app.py", 1), calls=1, ticks=20)
    cells.cursor(main, now=100)
    with LiveRun.begin(tmp_path / "run.sonde", PLAN, force=False) as live:
        cells.write(live.folder / "1-0.cells")
        profile = live.finish(Outcome(os.getpid(), 9, 0.0, 700, ended_ns=710))

    assert profile is not None
    assert list(profile.contexts.self_ns) == [20 + 710 - 100]


def test_counts_that_were_removed_are_missed(tmp_path: Path) -> None:
    with LiveRun.begin(tmp_path / "run.sonde", PLAN, force=False) as live:
        remove_folder(live.folder)

        with pytest.raises(SondeError, match="is not there any more"):
            live.finish(Outcome(1, 0, 0.0, 0))


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(1, 0, 0.0, 0), "no Python program loaded the agent"),
        (Outcome(1, 2, 0.0, 0), "the program was killed by SIGINT before a Python in it loaded the agent"),
        (
            Outcome(1, 0, 0.0, 0, interrupted_by=15),
            "the program was interrupted by SIGTERM and exited 0 before a Python",
        ),
    ],
)
def test_a_signal_that_came_before_anything_was_measured_is_told(
    outcome: Outcome, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with LiveRun.begin(tmp_path / "run.sonde", PLAN, force=False) as live:
        live.prepare()

        assert live.finish(outcome) is None

    assert f"sonde: nothing was measured: {said}" in capsys.readouterr().err


def test_the_source_of_a_program_is_kept_though_it_does_little_itself(tmp_path: Path) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    functions = {f"f{n}": Function(f"f{n}", f"m{n}", str(library / f"m{n}.py"), 1) for n in range(70)}
    functions["main"] = Function("main", "app", str(tmp_path / "app.py"), 1)
    for function in functions.values():
        Path(function.file).write_text("pass\n", encoding="utf-8")

    outline = "main 1\n" + "\n".join(f"  f{n} @1 {1000 - n}" for n in range(70))
    sources = with_sources(profile_of(outline, functions=functions)).sources

    assert sources[str(tmp_path / "app.py")] == "pass\n"
    assert str(library / "m0.py") in sources
    assert str(library / "m69.py") not in sources
