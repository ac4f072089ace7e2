"""Measuring a plan: round after round, each invocation in the file before the next begins."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sonde.evidence import Doubt
from sonde.instruments.bench.measurements import Invocation, Series
from sonde.instruments.bench.results_file import ResultsWriter
from sonde.instruments.bench.runs.chores import ChoreFailed, Surroundings, run_chore
from sonde.instruments.bench.runs.course import FAILURES_IN_A_ROW, Course, HalfWidths
from sonde.instruments.bench.runs.invoker import Invoker
from sonde.instruments.bench.runs.observer import Observer, Standing
from sonde.instruments.bench.runs.order import blocks
from sonde.instruments.bench.runs.plan import Alternative, Benchmark, Plan

_LISTED = 3
"""Benchmarks that a doubt lists."""


class Watch(Protocol):
    """Whoever looks at the machine meanwhile."""

    def look(self, round_number: int) -> Sequence[Doubt]:
        """What was wrong with it since the last look; asked after each round, which is counted from 1 on."""

    def summary(self) -> Sequence[Doubt]:
        """All that was wrong, each kind once; asked at the end."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended."""

    interrupted: bool
    failures: int
    """Invocations that did not end well, of all that are in the file."""
    given_up: tuple[tuple[str, str], ...]
    """(benchmark, alternative) that failed too often in a row."""
    out_of_time: tuple[str, ...]
    """Benchmarks that are less precise than was asked for, because the time was used up."""
    not_precise: tuple[str, ...]
    """Benchmarks that are less precise than was asked for after the most rounds that were allowed."""


