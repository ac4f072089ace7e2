"""How usual practices would have judged measurements: best of N, mean of the first run, error bars that overlap, ...

Each practice boils an experiment down to a number for each alternative, and to a claim: that the second is better, or
worse, or that there is no difference. Here the claim is put beside what can be established, and the experiment is
repeated in thought, by drawing invocations anew from those that were measured, to see how often the same practice would
have claimed something else.
"""

from sonde.instruments.bench.practices.claims import Claim, Kind, Report, Says, claims_of, reports_of
from sonde.instruments.bench.practices.linting import Lint, LintedComparison, LintedSeries, lint
from sonde.instruments.bench.practices.practice import PRACTICES, Practice
from sonde.instruments.bench.practices.repetitions import Repetitions

__all__ = [
    "PRACTICES",
    "Claim",
    "Kind",
    "Lint",
    "LintedComparison",
    "LintedSeries",
    "Practice",
    "Repetitions",
    "Report",
    "Says",
    "claims_of",
    "lint",
    "reports_of",
]
