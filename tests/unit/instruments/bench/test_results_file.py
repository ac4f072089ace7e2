"""The results file: what goes in comes out, whatever befalls the file on the way."""

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from changed_profiles import change_profile
from sonde.base.errors import InputError, SondeError, UsageError
from sonde.evidence import Doubt
from sonde.instruments.bench.measurements import WALL, Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.results_file import (
    ResultsWriter,
    is_results_file,
    read_events,
    read_meta,
    read_results,
    write_results,
)
from sonde.instruments.contexts.profile import write_profile
from tree_builder import profile_of

QUICK = Series("sort", "quick", "startup", (), levels={"algorithm": "quick"})


def value(seconds: float, round_: int = 0) -> Invocation:
    return Invocation(np.array([seconds]), round=round_, position=round_, started=1e9 + round_)


def written(path: Path, *seconds: float) -> Path:
    with ResultsWriter(path) as writer:
        number = writer.add_series(QUICK)
        for round_, one in enumerate(seconds):
            writer.record(number, value(one, round_))
    return path


def seconds_in(path: Path) -> list[float]:
    (series,) = read_results(path).series
    return [float(invocation.values[0]) for invocation in series.invocations]


def as_plain(measurements: Measurements) -> object:
    """Measurements as something that can be compared."""
    return [
        (
            (s.benchmark, s.alternative, s.mode, s.metric, dict(s.levels), s.separate),
            [
                (i.values.tolist(), i.outcome, i.detail, i.warmups, i.loops, i.round, i.position, i.started, i.process)
                for i in s.invocations
            ],
        )
        for s in measurements.series
    ], (measurements.provenance, measurements.doubts, measurements.skipped, dict(measurements.looked_between))


FULL = Measurements(
    series=(
        Series(
            "sort",
            "quick",
            "steady",
            (
                Invocation(
                    np.array([3.0, 1e-300, 5e300]), warmups=1, loops=7, process={"user": 0.1, "peak-memory": 1e9}
                ),
                Invocation(np.empty(0), "failed", "exit code 3: bad byte \udcff \x00 ☃", round=1),
                Invocation(np.array([1.0]), "timeout", round=2, position=1, started=1.5e9),
            ),
            levels={"python": "3.12", "flags": "-O"},
        ),
        Series("sort", "quick", "steady", (), metric=Metric("score", "ops/s", "higher"), separate=False),
        Series("söl", "", "startup", (Invocation(np.array([-0.0])),), metric=WALL),
    ),
    provenance=Provenance("other 1.2", "other.json", "2026-01-02T03:04:05+00:00", {"cpu": "x", "load": "0.1"}),
    doubts=(Doubt("busy", "the machine was busy", hint="wait"), Doubt("busy", "again")),
    skipped=("3 of 7 benchmarks: NaN",),
    looked_between={"sort": (10, 1000)},
)


def test_measurements_of_another_tool_come_back_as_they_were(tmp_path: Path) -> None:
    write_results(tmp_path / "all.sonde", FULL)
    again = read_results(tmp_path / "all.sonde")
    storable = "exit code 3: bad byte \\udcff \x00 ☃"
    assert as_plain(again) == as_plain(
        Measurements(
            (
                Series(
                    "sort",
                    "quick",
                    "steady",
                    (
                        FULL.series[0].invocations[0],
                        Invocation(np.empty(0), "failed", storable, round=1),
                        FULL.series[0].invocations[2],
                    ),
                    levels=FULL.series[0].levels,
                ),
                *FULL.series[1:],
            ),
            FULL.provenance,
            FULL.doubts,
            FULL.skipped,
            FULL.looked_between,
        )
    )


def test_invocations_that_yielded_nothing_can_be_alone_in_a_file(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / "run.sonde") as writer:
        writer.record(writer.add_series(QUICK), Invocation(np.empty(0), "failed", "exit code 1"))
    (series,) = read_results(tmp_path / "run.sonde").series
    assert [(len(one.values), one.outcome, one.detail) for one in series.invocations] == [(0, "failed", "exit code 1")]


