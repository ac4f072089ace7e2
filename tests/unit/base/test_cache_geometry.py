"""Geometries as text, what they may be, and what the kernel says of this machine's caches."""

from pathlib import Path
from typing import Any

import pytest

from sonde.base.cache_geometry import (
    DEFAULT_CACHES,
    CacheGeometry,
    CacheSettings,
    fitting_geometry,
    machine_caches,
    parse_geometry,
)
from sonde.base.errors import UsageError

L1 = CacheGeometry(32 << 10, 8, 64)
LONGER = CacheGeometry(64 << 10, 8, 128)


@pytest.mark.parametrize(
    ("text", "size", "ways", "line"),
    [
        ("32K,8,64", 32768, 8, 64),
        ("48k, 12, 64", 49152, 12, 64),
        ("1M,16,64", 1 << 20, 16, 64),
        ("1G,64,4096", 1 << 30, 64, 4096),
        ("512,1,8", 512, 1, 8),
    ],
)
def test_a_geometry_is_read(text: str, size: int, ways: int, line: int) -> None:
    geometry = parse_geometry(text)
    assert (geometry.size_bytes, geometry.ways, geometry.line_bytes, geometry.adjusted) == (size, ways, line, "")
    assert parse_geometry(str(geometry)) == geometry


@pytest.mark.parametrize(
    "text",
    [
        *("", "32K", "32K,8", "32K,8,64,1", "32X,8,64", "-32K,8,64", "32K,0,64", "32K,65,64", "32K,8,48", "32K,8,4"),
        *("32K,8,8192", "64,8,64", "0,8,64", "32K,eight,64", "32K,²,64", "3.5K,8,64", "999999999999999G,8,64"),
        *("32K,8," + "9" * 5000, "9" * 5000 + ",8,64"),
    ],
)
def test_what_is_no_geometry_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_geometry(text)
    assert caught.value.slug == "bad-cache"


def test_sets_are_rounded_down_to_a_power_of_two_and_it_is_said() -> None:
    geometry = parse_geometry("30M,20,64")
    assert (geometry.sets, geometry.size_bytes, geometry.ways) == (16384, 20 << 20, 20)
    assert geometry.adjusted == "30M,20,64 has 24,576 sets, no power of two: 16,384 sets, 20M, are modelled"
    assert geometry == CacheGeometry(20 << 20, 20, 64)
    assert "a part of one: 64 sets, 32K" in fitting_geometry(33000, 8, 64).adjusted


@pytest.mark.parametrize("numbers", [(768, 4, 32), (0, 4, 32), (32768, 8, 60), (33000, 8, 64), (1 << 50, 8, 64)])
def test_a_geometry_is_valid_or_not_made(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError, match="cannot model the cache"):
        CacheGeometry(*numbers)


@pytest.mark.parametrize(
    ("caches", "more"),
    [
        ((L1,), {}),
        ((L1,) * 5, {}),
        ((L1, LONGER, L1), {}),
        ((LONGER, L1, L1), {}),
        ((L1, L1, LONGER), {"inclusion": "inclusive"}),
        ((LONGER, L1), {"inclusion": "exclusive"}),
        ((L1, L1), {"policy": "fifo"}),
        ((L1, L1), {"inclusion": "both"}),
        ((L1, L1), {"seed": -1}),
        ((L1, L1), {"seed": 1 << 64}),
    ],
)
def test_a_hierarchy_is_valid_or_not_made(caches: tuple[CacheGeometry, ...], more: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        CacheSettings(caches[0], caches[1:], **more)
    assert caught.value.slug == "bad-cache"


def test_lines_may_become_longer() -> None:
    assert str(CacheSettings(L1, (L1, LONGER))) == "I1=32K,8,64 L1=32K,8,64 L2=64K,8,128"
    CacheSettings(LONGER, (L1,))


def described(folder: Path, *caches: tuple[str, str, str, str, str]) -> Path:
    for number, (level, kind, size, ways, line) in enumerate(caches):
        index = folder / f"index{number}"
        index.mkdir()
        (index / "level").write_text(level + "\n")
        (index / "type").write_text(kind + "\n")
        (index / "size").write_text(size + "\n")
        (index / "ways_of_associativity").write_text(ways + "\n")
        (index / "coherency_line_size").write_text(line + "\n")
    return folder


def test_the_machines_caches_are_read(tmp_path: Path) -> None:
    folder = described(
        tmp_path,
        ("1", "Data", "48K", "12", "64"),
        ("1", "Instruction", "32K", "8", "64"),
        ("2", "Unified", "2048K", "16", "64"),
        ("3", "Unified", "107520K", "15", "64"),
    )
    caches = machine_caches(folder)
    assert caches.instruction == L1 and caches.source == str(folder)
    assert [str(level) for level in caches.levels] == ["48K,12,64", "2M,16,64", "60M,15,64"]
    assert "114,688 sets" in caches.levels[2].adjusted
    assert CacheSettings(caches.instruction, caches.levels).adjusted == (caches.levels[2].adjusted,)


def test_a_single_first_level_cache_is_both(tmp_path: Path) -> None:
    caches = machine_caches(described(tmp_path, ("1", "Unified", "16K", "4", "32")))
    assert caches.instruction == caches.levels[0] == CacheGeometry(16 << 10, 4, 32)
    assert len(caches.levels) == 1


def test_levels_end_where_the_next_is_not_known(tmp_path: Path) -> None:
    folder = described(
        tmp_path,
        ("1", "Data", "32K", "8", "64"),
        ("2", "Unified", "1024K", "0", "64"),
        ("3", "Unified", "8192K", "16", "64"),
    )
    assert machine_caches(folder).levels == (L1,)


@pytest.mark.parametrize("caches", [(), (("2", "Unified", "1024K", "16", "64"),), (("1", "Data", "", "8", "64"),)])
def test_a_machine_that_does_not_say_has_common_caches(
    caches: tuple[tuple[str, str, str, str, str], ...], tmp_path: Path
) -> None:
    assert machine_caches(described(tmp_path, *caches)) is DEFAULT_CACHES
    assert machine_caches(tmp_path / "none") is DEFAULT_CACHES


def test_caches_of_this_machine_can_be_modelled() -> None:
    caches = machine_caches()
    CacheSettings(caches.instruction, caches.levels)
