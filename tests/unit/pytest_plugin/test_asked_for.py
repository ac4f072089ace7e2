"""What the options of the plug-in ask for in a pytest that is too old, and with a file that is not named."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from sonde.pytest_plugin import pytest_configure


def config(**given: object) -> Any:
    options = {"collectonly": False, "sonde": False, "sonde_save": None, "sonde_compare": None, **given}
    return SimpleNamespace(getoption=options.__getitem__)


def test_without_options_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pytest, "version_tuple")
    pytest_configure(config())


def test_where_no_test_is_to_run_nothing_is_asked_for() -> None:
    pytest_configure(config(collectonly=True, sonde_compare="missing.sonde"))


@pytest.mark.parametrize("version", [None, (7, 1, 3)])
def test_a_pytest_that_is_too_old_is_told(version: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if version is None:
        monkeypatch.delattr(pytest, "version_tuple")  # as before pytest 7.0
    else:
        monkeypatch.setattr(pytest, "version_tuple", version)
    with pytest.raises(pytest.UsageError, match=r"it needs 7.4 or later\nhint: pip install"):
        pytest_configure(config(sonde=True))


def test_a_sonde_of_another_python_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sonde.pytest_plugin.session", None)
    with pytest.raises(pytest.UsageError, match=r"hint: install it with this Python: .* -m pip install"):
        pytest_configure(config(sonde=True))


@pytest.mark.parametrize("option", ["save", "compare"])
def test_an_empty_name_is_no_silent_success(option: str) -> None:
    with pytest.raises(pytest.UsageError, match=f"--sonde-{option} names no file"):
        pytest_configure(config(**{f"sonde_{option}": ""}))
