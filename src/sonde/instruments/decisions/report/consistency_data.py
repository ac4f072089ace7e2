"""What tells two groups of runs apart as plain data, for `--json`."""

from sonde.instruments.decisions.groups import Consistency, Difference, Finding, GroupReason, Subject
from sonde.instruments.decisions.report.subject_words import subject_kind
from sonde.instruments.decisions.report.tree_data import Data


def consistency_as_data(consistency: Consistency) -> Data:
    """The groups, every finding with the values of each run, and what limits the answer."""
    return {
        "fast": list(consistency.fast),
        "slow": list(consistency.slow),
        "offsets": consistency.offsets,
        "lines_from": consistency.lines_from,
        "findings": [_finding(consistency, finding) for finding in consistency.findings],
        "features": consistency.features,
        "tested": consistency.tested,
        "units_read": consistency.units_read,
        "left_out": consistency.left_out,
        "smallest_p_value": consistency.smallest_p_value,
        "false_discovery_rate": consistency.options.false_discovery_rate,
        "adjustment": consistency.options.adjustment,
        "allowed_exceptions": consistency.options.allow,
        "remarks": list(consistency.remarks),
    }


def _finding(consistency: Consistency, finding: Finding) -> Data:
    return {
        **_subject(finding.subject),
        "conclusive": consistency.is_conclusive(finding),
        "weight": finding.weight,
        "score": finding.score,
        "p_value": finding.p_value,
        "adjusted_p_value": finding.q_value,
        "differences": [_difference(difference) for difference in finding.differences],
        "fast_reasons": [_reason(reason) for reason in finding.fast_reasons],
        "slow_reasons": [_reason(reason) for reason in finding.slow_reasons],
        "followers": [_finding(consistency, follower) for follower in finding.followers],
    }


def _subject(subject: Subject) -> Data:
    data: Data = subject._asdict()
    if "path" in data:
        data["path"] = [{"method": step.method, "at": step.at} for step in data["path"]]
    if "properties" in data:
        data["properties"] = dict(data["properties"])
    return {"about": subject_kind(subject), "subject": data}


def _difference(difference: Difference) -> Data:
    return {
        "label": difference.label,
        "fast": list(difference.fast),
        "slow": list(difference.slow),
        "exceptions": difference.exceptions,
        "p_value": difference.p_value,
        "adjusted_p_value": difference.q_value,
        "gap": difference.gap,
    }


def _reason(reason: GroupReason) -> Data:
    return {"text": reason.text, "runs": reason.runs, "asked": reason.asked}
