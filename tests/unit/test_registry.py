"""Plug-ins are found wherever packages may be; `importlib.metadata` is asked only where there may be some."""

import importlib.machinery
import importlib.metadata
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonde.base.errors import UsageError
from sonde.registry import _published, entries

PUBLISHED = "[sonde.plugins]\nkind.toy = toy:KIND\n"
ABOUT = "Metadata-Version: 2.1\nName: toy\nVersion: 1\n"


@pytest.fixture(autouse=True)
def looked_up_anew() -> Iterator[None]:
    _published.cache_clear()
    yield
    _published.cache_clear()


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_a_folder_of_packages_has_plug_ins(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / f"toy-1.{kind}")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert entries("kind")["toy"].publisher == "toy"


def test_the_current_folder_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / "toy-1.dist-info")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [""])
    assert "toy" in entries("kind")


def test_an_egg_has_plug_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / "toy-1.egg" / "EGG-INFO")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "toy-1.egg")])
    assert "toy" in entries("kind")


def test_an_archive_has_plug_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packages.zip", "w") as archive:
        archive.writestr("toy-1.dist-info/METADATA", ABOUT)
        archive.writestr("toy-1.dist-info/entry_points.txt", PUBLISHED)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages.zip")])
    assert "toy" in entries("kind")


def test_a_finder_of_somebody_s_has_plug_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / "toy-1.dist-info")

    class Finder(importlib.metadata.DistributionFinder):
        def find_distributions(
            self, context: importlib.metadata.DistributionFinder.Context | None = None
        ) -> Iterator[importlib.metadata.Distribution]:
            yield importlib.metadata.PathDistribution(tmp_path / "toy-1.dist-info")

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    monkeypatch.setattr(sys, "path", [])
    assert "toy" in entries("kind")


def test_where_nothing_is_plugged_in_only_folders_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / "other-1.dist-info", "[console_scripts]\nother = other:main\n")
    (tmp_path / "old-1.egg-info").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "missing")])
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if not _finds_packages(each)])
    monkeypatch.delattr(importlib.metadata, "entry_points")
    assert "toy" not in entries("kind")


def test_a_plug_in_of_no_family_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / "toy-1.dist-info", "[sonde.plugins]\nnonsense.toy = toy:KIND\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(UsageError, match=r"cannot plug in 'nonsense\.toy' of toy"):
        entries("kind")


def _finds_packages(finder: object) -> bool:
    return hasattr(finder, "find_distributions") and finder is not importlib.machinery.PathFinder


def publish(folder: Path, text: str = PUBLISHED) -> None:
    folder.mkdir(parents=True)
    name = "PKG-INFO" if "egg" in folder.name.lower() else "METADATA"
    (folder / name).write_text(ABOUT, encoding="utf-8")
    (folder / "entry_points.txt").write_text(text, encoding="utf-8")
