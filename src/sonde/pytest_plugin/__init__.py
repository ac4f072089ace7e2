"""sonde in pytest: `pytest --sonde` tells what was hot in each test, `--sonde-compare` fails on more calls than before.

pytest finds it by the entry point `pytest11`. Without one of its options it does nothing, and loads nothing of sonde.
"""

import sys
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
    save, compare = (config.getoption(name) for name in ("sonde_save", "sonde_compare"))
    if config.getoption("collectonly"):
        return  # no test will run
    if config.getoption("sonde") or save is not None or compare is not None:
        import pytest  # the one that runs

        if getattr(pytest, "version_tuple", (0,)) < (7, 4):  # which itself is younger than pytest 7
            raise pytest.UsageError(
                f"sonde cannot measure in pytest {pytest.__version__}: it needs 7.4 or later\n"
                "hint: pip install 'sonde[pytest]'"
            )
        if "" in (save, compare):  # a variable that is not set must not pass for a comparison
            raise pytest.UsageError(f"sonde: --sonde-{'save' if save == '' else 'compare'} names no file")
        try:
            from sonde.pytest_plugin.session import MeasuredSession  # else pytest would load sonde in every run
        except ImportError as error:  # of another Python, whose packages this one was told to use
            raise pytest.UsageError(
                f"sonde cannot measure here: {error}\n"
                f"hint: install it with this Python: {sys.executable} -m pip install 'sonde[pytest]'"
            ) from error

        config.pluginmanager.register(MeasuredSession(config), "sonde-session")
