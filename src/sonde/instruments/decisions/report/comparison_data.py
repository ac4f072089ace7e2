"""Two runs compared as plain data, for `--json`."""

from sonde.instruments.decisions.report.comparison import ComparedMethod, ComparedUnits, Comparison
from sonde.instruments.decisions.report.elsewhere import whereabouts
from sonde.instruments.decisions.report.findings import Finding, finding_shares, findings
from sonde.instruments.decisions.report.reasoning import Reasons
from sonde.instruments.decisions.report.run_data import about_run, compilation_as_data
from sonde.instruments.decisions.report.scope import Scope, scope_of
from sonde.instruments.decisions.report.shares import share_of_run
from sonde.instruments.decisions.report.tree_data import Data, delta_as_data


def differences_as_data(comparison: Comparison) -> Data:
    """Both runs, what differs most first, and every pair of compilations with the whole trees of their differences.

    `first` and `second` are the runs; the text calls them A and B. A finding names the pairs it is in by their places
    in `methods` and in `pairs` there. A tree is null where it was not compared, and `"too big"` where it could not be.
    """
    reasons = Reasons(comparison)
    return {
        "differs": comparison.has_differences,
        "scope": _scope(scope_of(comparison)),
        "left_out": comparison.left_out,
        "first": about_run(comparison.first),
        "second": about_run(comparison.second),
        "findings": [_finding(comparison, finding, reasons) for finding in findings(comparison)],
        "methods": [_method(comparison, method) for method in comparison.methods],
    }


def _scope(scope: Scope) -> Data:
    return {
        "units": scope.which,
        "compared": list(scope.units),
        "methods": scope.methods,
        "shares": list(scope.shares),
        "left_out": list(scope.cold),
        "fragments_left_out": list(scope.fragments),
    }


def _finding(comparison: Comparison, finding: Finding, reasons: Reasons) -> Data:
    return {
        "what": finding.what,
        "detail": finding.detail,
        "of": "call" if finding.is_call else "optimization",
        "subject": finding.subject,
        "method": finding.caller,
        "at": finding.at,
        "column": finding.column,
        "places": [{"method": place.caller, "at": place.at, "column": place.column} for place in finding.places],
        "shares": list(finding_shares(comparison, finding)),
        "follow": finding.follows,
        "pairs": [list(pair) for pair in finding.pairs],
        "why": reasons.lines(finding),
    }


def _method(comparison: Comparison, method: ComparedMethod) -> Data:
    first, second = comparison.experiments()
    return {
        "method": method.method,
        "shares": [
            share_of_run(experiment.run, experiment.total_period(method.method)) for experiment in (first, second)
        ],
        "hot": [method.pair.is_hot_in(1), method.pair.is_hot_in(2)],
        "where": [whereabouts(experiment, method.method) for experiment in (first, second)],
        "pairs": [_units(comparison, units, number in method.closest) for number, units in enumerate(method.units)],
    }


def _units(comparison: Comparison, units: ComparedUnits, is_closest: bool) -> Data:
    counts = units.counts
    data: Data = {
        "first": compilation_as_data(comparison.first, units.pair.first),
        "second": compilation_as_data(comparison.second, units.pair.second),
        "closest": is_closest,
        "nodes": {
            "same": counts.same,
            "deleted": counts.deleted,
            "inserted": counts.inserted,
            "changed": counts.changed,
        },
    }
    if units.failure:
        return data | {"failure": units.failure}
    whole = units.whole
    for name, tree in (
        ("inlining", whole.inlining),
        ("optimizations", whole.optimizations),
        ("context", whole.context),
    ):
        data[name] = delta_as_data(tree)
    return data
