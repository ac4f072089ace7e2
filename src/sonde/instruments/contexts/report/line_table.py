"""What each line of source costs, as a table."""

from sonde.base.units import counted
from sonde.instruments.contexts.analysis.line_costs import LineCost, line_costs
from sonde.instruments.contexts.profile import ContextProfile, FunctionTotals
from sonde.report import Column, Row, Table, Unit


def line_table(profile: ContextProfile, totals: FunctionTotals) -> Table:
    """Lines with the calls, the own weight of the functions that begin there, and the weight of calls from there.

    Args:
        totals: of the functions of the profile.
    Cost: O(n log n) for n contexts.
    """

    def row(cost: LineCost) -> Row:
        own = (cost.own,) if profile.has_time else ()
        return Row((cost.calls, *own, cost.callees, cost.place))

    notes = (f"of the {counted(len(profile.contexts), 'heaviest context')}",) if profile.pruned_contexts else ()
    return Table(
        "lines",
        "lines",
        _columns(profile),
        [row(cost) for cost in line_costs(profile, totals)],
        ("what begins there, and what is called from there", *notes),
        "line",
        is_secondary=True,
    )


def _columns(profile: ContextProfile) -> tuple[Column, ...]:
    begins = "of the function that begins there"
    calls = Column("calls", "calls", "count", profile.total_calls, meaning=f"{begins}, else made from there")
    title = "callees" if profile.has_time else "calls below"
    unit: Unit = "duration" if profile.has_time else "count"
    callees = Column("callees", title, unit, profile.whole, is_hot=True, meaning="in calls made from there")
    own = Column("self", "self", "duration", profile.whole, is_hot=True, meaning=begins)
    return calls, *((own,) if profile.has_time else ()), callees, Column("line", "line", "place")
