"""Where results are while a run goes on: what killed runs left is removed, nothing else."""

import fcntl
import os
from pathlib import Path

from sonde.instruments.bench.results_file import ResultsWriter
from sonde.instruments.bench.verb.place import Place, remove_stale


def left(folder: Path, name: str, *, days: float, kind: str = "began") -> Path:
    place = folder / name
    place.mkdir()
    with ResultsWriter(place / "results.sonde") as writer:
        writer.add_event(kind)
    then = (place / "results.sonde").stat().st_mtime - days * 86400
    for path in (place / "results.sonde", place):
        os.utime(path, (then, then))
    return place


def test_what_a_killed_run_left_is_removed_after_a_day(tmp_path: Path) -> None:
    old = left(tmp_path, "sonde-bench-old", days=2)
    young = left(tmp_path, "sonde-bench-young", days=0.5)
    other = left(tmp_path, "other-old", days=2)
    told = left(tmp_path, "sonde-bench-told", days=2, kind="interrupted")
    (tmp_path / "sonde-bench-empty").mkdir()
    (tmp_path / "sonde-bench-file").touch()
    remove_stale(tmp_path)
    assert not old.exists()
    assert young.exists() and other.exists() and told.exists()


def test_what_a_run_still_writes_into_is_left_alone_however_old(tmp_path: Path) -> None:
    old = left(tmp_path, "sonde-bench-old", days=2)
    with (old / "results.sonde").open("rb") as results:
        fcntl.flock(results, fcntl.LOCK_EX)
        remove_stale(tmp_path)
    assert old.exists()


def test_a_file_that_took_the_place_of_ours_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    with Place(path) as place, ResultsWriter(path) as writer:
        place.is_open(writer)
        path.unlink()
        path.write_text("somebody else's")
    assert path.read_text() == "somebody else's"
    assert not place.is_kept
