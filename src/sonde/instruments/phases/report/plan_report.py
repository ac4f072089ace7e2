"""What thresholds would select, and what that would cost: the document's figures 3.4 and 3.5."""

from collections.abc import Sequence

from sonde.base.units import counted, format_duration, format_percent
from sonde.instruments.phases.analysis import cheapest_within, select_phases
from sonde.instruments.phases.options import PhasePlanOptions
from sonde.instruments.phases.profile import Plan, Thetas, TimedTree
from sonde.report import Column, Fact, Facts, Plot, Quantity, Report, Row, Sample, Table, short_name

MOST_COST = 0.02
"""What measuring may cost for the thresholds to be suggested."""


def plan_report(
    command: Sequence[str],
    tree: TimedTree | None,
    plans: Sequence[Plan],
    call_cost_ns: float,
    options: PhasePlanOptions,
) -> Report:
    """The answer of `sonde phases plan`.

    Args:
        tree: None where only estimates were kept.
    """
    facts: tuple[Fact, ...] = (Fact("call_cost_ns", call_cost_ns, "duration", "{} to watch one call (measured here)"),)
    if tree is not None:
        facts = (
            Fact("whole_ns", tree.whole_ns, "duration", "{} in all threads"),
            Fact("calls", tree.all_calls, "count", "{} calls", "{} call"),
            *facts,
        )
    return Report(
        "phases-plan",
        " ".join(command),
        (
            Facts(facts),
            plan_table(plans, options.rows, title="thresholds", is_secondary=False),
            *_plots(plans),
        ),
        headline=_headline(tree, plans),
    )


def plan_table(plans: Sequence[Plan], most: int, *, title: str, is_secondary: bool) -> Table:
    """A row for each pair of thresholds."""
    columns = (
        Column("weight", "θ weight", "measured"),
        Column("grain", "θ grain", "measured"),
        Column("phases", "phases", "count", meaning="methods that would be watched"),
        Column("calls", "calls", "count", meaning="of these methods"),
        Column("share_of_calls", "of all calls", "share", whole=1, shown="share", priority=2),
        Column("cost", "cost", "measured", meaning="estimated, as a share of the program's time"),
        Column("coverage", "covered", "share", whole=1, shown="share", priority=3),
        Column(
            "resolved",
            "resolved",
            "share",
            whole=1,
            shown="share",
            meaning="time in phases that are not the program as a whole",
        ),
    )
    rows = [
        Row(
            (
                *(_percent(each.thetas.weight), _percent(each.thetas.grain)),
                *(each.phases, each.calls, each.share_of_calls, _percent(each.cost), each.coverage, each.resolved),
            ),
            tone="" if each.cost <= MOST_COST else "faint",
        )
        for each in plans
    ]
    legend = "cost: estimated. resolved: time in phases that take less than nine tenths of the whole."
    return Table(
        "plans",
        title,
        columns,
        rows,
        (),
        "pair",
        0 if not is_secondary else most,
        legend=legend,
        is_secondary=is_secondary,
    )


def _percent(share: float) -> Quantity:
    """Of a share of any size: a thousandth of a percent is to be read, too."""
    return Quantity(100 * share, "%")


def _headline(tree: TimedTree | None, plans: Sequence[Plan]) -> tuple[str, ...]:
    best = cheapest_within(plans, MOST_COST)
    if best is None:
        return (f"No thresholds select a phase at an estimated cost of {format_percent(MOST_COST)} or less.",)
    words = (
        f"--theta-weight {format_percent(best.thetas.weight)} --theta-grain {format_percent(best.thetas.grain)} tells"
        f" most for {format_percent(MOST_COST)} or less: {counted(best.phases, 'phase')}, which resolve"
        f" {best.resolved:.0%} of the time; estimated cost {best.cost:.2%}."
    )
    return (words,) if tree is None else (words, _default(tree))


def _default(tree: TimedTree) -> str:
    phases = select_phases(tree.function_times(), tree.whole_ns, Thetas())
    if not phases:
        return "The defaults select no phase."
    names = ", ".join(f"{short_name(each.function)} {format_duration(each.total_ns)}" for each in phases[:3])
    return f"The defaults select {counted(len(phases), 'phase')}: {names}{', ...' if len(phases) > 3 else ''}."


def _plots(plans: Sequence[Plan]) -> list[Plot]:
    grains = list(dict.fromkeys(plan.thetas.grain for plan in plans))
    made = []
    for key, title, unit in (("phases", "phases by θ weight", "1"), ("cost", "cost in % by θ weight", "%")):
        samples = []
        for grain in grains:
            of_grain = [plan for plan in plans if plan.thetas.grain == grain]
            for plan in of_grain:
                value = float(plan.phases) if key == "phases" else 100 * plan.cost
                at = 100 * plan.thetas.weight
                samples.append(
                    Sample(f"{at:g}", (value,), unit, mean=value, group=f"θ grain {format_percent(grain)}", at=at)
                )
        made.append(Plot(key, "curve", title, tuple(samples), axis="θ weight in %", is_detail=True))
    return made