def test_values_whose_sum_is_no_number_any_more_are_kept(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / "run.sonde") as writer:
        writer.record(writer.add_series(QUICK), Invocation(np.array([1.7e308, 1.7e308])))
    assert seconds_in(tmp_path / "run.sonde") == [1.7e308]


def test_invocations_stand_in_the_order_of_the_run(tmp_path: Path) -> None:
    first = Series("b", "first", "startup", (Invocation(np.array([1.0]), position=2),))
    second = Series("b", "second", "startup", (Invocation(np.array([2.0]), position=1),))
    write_results(tmp_path / "run.sonde", Measurements((first, second), Provenance("t")))
    with sqlite3.connect(tmp_path / "run.sonde") as db:
        assert db.execute("SELECT alternative, mean FROM result").fetchall() == [("second", 2.0), ("first", 1.0)]
    db.close()


def test_what_is_recorded_is_read_while_the_run_goes_on(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / "run.sonde") as writer:
        number = writer.add_series(QUICK)
        for round_ in range(3):
            writer.record(number, value(0.5, round_))
            assert len(seconds_in(tmp_path / "run.sonde")) == round_ + 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.sonde"]


def test_the_provenance_of_a_run_is_its_file_and_what_the_runner_said(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / "run.sonde") as writer:
        writer.set_meta(tool="sonde 9", environment={"cpu": "fast"}, measured_at="2026-01-01")
    origin = read_results(tmp_path / "run.sonde").provenance
    assert origin == Provenance("sonde 9", str(tmp_path / "run.sonde"), "2026-01-01", {"cpu": "fast"})
    assert read_meta(tmp_path / "run.sonde")["tool"] == "sonde 9"


def test_doubts_are_stored_once_and_events_as_often_as_they_happen(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / "run.sonde") as writer:
        assert writer.add_doubt(Doubt("load", "busy"), round=3)
        assert not writer.add_doubt(Doubt("load", "busy"), round=4)
        writer.add_event("began")
        writer.add_event("resumed", "cpu")
        writer.add_event("resumed", "cpu")
    assert read_results(tmp_path / "run.sonde").doubts == (Doubt("load", "busy"),)
    assert [(event.kind, event.text) for event in read_events(tmp_path / "run.sonde")] == [
        ("began", ""),
        ("resumed", "cpu"),
        ("resumed", "cpu"),
    ]


def has_digest(path: Path) -> bool:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    (found,) = db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'digest'").fetchone()
    db.close()
    return bool(found)


def test_results_have_a_digest_while_nobody_adds_to_them(tmp_path: Path) -> None:
    path = written(tmp_path / "run.sonde", 1.0)
    ended = has_digest(path)
    with ResultsWriter(path, resume=True) as writer:
        resumed = has_digest(path)
        number = writer.add_series(QUICK)
        writer.add_doubt(Doubt("load", "busy" * 5000))
        for round_ in range(1, 100):
            writer.record(number, value(1.0, round_))
        writer.drop_doubts("load")  # leaves free pages
    assert (ended, resumed, has_digest(path)) == (True, False, True)
    assert seconds_in(path) == [1.0] * 100


def test_damaged_results_are_refused_and_not_resumed(tmp_path: Path) -> None:
    path = written(tmp_path / "run.sonde", 1.0)
    path.write_bytes(path.read_bytes().replace(np.float64(1.0).tobytes(), np.float64(2.0).tobytes()))
    for use in (read_results, lambda damaged: ResultsWriter(damaged, resume=True)):
        with pytest.raises(InputError, match="do not match its digest"):
            use(path)


def test_a_file_that_exists_is_not_overwritten_unasked(tmp_path: Path) -> None:
    path = written(tmp_path / "run.sonde", 1.0)
    for write in (lambda: ResultsWriter(path), lambda: write_results(path, FULL)):
        with pytest.raises(UsageError, match="it exists already") as refused:
            write()
        assert refused.value.slug == "output-exists"
    assert seconds_in(path) == [1.0]


