"""What would be measured, and what measurements of another tool became: answers without a judgement."""

from sonde.base.units import counted
from sonde.evidence import Loss
from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.runs.plan import FunctionWork, Plan
from sonde.report import Column, Fact, Facts, Notices, Record, Report, Row, Table

_CELLS = (
    Column("mode", "mode", priority=2),
    Column("benchmark", "benchmark", "name"),
    Column("alternative", "alternative"),
    Column("work", "runs", "code"),
    Column("levels", "levels", shown="data"),
)


def plan_report(plan: Plan, title: str) -> Report:
    """What a suite would run, a row for each alternative of each benchmark."""
    rows = []
    for benchmark, alternative in plan.cells():
        work = alternative.work
        runs = work.target if isinstance(work, FunctionWork) else work.command
        rows.append(Row((benchmark.mode, benchmark.name, alternative.name, runs, Record(dict(alternative.levels)))))
    benchmarks = counted(len(plan.benchmarks), "benchmark")
    headline = (f"{counted(len(rows), 'alternative')} of {benchmarks} would run.",)
    return Report("bench-list", title, (Table("cells", "what would run", _CELLS, rows),), headline=headline)


def import_report(measurements: Measurements, path: str) -> Report:
    """What was written into a results file, and what could not be used."""
    series = measurements.series
    benchmarks = len({each.benchmark for each in series})
    invocations = [invocation for each in series for invocation in each.invocations]
    facts = (
        Fact("benchmarks", benchmarks, "count", "{} benchmarks", "{} benchmark"),
        Fact("series", len(series), "count", "{} series"),
        Fact("invocations", len(invocations), "count", "{} invocations", "{} invocation"),
        Fact("values", sum(len(each.values) for each in invocations), "count", "{} values", "{} value"),
        Fact("tool", measurements.provenance.tool, words="measured by {}"),
    )
    skipped = tuple(Loss("", 0, f"not used: {text}") for text in measurements.skipped)
    unused = f"; {counted(len(skipped), 'thing')} could not be used" if skipped else ""
    kept = f"{counted(len(series), 'series', 'series')} of {counted(benchmarks, 'benchmark')}"
    return Report(
        "bench-import", path, (Facts(facts, "written"), Notices(skipped)), headline=(f"Wrote {kept}{unused}.",)
    )
