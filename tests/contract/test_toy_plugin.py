"""A plug-in that follows docs/adding-*.md is found, and held to the same contracts as ours."""

import os
import shutil
import tomllib
from pathlib import Path

import pytest

from sonde.base.errors import InputError, UsageError
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.instruments.decisions.model import CallKind
from sonde.instruments.decisions.verb.run import read_argument as read_decisions
from sonde.registry import GROUP, Family, entries, find
from sonde.testing import (
    ANALYSIS_CHECKS,
    FORMAT_CHECKS,
    PASS_CHECKS,
    SOURCE_CHECKS,
    check_analysis,
    check_format,
    check_pass,
    check_source,
)
from sonde.testing.decision_readers import DECISION_READER_CHECKS, check_decision_reader
from sonde.testing.measurement_readers import MEASUREMENT_READER_CHECKS, check_measurement_reader

TOY = Path(__file__).parent.parent / "toy_plugin"
NAMES: dict[Family, str] = {
    "analysis": "toy-flat-calls",
    "decision-reader": "toy-printed-remarks",
    "format": "toy-lines",
    "kind": "toy-steps",
    "measurement-reader": "toy-stopwatch",
    "pass": "toy-multiply-by-shifting",
    "source": "toy-traced",
}


def publish(folder: Path, name: str, points: dict[str, str]) -> None:
    """What an installer leaves behind of a distribution."""
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[{GROUP}]", *(f"{point} = {target}" for point, target in points.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of installed packages, the toy among them, installed as its pyproject.toml says."""
    packages = tmp_path_factory.mktemp("packages")
    project = tomllib.loads((TOY / "pyproject.toml").read_text())["project"]
    publish(packages, project["name"], project["entry-points"][GROUP])
    monkeypatch.syspath_prepend(TOY)
    monkeypatch.syspath_prepend(packages)
    return packages


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("family", NAMES)
def test_the_toy_is_listed_after_ours(family: Family) -> None:
    listed = entries(family)

    assert listed[NAMES[family]].publisher == "sonde-toy"
    assert {entry.publisher for name, entry in listed.items() if not name.startswith("toy-")} == {"sonde"}


def test_what_is_installed_or_removed_meanwhile_is_noticed(installed: Path) -> None:
    before = set(entries("format"))
    publish(installed, "late", {"format.late-lines": "sonde_toy.lines:LINES"})
    os.utime(installed, (1, 1))  # clocks of file systems tick slowly
    assert set(entries("format")) == {*before, "late-lines"}

    shutil.rmtree(installed / "late-1.0.dist-info")
    os.utime(installed, (2, 2))
    assert set(entries("format")) == before


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("check", ANALYSIS_CHECKS)
def test_the_toy_analysis_keeps_its_contract(check: str) -> None:
    ANALYSIS_CHECKS[check](find("analysis", NAMES["analysis"]))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("check", FORMAT_CHECKS)
def test_the_toy_format_keeps_its_contract(check: str) -> None:
    FORMAT_CHECKS[check](find("format", NAMES["format"]))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("check", SOURCE_CHECKS)
def test_the_toy_source_keeps_its_contract(check: str, tmp_path: Path) -> None:
    SOURCE_CHECKS[check](find("source", NAMES["source"]), tmp_path)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("check", PASS_CHECKS)
def test_the_toy_pass_keeps_its_contract(check: str) -> None:
    PASS_CHECKS[check](find("pass", NAMES["pass"]))


@pytest.fixture
def laps(tmp_path: Path) -> Path:
    """A file for the toy reader, in a folder of its own."""
    folder = tmp_path / "laps"
    folder.mkdir()
    path = folder / "monday"
    path.write_text("stopwatch laps\nann 61.2\nben 64.0\nann 60.9\nben 63.1 tired\n")
    return path


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("check", MEASUREMENT_READER_CHECKS)
def test_the_toy_reader_keeps_its_contract(check: str, laps: Path, tmp_path: Path) -> None:
    MEASUREMENT_READER_CHECKS[check](find("measurement-reader", NAMES["measurement-reader"]), laps, tmp_path)


