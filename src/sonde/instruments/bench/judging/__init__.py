"""What can be said of measurements, and what cannot: samples, summaries, comparisons, verdicts."""

from sonde.instruments.bench.judging.baseline import check_baseline
from sonde.instruments.bench.judging.comparing import Pair, compare_pairs
from sonde.instruments.bench.judging.comparison import Comparison, GroupComparison, Verdict
from sonde.instruments.bench.judging.grouping import compare_group
from sonde.instruments.bench.judging.history import LEAST_RESULTS, Course, History, Moment, Step, judge_history
from sonde.instruments.bench.judging.judge import judge, judge_change
from sonde.instruments.bench.judging.judgement import Judgement
from sonde.instruments.bench.judging.leading import Lead, are_told_apart, lead_of
from sonde.instruments.bench.judging.ranking import Ranked, ranked
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.judging.summarising import summarise
from sonde.instruments.bench.judging.summary import STEADY_STATE, Summary
from sonde.instruments.bench.judging.taking import take_samples

__all__ = [
    "LEAST_RESULTS",
    "Course",
    "History",
    "Moment",
    "Step",
    "judge_history",
    "STEADY_STATE",
    "Comparison",
    "GroupComparison",
    "Judgement",
    "Lead",
    "Pair",
    "Ranked",
    "Sample",
    "Summary",
    "Verdict",
    "are_told_apart",
    "check_baseline",
    "compare_group",
    "compare_pairs",
    "judge",
    "judge_change",
    "lead_of",
    "ranked",
    "summarise",
    "take_samples",
]
