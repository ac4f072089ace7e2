"""Spools that come into a folder while it is sampled."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from sonde.instruments.contexts.sources.sampling.folder_sampling import FolderSampling

MS = 1_000_000


class FakeSampler:
    """Says how long it was told to run, and lets something happen meanwhile."""

    def __init__(self, happens: Mapping[int, Callable[[], object]], runs: int) -> None:
        self.added: list[str] = []
        self.asked_ns: list[int] = []
        self.is_ready = {"early.cells": False}
        self.has_run = threading.Event()
        self._happens, self._runs = happens, runs

    def add(self, path: bytes) -> bool:
        name = Path(path.decode()).name
        if name.startswith("unmapped"):
            raise OSError(12, "no room for a map", path)
        if self.is_ready.get(name, True):
            self.added.append(name)
        return self.is_ready.get(name, True)

    def run(self, ns: int) -> None:
        self.asked_ns.append(ns)
        if len(self.asked_ns) >= self._runs:
            self.has_run.set()
        self._happens.get(len(self.asked_ns), lambda: None)()

    def stop(self) -> None: ...


def sample(folder: Path, happens: Mapping[int, Callable[[], object]], runs: int) -> tuple[FakeSampler, FolderSampling]:
    sampler = FakeSampler(happens, runs)
    sampling = FolderSampling(folder, sampler, "test")
    sampling.begin()
    sampler.has_run.wait()
    sampling.end()
    return sampler, sampling


def test_spools_are_looked_for_often_while_they_come_and_seldom_when_none_has_come_for_long(tmp_path: Path) -> None:
    happens = {
        10: (tmp_path / "17-0.cells").touch,
        20: (tmp_path / "17-1.cells").touch,
        21: (tmp_path / "17-2.cells").touch,
    }

    sampler, sampling = sample(tmp_path, happens, 30)

    assert sampler.added == ["17-0.cells", "17-1.cells", "17-2.cells"]
    assert [path.name for path in sampling.paths] == sampler.added
    seldom = [2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS, 50 * MS, 50 * MS, 50 * MS, 50 * MS]
    assert sampler.asked_ns[:30] == [2 * MS] * 10 + [*seldom, 50 * MS] + [2 * MS] + seldom


def test_a_spool_that_is_not_ready_is_added_when_it_is(tmp_path: Path) -> None:
    (tmp_path / "early.cells").touch()
    sampler = FakeSampler({}, 1)
    sampling = FolderSampling(tmp_path, sampler, "test")

    assert not sampling.look_for_spools()
    sampler.is_ready["early.cells"] = True
    assert sampling.look_for_spools()
    assert not sampling.look_for_spools()

    assert sampler.added == ["early.cells"]


def test_spools_that_cannot_be_mapped_are_told(tmp_path: Path) -> None:
    (tmp_path / "unmapped.cells").touch()
    (tmp_path / "17-0.cells").touch()
    sampling = FolderSampling(tmp_path, FakeSampler({}, 1), "test")

    assert sampling.look_for_spools()
    assert not sampling.look_for_spools()

    assert sampling.failed == {tmp_path / "unmapped.cells"}


def test_what_never_began_can_be_ended(tmp_path: Path) -> None:
    FolderSampling(tmp_path, FakeSampler({}, 1), "test").end()
