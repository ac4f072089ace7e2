"""The trees of one task of a compilation log."""

from hotspot_logs import NAMES, parse, task
from sonde.instruments.decisions.model import CallKind, CallSite, Decision, Phase, Place, ReceiverType, Trees
from sonde.instruments.decisions.readers.hotspot.log_index import Trap
from sonde.instruments.decisions.readers.hotspot.task_trees import task_trees

TOTAL, SHAPE, SQUARE, CIRCLE = "App.total(App$Shape[])", "App$Shape.area()", "App$Square.area()", "App$Circle.area()"
HALF = "App.half(double)"


def trees(inside: str, **more: str) -> Trees:
    return task_trees(task(parse(30, inside), **more).encode())  # type: ignore[arg-type]


def shape(site: CallSite) -> list[tuple[str, str | None, int, list[object]]]:
    return [(each.kind.value, each.method, each.at, list(shape(each))) for each in site.children]


def decisions(phase: Phase) -> list[Decision]:
    found: list[Decision] = []
    for child in phase.children:
        found += decisions(child) if isinstance(child, Phase) else [child]
    return found


def test_the_root_is_the_method_of_the_task_with_its_sizes() -> None:
    root = trees("").inlining
    assert (root.method, root.kind, root.children) == (TOTAL, CallKind.ROOT, [])
    assert root.reasons == ("machine code of 600 bytes, 10 bytes of bytecode inlined",)


def test_an_inlined_call_has_the_calls_of_its_code() -> None:
    inner = "<bc code='184' bci='2'/>\n<call method='34' count='1' inline='1'/>\n<inline_fail reason='too big'/>\n"
    text = (
        "<bc code='184' bci='11'/>\n<call method='34' count='9' inline='1'/>\n<inline_success reason='inline (hot)'/>\n"
    )
    assert shape(trees(text + parse(34, inner)).inlining) == [("inlined", HALF, 11, [("direct", HALF, 2, [])])]


def test_the_reason_is_told_with_the_size() -> None:
    text = "<bc code='184' bci='11'/>\n<call method='34' count='9' inline='1'/>\n<inline_fail reason='too big'/>\n"
    assert trees(text).inlining.children[0].reasons == ("too big, 5 bytes of bytecode",)


VIRTUAL = (
    "<bc code='185' bci='27'/>\n"
    "<call method='31' count='1000' virtual='1' inline='1' receiver='22' receiver_count='900' receiver2='23' "
    "receiver2_count='100'/>\n"
)
GUESS_SQUARE = "<call method='32' count='1000' inline='1'/>\n<inline_success reason='inline (hot)'/>\n"
GUESS_CIRCLE = "<call method='33' count='1000' inline='1'/>\n<inline_fail reason='too big'/>\n"


def test_a_virtual_call_that_stays_is_indirect_with_its_receivers() -> None:
    text = VIRTUAL + "<inline_fail reason='virtual call'/>\n<virtual_call bci='27'/>\n"
    (site,) = trees(text).inlining.children
    assert (site.kind, site.method, site.reasons) == (CallKind.INDIRECT, SHAPE, ("virtual call",))
    assert site.receivers is not None
    assert site.receivers.types == (ReceiverType("App$Square", 0.9), ReceiverType("App$Circle", 0.1))


def test_a_guessed_target_is_a_child_of_the_virtual_call_at_the_same_place() -> None:
    text = VIRTUAL + GUESS_SQUARE + "<uncommon_trap bci='27' reason='class_check' action='maybe_recompile'/>\n"
    assert shape(trees(text + parse(32, "")).inlining) == [
        ("devirtualized", SHAPE, 27, [("inlined", SQUARE, 27, [])]),
    ]


def test_a_virtual_call_that_is_kept_beside_its_guess_is_indirect() -> None:
    text = VIRTUAL + GUESS_SQUARE + "<predicted_call bci='27' exact='1' klass='22'/>\n<virtual_call bci='27'/>\n"
    assert shape(trees(text + parse(32, "")).inlining) == [("indirect", SHAPE, 27, [("inlined", SQUARE, 27, [])])]


def test_two_guesses_are_told_apart_by_their_code() -> None:
    both = VIRTUAL + GUESS_SQUARE + GUESS_CIRCLE.replace("inline_fail", "inline_success")
    call = "<bc code='184' bci='3'/>\n<call method='34' count='1' inline='1'/>\n<inline_fail reason='too big'/>\n"
    # The code of the second guess comes first.
    assert shape(trees(both + parse(33, call) + parse(32, "")).inlining) == [
        ("devirtualized", SHAPE, 27, [("inlined", SQUARE, 27, []), ("inlined", CIRCLE, 27, [("direct", HALF, 3, [])])]),
    ]


