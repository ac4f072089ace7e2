"""A recorded run gives what the run itself gave: the address trace, through the cache model, has the run's misses."""

import json
from array import array
from pathlib import Path

from measuring import run_sonde
from needed import needs
from report_json import table
from sonde.base.cache_geometry import CacheSettings, parse_geometry
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.source import check_tool
from sonde.native import CacheModel
from sonde.trace import AddressTrace

pytestmark = needs(check_tool)

APP = "print(sum(len(str(n)) for n in range(400)), sorted([n * 7919 % 1009 for n in range(900)])[5])\n"
CACHES = ("32K,8,64", "8K,2,32")
"""I1 and D1: small, so that there is something to miss."""


def test_a_replayed_trace_has_the_misses_of_the_run(tmp_path: Path, cache: str) -> None:
    app, profile, trace = tmp_path / "app.py", tmp_path / "run.sonde", tmp_path / "run.addr"
    app.write_text(APP, encoding="utf-8")
    words = [
        "--quiet",
        "--i1",
        CACHES[0],
        "--l1",
        CACHES[1],
        "--levels",
        "1",
        "-o",
        str(profile),
        "--trace",
        str(trace),
    ]

    done = run_sonde("memory", *words, str(app), cwd=tmp_path, XDG_CACHE_HOME=cache)

    assert done.returncode == 0, done.stderr
    totals = read_memory_profile(profile).totals
    model = CacheModel(CacheSettings(parse_geometry(CACHES[0]), (parse_geometry(CACHES[1]),)))
    counts = [0, 0, 0]
    for batch in AddressTrace(trace):
        sizes = array("B", (min(size, 32) for size in batch.size))
        model.access(batch.address, sizes, array("B", (kind == 1 for kind in batch.kind)))
        for kind in batch.kind:
            counts[kind] += 1
    loads, stores, modifies = counts
    assert (loads + modifies, stores, modifies) == (totals["loads"], totals["stores"], totals["modifies"])
    assert model.counts().levels[0].misses == totals["misses1"]
    assert totals["misses1"] > 1000

    told = run_sonde("replay", trace, "--caches", CACHES[1], "--against", profile, "--json")
    (level,) = table(json.loads(told.stdout), "caches")
    assert level["misses"]["value"] == level["before"]["value"] == totals["misses1"]
    assert level["misses"]["of"] == level["before"]["of"] == totals["loads"] + totals["stores"]
