"""A trace of addresses is replayed on other caches, beside those it is compared with."""

import json
import os
from array import array
from pathlib import Path

import pytest

import sonde._native
from made_memory_profiles import native_profile
from report_json import table
from sonde.base.cache_geometry import CacheSettings, parse_geometry
from sonde.cli.main import main
from sonde.instruments.memory.profile import write_memory_profile
from sonde.native.reference_cache import ReferenceCacheModel
from sonde.trace import TraceWriter

LOAD, STORE, MODIFY = range(3)
ADDRESSES = [4096 + (step * 7919 % 4096) * 16 for step in range(3000)]
"""None is 0: that is how the writer is told of an access that did not happen."""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A load of 8 bytes, a store of 32 and what does both to 4 for each address."""
    path = tmp_path / "t.addr"
    writer = sonde._native.AddressTraceWriter(os.fsencode(path))
    segment = writer.segment(array("Q", [1, 2, 3]), array("H", [8, 32, 4]), array("B", [LOAD, STORE, MODIFY]))
    addresses = [each for at in ADDRESSES for each in (at, at + 40, at * 3)]
    writer.feed(array("I", [segment] * len(ADDRESSES)), array("Q", addresses))
    writer.finish()
    return path


def by_the_slow_twin(*geometries: str) -> list[tuple[int, int]]:
    """Misses of loads and of stores by level."""
    levels = tuple(map(parse_geometry, geometries))
    model = ReferenceCacheModel(CacheSettings(levels[0], levels))
    for at in ADDRESSES:
        model.access(array("Q", [at, at + 40, at * 3]), bytes([8, 32, 4]), bytes([0, 1, 0]))
    numbers = model.counts()[15:]
    return [(numbers[4 * level], numbers[4 * level + 1]) for level in range(len(levels))]


def test_misses_are_those_of_the_slow_twin(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(trace), "--caches", "1K,2,32:8K,4,64", "--against", "4K,4,64", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = table(data, "caches")
    found = [(row["load_misses"]["value"], row["store_misses"]["value"]) for row in rows]
    assert found == by_the_slow_twin("1K,2,32", "8K,4,64")
    assert [row["misses"] for row in rows] == [{"value": sum(each), "of": 3 * len(ADDRESSES)} for each in found]
    (before,) = by_the_slow_twin("4K,4,64")
    assert rows[0]["before"]["value"] == sum(before) and "before" not in rows[1]
    share = f"{100 * sum(found[0]) / (3 * len(ADDRESSES)):.1f}%"
    assert data["headline"][0].startswith(f"D1 of 1K,2,32: {share} of the accesses miss it (")


def test_the_profile_of_the_run_tells_what_it_missed(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = native_profile()
    write_memory_profile(tmp_path / "run.sonde", profile)
    assert main(["replay", str(trace), "--caches", "1K,2,32", "--against", str(tmp_path / "run.sonde")]) == 0
    out = capsys.readouterr().out
    assert "(12.5% on the caches of the run)" in out and "32K,8,64" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("t.addr", "--exact"), "cannot use --exact on 't.addr': it is a trace of addresses"),
        (("t.addr", "--quiet"), "cannot use --quiet on 't.addr'"),
        (("t.trace", "--caches", "1K,2,32"), "cannot use --caches on 't.trace': it is a trace of calls"),
        (("t.addr", "t.trace"), "one is a trace of addresses, the other a trace of calls"),
        (("t.addr", "t.addr"), "cannot replay 't.addr' and 't.addr' together"),
        (("t.addr", "--caches", "48K"), "cannot model the cache '48K'"),
        (("t.addr", "--against", "no.sonde"), "cannot model the cache 'no.sonde'"),
        (("none.addr",), "cannot read"),
    ],
)
def test_what_cannot_be_replayed(
    trace: Path,
    words: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(trace.parent)
    with TraceWriter(Path("t.trace")):
        pass
    assert main(["replay", *words]) != 0
    assert message in capsys.readouterr().err


def test_a_trace_that_was_cut_off_is_replayed_as_far_as_it_goes(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace.write_bytes(trace.read_bytes()[:-9])
    assert main(["replay", str(trace), "--caches", "1K,2,32"]) == 0
    assert "the trace has no end" in capsys.readouterr().out
