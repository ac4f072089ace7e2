"""The tables and the picture in the documentation are those that the program writes."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from sonde.stats.power import power_of_ratio

_PROGRAM = Path(__file__).parents[3] / "benches" / "power_curves.py"


@pytest.fixture(scope="module")
def power_curves() -> ModuleType:
    spec = importlib.util.spec_from_file_location("power_curves", _PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_note_and_picture_are_fresh(power_curves: ModuleType) -> None:
    assert power_curves.is_fresh(), "run benches/power_curves.py"


def test_a_changed_table_is_noticed(power_curves: ModuleType) -> None:
    note = power_curves.NOTE.read_text(encoding="utf-8")
    assert power_curves.note_with("something else\n", note) != note


def test_a_cell_says_what_the_function_says(power_curves: ModuleType) -> None:
    row = next(line for line in power_curves.tables().splitlines() if line.startswith("| 5.0% | 2.0% |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")][2:]
    powers = [100 * power_of_ratio(0.02, 0.05, n) for n in power_curves.INVOCATIONS]
    assert cells == [f"{power:.0f}" for power in powers]
