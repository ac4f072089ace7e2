"""What ran in which calling contexts, as a report: the tree, the hottest functions, what was lost."""

from dataclasses import dataclass

from sonde.instruments.contexts.profile import ContextProfile, FunctionTotals
from sonde.instruments.contexts.report.context_table import context_table
from sonde.instruments.contexts.report.folded_tree import FoldedTree
from sonde.instruments.contexts.report.function_table import function_table
from sonde.instruments.contexts.report.run_blocks import command_text, details, head, losses
from sonde.instruments.contexts.report.tree_selection import select_branches
from sonde.instruments.contexts.report.unfolded_table import unfolded_table
from sonde.report import Block, Fact, Facts, Note, Report


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """How much of a profile to list."""

    min_share: float = 0.01
    """Contexts with less of the whole are summed up, not listed; 0.01 is 1 %."""
    rows: int = 40
    """Lines of the tree, about; the lines that say what is missing come on top."""
    functions: int = 15
    """Lines of the function table; 0 leaves it out."""


def contexts_report(
    profile: ContextProfile,
    limits: ContextLimits | None = None,
    *,
    functions: FunctionTotals | None = None,
    focus: Fact | None = None,
    with_data: bool = True,
) -> Report:
    """A profile for reading.

    Args:
        functions: own values of whole functions, when `profile` lacks its lightest contexts and they are known.
        focus: what the profile is a part of.
        with_data: whether to make what only programs and pages read, which takes longer than the rest.
    Cost: O(n) for n contexts in `profile`; read only the heaviest few thousand of a large file.
    """
    limits = limits or ContextLimits()
    blocks: list[Block] = [*head(profile)]
    if focus is not None:
        blocks.append(Facts((focus,), "focus"))
    whole = profile.total_ns if profile.has_time else profile.total_calls
    least = limits.min_share * whole
    if len(profile.contexts):
        selection = select_branches(FoldedTree(profile), whole=whole, least_weight=least, rows=limits.rows)
        blocks.append(context_table(profile, selection, whole=whole, least=max(least, 1)))
        if limits.functions:
            blocks.append(function_table(profile, functions, most=limits.functions, whole=whole))
    else:
        blocks.append(Note("no calls were recorded"))
    blocks.append(losses(profile))
    if with_data:
        blocks += [unfolded_table(profile, rows=limits.rows, least_weight=least), *details(profile)]
    return Report("contexts", command_text(profile), tuple(blocks), profile.sources)
