"""A NumPy that is installed and does not load is a finding of `sonde doctor`, not a bug of sonde."""

import pytest

from sonde.cli import doctor


def test_a_numpy_that_does_not_load_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError("IMPORTANT: PLEASE READ THIS\n...") from ImportError(f"libstdc++.so.6: not found, for {name}")

    monkeypatch.setattr(doctor, "import_module", broken)
    monkeypatch.setattr(doctor, "find_spec", lambda name: object())

    found = doctor._statistics()

    assert found.verdict == "limited"
    assert found.fact == "numpy does not load: libstdc++.so.6: not found, for numpy; only sonde bench needs it"