def test_a_guess_that_is_the_declared_method_itself_takes_the_code() -> None:
    text = VIRTUAL.replace("method='31'", "method='32'") + GUESS_SQUARE
    assert shape(trees(text + parse(32, "")).inlining) == [("devirtualized", SQUARE, 27, [("inlined", SQUARE, 27, [])])]


def test_c1_names_the_declared_method_and_then_parses_the_one_it_found() -> None:
    text = "<bc code='185' bci='27'/>\n<call method='31' instr='invokeinterface'/>\n<inline_success reason='inline'/>\n"
    assert shape(trees(text + parse(32, "")).inlining) == [("inlined", SQUARE, 27, [])]


def test_c1_says_which_calls_have_no_static_binding() -> None:
    text = "<bc code='{0}' bci='{1}'/>\n<call method='32' instr='invokevirtual'/>\n<inline_fail reason='{2}'/>\n"
    unbound, big = text.format(182, 1, "no static binding"), text.format(182, 5, "callee is too large")
    assert [each[0] for each in shape(trees(unbound + big).inlining)] == ["indirect", "direct"]


def test_an_intrinsic_is_inlined_and_a_decision() -> None:
    text = "<bc code='184' bci='49'/>\n<call method='34' count='9' inline='1'/>\n<intrinsic id='_max' nodes='1'/>\n"
    found = trees(text)
    assert shape(found.inlining) == [("inlined", HALF, 49, [])]
    assert Decision("Intrinsic", "_max", (Place(TOTAL, 49),)) in decisions(found.optimizations)


def test_the_call_of_a_method_handle_is_the_one_that_it_leads_to() -> None:
    text = "<bc code='184' bci='4'/>\n<call method='31' count='-1' inline='1'/>\n" + GUESS_SQUARE
    assert shape(trees(text + parse(32, "")).inlining) == [("inlined", SQUARE, 4, [])]


LATE = (
    "<bc code='184' bci='24'/>\n<call method='34' count='9' inline='1'/>\n<inline_success reason='inline (hot)'/>\n"
    "<inline_id id='99'/>\n<direct_call bci='24'/>\n<bc code='184' bci='32'/>\n"
)


def test_late_inlining_fills_the_call_that_it_is_about() -> None:
    trap = "<bc code='4' bci='3'/>\n<uncommon_trap bci='3' reason='null_check' action='none'/>\n"
    late = "<late_inline method='34' inline_id='99'>\n<jvms bci='24' method='30'/>\n</late_inline>\n" + parse(34, trap)
    found = task_trees(task(parse(30, LATE) + late).encode())
    assert shape(found.inlining) == [("inlined", HALF, 24, [])]
    assert decisions(found.optimizations)[0].position == (Place(HALF, 3), Place(TOTAL, 24))
    assert [each.name for each in found.optimizations.children if isinstance(each, Phase)] == ["LateInlining"]


def test_late_inlining_without_numbers_is_found_by_its_place() -> None:
    late = "<late_inline method='34'>\n<jvms bci='24' method='30'/>\n</late_inline>\n" + parse(34, "")
    found = task_trees(task(parse(30, LATE) + late).encode())
    assert shape(found.inlining) == [("inlined", HALF, 24, [])]


def test_a_late_call_that_never_came_is_deleted() -> None:
    (site,) = trees(LATE).inlining.children
    assert site.kind is CallKind.DELETED
    assert site.reasons[-1] == "gone before it was inlined late"


def test_a_second_attempt_voids_the_first_and_keeps_why() -> None:
    call = "<bc code='184' bci='11'/>\n<call method='34' count='9' inline='1'/>\n<inline_fail reason='too big'/>\n"
    again = "<failure reason='retry without escape analysis' phase='compile'/>\n"
    found = task_trees(task(parse(30, call) + again + parse(30, call)).encode())
    assert len(found.inlining.children) == 1
    failure = Decision(
        "Compilation",
        "Failure",
        (),
        (("reason", "retry without escape analysis"), ("phase", "compile")),
        "missed",
    )
    assert found.optimizations.children == [failure, Decision("Compilation", "Restart")]


def test_uncommon_traps_have_their_inline_stack() -> None:
    trap = "<bc code='50' bci='2'/>\n<uncommon_trap bci='2' reason='range_check' action='make_not_entrant'/>\n"
    text = "<bc code='184' bci='11'/>\n<call method='34' count='9'/>\n<inline_success reason='inline (hot)'/>\n"
    (decision,) = decisions(trees(text + parse(34, trap)).optimizations)
    assert decision == Decision(
        "UncommonTrap", "range_check", (Place(HALF, 2), Place(TOTAL, 11)), (("action", "make_not_entrant"),)
    )


def test_eliminations_are_placed_by_their_own_stack() -> None:
    places = "<jvms bci='0' method='34'/>\n<jvms bci='8' method='30'/>\n"
    gone = f"<eliminate_allocation type='22'>\n{places}</eliminate_allocation>\n"
    (decision,) = decisions(task_trees(task(parse(30, "") + gone).encode()).optimizations)
    assert decision == Decision(
        "EscapeAnalysis", "AllocationElimination", (Place(HALF, 0), Place(TOTAL, 8)), (("type", "App$Square"),)
    )


