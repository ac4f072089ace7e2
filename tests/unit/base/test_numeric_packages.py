"""NumPy and SciPy that are not there, or do not load, are told with what to do about it; they are no bug of sonde."""

import sys

import pytest

from sonde.base import numeric_packages
from sonde.base.errors import MissingCapability
from sonde.base.numeric_packages import INSTALL, require_numeric_packages


@pytest.mark.parametrize(
    ("missing", "told"),
    [(["scipy"], "SciPy is not installed"), (["numpy", "scipy"], "NumPy and SciPy are not installed")],
)
def test_what_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, missing: list[str], told: str) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingCapability) as refused:
        require_numeric_packages("judge measurements")

    assert refused.value.message == f"cannot judge measurements: {told}"
    assert (refused.value.slug, refused.value.hint) == ("no-numpy", INSTALL)


def test_one_that_does_not_load_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError("IMPORTANT: PLEASE READ THIS\n...") from ImportError(f"libstdc++.so.6: not found, for {name}")

    monkeypatch.setattr(numeric_packages, "import_module", broken)

    with pytest.raises(MissingCapability) as refused:
        require_numeric_packages("compare groups of runs")

    assert refused.value.message == (
        "cannot compare groups of runs: NumPy does not load: libstdc++.so.6: not found, for numpy"
    )
    assert refused.value.hint == "python -c 'import numpy' says more"


def test_where_they_are_nothing_is_refused() -> None:
    require_numeric_packages("judge measurements")
