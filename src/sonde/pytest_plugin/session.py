"""A session of pytest whose tests are blocks; with pytest-xdist, that of a worker or of what gathers them."""

import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sonde.api import Block
from sonde.base.errors import SondeError
from sonde.base.units import format_count, format_duration, format_share
from sonde.instruments.contexts.profile import ContextProfile, merge_profiles, read_profile, write_profile
from sonde.options.output import check_output_path
from sonde.pytest_plugin.hot_test import HotTest
from sonde.pytest_plugin.more_calls import MoreCalls, more_calls

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_PROPERTY = "sonde"
_MOST_TESTS = 20
_FOLDER = "sonde_folder"
"""In what a worker is told: where it leaves its profile."""


class MeasuredSession:
    """Hooks of one session; the body of each test is a block, without its fixtures.

    Raises:
        pytest.UsageError: the profile to compare with cannot be read, or the one to write cannot be written.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._is_told = bool(config.getoption("sonde"))
        self._whole = Block()
        self._hot: dict[str, HotTest] = {}
        self._worker_folder: str | None = getattr(config, "workerinput", {}).get(_FOLDER)
        self._is_worker = hasattr(config, "workerinput")
        self._gathered: tempfile.TemporaryDirectory[str] | None = None
        self._more: list[MoreCalls] | None = None
        self._problem = ""
        save, compare = config.getoption("sonde_save"), config.getoption("sonde_compare")
        self._baseline: ContextProfile | None = None
        self._output: Path | None = None
        if self._is_worker:
            return
        try:
            self._baseline = read_profile(Path(compare)) if compare else None
            self._output = check_output_path(Path(save), force=True, device_allowed=False) if save else None
        except SondeError as error:
            raise pytest.UsageError(f"sonde: {error}") from error

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """The test itself."""
        own = Block()
        with self._whole, own:
            yield
        if self._is_told:
            try:
                item.user_properties.append((_PROPERTY, HotTest.of(own.measured()).as_text()))
            except SondeError as error:
                self._problem = str(error)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of pytest-xdist is to begin."""
        self._gathered = self._gathered or tempfile.TemporaryDirectory()
        node.workerinput[_FOLDER] = self._gathered.name

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test has run, here or in a worker."""
        for name, value in report.user_properties:
            if name == _PROPERTY and report.when == "call":
                self._hot[report.nodeid] = HotTest.from_text(str(value))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write, and compare."""
        try:
            if self._is_worker:
                if self._worker_folder:
                    write_profile(
                        Path(self._worker_folder) / f"{id(self)}-{_worker_of(session)}.sonde", self._whole.measured()
                    )
                return
            if self._output is None and self._baseline is None:
                return
            profile = self._profile()
            if self._output is not None:
                write_profile(self._output, profile)
            if self._baseline is not None:
                self._more = more_calls(self._baseline, profile)
                if self._more and session.exitstatus == pytest.ExitCode.OK:
                    session.exitstatus = pytest.ExitCode.TESTS_FAILED
        except SondeError as error:
            self._problem = str(error)
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        finally:
            if self._gathered is not None:
                self._gathered.cleanup()

    def _profile(self) -> ContextProfile:
        if self._gathered is None:
            return self._whole.measured()
        profiles = [read_profile(path) for path in sorted(Path(self._gathered.name).glob("*.sonde"))]
        return merge_profiles(profiles)

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """What was hot, and what is called more often."""
        if self._is_told:
            terminalreporter.section("sonde: what was hot in each test")
            for line in _hot_lines(self._hot):
                terminalreporter.write_line(line)
        if self._more is not None:
            terminalreporter.section("sonde: compared with the baseline")
            for line in _comparison_lines(self._more):
                terminalreporter.write_line(line)
        if self._output is not None and not self._problem:
            terminalreporter.write_line(f"sonde: wrote {self._output}; sonde view {self._output}")
        if self._problem:
            terminalreporter.write_line(f"sonde: {self._problem}")


def _worker_of(session: pytest.Session) -> str:
    workerinput: dict[str, Any] = getattr(session.config, "workerinput", {})
    return str(workerinput.get("workerid", "worker"))


def _hot_lines(hot: dict[str, HotTest]) -> list[str]:
    ordered = sorted(hot.items(), key=lambda item: (-item[1].total_ns, item[0]))
    lines = [
        f"{format_duration(test.total_ns):>9}  {format_count(test.calls):>10} calls  {name}\n"
        f"{'':11}{format_share(test.own_ns, test.total_ns)} in {test.function}"
        for name, test in ordered[:_MOST_TESTS]
    ]
    left_out = len(ordered) - len(lines)
    return [*lines, f"... {left_out} more tests, each with less"] if left_out else lines or ["no test ran"]


def _comparison_lines(more: list[MoreCalls]) -> list[str]:
    if not more:
        return ["no function is called more often than before", _TIMES]
    return [f"regression: {each}" for each in more] + [_TIMES]


_TIMES = "times: cannot say, a run on each side does not show how much they vary; sonde diff --against compares several"
