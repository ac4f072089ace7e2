"""What was done in one function and all that it called, as a report: by context, and by function."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_share
from sonde.code import no_code_left
from sonde.instruments.memory.options import ACCESSES_FIRST, MemoryOptions
from sonde.instruments.memory.profile.contexts import FunctionAmounts, contexts_of, own_by_function
from sonde.instruments.memory.profile.memory_profile import MemoryContext
from sonde.instruments.memory.report.code_names import named_function, place_at
from sonde.instruments.memory.report.context_table import context_graph, context_table
from sonde.instruments.memory.report.order import Order, amount_columns, amounts
from sonde.instruments.memory.report.selected_rows import check_least, selection_facts
from sonde.report import Block, Column, Note, Row

_WIDEST_NAME = 30


def blocks_from(order: Order, options: MemoryOptions) -> tuple[tuple[str, ...], tuple[Block, ...]]:
    """The headline and the tables of what was done from a function on.

    Raises:
        UsageError: as `contexts_of`; `no-code-left`: nothing that is looked at ran in it, or has the least share.
    """
    profile, name = order.profile, options.from_ or ""
    (contexts,) = contexts_of([(profile.contexts, profile.functions)], name)
    selection = options.selection
    among = selection.among(profile.functions)
    is_shown = [function in among for function in profile.functions]
    amounts_of = order.sorted(own_by_function(contexts))
    shown = [each for each in amounts_of if is_shown[each.function]]
    if not shown:
        ran = [profile.functions[each.function] for each in amounts_of]
        raise no_code_left(selection, ran, what=f"function that ran in '{name}'")
    check_least(order, shown, options.min_share, what="functions")
    blocks: tuple[Block, ...] = (
        *selection_facts(order, selection, shown),
        context_table(order, contexts, is_shown, 2 * options.rows),
        order.table(
            "python_functions",
            f"Python functions in {keep_both_ends(name, _WIDEST_NAME)}",
            (*amount_columns(order), Column("function", "function", "name"), Column("place", "", "place")),
            shown,
            lambda each: _row(order, each),
            "function",
            options.rows,
        ),
        Note("shares are of the whole run; lines and types are not known by calling context", "from"),
        context_graph(order, contexts),
    )
    return _headline(order, contexts, amounts_of, name), blocks


def _row(order: Order, each: FunctionAmounts) -> Row:
    function = order.profile.functions[each.function]
    return Row((*amounts(order, each), named_function(function), place_at(function, function.first_line)))


def _headline(
    order: Order, contexts: Sequence[MemoryContext], by_function: Sequence[FunctionAmounts], name: str
) -> tuple[str, ...]:
    """How much of the run it is, and in which function most of it."""
    profile, total = order.profile, sum(map(order.weight, contexts))
    accesses = format_share(sum(each.accesses for each in contexts), profile.accesses)
    share = f"{accesses} of the accesses"
    if order.level != ACCESSES_FIRST:
        share = f"{format_share(total, order.whole)} of the {order.noun}, {share}"
    sentences = [f"{keep_both_ends(name, _WIDEST_NAME)} with what it called: {share}."]
    most = by_function[0]
    if order.weight(most):
        most_name = keep_both_ends(profile.functions[most.function].label, _WIDEST_NAME)
        sentences.append(f"{format_share(order.weight(most), total)} of that in {most_name} itself.")
    return tuple(sentences)
