"""What samples say of a difference, in words."""

from math import inf

from sonde.instruments.contexts.analysis.judged_changes import MARGIN, JudgedChange
from sonde.instruments.contexts.profile.comparison import Yardstick
from sonde.instruments.contexts.report.comparison.change_tables import change_unit
from sonde.report import amount_text


def verdict_words(judged: JudgedChange, yardstick: Yardstick) -> str:
    """A verdict with its interval: `slower by 21% [14, 29]`, `not changed beyond 4%`, `cannot say [−12, +31]%`.

    Percents are of what it was before.
    """
    if judged.verdict == "unknown":
        return f"cannot say{_room(judged, yardstick)}"
    if judged.verdict == "same":
        return (
            f"not changed beyond {_percent(judged.beyond)}%"
            if judged.beyond <= MARGIN
            else f"under {share_of_run(yardstick.least_change, yardstick)}"
        )
    if not judged.before or judged.ratio is None:
        return f"new, at least {amount_text(judged.change.low, change_unit(yardstick))}"
    if not judged.after:
        return f"gone, at least {amount_text(-judged.change.high, change_unit(yardstick))}"
    ends = judged.ratio.low - 1, judged.after / judged.before - 1, judged.ratio.high - 1
    low, by, high = ends if judged.verdict == "more" else (-each for each in reversed(ends))
    word = more_or_less(yardstick, is_more=judged.verdict == "more")
    return f"{word} by {_percent(by)}% [{_percent(low)}, {_percent(high)}]"


def more_or_less(yardstick: Yardstick, *, is_more: bool) -> str:
    """What more is called, or less: `slower`, `faster`."""
    if yardstick.normalise == "total":
        return "larger" if is_more else "smaller"
    if yardstick.metric == "time":
        return "slower" if is_more else "faster"
    return "more" if is_more else "fewer"


def share_of_run(change: float, yardstick: Yardstick) -> str:
    """A change as people compare it: `2.1% of the run`, `2.1 points`."""
    if yardstick.normalise == "total":
        return f"{_percent(change)} points"
    return f"{_percent(change / (yardstick.whole or 1))}% of the run"


def _room(judged: JudgedChange, yardstick: Yardstick) -> str:
    """The interval of a change that may be none; its farther end where percents would say nothing."""
    if judged.ratio is None or judged.ratio.high == inf:
        low, high = judged.change.low, judged.change.high
        farther = high if high >= -low else low
        return f", up to {amount_text(farther, change_unit(yardstick), is_signed=True)}"
    ends = (judged.ratio.low, judged.ratio.high)
    signed = [("+" if end > 1 else "") + _percent(end - 1).replace("-", "−") for end in ends]
    return f" [{', '.join(signed)}]%"


def _percent(share: float) -> str:
    """Two digits are all that an interval has.

    >>> _percent(0.214), _percent(0.0214), _percent(3.4)
    ('21', '2.1', '340')
    """
    percent = 100 * share
    return f"{percent:,.0f}" if abs(percent) >= 10 else f"{percent:.2g}"
