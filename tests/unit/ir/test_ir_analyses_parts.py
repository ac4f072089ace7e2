"""What the analyses say of functions that a person can follow."""

import math

import pytest

from sonde.base.errors import InputError
from sonde.ir import Function, Module, parse_module
from sonde.ir.analyses import (
    BlockCounts,
    BlockFrequencies,
    CallGraph,
    ControlFlow,
    DefUse,
    Edge,
    GlobalUses,
    Liveness,
    LoopForest,
    Place,
    ReachingDefinitions,
    ReachingStores,
    branch_weights,
    dominators,
    entry_count,
    guessed_frequencies,
    post_dominators,
)

COUNTING = """
define i32 @count(i32 %n, i32 %unused) {
entry:
  %start = mul i32 %n, 3
  br label %loop

loop:
  %i = phi i32 [ %start, %entry ], [ %next, %loop ]
    #dbg_value(i32 %start, !1, !DIExpression(), !2)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %out, label %loop, !prof !0

out:
  ret i32 %i
}
!0 = !{!"branch_weights", i32 1, i32 9}
"""

THROWING = """
define i32 @f(i32 %x) personality ptr @p {
entry:
  %got = invoke i32 @g(i32 %x)
          to label %fine unwind label %pad

fine:
  %sum = add i32 %got, 1
  br label %end

pad:
  %lp = landingpad { ptr, i32 }
          cleanup
  br label %end

end:
  %result = phi i32 [ %sum, %fine ], [ %x, %pad ]
  ret i32 %result
}
"""

VARIABLES = """
define i32 @f(i1 %c, ptr %out) {
entry:
  %x = alloca i32, align 4
  %escaped = alloca i32, align 4
  %untouched = alloca i32, align 4
  store ptr %escaped, ptr %out, align 8
  br i1 %c, label %then, label %end

then:
  store i32 1, ptr %x, align 4
  store i32 2, ptr %x, align 4
  br label %end

end:
  store i8 3, ptr %x, align 1
  %read = load i32, ptr %x, align 4
  %other = load i32, ptr %escaped, align 4
  ret i32 %read
}
"""


def only_function(text: str) -> Function:
    [function] = parse_module(text).defined_functions()
    return function


def test_a_value_lives_from_where_it_is_made_to_its_last_use() -> None:
    live = Liveness.of(only_function(COUNTING))

    assert live.live_before(Place("%entry", 0)) == {"%n"}
    assert live.live_before(Place("%entry", 1)) == {"%n", "%start"}
    assert live.live_on_edge("%entry", "%loop") == {"%n", "%start"}
    assert live.live_in("%loop") == {"%n", "%i"}  # the phi is done; the record keeps nothing alive
    assert live.live_before(Place("%loop", 0)) == live.live_before(Place("%loop", 1)) == {"%n", "%i"}
    assert live.live_on_edge("%loop", "%loop") == {"%n", "%next"}
    assert live.live_on_edge("%loop", "%out") == {"%i"}
    assert live.live_out("%loop") == {"%n", "%next", "%i"}
    assert live.is_live_before("%i", Place("%out", 0)) and not live.is_live_before("%n", Place("%out", 0))
    assert not live.live_out("%out")


def test_there_is_nothing_live_where_there_is_no_edge() -> None:
    with pytest.raises(ValueError, match="no edge leads from %out to %entry"):
        Liveness.of(only_function(COUNTING)).live_on_edge("%out", "%entry")


def test_the_result_of_an_invoke_lives_on_its_normal_edge_only() -> None:
    live = Liveness.of(only_function(THROWING))

    assert live.live_before(Place("%entry", 0)) == {"%x"}
    assert live.live_on_edge("%entry", "%fine") == {"%got"}
    assert live.live_on_edge("%entry", "%pad") == {"%x"}
    assert live.live_on_edge("%pad", "%end") == {"%x"} and live.live_on_edge("%fine", "%end") == {"%sum"}


