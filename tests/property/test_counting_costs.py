"""What counting took, out of sampled times: against the definition, function by function."""

from hypothesis import given
from hypothesis import strategies as st

from sonde.instruments.contexts.analyses.counting_costs import CountingCosts, without_counting
from sonde.instruments.contexts.profile import NO_PARENT, Contexts, contexts_from_self

PYTHON, BUILTIN, COMPILED = range(3), range(3, 5), 5
costs = st.builds(CountingCosts, *[st.floats(0, 100)] * 4)
few = st.integers(0, 1000)


@st.composite
def trees(draw: st.DrawFn) -> Contexts:
    rows = draw(
        st.lists(st.tuples(st.integers(0, 100), st.integers(0, COMPILED), few, st.integers(0, 10**6)), max_size=12)
    )
    return contexts_from_self(
        parent=[above % row if row and above % 5 else NO_PARENT for row, (above, *_) in enumerate(rows)],
        function=[function for _, function, _, _ in rows],
        call_line=range(len(rows)),
        calls=[calls for _, _, calls, _ in rows],
        self_ns=[ns for *_, ns in rows],
    )


def cost_of(tree: Contexts, cost: CountingCosts, row: int) -> float:
    own = {True: cost.builtin_callee, False: cost.callee}
    of_caller = {True: cost.builtin_caller, False: cost.caller}
    function = tree.function[row]
    due = 0.0 if function == COMPILED else tree.calls[row] * own[function in BUILTIN]
    for below, above in enumerate(tree.parent):
        if above == row and tree.function[below] != COMPILED:
            due += tree.calls[below] * of_caller[tree.function[below] in BUILTIN]
    return due


@given(trees(), costs)
def test_functions_lose_what_counting_cost_them(tree: Contexts, cost: CountingCosts) -> None:
    left = without_counting(tree, cost, {*PYTHON, *BUILTIN}, BUILTIN)
    assert all(0 <= now <= before for now, before in zip(left, tree.self_ns, strict=True))
    for function in set(tree.function):
        rows = [row for row, each in enumerate(tree.function) if each == function]
        before, due = sum(tree.self_ns[row] for row in rows), sum(cost_of(tree, cost, row) for row in rows)
        assert abs(sum(left[row] for row in rows) - max(0.0, before - due)) <= len(rows) + 1


@given(trees(), costs)
def test_a_context_that_has_what_its_calls_cost_loses_just_that_if_all_of_its_function_do(
    tree: Contexts, cost: CountingCosts
) -> None:
    due = [cost_of(tree, cost, row) for row in range(len(tree))]
    short = {tree.function[row] for row in range(len(tree)) if due[row] > tree.self_ns[row]}
    left = without_counting(tree, cost, {*PYTHON, *BUILTIN}, BUILTIN)
    for row, now in enumerate(left):
        if tree.function[row] not in short:
            assert abs(now - (tree.self_ns[row] - due[row])) <= 1