class Run:
    """One session of measuring a plan, from its beginning or from where an earlier one stopped.

    Args:
        writer: the file; what is in it already is kept and counted.
        half_widths: how precise comparisons are; see `course`.
        watch: notices what happens on the machine.
        check: looks at the first good invocation of each alternative, and raises if nothing can be made of it.
        clock: seconds, ever rising.

    Guarantee: every invocation that has ended is in the file; none is repeated when the run is resumed; the order is
        the same whether it was interrupted or not.
    """

    def __init__(
        self,
        plan: Plan,
        writer: ResultsWriter,
        invoker: Invoker,
        observer: Observer,
        *,
        half_widths: HalfWidths,
        watch: Watch | None = None,
        check: Callable[[Series], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._writer = writer
        self._invoker = invoker
        self._observer = observer
        self._watch = watch
        self._check = check
        self._checked: set[tuple[str, str]] = set()
        self._clock = clock
        self._began = clock()
        self._rounds_now = 0
        self._position = 0
        self._failures = 0
        stored: dict[str, dict[str, tuple[Invocation, ...]]] = {}
        for series in writer.measurements().series:
            stored.setdefault(series.benchmark, {})[series.alternative] = series.invocations
            self._position += len(series.invocations)
            self._failures += sum(invocation.outcome != "ok" for invocation in series.invocations)
        self._courses = {
            benchmark.name: Course(benchmark, stored.get(benchmark.name, {}), half_widths)
            for benchmark in plan.benchmarks
        }
        self._numbers = {
            (series.benchmark, series.alternative): writer.add_series(series)
            for course in self._courses.values()
            for series in course.series()
        }

    def go(self) -> Ending:
        """Measure until everything is known, time is used up, or somebody interrupts.

        Raises:
            SondeError: nothing more can be stored, a set-up command failed, or `check` raised it.
        """
        interrupted = False
        self._writer.drop_doubts("cut-short")
        surroundings = Surroundings(self._plan)
        try:
            with _not_our_line(self._observer), surroundings:
                if any(not course.is_done for course in self._courses.values()):
                    surroundings.set_up()
                    self._warm_up()
                    self._measure()
        except KeyboardInterrupt:
            interrupted = True
            self._writer.add_event("interrupted")
        else:
            self._writer.add_event("ended")
        for doubt in self._watch.summary() if self._watch is not None else ():
            self._writer.add_doubt(doubt)
        self._tell_cut_short()
        for complaint in surroundings.complaints:
            self._doubt(Doubt("cleanup-failed", complaint))
        return self._ending(interrupted=interrupted)

    @property
    def is_complete(self) -> bool:
        """Whether all was measured that was to be."""
        return all(course.is_done for course in self._courses.values())

    def series(self) -> tuple[Series, ...]:
        """What was measured so far, with what was in the file before; it is here should the file be lost."""
        return tuple(series for course in self._courses.values() for series in course.series())

    def _warm_up(self) -> None:
        """Rounds that do not count, of those benchmarks that are not done."""
        going = [course for course in self._courses.values() if not course.is_done]
        first = {course.benchmark.name: course.first_warm_up for course in going}
        for number in range(max((course.benchmark.conditions.warm_up_rounds for course in going), default=0)):
            for benchmark, alternatives in blocks(self._plan, -1 - number):
                course = self._courses[benchmark.name]
                if course.is_done or number >= benchmark.conditions.warm_up_rounds or self._is_time_up(course):
                    continue
                for alternative in alternatives:
                    if not course.is_given_up(alternative.name):
                        self._invoke(course, alternative, first[benchmark.name] - number)

    def _measure(self) -> None:
        round_ = min((course.round for course in self._courses.values() if not course.is_done), default=0)
        while any(not course.is_done for course in self._courses.values()):
            for benchmark, alternatives in blocks(self._plan, round_):
                course = self._courses[benchmark.name]
                if course.is_done or course.round != round_:
                    continue
                if self._is_time_up(course):
                    course.end_for("out of time")
                else:
                    for alternative in course.wanted(alternatives):
                        self._invoke(course, alternative, round_)
                    course.end_round()
                    self._rounds_now += 1
                if course.is_done:
                    self._tell_done(course)
            round_ += 1
            for doubt in self._watch.look(round_) if self._watch is not None else ():
                self._writer.add_doubt(doubt, round=round_ - 1)

    def _invoke(self, course: Course, alternative: Alternative, round_: int) -> None:
        benchmark = course.benchmark
        if self._observer.is_due():
            self._observer.show(self._standing(course, alternative, round_))
        began, started = self._clock(), time.time()
        invocation = self._prepare(benchmark, alternative) or self._invoker.invoke(benchmark, alternative)
        invocation = replace(
            invocation,
            round=round_,
            position=self._position,
            started=invocation.started if invocation.started is not None else started,
            warmups=len(invocation.values) if round_ < 0 else invocation.warmups,
        )
        number = self._numbers[benchmark.name, alternative.name]
        if len(invocation.values) > 1 and benchmark.mode == "startup":
            self._writer.set_steady(number)
        self._writer.record(number, invocation)
        self._position += 1
        course.add(alternative.name, invocation, self._clock() - began)
        if invocation.outcome == "ok":
            self._look_at_first(course, alternative.name, invocation)
        else:
            self._failures += 1
            self._observer.failed(benchmark.name, alternative.name, invocation)
            if course.is_given_up(alternative.name):
                self._tell_given_up(benchmark, alternative, invocation)

    def _look_at_first(self, course: Course, alternative: str, invocation: Invocation) -> None:
        """Whether something can be made of what is measured is to be known at once, and not when all is done."""
        key = (course.benchmark.name, alternative)
        if self._check is None or key in self._checked:
            return
        self._checked.add(key)
        (series,) = (one for one in course.series() if one.alternative == alternative)
        self._check(replace(series, invocations=(invocation,)))

    def _prepare(self, benchmark: Benchmark, alternative: Alternative) -> Invocation | None:
        """Do what comes before each invocation; the failed invocation if that cannot be done."""
        if not alternative.prepare:
            return None
        try:
            run_chore(alternative.prepare, alternative, timeout_s=benchmark.conditions.timeout_s)
        except ChoreFailed as failure:
            return Invocation(np.empty(0), "failed", f"not run: '{alternative.prepare}' failed: {failure}")
        return None

    def _is_time_up(self, course: Course) -> bool:
        """Whether another round of a benchmark would end after the budget."""
        if self._plan.budget_s is None or not self._rounds_now:
            return False
        if not self._plan.budget_is_firm and course.round < min(course.benchmark.extent.least, course.expected_rounds):
            return False
        return self._clock() - self._began + (course.round_cost_s() or 0.0) > self._plan.budget_s

    def _standing(self, course: Course, alternative: Alternative, round_: int) -> Standing:
        extent = course.benchmark.extent
        return Standing(
            benchmark=course.benchmark.name,
            alternative=alternative.name,
            round=round_ + 1,
            expected_rounds=course.expected_rounds,
            is_sure=extent.rounds is not None,
            seconds_left=self._seconds_left(),
            half_width=course.half_width,
            benchmarks_done=sum(one.is_done for one in self._courses.values()),
            benchmarks=len(self._courses),
            failures=self._failures,
        )

    def _seconds_left(self) -> float | None:
        """Rounds to come, at the price of those that were; benchmarks of unknown price cost what the others do."""
        going = [course for course in self._courses.values() if not course.is_done]
        prices = [course.round_cost_s() for course in going]
        known = [price for price in prices if price is not None]
        if not known:
            return None
        usual = sum(known) / len(known)
        left = sum(
            course.rounds_left() * (usual if price is None else price)
            for course, price in zip(going, prices, strict=True)
        )
        if self._plan.budget_s is None or not self._plan.budget_is_firm:
            return left
        return max(0.0, min(left, self._plan.budget_s - (self._clock() - self._began)))

    def _tell_done(self, course: Course) -> None:
        if course.why_done != "nothing works":
            alone = len(self._courses) == 1
            self._observer.benchmark_done(
                course.why_done, course.round, course.series(), course.half_width, alone=alone
            )

    def _tell_given_up(self, benchmark: Benchmark, alternative: Alternative, last: Invocation) -> None:
        who = f"'{alternative.name}' of '{benchmark.name}'" if alternative.name else f"'{benchmark.name}'"
        text = (
            f"{who} was given up: it failed {FAILURES_IN_A_ROW} times in a row,"
            f" lastly with {last.detail or last.outcome}"
        )
        self._writer.add_event("given up", text)
        self._doubt(Doubt("given-up", text, hint="mend it, and go on with --resume"))

    def _tell_cut_short(self) -> None:
        """Store that there was no time for as many rounds as were asked for: every report of the file says so."""
        cut = [
            f"'{course.benchmark.name}' after {course.round} of {course.benchmark.extent.least}"
            for course in self._courses.values()
            if course.why_done == "out of time" and course.round < course.benchmark.extent.least
        ]
        if not cut:
            return
        more = f", and {len(cut) - _LISTED} more" if len(cut) > _LISTED else ""
        text = f"the budget of {self._plan.budget_s:g} s ended {', '.join(cut[:_LISTED])} rounds{more}"
        self._writer.add_doubt(Doubt("cut-short", text, hint="a larger --budget, with --resume"))

    def _doubt(self, doubt: Doubt) -> None:
        """Store and tell something that makes the results less trustworthy, once."""
        if self._writer.add_doubt(doubt):
            self._observer.note(doubt.detail)

    def _ending(self, *, interrupted: bool) -> Ending:
        courses = self._courses.values()
        return Ending(
            interrupted=interrupted,
            failures=self._failures,
            given_up=tuple(
                (course.benchmark.name, alternative)
                for course in courses
                for alternative in course.invocations
                if course.is_given_up(alternative)
            ),
            out_of_time=tuple(course.benchmark.name for course in courses if course.why_done == "out of time"),
            not_precise=tuple(
                course.benchmark.name
                for course in courses
                if course.why_done == "all rounds" and course.benchmark.extent.rounds is None
            ),
        )


@contextmanager
def _not_our_line(observer: Observer) -> Iterator[None]:
    """Leave the terminal in order whatever happens."""
    try:
        yield
    finally:
        observer.close()
