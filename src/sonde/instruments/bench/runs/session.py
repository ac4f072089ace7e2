"""A results file made ready for a run: begun, or found to belong to the same plan."""

import random
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sonde import __version__
from sonde.base.errors import InputError, UsageError
from sonde.evidence import Doubt
from sonde.instruments.bench.environment import LASTING
from sonde.instruments.bench.results_file import ResultsWriter
from sonde.instruments.bench.runs.plan import Plan, differences

_TOLD = 3
"""Differences that are listed; more of them say no more."""


def open_session(
    path: Path, plan: Plan, environment: Mapping[str, str], *, resume: bool, force: bool, seed_is_chosen: bool
) -> tuple[ResultsWriter, Plan]:
    """Begin a results file, or go on with one.

    Args:
        seed_is_chosen: whether somebody asked for this seed; else a resumed run goes on with its own.
    Returns:
        The file, and the plan as it is to be carried out.
    Raises:
        UsageError: `output-exists`; `other-plan`, the file is of a run that measured something else.
        SondeError: `cannot-write`, `results-in-use`.
        InputError: the file cannot be read, or holds no run.
    """
    writer = ResultsWriter(path, resume=resume, force=force)
    try:
        stored = writer.meta("plan")
        if stored is None:
            if writer.measurements().series:
                raise InputError(
                    f"cannot resume '{path}': it holds no run, but values of {writer.meta('tool') or 'another tool'}",
                    slug="not-resumable",
                    hint="choose another file with -o",
                )
            _begin(writer, plan, environment)
            return writer, plan
        if not seed_is_chosen:
            plan = replace(plan, seed=stored["seed"])
        told = differences(stored, plan.as_data())
        if told:
            more = f"; and {len(told) - _TOLD} more differences" if len(told) > _TOLD else ""
            raise UsageError(
                f"cannot resume '{path}': it is of another plan: {'; '.join(told[:_TOLD])}{more}",
                slug="other-plan",
                hint="choose another file with -o, or --force to begin anew",
            )
        _go_on(writer, plan, environment)
        return writer, plan
    except BaseException:
        writer.give_up()
        raise


def new_seed() -> int:
    """A seed that nobody chose."""
    return random.SystemRandom().randrange(2**32)


def _begin(writer: ResultsWriter, plan: Plan, environment: Mapping[str, str]) -> None:
    writer.set_meta(
        tool=f"sonde {__version__}",
        file="",
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        environment=dict(environment),
        plan=plan.as_data(),
        plan_fingerprint=plan.fingerprint(),
        seed=plan.seed,
        python=sys.version.split()[0],
        skipped=[],
        looked_between=_looks(plan),
    )
    writer.add_event("began")


def _looks(plan: Plan) -> dict[str, tuple[int, int]]:
    """Benchmark -> least and most rounds, of those that stop when they are precise enough."""
    return {
        benchmark.name: (benchmark.extent.minimum, benchmark.extent.maximum)
        for benchmark in plan.benchmarks
        if benchmark.extent.rounds is None
    }


def _go_on(writer: ResultsWriter, plan: Plan, environment: Mapping[str, str]) -> None:
    """Say in the file that the run goes on, and what has changed on the machine since."""
    before = writer.meta("environment") or {}
    changed = [
        f"{name} was '{before[name]}', is '{environment[name]}'"
        for name in LASTING
        if name in before and name in environment and before[name] != environment[name]
    ]
    writer.set_meta(plan=plan.as_data(), looked_between={**(writer.meta("looked_between") or {}), **_looks(plan)})
    writer.add_event("resumed", "; ".join(changed))
    if changed:
        writer.add_doubt(
            Doubt(
                "machine-changed",
                f"the run was resumed on a machine that has changed: {'; '.join(changed)}",
                hint="measure again from the beginning, with --force",
            )
        )
