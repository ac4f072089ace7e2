"""A session of pytest whose tests are counted; with pytest-xdist, that of a worker or of what gathers them.

All tests are one block that is entered again and again, which costs nothing that grows with what was counted; it is
analysed once, at the end. What is whose is told by the function that stands for each test.
"""

import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from sonde.api import Block
from sonde.base.errors import InputError, SondeError
from sonde.instruments.contexts.profile import ContextProfile, merge_profiles, read_profile, write_profile
from sonde.options.output import check_output_path
from sonde.pytest_plugin.compared_tests import ComparedTests, compare_tests
from sonde.pytest_plugin.named_test import function_of_test
from sonde.pytest_plugin.names_from_elsewhere import renamed_as
from sonde.pytest_plugin.summary_lines import comparison_lines, hot_lines
from sonde.pytest_plugin.totals_of_tests import TestTotals, totals_of_tests

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_FOLDER = "sonde_folder"
"""In what a worker is told: where it leaves its profile."""


class MeasuredSession:
    """Hooks of one session; the call of each test is counted, without its fixtures.

    Raises:
        pytest.UsageError: the profile to compare with cannot be read or has no tests, or the one to write cannot be
            written.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._is_told = bool(config.getoption("sonde"))
        self._root = config.rootpath
        self._block = Block()
        self._ran = False
        worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._leaves: Path | None = Path(worker[_FOLDER]) / f"{worker['workerid']}.sonde" if worker else None
        self._gathered: tempfile.TemporaryDirectory[str] | None = None
        self._workers = 0
        self._tests: dict[str, TestTotals] = {}
        self._compared: ComparedTests | None = None
        self._wrote: Path | None = None
        self._problem = ""
        self._baseline: _Baseline | None = None
        self._output: Path | None = None
        if worker is not None:
            return
        save, compare = config.getoption("sonde_save"), config.getoption("sonde_compare")
        try:
            self._baseline = _read_baseline(Path(compare)) if compare else None
            self._output = check_output_path(Path(save), force=True, device_allowed=False) if save else None
        except SondeError as error:
            raise pytest.UsageError(f"sonde: {error}") from error

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """The test itself: what `runtest` of its item does."""
        run, stand_in = item.runtest, function_of_test(item.nodeid)

        def counted() -> None:
            __tracebackhide__ = True
            try:
                self._block.__enter__()
            except SondeError as error:  # the test runs all the same
                self._problem = self._problem or str(error)
                run()
                return
            self._ran = True
            try:
                stand_in(run)
            finally:
                self._block.__exit__(None, None, None)

        item.runtest = counted  # type: ignore[method-assign]
        try:
            yield
        finally:
            del item.runtest

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of pytest-xdist is to begin."""
        self._gathered = self._gathered or tempfile.TemporaryDirectory()
        self._workers += 1
        node.workerinput[_FOLDER] = self._gathered.name

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Analyse, write, and compare."""
        try:
            self._finish()
        except SondeError as error:
            self._problem = str(error)
        finally:
            if self._gathered is not None:
                self._gathered.cleanup()
        # What pytest found itself is never replaced.
        is_worse = self._compared is not None and bool(self._compared.more)
        if (is_worse or self._problem) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _finish(self) -> None:
        if self._leaves is not None:
            if self._ran:
                write_profile(self._leaves, self._block.measured())
            else:
                self._leaves.with_suffix(".none").write_text(self._problem, encoding="utf-8")
            return
        profile = self._profile()
        self._tests = totals_of_tests(profile) if profile is not None else {}
        if self._output is not None:
            if profile is not None:
                write_profile(self._output, profile)
                self._wrote = self._output
            elif not self._problem:
                self._problem = f"wrote no '{self._output}': no test was counted"
        if self._baseline is not None:
            self._compare(self._baseline, profile)

    def _compare(self, baseline: "_Baseline", profile: ContextProfile | None) -> None:
        processes = max(baseline.processes, len(profile.processes) if profile is not None else 0)
        found = compare_tests(baseline.tests, renamed_as(baseline.tests, self._tests), processes=processes)
        self._compared = found
        if not (found.compared or found.random):  # what compares nothing must not pass for a comparison
            self._problem = self._problem or "compared nothing: no test of the baseline has run"

    def _profile(self) -> ContextProfile | None:
        """That of all tests; None: none ran."""
        if self._gathered is None:
            return self._block.measured() if self._ran else None
        left = Path(self._gathered.name)
        profiles = [read_profile(path) for path in sorted(left.glob("*.sonde"))]
        empty = [path.read_text(encoding="utf-8") for path in sorted(left.glob("*.none"))]
        lost = self._workers - len(profiles) - len(empty)
        self._problem = next(filter(None, empty), f"workers that left no profile: {lost}" if lost else "")
        return merge_profiles(profiles) if profiles else None

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """What was hot, and what is called more often."""
        if self._is_told:
            terminalreporter.section("sonde: what was hot in each test")
            for line in hot_lines(self._tests, self._root):
                terminalreporter.write_line(line)
        if self._compared is not None:
            terminalreporter.section("sonde: compared with the baseline")
            for line in comparison_lines(self._compared):
                terminalreporter.write_line(line)
        if self._wrote is not None:
            terminalreporter.write_line(f"sonde: wrote {self._wrote}; sonde view {self._wrote}")
        if self._problem:
            terminalreporter.write_line(f"sonde: {self._problem}")


class _Baseline(NamedTuple):
    """What a run is compared with."""

    tests: dict[str, TestTotals]
    processes: int
    """In which they ran."""


def _read_baseline(path: Path) -> _Baseline:
    profile = read_profile(path)
    tests = totals_of_tests(profile)
    if not tests:
        raise InputError(
            f"cannot compare tests with '{path}': it has none",
            slug="no-tests-in-profile",
            hint="write it with pytest --sonde-save",
        )
    return _Baseline(tests, len(profile.processes))
