"""Runs of a made-up compiler: what is decided in each is written down by the test."""

from collections.abc import Mapping, Sequence

from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Phase, Place, TimeProfile, Trees, Unit


def inlined(method: str, at: int, *children: CallSite) -> CallSite:
    """A call that was inlined."""
    return CallSite(method, at, inlined=True, reasons=("small",), children=list(children))


def direct(method: str, at: int) -> CallSite:
    """A call that stayed."""
    return CallSite(method, at, alive=True, reasons=(f"too big: {len(method) * 100} nodes",))


def unit_trees(root: str, calls: Sequence[CallSite], decisions: Sequence[tuple[str, int]] = ()) -> Trees:
    """Trees of a unit with calls from its root, and decisions (name, offset) in it."""
    phase = Phase("RootPhase", [Phase("Tier", [Decision(name, "Done", (Place(root, at),)) for name, at in decisions])])
    return Trees(CallSite(root, is_root=True, inlined=True, children=list(calls)), phase)


def made_run(name: str, units: Mapping[str, tuple[int, Trees]], timed: bool = True) -> DecisionRun:
    """A run with one unit for each method: its time and trees."""
    made = [
        Unit(number, method, str(number), lambda trees=trees: trees, period=period if timed else 0)  # type: ignore[misc]
        for number, (method, (period, trees)) in enumerate(units.items())
    ]
    total = sum(period for period, _ in units.values())
    profile = TimeProfile(total, "cycles", (), "made up") if timed else None
    return DecisionRun(name, "graal", "bytecode index", made, profile)
