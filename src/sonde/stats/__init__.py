"""Intervals, tests, change points and designs of experiments: pure mathematics on arrays of numbers.

Nothing here measures, reads or prints. Every result says its method, its sample sizes, and which of its assumptions
were checked and failed, in words (`findings`); where the data cannot support a number, it is withheld and the reason
said. Distributions come from SciPy's special functions; NumPy and SciPy are the extra `sonde[bench]`.
"""

from sonde.evidence import Interval
from sonde.stats.all_pairs import PairwiseDifference, all_pairs
from sonde.stats.analysis_of_variance import one_way
from sonde.stats.anova_table import AnovaRow, AnovaTable
from sonde.stats.autocorrelation import autocorrelations, effective_size, independence, ljung_box, von_neumann
from sonde.stats.change_points import Segment, Segmentation, change_points
from sonde.stats.describe import (
    coefficient_of_variation,
    excess_kurtosis,
    mean,
    median,
    quantile,
    skewness,
    standard_deviation,
)
from sonde.stats.difference_of_means import Alternative, difference_of_means, means_test
from sonde.stats.dip import dip
from sonde.stats.distributions import normal_quantile, student_quantile
from sonde.stats.equal_variances import brown_forsythe, equal_variances
from sonde.stats.equivalence import equivalence_test
from sonde.stats.experiment_design import Design, cheapest_design
from sonde.stats.factorial_anova import factorial_anova
from sonde.stats.false_discovery import adjusted
from sonde.stats.findings import Assumption, Estimate, Test
from sonde.stats.level_step import level_step
from sonde.stats.mean_estimate import expected_half_width, mean_estimate
from sonde.stats.mean_interval import mean_interval
from sonde.stats.median_interval import median_interval
from sonde.stats.modes import Modes, modes, one_mode
from sonde.stats.normality import normality, normality_test
from sonde.stats.outliers import Outliers, outliers
from sonde.stats.periods import find_period
from sonde.stats.power import invocations_needed, power_curve, power_of_ratio, smallest_visible
from sonde.stats.rank_sum import rank_sum_test
from sonde.stats.ratio_comparison import RatioComparison
from sonde.stats.ratio_of_means import compare_means, ratio_of_means, ratio_test
from sonde.stats.samples import is_constant
from sonde.stats.steady_state import SteadyRule, SteadyWindow, steady_window
from sonde.stats.stopping import Decision, StoppingPlan
from sonde.stats.variance_components import VarianceSplit, split_variance
from sonde.stats.variance_interval import between_interval
from sonde.stats.warm_up import Steadiness, agreement, classify, classify_many

__all__ = [
    "Alternative",
    "AnovaRow",
    "AnovaTable",
    "Assumption",
    "Decision",
    "Design",
    "Estimate",
    "Interval",
    "Modes",
    "Outliers",
    "PairwiseDifference",
    "RatioComparison",
    "Segment",
    "Segmentation",
    "Steadiness",
    "SteadyRule",
    "SteadyWindow",
    "StoppingPlan",
    "Test",
    "VarianceSplit",
    "adjusted",
    "agreement",
    "all_pairs",
    "autocorrelations",
    "between_interval",
    "brown_forsythe",
    "change_points",
    "cheapest_design",
    "classify",
    "classify_many",
    "coefficient_of_variation",
    "compare_means",
    "difference_of_means",
    "dip",
    "effective_size",
    "equal_variances",
    "equivalence_test",
    "excess_kurtosis",
    "expected_half_width",
    "factorial_anova",
    "find_period",
    "independence",
    "invocations_needed",
    "is_constant",
    "level_step",
    "ljung_box",
    "mean",
    "mean_estimate",
    "mean_interval",
    "means_test",
    "median",
    "median_interval",
    "modes",
    "normal_quantile",
    "normality",
    "normality_test",
    "one_mode",
    "one_way",
    "outliers",
    "power_curve",
    "power_of_ratio",
    "quantile",
    "rank_sum_test",
    "ratio_of_means",
    "ratio_test",
    "skewness",
    "smallest_visible",
    "split_variance",
    "standard_deviation",
    "steady_window",
    "student_quantile",
    "von_neumann",
]
