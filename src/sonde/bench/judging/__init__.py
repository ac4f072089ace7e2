"""What can be said of measurements, and what cannot: samples, summaries, comparisons, verdicts."""

from sonde.bench.judging.comparing import Pair, compare_pairs
from sonde.bench.judging.comparison import Comparison, GroupComparison, Verdict
from sonde.bench.judging.grouping import compare_group
from sonde.bench.judging.judge import judge, judge_change
from sonde.bench.judging.judgement import Judgement
from sonde.bench.judging.sample import Sample
from sonde.bench.judging.summarising import summarise
from sonde.bench.judging.summary import Summary
from sonde.bench.judging.taking import take_samples
from sonde.bench.judging.wording import change_in_words

__all__ = [
    "Comparison",
    "GroupComparison",
    "Judgement",
    "Pair",
    "Sample",
    "Summary",
    "Verdict",
    "change_in_words",
    "compare_group",
    "compare_pairs",
    "judge",
    "judge_change",
    "summarise",
    "take_samples",
]
