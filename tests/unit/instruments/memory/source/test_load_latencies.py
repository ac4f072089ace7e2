"""Latencies of loads are measured once for a machine, and kept; what is damaged is measured again."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import sonde._native
from sonde.base.cache_geometry import CacheGeometry, MachineCaches
from sonde.instruments.memory.source.load_latencies import load_latencies, measured_latencies

HERE = MachineCaches(
    CacheGeometry(32 << 10, 8, 64), (CacheGeometry(32 << 10, 8, 64), CacheGeometry(1 << 20, 16, 64)), "made up"
)


@pytest.fixture
def chases(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[int, bool]]:
    """What was measured, on a machine whose loads take 4, 14 and 200.4 cycles."""
    seen: list[tuple[int, bool]] = []

    def cycles(size_bytes: int, _stride: int, _loads: int, _repeats: int, flushed: bool) -> float:
        seen.append((size_bytes, flushed))
        return 200.4 if flushed else 4.2 if size_bytes <= 32 << 10 else 13.8

    monkeypatch.setattr(sonde._native, "load_cycles", cycles)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return seen


def always(value: float) -> Callable[..., float]:
    return lambda *_: value


def test_each_level_is_chased_through_more_than_the_one_before_holds(chases: list[tuple[int, bool]]) -> None:
    assert measured_latencies(HERE) == (4, 14, 200)
    (first, _), (second, _), (_, flushed) = chases
    assert first < 32 << 10 < second < 1 << 20 and flushed


def test_a_machine_is_measured_once(chases: list[tuple[int, bool]]) -> None:
    assert [load_latencies(HERE) for _ in range(3)] == [(4, 14, 200)] * 3
    assert len(chases) == 3
    assert load_latencies(replace(HERE, levels=HERE.levels[:1])) == (4, 200)
    assert len(chases) == 5


@pytest.mark.parametrize("text", ["", "[]", "nonsense", '{"KEY": [9, 4, 2]}', '{"KEY": [4, "x", 9]}', '{"KEY": 7}'])
def test_a_damaged_file_is_written_anew(chases: list[tuple[int, bool]], tmp_path: Path, text: str) -> None:
    load_latencies(HERE)
    file = tmp_path / "sonde" / "latencies.json"
    (key,) = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(text.replace("KEY", key), encoding="utf-8")
    assert load_latencies(HERE) == (4, 14, 200)
    assert json.loads(file.read_text(encoding="utf-8")) == {key: [4, 14, 200]}


def test_nothing_farther_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter((5.0, 4.0, 90.0))
    monkeypatch.setattr(sonde._native, "load_cycles", lambda *_: next(found))
    assert measured_latencies(HERE) == (5, 5, 90)


def test_where_nothing_can_be_measured_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sonde._native, "load_cycles", always(0.0))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert load_latencies(HERE) is None
    assert not (tmp_path / "sonde" / "latencies.json").exists()


def test_the_core_measures_loads_of_some_cycles_and_refuses_chases_that_are_none() -> None:
    assert sonde._native.load_cycles(16 << 10, 64, 20_000, 3, False) >= 0
    for size_bytes, stride, loads in ((64, 64, 9), (4096, 12, 9), (4096, 64, 0), (4096, 0, 9)):
        with pytest.raises(ValueError, match="fewer than two nodes"):
            sonde._native.load_cycles(size_bytes, stride, loads, 1, False)