@pytest.mark.usefixtures("installed")
def test_the_toy_reader_is_asked_where_ours_know_nothing(laps: Path) -> None:
    (ann, ben) = read_argument(laps).series

    assert (ann.alternative, [run.values[0] for run in ann.invocations]) == ("ann", [61.2, 60.9])
    assert len(ben.invocations) == 1 and len(read_argument(laps, "toy-stopwatch").skipped) == 1


@pytest.fixture
def remarks(tmp_path: Path) -> Path:
    """What clang printed, in a folder of its own."""
    folder = tmp_path / "remarks"
    folder.mkdir()
    path = folder / "monday"
    path.write_text(
        "main.c:7:12: remark: 'half' inlined into 'main' with (cost=-10, threshold=225) [-Rpass=inline]\n"
        "1 remark generated.\n"
        "main.c:9:3: remark: 'half' inlined into 'other'\n"
    )
    return path


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("check", DECISION_READER_CHECKS)
def test_the_toy_reader_of_decisions_keeps_its_contract(check: str, remarks: Path, tmp_path: Path) -> None:
    DECISION_READER_CHECKS[check](find("decision-reader", NAMES["decision-reader"]), remarks, tmp_path)


@pytest.mark.usefixtures("installed")
def test_the_toy_reader_of_decisions_is_asked_where_ours_know_nothing(remarks: Path) -> None:
    (main, other) = read_decisions(remarks).units

    (half,) = main.load().inlining.children
    assert (half.method, half.at, half.column, half.kind) == ("half", 7, 12, CallKind.INLINED)
    assert other.method == "other" and read_decisions(remarks, reader="toy-printed-remarks").doubts[0].amount == 1


@pytest.mark.usefixtures("installed")
def test_one_call_checks_everything(laps: Path, remarks: Path, tmp_path: Path) -> None:
    check_decision_reader(find("decision-reader", NAMES["decision-reader"]), remarks, tmp_path)
    check_measurement_reader(find("measurement-reader", NAMES["measurement-reader"]), laps, tmp_path)
    check_analysis(find("analysis", NAMES["analysis"]))
    check_format(find("format", NAMES["format"]))
    check_pass(find("pass", NAMES["pass"]))
    check_source(NAMES["source"], tmp_path)


def test_two_of_one_name_are_refused_with_both_publishers(installed: Path) -> None:
    publish(installed, "other-toy", {"format.toy-lines": "other:LINES"})

    with pytest.raises(UsageError, match=r"'toy-lines' is meant: both other-toy and sonde-toy publish one") as refused:
        find("format", "speedscope")

    assert refused.value.slug == "duplicate-plug-in"
    assert "exact-contexts" in entries("analysis")


def test_our_names_are_taken(installed: Path) -> None:
    publish(installed, "other-toy", {"analysis.exact-contexts": "other:Exact"})

    with pytest.raises(UsageError, match="both sonde and other-toy"):
        entries("analysis")


def test_what_cannot_be_imported_is_broken_when_it_is_asked_for(installed: Path) -> None:
    publish(installed, "other-toy", {"analysis.broken": "no_such_module:Broken"})

    assert "broken" in entries("analysis")
    with pytest.raises(InputError, match="'broken' of other-toy: ModuleNotFoundError") as refused:
        find("analysis", "broken")
    assert refused.value.slug == "broken-plug-in"


@pytest.mark.parametrize("point", ["lines", "formats.lines", "format."])
def test_a_point_without_a_family_is_refused(installed: Path, point: str) -> None:
    publish(installed, "other-toy", {point: "other:LINES"})

    with pytest.raises(UsageError, match=f"cannot plug in '{point}' of other-toy") as refused:
        entries("source")

    assert refused.value.slug == "unknown-plug-in-family"


def test_an_unknown_name_names_its_neighbour() -> None:
    with pytest.raises(UsageError, match="cannot find format 'speedscop'") as refused:
        find("format", "speedscop")

    assert refused.value.hint == "did you mean 'speedscope'?"