def test_force_begins_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "run.sonde", 1.0, 2.0)
    with ResultsWriter(path, force=True) as writer:
        writer.record(writer.add_series(QUICK), value(3.0))
    assert seconds_in(path) == [3.0]
    write_results(path, FULL, force=True)
    assert len(read_results(path).series) == 3


def test_resuming_keeps_what_is_there_and_adds_to_it(tmp_path: Path) -> None:
    path = written(tmp_path / "run.sonde", 1.0, 2.0)
    with ResultsWriter(path, resume=True) as writer:
        assert len(writer.measurements().series[0].invocations) == 2
        writer.record(writer.add_series(QUICK), value(3.0, 2))
    assert seconds_in(path) == [1.0, 2.0, 3.0]


def test_resuming_what_is_not_there_or_was_killed_at_once_begins(tmp_path: Path) -> None:
    (tmp_path / "empty.sonde").touch()
    for name in ("new.sonde", "empty.sonde"):
        with ResultsWriter(tmp_path / name, resume=True) as writer:
            writer.record(writer.add_series(QUICK), value(1.0))
        assert seconds_in(tmp_path / name) == [1.0]


def test_two_runs_do_not_write_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    with ResultsWriter(path) as writer:
        writer.record(writer.add_series(QUICK), value(1.0))
        for again in (
            lambda: ResultsWriter(path, resume=True),
            lambda: ResultsWriter(path, force=True),
            lambda: write_results(path, FULL, force=True),
        ):
            with pytest.raises(SondeError, match="another run is writing") as refused:
                again()
            assert refused.value.slug == "results-in-use"
        writer.record(writer.add_series(QUICK), value(2.0, 1))
    assert seconds_in(path) == [1.0, 2.0]
    with ResultsWriter(path, resume=True):
        pass  # free again


