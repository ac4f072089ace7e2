"""What compilers decided, for the verbs that serve all kinds: no file of ours, but what compilers leave."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.instruments.decisions.unit_options import UnitOptions
from sonde.instruments.kind import Kind
from sonde.report import Report


def _recognises(path: Path) -> bool:
    from sonde.instruments.decisions.verb.view import is_decision_run

    return is_decision_run(path)


def _show(paths: Sequence[Path], arguments: Namespace) -> int:
    from sonde.instruments.decisions.verb.view import view_decisions

    return view_decisions(paths, arguments)


def _report(path: Path, _options: UnitOptions, _with_data: bool) -> Report:
    """To stand beside other reports; alone, a run is shown by `sonde decisions`."""
    from sonde.instruments.decisions.experiments import Experiment
    from sonde.instruments.decisions.report.unit_summaries import summary_report
    from sonde.instruments.decisions.verb.run import read_argument

    return summary_report(Experiment(read_argument(path)))


DECISIONS: Kind[Any] = Kind(
    name="decisions",
    words="no profile, but what a compiler decided",
    recognises=_recognises,
    report=_report,
    shown_by=_show,
    view_options=UnitOptions,
)