def test_phases_of_the_log_hold_what_was_decided_in_them() -> None:
    text = (
        "<phase name='buildIR' stamp='1'>\n<phase name='parse_hir' stamp='1'>\n"
        + parse(30, "<bc code='4' bci='3'/>\n<uncommon_trap bci='3' reason='null_check' action='none'/>\n")
        + "<phase_done stamp='1'/>\n</phase>\n<phase_done stamp='1'/>\n</phase>\n"
    )
    (build,) = task_trees(task(text).encode()).optimizations.children
    assert isinstance(build, Phase)
    (parsing,) = build.children
    assert isinstance(parsing, Phase)
    assert (build.name, parsing.name, len(parsing.children)) == ("buildIR", "parse_hir", 1)


def test_loop_trees_are_told_when_they_change() -> None:
    one = "<loop_tree>\n<loop idx='{0}' inner_loop='1' >\n</loop>\n</loop_tree>\n"
    two = "<loop_tree>\n<loop idx='1'>\n<loop idx='2'>\n</loop>\n</loop>\n</loop_tree>\n"
    found = decisions(task_trees(task(parse(30, "") + one.format(3) + one.format(9) + two).encode()).optimizations)
    assert [dict(each.properties)["shape"] for each in found] == ["loop", "loop(loop)"]


def test_assumptions_are_told_once_and_never_that_methods_stay() -> None:
    text = "<dependency type='evol_method' x0='30'/>\n" + 2 * "<dependency type='leaf_type' ctxk='22'/>\n"
    assert decisions(trees(text).optimizations) == [
        Decision("Assumption", "leaf_type", (), (("context", "App$Square"),)),
    ]


def test_unknown_elements_are_kept() -> None:
    (decision,) = decisions(trees("<bc code='4' bci='3'/>\n<vectorized lanes='4' klass='22'/>\n").optimizations)
    assert decision == Decision(
        "vectorized", "", (Place(TOTAL, 3),), (("lanes", 4), ("klass", "App$Square")), "analysis"
    )


def test_numbers_of_methods_are_told_by_name() -> None:
    (decision,) = decisions(trees("<inline_level_discount caller='30' callee='34'/>\n").optimizations)
    assert decision.properties == (("caller", TOTAL), ("callee", HALF))


def test_numbers_of_one_run_are_left_out() -> None:
    numbers = "compile_id='4' lock_id='309' class='unlock' kind='Coarsened' box_id='7' obj_id='10' bad_id='-1'"
    text = f"<eliminate_lock {numbers} stamp='1.0'/>\n<hot_throw preallocated='1' reason='range_check' mcount='12'/>\n"
    locks, throw = decisions(trees(text).optimizations)
    assert locks.properties == (("class", "unlock"), ("kind", "Coarsened"))
    assert throw.properties == (("preallocated", 1), ("reason", "range_check"))


def test_hidden_classes_in_properties_have_no_address() -> None:
    text = (
        "<klass id='40' name='App$$Lambda/0x000000008d02eec8' flags='1'/>\n"
        "<method id='41' holder='40' name='run' return='10' flags='1' bytes='9' iicount='1'/>\n"
        "<vectorized klass='40' callee='41'/>\n<dependency type='unique_concrete_method_4' ctxk='40' x='41'/>\n"
    )
    one, other = decisions(trees(text).optimizations)
    assert one.properties == (("klass", "App$$Lambda"), ("callee", "App$$Lambda.run()"))
    assert other.properties == (("context", "App$$Lambda"), ("x", "App$$Lambda.run()"))


def test_what_happened_at_run_time_is_the_last_phase() -> None:
    trap = Trap("class_check", "maybe_recompile", (("App total ([LApp$Shape;)D", 27),))
    found = task_trees(task(parse(30, "")).encode(), [trap, trap], {"reason": "uncommon trap", "stamp": "2"})
    (phase,) = found.optimizations.children
    assert isinstance(phase, Phase)
    assert phase == Phase(
        "AtRunTime",
        [
            Decision(
                "Deoptimization", "class_check", (Place(TOTAL, 27),), (("action", "maybe_recompile"), ("times", 2))
            ),
            Decision("Code", "MadeNotEntrant", (), (("reason", "uncommon trap"),), "analysis"),
        ],
    )


def test_a_task_of_another_compiler_is_a_root_alone() -> None:
    found = task_trees(task("<dependency type='evol_method' x0='App half (D)D'/>\n").encode())
    assert (found.inlining.method, found.inlining.children) == (TOTAL, [])
    assert NAMES  # the names alone decide nothing
    assert decisions(found.optimizations) == []
