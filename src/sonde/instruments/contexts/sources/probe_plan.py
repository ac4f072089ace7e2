"""What probes in compiled code keep, however they came into the program."""

from typing import NamedTuple

from sonde.instruments.contexts.hotness import METRIC_NUMBERS, HotLimits


class ProbePlan(NamedTuple):
    """What probes keep."""

    hot: HotLimits | None
    """None: everything."""
    timed: bool
    """Whether somebody will look which contexts run."""
    follow: bool

    @property
    def hot_numbers(self) -> tuple[int, int, int, int]:
        """The fields of `sn_hot_plan`: metric, whether by Space-Saving, counters, nodes."""
        hot = self.hot
        return (0, 0, 0, 0) if hot is None else (METRIC_NUMBERS[hot.metric], hot.space_saving, hot.counters, hot.nodes)