def other_database(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (x)")
    db.close()


def a_profile(path: Path) -> None:
    write_profile(path, profile_of("main 10"))


def truncated(path: Path) -> None:
    written(path, *[1.0] * 200)
    path.write_bytes(path.read_bytes()[: 5 * 4096])


def values_cut_off(path: Path) -> None:
    written(path, 1.0)
    change_profile(path, "UPDATE invocation SET value_count = 2")


def without_series(path: Path) -> None:
    written(path, 1.0)
    change_profile(path, "DROP TABLE series")


@pytest.mark.parametrize(
    ("make", "slug", "said"),
    [
        (lambda path: None, "no-such-profile", "no such file"),
        (Path.mkdir, "no-such-profile", "it is a folder"),
        (lambda path: path.touch(), "corrupt-profile", "it is empty"),
        (lambda path: path.write_text("x" * 5000), "not-a-profile", "it is not a SQLite database"),
        (other_database, "not-a-profile", "not one of sonde's"),
        (a_profile, "other-kind-of-profile", "as results of sonde bench: it holds a profile of calling contexts"),
        (truncated, "corrupt-profile", "cannot read"),
        (values_cut_off, "corrupt-profile", ": an invocation has 2 values in 8 bytes"),
        (without_series, "corrupt-profile", "OperationalError: no such table"),
    ],
)
def test_what_cannot_be_read_is_said(make: object, slug: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    assert callable(make)
    make(path)
    with pytest.raises(InputError) as refused:
        read_results(path)
    assert refused.value.slug == slug
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_results_are_told_from_other_files(tmp_path: Path) -> None:
    other_database(tmp_path / "other.db")
    (tmp_path / "short").write_bytes(b"SQLite")
    assert is_results_file(written(tmp_path / "run.sonde", 1.0))
    assert not is_results_file(tmp_path / "other.db")
    assert not is_results_file(tmp_path / "short")


def test_a_full_disk_is_said_and_costs_one_invocation(tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    with ResultsWriter(path) as writer:
        number = writer.add_series(QUICK)
        writer.record(number, value(1.0))
        pages = writer._db.execute("PRAGMA page_count").fetchone()[0]
        writer._db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(SondeError, match="full") as refused:
            writer.record(number, Invocation(np.ones(10_000), round=1))
        assert refused.value.slug == "cannot-write"
        assert "what was measured before is in the file" in str(refused.value)
    assert seconds_in(path) == [1.0]


def test_where_nothing_was_stored_the_hint_does_not_say_so_and_no_file_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.sonde"

    def fill(db: sqlite3.Connection, _kind: object) -> None:
        db.execute("CREATE TABLE meta (key, value)")
        db.execute("PRAGMA max_page_count = 2")
        db.execute("CREATE TABLE more (what)")

    with ResultsWriter(path) as writer:
        writer._db.execute(f"PRAGMA max_page_count = {writer._db.execute('PRAGMA page_count').fetchone()[0]}")
        with pytest.raises(SondeError, match="full") as refused:
            writer.set_meta(environment="x" * 100_000)
        assert refused.value.hint == "make room, or choose another place with -o"
        writer.give_up()
    assert not path.exists()

    monkeypatch.setattr("sonde.instruments.bench.results_file.writer.create_tables", fill)
    with pytest.raises(SondeError, match="full") as refused:
        ResultsWriter(path)
    assert refused.value.hint == "make room, or choose another place with -o"
    assert not path.exists()


def test_a_file_that_was_removed_under_the_run_is_said(tmp_path: Path) -> None:
    with ResultsWriter(tmp_path / "run.sonde") as writer:
        number = writer.add_series(QUICK)
        (tmp_path / "run.sonde").unlink()
        with pytest.raises(SondeError) as refused:
            writer.record(number, value(1.0))
    assert refused.value.slug == "cannot-write"


def half_written(tmp_path: Path) -> Path:
    """A copy of a file in the middle of a transaction whose first pages are in it already, as a kill leaves it."""
    path = written(tmp_path / "running.sonde", 1.0, 2.0)
    copy = tmp_path / "killed.sonde"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA cache_size = 1")
    db.execute("BEGIN")
    db.execute("UPDATE invocation SET mean = 9, data = zeroblob(100000), value_count = 12500")
    shutil.copyfile(path, copy)
    shutil.copyfile(f"{path}-journal", f"{copy}-journal")
    db.execute("ROLLBACK")
    db.close()
    assert copy.read_bytes() != path.read_bytes()
    return copy


def test_what_a_kill_left_half_written_is_undone_for_reading_without_touching_it(tmp_path: Path) -> None:
    killed = half_written(tmp_path)
    before = killed.read_bytes()
    assert seconds_in(killed) == [1.0, 2.0]
    assert (killed.read_bytes(), Path(f"{killed}-journal").exists()) == (before, True)


def test_what_a_kill_left_half_written_is_undone_for_good_when_the_run_is_resumed(tmp_path: Path) -> None:
    killed = half_written(tmp_path)
    with ResultsWriter(killed, resume=True) as writer:
        writer.record(writer.add_series(QUICK), value(3.0, 2))
    assert seconds_in(killed) == [1.0, 2.0, 3.0]
    assert not Path(f"{killed}-journal").exists()


def test_the_journal_of_a_file_that_is_replaced_is_not_applied_to_the_new_one(tmp_path: Path) -> None:
    killed = half_written(tmp_path)
    with ResultsWriter(killed, force=True) as writer:
        writer.record(writer.add_series(QUICK), value(7.0))
    assert seconds_in(killed) == [7.0]


def test_results_that_may_not_be_written_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "run.sonde", 1.0)
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert seconds_in(path) == [1.0]
    finally:
        tmp_path.chmod(0o755)


def test_a_file_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="cannot write results") as refused:
        ResultsWriter(tmp_path / "nowhere" / "run.sonde")
    assert refused.value.slug == "cannot-write"
    with pytest.raises(SondeError, match="cannot write"):
        write_results(tmp_path / "nowhere" / "run.sonde", FULL)
