"""Whatever the registry lists keeps its contract; a new entry enrols by being listed."""

from pathlib import Path

import pytest

from decision_samples import decision_sample
from measurement_samples import measurement_samples
from sonde.instruments.bench.readers import READERS
from sonde.instruments.decisions.readers import READERS as DECISION_READERS
from sonde.instruments.decisions.readers import reader_named
from sonde.passes import PASSES
from sonde.registry import FAMILIES, entries, find
from sonde.testing import ANALYSIS_CHECKS, FORMAT_CHECKS, PASS_CHECKS, SOURCE_CHECKS
from sonde.testing.decision_readers import DECISION_READER_CHECKS
from sonde.testing.measurement_readers import MEASUREMENT_READER_CHECKS


@pytest.mark.parametrize("check", ANALYSIS_CHECKS)
@pytest.mark.parametrize("name", entries("analysis"))
def test_analysis(name: str, check: str) -> None:
    ANALYSIS_CHECKS[check](find("analysis", name))


@pytest.mark.parametrize("check", FORMAT_CHECKS)
@pytest.mark.parametrize("name", [name for name in entries("format") if find("format", name).kind == "contexts"])
def test_format(name: str, check: str) -> None:
    FORMAT_CHECKS[check](find("format", name))


@pytest.mark.parametrize("check", PASS_CHECKS)
@pytest.mark.parametrize("name", entries("pass"))
def test_pass(name: str, check: str) -> None:
    PASS_CHECKS[check](find("pass", name))


@pytest.mark.parametrize("check", SOURCE_CHECKS)
@pytest.mark.parametrize("name", entries("source"))
def test_source(name: str, check: str, tmp_path: Path) -> None:
    source = find("source", name)
    if (reason := source.unavailable()) is not None:
        pytest.skip(reason)
    SOURCE_CHECKS[check](source, tmp_path)


@pytest.mark.parametrize("check", MEASUREMENT_READER_CHECKS)
@pytest.mark.parametrize("name", entries("measurement-reader"))
def test_measurement_reader(name: str, check: str, tmp_path: Path) -> None:
    samples = measurement_samples(name, tmp_path)
    assert samples, f"tests/data/measurements/{name} has nothing to read"
    for number, sample in enumerate(samples):
        (folder := tmp_path / str(number)).mkdir()
        MEASUREMENT_READER_CHECKS[check](find("measurement-reader", name), sample, folder)


@pytest.mark.parametrize("check", DECISION_READER_CHECKS)
@pytest.mark.parametrize("name", entries("decision-reader"))
def test_decision_reader(name: str, check: str, tmp_path: Path) -> None:
    sample = decision_sample(name, tmp_path)
    (folder := tmp_path / "folder").mkdir()
    DECISION_READER_CHECKS[check](find("decision-reader", name), sample, folder)


@pytest.mark.parametrize("family", FAMILIES)
def test_everything_listed_loads_and_has_its_own_name(family: str) -> None:
    listed = entries(family)  # type: ignore[arg-type] # one of FAMILIES
    assert listed
    for name, entry in listed.items():
        assert entry.name == name and entry.load() is not None


def test_readers_are_asked_in_the_order_in_which_they_are_listed() -> None:
    assert [entry.load() for entry in entries("measurement-reader").values()] == list(READERS)
    assert [each.name for each in READERS] == list(entries("measurement-reader"))


def test_readers_of_decisions_are_listed_in_both_tables() -> None:
    listed = entries("decision-reader")
    assert {name: entry.load() for name, entry in listed.items()} == {
        name: reader_named(name) for name in DECISION_READERS
    }
    assert all(entry.load().name == name for name, entry in listed.items())


def test_recipes_know_every_pass_of_ours_by_the_name_it_is_listed_under() -> None:
    assert {name: entry.load() for name, entry in entries("pass").items()} == PASSES