def test_the_result_of_an_invoke_reaches_what_its_normal_edge_dominates() -> None:
    function = only_function(THROWING)
    reaching = ReachingDefinitions.of(function, dominators(ControlFlow.of(function)))

    assert reaching.before(Place("%fine", 0)) == ["%x", "%got"]
    assert reaching.before(Place("%pad", 1)) == ["%x", "%lp"]
    assert reaching.before(Place("%end", 1)) == ["%x", "%result"]
    assert reaching.reaches_edge("%got", "%entry", "%fine") and not reaching.reaches_edge("%got", "%entry", "%pad")
    assert reaching.reaches_edge("%sum", "%fine", "%end") and not reaching.reaches_edge("%sum", "%pad", "%end")


def test_stores_reach_loads_of_variables_in_memory() -> None:
    function = only_function(VARIABLES)
    stores = ReachingStores.of(function)
    texts = {str(each): each for each in function.instructions()}

    assert stores.slots == ("%x",)
    assert [str(each) for each in stores.definitions("%x")] == [
        "%x = alloca i32, align 4",
        "store i32 1, ptr %x, align 4",
        "store i32 2, ptr %x, align 4",
        "store i8 3, ptr %x, align 1",
    ]
    whole = frozenset((texts["%x = alloca i32, align 4"], texts["store i32 2, ptr %x, align 4"]))
    assert stores.before("%x", Place("%end", 0)) == whole
    assert stores.of_load(Place("%end", 1)) == whole | {texts["store i8 3, ptr %x, align 1"]}
    assert stores.of_load(Place("%end", 2)) is None
    with pytest.raises(ValueError, match="loads nothing"):
        stores.of_load(Place("%end", 0))
    with pytest.raises(KeyError):
        stores.before("%escaped", Place("%end", 0))


def test_chains_know_values_blocks_and_records() -> None:
    chains = DefUse.of(only_function(COUNTING))

    assert chains.definition("%n") is None and str(chains.definition("%next")) == "%next = add i32 %i, 1"
    assert [(use.place, use.from_block) for use in chains.uses("%next")] == [
        (Place("%loop", 0), "%loop"),
        (Place("%loop", 2), None),
    ]
    assert [use.place for use in chains.uses("%loop")] == [Place("%entry", 1), Place("%loop", 0), Place("%loop", 3)]
    assert [use.place for use in chains.record_uses("%start")] == [Place("%loop", 1)]
    assert not chains.is_used("%unused") and not chains.record_uses("%n")
    assert [each.opcode for each in chains.users("%i")] == ["add", "ret"]


def test_weights_of_branches_tell_how_often_blocks_run() -> None:
    module = parse_module(COUNTING)
    function = module.functions["@count"]

    frequencies = BlockFrequencies.of(module, function)

    assert branch_weights(module, function.block("%loop")) == [1, 9]
    assert branch_weights(module, function.block("%entry")) is None
    assert frequencies.blocks == pytest.approx({"%entry": 1, "%loop": 10, "%out": 1})
    assert frequencies.edge(Edge("%loop", "%loop", 1)) == pytest.approx(9)
    assert not frequencies.assumed


def test_weights_that_were_expected_or_do_not_fit_are_known_as_such() -> None:
    module = parse_module(COUNTING.replace('"branch_weights"', '"branch_weights", !"expected"'))
    assert branch_weights(module, module.functions["@count"].block("%loop")) == [1, 9]
    module.metadata[0] = '!{!"branch_weights", i32 1}'
    assert branch_weights(module, module.functions["@count"].block("%loop")) is None
    module.metadata[0] = '!{!"VP", i32 0, i64 9, i64 7}'
    assert branch_weights(module, module.functions["@count"].block("%loop")) is None
    assert BlockFrequencies.of(module, module.functions["@count"]).assumed == {"%loop"}


