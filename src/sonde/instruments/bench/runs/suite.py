"""A suite: benchmarks x alternatives in a TOML file; docs/suite-file.md describes it."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sonde.base.errors import InputError, UsageError
from sonde.instruments.bench.runs.parameters import MOST_COMBINATIONS
from sonde.instruments.bench.runs.plan import (
    ROUNDS_TO_KEEP,
    Alternative,
    Benchmark,
    CommandWork,
    Conditions,
    Extent,
    FunctionWork,
    Plan,
    Work,
    rounds_between,
)
from sonde.instruments.bench.runs.suite_factors import (
    ALTERNATIVE,
    Factors,
    combinations,
    filled,
    placeholders,
    read_exclusions,
    read_factors,
)
from sonde.instruments.bench.runs.suite_mistakes import Mistakes, near_to
from sonde.instruments.bench.runs.suite_settings import RUN_SETTINGS, SETTINGS, prevail, read_settings

_TOP = ("run", "factors", "exclude", "benchmark")
_OF_BENCHMARK = ("command", "steady", "exclude")
_MOST_ROUNDS = 100
"""Of a benchmark whose suite says nothing: one that will not become precise is not to hold up the rest."""
_OUTPUTS = ("discard", "drain", "show")


def read_suite(
    path: Path, *, overrides: Mapping[str, Any], seed: int, only: Sequence[str] = (), level: float = 0.95
) -> Plan:
    """Read a suite, and find every mistake in it.

    Args:
        overrides: settings of the command line, by their names in a suite; they prevail over all others.
        seed: for a suite that has none.
        only: names of the benchmarks to take; empty: all.
        level: of the intervals that are to become narrow.
    Raises:
        InputError: `no-such-suite`.
        UsageError: `bad-suite` with all mistakes, `unknown-benchmark`, `bad-plan`.
    """
    text = _read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"cannot read suite '{path}': {error}", slug="bad-suite") from error
    mistakes = Mistakes(path, text)
    reading = _Reading(path.resolve().parent, data, overrides, mistakes, level)
    benchmarks = reading.benchmarks()
    mistakes.check()
    for name in only:
        if name not in {benchmark.name for benchmark in benchmarks}:
            raise UsageError(
                f"cannot run '{name}' of '{path}': it has no such benchmark"
                f"{near_to(name, [benchmark.name for benchmark in benchmarks])}",
                slug="unknown-benchmark",
            )
    run = {**reading.run, **{name: overrides[name] for name in RUN_SETTINGS if name in overrides}}
    return Plan(
        tuple(benchmark for benchmark in benchmarks if not only or benchmark.name in only),
        seed=run.get("seed", seed),
        budget_s=run.get("budget"),
    )


def has_seed(path: Path) -> bool:
    """Whether a suite, which was read without mistakes, has a seed of its own."""
    return "seed" in tomllib.loads(_read_text(path)).get("run", {})


def _read_text(path: Path) -> str:
    if path.is_dir():
        raise InputError(f"cannot read suite '{path}': it is a folder", slug="no-such-suite")
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read suite '{path}': {error.strerror}", slug="no-such-suite") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read suite '{path}': it is not text in UTF-8: {error}", slug="bad-suite") from error


class _Reading:
    """A suite on its way to a plan."""

    def __init__(
        self, folder: Path, data: dict[str, Any], overrides: Mapping[str, Any], mistakes: Mistakes, level: float
    ) -> None:
        self._folder = folder
        self._level = level
        self._data = data
        self._overrides = {name: value for name, value in overrides.items() if name in SETTINGS}
        self._mistakes = mistakes
        for name in data:
            if name not in _TOP:
                mistakes.add((name,), f"there is no table '{name}' in a suite", near_to(name, _TOP))
        run = self._table(("run",), data.get("run", {}))
        own = {name: value for name, value in run.items() if name in RUN_SETTINGS}
        rest = {name: value for name, value in run.items() if name not in RUN_SETTINGS}
        self.run = read_settings(own, RUN_SETTINGS, ("run",), mistakes)
        unknown = {name: value for name, value in rest.items() if name not in SETTINGS}
        for name in unknown:
            mistakes.add(("run", name), f"there is no setting '{name}'", near_to(name, [*SETTINGS, *RUN_SETTINGS]))
        known = {name: value for name, value in rest.items() if name in SETTINGS}
        self._general = read_settings(known, SETTINGS, ("run",), mistakes)
        self._factors = read_factors(data.get("factors", {}), mistakes)
        self._exclusions = read_exclusions(data.get("exclude", []), self._factors, ("exclude",), mistakes)
        self._mentioned: set[str] = set()

    def benchmarks(self) -> list[Benchmark]:
        tables = self._table(("benchmark",), self._data.get("benchmark", {}))
        if not tables:
            self._mistakes.add((), "it has no benchmark: add [benchmark.NAME] with command = '...'")
        found = [self._benchmark(name, self._table(("benchmark", name), table)) for name, table in tables.items()]
        for name in self._factors:
            if tables and name not in self._mentioned:
                fact = f"the factor '{name}' has no effect: no benchmark mentions {{{name}}}"
                self._mistakes.add(("factors", name), fact)
        return [benchmark for benchmark in found if benchmark is not None]

    def _benchmark(self, name: str, table: Mapping[str, Any]) -> Benchmark | None:
        place = ("benchmark", name)
        own = {key: value for key, value in table.items() if key not in _OF_BENCHMARK}
        unknown = [key for key in own if key not in SETTINGS]
        for key in unknown:
            self._mistakes.add((*place, key), f"there is no setting '{key}'", near_to(key, [*_OF_BENCHMARK, *SETTINGS]))
        particular = read_settings({key: own[key] for key in own if key in SETTINGS}, SETTINGS, place, self._mistakes)
        settings = prevail(prevail(self._general, particular), self._overrides)
        texts = self._texts(place, table)
        if not texts:
            return None
        if not name.strip():
            self._mistakes.add(place, "a benchmark has no name: write [benchmark.NAME]")
            return None
        is_steady = "steady" in table
        factors = self._factors_of(place, texts, settings)
        count = math.prod(map(len, factors.values()))
        if count > MOST_COMBINATIONS:
            fact = f"'{name}' has {count} combinations of levels: {MOST_COMBINATIONS} is the most"
            self._mistakes.add(place, fact)
            return None
        exclusions = [
            *self._exclusions,
            *read_exclusions(table.get("exclude", []), factors, (*place, "exclude"), self._mistakes),
        ]
        alternatives = tuple(
            self._alternative(levels, texts, settings, factors, is_steady=is_steady)
            for levels in combinations(factors, exclusions)
        )
        if not alternatives:
            self._mistakes.add(place, f"all combinations of '{name}' are excluded")
            return None
        return self._checked(place, name, alternatives, settings)

    def _checked(
        self, place: tuple[str, ...], name: str, alternatives: tuple[Alternative, ...], settings: Mapping[str, Any]
    ) -> Benchmark | None:
        try:
            extent = _extent(settings, self._level)
            return Benchmark(name, alternatives, _conditions(settings), extent, settings.get("metric"))
        except UsageError as error:
            self._mistakes.add(place, error.message)
            return None

    def _texts(self, place: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, str]:
        """Alternative -> command or target; a single one has the name ''."""
        given = [key for key in ("command", "steady") if key in table]
        if len(given) != 1:
            fact = "has both 'command' and 'steady'" if given else "has neither 'command' nor 'steady'"
            self._mistakes.add(place, f"'{place[-1]}' {fact}: one of them says what is measured")
            return {}
        value = table[given[0]]
        texts = {"": value} if isinstance(value, str) else value
        if not isinstance(texts, dict) or not texts or not all(isinstance(text, str) for text in texts.values()):
            self._mistakes.add((*place, given[0]), f"'{given[0]}' is neither a text nor a table of names and texts")
            return {}
        if any("\0" in name + text for name, text in texts.items()):
            self._mistakes.add((*place, given[0]), f"'{given[0]}' has a NUL character, which no program can be given")
            return {}
        return texts

    def _factors_of(
        self, place: tuple[str, ...], texts: Mapping[str, str], settings: Mapping[str, Any]
    ) -> dict[str, Mapping[str, str]]:
        """The factors that a benchmark mentions, and its own alternatives as one more."""
        own: dict[str, Mapping[str, str]] = {} if list(texts) == [""] else {ALTERNATIVE: texts}
        mentioned = placeholders([*texts.values(), *_texts_of(settings)])
        self._mentioned.update(mentioned)
        for factor in mentioned:
            if factor not in self._factors:
                fact = f"'{place[-1]}' mentions {{{factor}}}, and there is no such factor"
                remark = near_to(factor, self._factors) or f"; write {{{{{factor}}}}} for the text itself"
                self._mistakes.add(place, fact, remark)
        # In the order of [factors], so that names of alternatives are alike in all benchmarks.
        return own | {factor: levels for factor, levels in self._factors.items() if factor in mentioned}

    def _alternative(
        self,
        levels: dict[str, str],
        texts: Mapping[str, str],
        settings: Mapping[str, Any],
        factors: Factors,
        *,
        is_steady: bool,
    ) -> Alternative:
        values = {factor: factors[factor][level] for factor, level in levels.items() if factor != ALTERNATIVE}
        text = filled(texts[levels.get(ALTERNATIVE, "")], values)
        settings = {
            name: filled(value, values)
            if isinstance(value, str)
            else {variable: filled(one, values) for variable, one in value.items()}
            if isinstance(value, dict)
            else value
            for name, value in settings.items()
        }
        return Alternative(
            ", ".join(levels.values()),
            self._work(text, settings, is_steady=is_steady),
            levels,
            prepare=settings.get("prepare", ""),
            setup=settings.get("setup", ""),
            cleanup=settings.get("cleanup", ""),
        )

    def _work(self, text: str, settings: Mapping[str, Any], *, is_steady: bool) -> Work:
        folder = str((self._folder / settings.get("folder", "")).resolve())
        environment = settings.get("environment", {})
        if is_steady:
            usual = FunctionWork(text)
            return FunctionWork(
                text,
                interpreter=settings.get("interpreter", ""),
                folder=folder,
                environment=environment,
                iterations=settings.get("iterations", usual.iterations),
                window=settings.get("window", usual.window),
                threshold=settings.get("threshold", usual.threshold),
                min_time_s=settings.get("min-time"),
                loops=settings.get("loops"),
                arguments=settings.get("arguments", ""),
                collect_garbage=settings.get("gc", True),
                output=self._output(settings),
            )
        stdin = settings.get("stdin", "")
        return CommandWork(
            text,
            shell=settings.get("shell", False),
            folder=folder,
            environment=environment,
            stdin=str(self._folder / stdin) if stdin else "",
            output=self._output(settings),
        )

    def _output(self, settings: Mapping[str, Any]) -> str:
        output: str = settings.get("output", "discard")
        return output if output in _OUTPUTS else str(self._folder / output)

    def _table(self, place: tuple[str, ...], value: Any) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self._mistakes.add(place, f"'{'.'.join(place)}' is not a table")
        return {}


def _texts_of(settings: Mapping[str, Any]) -> list[str]:
    """Every text among settings, in which placeholders are replaced."""
    texts = [value for value in settings.values() if isinstance(value, str)]
    return [*texts, *settings.get("environment", {}).values()]


def _conditions(settings: Mapping[str, Any]) -> Conditions:
    usual = Conditions()
    return Conditions(
        warm_up_rounds=settings.get("warmup", usual.warm_up_rounds),
        timeout_s=settings.get("timeout"),
        pin=settings.get("pin"),
        aslr=settings.get("aslr", usual.aslr),
        hash_seed=settings.get("hash-seed"),
        vary_environment=settings.get("vary-environment", usual.vary_environment),
        ignore_failure=settings.get("ignore-failure", usual.ignore_failure),
    )


def _extent(settings: Mapping[str, Any], level: float) -> Extent:
    usual = Extent()
    least, most = rounds_between(settings.get("min-rounds"), settings.get("max-rounds"), ROUNDS_TO_KEEP, _MOST_ROUNDS)
    return Extent(
        rounds=settings.get("rounds"),
        minimum=least,
        maximum=most,
        precision=settings.get("precision", usual.precision),
        level=level,
    )
