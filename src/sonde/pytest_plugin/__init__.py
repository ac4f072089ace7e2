"""sonde in pytest: `pytest --sonde` tells what was hot in each test, `--sonde-compare` fails on more calls than before.

pytest finds it by the entry point `pytest11`. Without one of its options it does nothing, and loads nothing of sonde.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

__all__ = ["pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Declare the options."""
    group = parser.getgroup("sonde", "what is hot in tests (sonde)")
    group.addoption("--sonde", action="store_true", help="tell what was hot in each test")
    group.addoption("--sonde-save", metavar="FILE", help="write the profile of all tests, for --sonde-compare")
    group.addoption(
        "--sonde-compare",
        metavar="FILE",
        help="fail if a test calls functions more often than in this profile of --sonde-save",
    )


def pytest_configure(config: "pytest.Config") -> None:
    """Measure if it was asked for."""
    if any(config.getoption(name) for name in ("sonde", "sonde_save", "sonde_compare")):
        import pytest  # the one that runs

        if pytest.version_tuple < (7, 4):
            raise pytest.UsageError("sonde needs pytest 7.4 or later: pip install 'sonde[pytest]'")
        from sonde.pytest_plugin.session import MeasuredSession  # else pytest would load sonde in every run

        config.pluginmanager.register(MeasuredSession(config), "sonde-session")