def test_landing_pads_are_taken_to_be_rare() -> None:
    module = parse_module(THROWING)

    frequencies = BlockFrequencies.of(module, module.functions["@f"])

    assert 0 < frequencies.blocks["%pad"] < 1e-5 and frequencies.blocks["%end"] == pytest.approx(1)
    assert frequencies.assumed == {"%entry"}


def test_loops_are_guessed_to_go_on_and_programs_not_to_be_given_up() -> None:
    module = parse_module(COUNTING.replace(", !prof !0", ""))
    function = module.functions["@count"]
    assert guessed_frequencies(module, function, ControlFlow.of(function)).blocks["%loop"] == pytest.approx(16)
    measured = parse_module(COUNTING)
    function = measured.functions["@count"]
    assert guessed_frequencies(measured, function, ControlFlow.of(function)).blocks["%loop"] == pytest.approx(10)
    throwing = parse_module(THROWING)
    function = throwing.functions["@f"]
    assert 0 < guessed_frequencies(throwing, function, ControlFlow.of(function)).blocks["%pad"] < 1e-5


def test_what_is_never_left_runs_for_ever() -> None:
    flow = ControlFlow.from_successors({"%a": ["%b", "%c"], "%b": ["%b"], "%c": []})

    frequencies = BlockFrequencies.from_shares(flow, {"%a": [1, 3]})

    assert math.isinf(frequencies.blocks["%b"]) and frequencies.blocks["%c"] == 0.75
    assert BlockFrequencies.from_shares(flow, {"%a": [0, 3]}).blocks == {"%a": 1.0, "%b": 0.0, "%c": 1.0}


def test_calls_of_a_function_are_counted_by_those_who_profiled_it() -> None:
    module = parse_module(
        "define void @f() !prof !0 {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n"
        '!0 = !{!"function_entry_count", i64 12}\n'
    )

    assert entry_count(module, module.functions["@f"]) == 12 and entry_count(module, module.functions["@g"]) is None


DIAMOND = {"%a": ["%b", "%c"], "%b": ["%d"], "%c": ["%d"], "%d": ["%e", "%f"], "%e": [], "%f": []}


def test_counts_are_completed_as_far_as_they_follow() -> None:
    counts = BlockCounts.complete(ControlFlow.from_successors(DIAMOND), {"%a": 10, "%b": 3})

    assert counts.blocks == {"%a": 10, "%b": 3, "%c": 7, "%d": 10}
    assert counts.edges[Edge("%c", "%d", 0)] == 7
    assert counts.undetermined_blocks() == ["%e", "%f"]
    assert counts.undetermined_edges() == [Edge("%d", "%e", 0), Edge("%d", "%f", 1)]


def test_what_is_never_entered_settles_all_that_leads_there() -> None:
    counts = BlockCounts.complete(ControlFlow.from_successors(DIAMOND), {"%d": 0})

    assert counts.blocks == dict.fromkeys(DIAMOND, 0)


def test_counts_that_do_not_add_up_are_refused() -> None:
    flow = ControlFlow.from_successors(DIAMOND)

    with pytest.raises(InputError, match="cannot complete the counts of the blocks around") as caught:
        BlockCounts.complete(flow, {"%a": 10, "%d": 8})
    assert caught.value.slug == "counts-disagree" and "differ by 2" in caught.value.message


def test_a_block_that_ends_the_program_may_be_left_midway() -> None:
    flow = ControlFlow.from_successors(DIAMOND)

    counts = BlockCounts.complete(flow, {"%a": 10, "%b": 3, "%c": 7, "%d": 8, "%e": 8, "%f": 0}, left_midway=["%b"])

    assert counts.edges[Edge("%b", "%d", 0)] == 1


def test_an_endless_loop_ends_everywhere_in_it() -> None:
    tree = post_dominators(ControlFlow.from_successors({"%a": ["%h"], "%h": ["%b"], "%b": ["%h"]}))

    assert tree.immediate("%a") == "%h" and tree.immediate("%h") is None and tree.immediate("%b") is None


