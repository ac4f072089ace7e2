"""The second step, between the two runs: which methods are watched, and what that was estimated to cost."""

from dataclasses import replace

from sonde.code import is_import_machinery, source_text
from sonde.evidence import Loss
from sonde.instruments.phases.analysis import GRAINS, WEIGHTS, plan_phases, select_phases
from sonde.instruments.phases.profile import Phase, PhaseProfile, Plan, Thetas, TimedTree
from sonde.instruments.phases.sources.cpython import MACHINE_PARTS, WatchingCosts

MOST_PHASES = 1000
"""Methods that are watched; more of them would be none."""
_FILES_KEPT = 64
WORTH = 100.0
"""A call is worth watching if it takes so many times as long as watching it: that costs a hundredth of its time."""


def selected_methods(tree: TimedTree, thetas: Thetas) -> tuple[Phase, ...]:
    """The methods that are phases, the longest first. Import machinery is a part of the virtual machine, and none."""
    chosen = select_phases(tree.function_times(), tree.whole_ns, thetas)
    own = [each for each in chosen if not is_import_machinery(each.function)]
    return tuple(Phase(each.function, planned_calls=each.calls, planned_ns=each.total_ns) for each in own[:MOST_PHASES])


def calls_of_machine(tree: TimedTree) -> int:
    """Calls of what is watched in any case: imports, and the bodies of modules."""
    names = {phase.function.name for phase in MACHINE_PARTS}
    watched = [
        function.kind == "module" or (is_import_machinery(function) and function.name in names)
        for function in tree.functions
    ]
    return sum(calls for number, calls in zip(tree.function, tree.calls, strict=True) if watched[number])


def plans_around(tree: TimedTree, thetas: Thetas, costs: WatchingCosts) -> tuple[Plan, ...]:
    """Estimates of these thresholds, and of a grid of others."""
    always = calls_of_machine(tree)
    own = plan_phases(tree, *costs, (thetas.weight,), (thetas.grain,), always)
    grid = plan_phases(tree, *costs, WEIGHTS, GRAINS, always)
    return (*own, *(plan for plan in grid if plan.thetas != thetas))


def planned(profile: PhaseProfile, tree: TimedTree, thetas: Thetas, costs: WatchingCosts) -> PhaseProfile:
    """The profile with what was known before it was measured."""
    losses = profile.losses
    ran = {phase for thread in profile.threads for phase in thread.calls.phase}
    missing = [
        phase.function.label for number, phase in enumerate(profile.phases) if phase.is_method and number not in ran
    ]
    if missing:
        detail = "methods that took long in the first run were not called in the second: it did other work"
        losses = (*losses, Loss("phases-not-called", len(missing), detail, examples=", ".join(missing[:3])))
    return replace(
        profile,
        thetas=thetas,
        planned_whole_ns=tree.whole_ns,
        plans=plans_around(tree, thetas, costs),
        losses=losses,
    )


def with_sources(profile: PhaseProfile) -> PhaseProfile:
    """The profile with the sources of its phases."""
    files = dict.fromkeys(phase.function.file for phase in profile.phases if phase.is_method and phase.function.file)
    texts = {file: text for file in list(files)[:_FILES_KEPT] if (text := source_text(file)) is not None}
    return replace(profile, sources=texts)