def test_two_ways_into_a_loop_make_it_irreducible() -> None:
    flow = ControlFlow.from_successors({"%a": ["%b", "%c"], "%b": ["%c"], "%c": ["%b", "%d"], "%d": []})
    forest = LoopForest.of(dominators(flow))

    assert not forest.loops and len(flow.retreating_edges()) == 1
    [part] = forest.irreducible
    assert part.blocks == part.entries == ("%b", "%c")


def test_edges_from_a_switch_count_each() -> None:
    flow = ControlFlow.from_successors({"%a": ["%b", "%b", "%c"], "%b": [], "%c": []})

    assert flow.predecessors("%b") == ("%a", "%a")
    assert flow.critical_edges() == [Edge("%a", "%b", 0), Edge("%a", "%b", 1)]
    assert not dominators(flow).edge_dominates("%a", "%b", "%b") and dominators(flow).edge_dominates("%a", "%c", "%c")


CALLING = """
@vtable = constant [1 x ptr] [ptr @taken]
@again = alias void (i32), ptr @direct
@llvm.used = appending global [1 x ptr] [ptr @other_type]

declare i32 @__gxx_personality_v0(...)
declare void @external(i32)
declare void @llvm.trap()

define void @taken(i32 %x) {
  ret void
}

define void @other_type(i64 %x) {
  ret void
}

define void @direct(i32 %x) personality ptr @__gxx_personality_v0 {
  call void @again(i32 1)
  call void @llvm.trap()
  call void asm "", ""()
  ret void
}

define void @top(ptr %p) {
  call void %p(i32 1)
  call void @direct(i32 ptrtoint (ptr @external to i32))
  call void (i32, ...) %p(i32 1)
  ret void
}
"""


def graph_of(text: str) -> tuple[Module, CallGraph]:
    module = parse_module(text)
    return module, CallGraph.of(module)


def test_calls_through_pointers_may_go_to_all_of_that_type_whose_address_is_taken() -> None:
    _, graph = graph_of(CALLING)

    assert graph.address_taken == {"@taken", "@other_type", "@external", "@__gxx_personality_v0"}
    assert graph.callees("@top") == ["@external", "@taken", "@direct"]
    assert graph.direct_callees("@top") == ["@direct"]
    assert [graph.targets(call) for call in graph.calls["@top"]] == [["@external", "@taken"], ["@direct"], []]
    assert graph.callers("@taken") == ["@top"] and len(graph.call_sites("@direct")) == 2


def test_an_alias_is_its_function_and_intrinsics_are_no_callees() -> None:
    _, graph = graph_of(CALLING)

    assert graph.callees("@direct") == ["@direct"] and graph.is_recursive("@direct")
    assert [graph.targets(call) for call in graph.calls["@direct"]] == [["@direct"], ["@llvm.trap"], []]
    assert not graph.is_recursive("@top") and not graph.is_recursive("@external")
    order = [name for part in graph.bottom_up() for name in part]
    assert order.index("@direct") < order.index("@top") and order.index("@taken") < order.index("@top")


def test_functions_that_call_one_another_are_together() -> None:
    _, graph = graph_of(
        "define void @a() {\n  call void @b()\n  ret void\n}\n\ndefine void @b() {\n  call void @a()\n  ret void\n}\n"
    )

    assert graph.bottom_up() == [["@a", "@b"]] and graph.is_recursive("@a")


def test_globals_are_used_by_instructions_globals_and_functions() -> None:
    uses = GlobalUses.of(parse_module(CALLING))

    assert uses.globals("@taken") == ["@vtable"] and uses.globals("@direct") == ["@again"]
    assert [use.place for use in uses.instructions("@external")] == [Place("%0", 1)]
    assert [function.name for function in uses.functions("@__gxx_personality_v0")] == ["@direct"]
    assert uses.is_used("@again") and not uses.is_used("@top") and not uses.metadata("@top")
