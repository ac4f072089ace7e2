"""Remarks to trees: inlining, positions, lines from where functions begin, several object files, times."""

from pathlib import Path

import pytest

from made_remarks import Function, inlined, place, remark, stack_size, too_costly
from sonde.base.errors import InputError
from sonde.instruments.decisions.model import CallKind, CallSite, Decision, DecisionRun, Phase, Place
from sonde.instruments.decisions.readers import RunPlace
from sonde.instruments.decisions.readers.llvm import LLVM

MAIN = Function("main", 30)
MID = Function("mid", 20, brace=1)
LEAF = Function("leaf", 10)
BIG = Function("big", 1)
VECTORIZED = (("String", "vectorized loop (vectorization width: "), ("VectorizationFactor", "4"), ("String", ")"))


def read(folder: Path, *remarks: str, name: str = "prog.opt.yaml", profile: Path | None = None) -> DecisionRun:
    (folder / name).write_text("".join(remarks), encoding="utf-8")
    place = RunPlace(folder)
    assert LLVM.recognises(place)
    return LLVM.read(place, profile)


def shown(site: CallSite) -> list[object]:
    """The tree as nested lists."""
    return [site.kind.value, site.method, site.at, site.column, *site.reasons, *map(shown, site.children)]


def decisions(phase: Phase) -> list[Decision]:
    return [each for child in phase.children for each in (decisions(child) if isinstance(child, Phase) else [child])]


def unit(run: DecisionRun, method: str) -> tuple[CallSite, Phase]:
    (found,) = (each for each in run.units if each.method == method)
    return found.load()


def test_what_was_inlined_into_a_callee_comes_along(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        inlined(LEAF, MID, [(MID, 23, 7)]),
        too_costly(BIG, MID, place("prog.c", 24, 9)),
        inlined(MID, MAIN, [(MAIN, 32, 5)], cost=40),
        too_costly(BIG, MAIN, place("prog.c", 24, 9), cost=900),
    )

    tree, _ = unit(run, "main")

    assert shown(tree) == [
        "root", "main", -1, 0,
        ["inlined", "mid", 2, 5, "inlined: cost=40, threshold=225",
         ["inlined", "leaf", 2, 7, "inlined: cost=5, threshold=225"],
         ["direct", "big", 3, 9, "too costly: cost=900, threshold=225"]],
    ]  # fmt: skip
    assert shown(unit(run, "mid")[0])[5:] == [["direct", "big", 3, 9, "too costly: cost=500, threshold=225"]]


def test_a_chain_of_calls_leads_to_where_a_call_was_inlined(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        inlined(MID, MAIN, [(MAIN, 32, 5)]),
        inlined(MID, MAIN, [(MAIN, 33, 5)]),
        inlined(LEAF, MAIN, [(MID, 22, 7), (MAIN, 33, 5)]),
    )

    tree, _ = unit(run, "main")

    assert [[child.method for child in each.children] for each in tree.children] == [[], ["leaf"]]


def test_what_a_front_end_inlined_is_known_from_chains(tmp_path: Path) -> None:
    run = read(tmp_path, inlined(LEAF, MAIN, [(MID, 22, 7), (MAIN, 33, 5)]), stack_size(MAIN))

    assert shown(unit(run, "main")[0])[4:] == [
        ["inlined", "mid", 3, 5, ["inlined", "leaf", 2, 7, "inlined: cost=5, threshold=225"]]
    ]


def test_a_decision_is_placed_by_its_line(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        inlined(LEAF, MID, [(MID, 23, 7)]),
        inlined(MID, MAIN, [(MAIN, 32, 5)]),
        remark("Passed", "loop-vectorize", "Vectorized", "main", place("prog.c", 12, 3), *VECTORIZED),
        remark("Missed", "gvn", "LoadClobbered", "main", place("prog.c", 33, 3)),
        remark("Analysis", "asm-printer", "InstructionMix", "main", None),
        stack_size(MAIN),
    )

    found = decisions(unit(run, "main")[1])

    assert [(each.name, each.event, each.outcome) for each in found[:2]] == [
        ("loop-vectorize", "Vectorized", "applied"),
        ("gvn", "LoadClobbered", "missed"),
    ]
    assert found[0].position == (Place("leaf", 2, 3), Place("mid", 2, 7), Place("main", 2, 5))
    assert found[0].properties == (("VectorizationFactor", 4),)
    assert found[1].position == (Place("main", 3, 3),)
    assert found[2].position == ()
    assert run.source_line("leaf", 2) == ("prog.c", 12)


def test_consecutive_remarks_of_a_pass_are_a_phase(tmp_path: Path) -> None:
    where = place("prog.c", 31, 1)
    passes = ["gvn", "gvn", "licm", "gvn"]
    run = read(tmp_path, *(remark("Missed", each, "Name", "main", where) for each in passes))

    _, tree = unit(run, "main")

    assert [(each.name, len(each.children)) for each in tree.children if isinstance(each, Phase)] == [
        ("gvn", 2), ("licm", 1), ("gvn", 1)
    ]  # fmt: skip


def test_code_that_was_inlined_twice_has_an_ambiguous_position(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        inlined(LEAF, MAIN, [(MAIN, 32, 5)]),
        inlined(LEAF, MAIN, [(MAIN, 33, 5)]),
        remark("Missed", "gvn", "LoadClobbered", "main", place("prog.c", 12, 3)),
    )

    found = decisions(unit(run, "main")[1])
    unit(run, "main")  # again: it is counted once

    assert found[0].position == (Place("leaf", 2, 3),)
    assert [(doubt.kind, doubt.amount) for doubt in run.doubts] == [("ambiguous-remark", 1)]


def test_moving_a_whole_function_changes_nothing(tmp_path: Path) -> None:
    def remarks(by: int) -> list[str]:
        mid, main = Function("mid", 20 + by, brace=1), Function("main", 30 + by)
        return [
            inlined(LEAF, mid, [(mid, 23 + by, 7)]),
            inlined(mid, main, [(main, 32 + by, 5)]),
            remark("Missed", "gvn", "LoadClobbered", "main", place("prog.c", 24 + by, 3)),
        ]

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    first = [each.load() for each in read(tmp_path / "a", *remarks(0)).units]
    second = [each.load() for each in read(tmp_path / "b", *remarks(100)).units]

    assert [shown(tree) for tree, _ in first] == [shown(tree) for tree, _ in second]
    assert [decisions(tree) for _, tree in first] == [decisions(tree) for _, tree in second]


def test_functions_of_one_name_in_several_files_are_several_units(tmp_path: Path) -> None:
    one, other = Function("helper", 5, file="a.c"), Function("helper", 50, file="b.c")
    (tmp_path / "b.opt.yaml").write_text(
        stack_size(other) + remark("Missed", "gvn", "LoadClobbered", "helper", place("b.c", 52, 3)), encoding="utf-8"
    )
    run = read(tmp_path, stack_size(one), name="a.opt.yaml")

    assert [(each.method, each.version) for each in run.units] == [("helper", "a"), ("helper", "b")]
    # The name does not say which, so its lines are those of the file.
    assert "helper" not in run.sources
    assert decisions(run.units[1].load().optimizations)[1].position == (Place("helper", 52, 3),)


def test_the_stages_of_rustc_are_one_object_file(tmp_path: Path) -> None:
    (tmp_path / "m.1f-cgu.0.codegen.opt.yaml").write_text(stack_size(MAIN), encoding="utf-8")
    (tmp_path / "empty.opt.opt.yaml").write_text("", encoding="utf-8")
    run = read(tmp_path, inlined(LEAF, MAIN, [(MAIN, 32, 5)]), name="m.1f-cgu.0.opt.opt.yaml")

    (one,) = run.units
    tree, passes = one.load()

    assert [each.method for each in tree.children] == ["leaf"]
    assert [each.name for each in decisions(passes)] == ["prologepilog"]


def test_a_promoted_call_hangs_below_the_indirect_one(tmp_path: Path) -> None:
    promoted = (("String", "Promote indirect call to "), ("DirectCallee", "leaf", LEAF.begin),
                ("String", " with count "), ("Count", "90"), ("String", " out of "), ("TotalCount", "100"))  # fmt: skip
    run = read(
        tmp_path,
        remark("Passed", "pgo-icall-prom", "Promoted", "main", place("prog.c", 33, 8), *promoted),
        inlined(LEAF, MAIN, [(MAIN, 33, 8)]),
    )

    (indirect,) = unit(run, "main")[0].children

    assert (indirect.kind, indirect.method, indirect.at) == (CallKind.INDIRECT, None, 3)
    assert [(each.kind, each.method, each.at) for each in indirect.children] == [(CallKind.INLINED, "leaf", 3)]
    assert indirect.receivers is not None
    assert [(each.method, each.probability) for each in indirect.receivers.types] == [("leaf", 0.9)]


def test_recursion_is_inlined_as_it_was(tmp_path: Path) -> None:
    run = read(tmp_path, inlined(MAIN, MAIN, [(MAIN, 32, 5)]), inlined(MAIN, MAIN, [(MAIN, 32, 5), (MAIN, 32, 5)]))

    tree, _ = unit(run, "main")

    assert [kind for kind, *_ in map(shown, tree.children)] == ["inlined"]
    assert len(tree.children[0].children) == 1


def test_times_of_perf_go_to_units(tmp_path: Path) -> None:
    lines = ["main", "leaf.cold", "leaf", "_Z5outerv", "memcpy", "S::get", "outer()"]
    profile = tmp_path / "perf.txt"
    profile.write_text("".join(f"a 1 5.00000{k}: 10 cpu-clock: 4011 {each}+0x1 (/a)\n" for k, each in enumerate(lines)),
                       encoding="utf-8")  # fmt: skip
    others = (Function("_Z5outerv", 70), Function("_ZNK1S3getEi", 80))
    run = read(tmp_path, stack_size(MAIN), stack_size(LEAF), *map(stack_size, others))

    periods = {each.method: each.period for each in run.units}
    assert periods == {"main": 10, "leaf": 20, "outer()": 20, "S::get(int) const": 10}
    assert [(doubt.kind, doubt.detail.split(" ")[0]) for doubt in run.doubts] == [("unlinked-time", "14.3%")]


def test_overloads_that_a_profile_does_not_tell_apart_are_doubted(tmp_path: Path) -> None:
    profile = tmp_path / "perf.txt"
    profile.write_text("a 1 5.000001: 10 cpu-clock: 4011 f+0x1 (/a)\n", encoding="utf-8")
    run = read(tmp_path, stack_size(Function("_Z1fi", 10)), stack_size(Function("_Z1fd", 20)))

    assert [each.period for each in run.units] == [10, 0]
    assert [doubt.kind for doubt in run.doubts] == ["ambiguous-time"]


def test_hotness_is_a_profile_of_its_own(tmp_path: Path) -> None:
    hot = remark("Missed", "gvn", "LoadClobbered", "main", place("prog.c", 33, 3)).replace(
        "Function:        main\n", "Function:        main\nHotness:         300\n"
    )
    run = read(tmp_path, hot, stack_size(LEAF))

    assert run.profile is not None
    assert (run.profile.unit, run.profile.total) == ("calls", 300)
    assert [each.period for each in run.units] == [300, 0]


def test_several_profiles_in_the_folder_are_not_chosen_among(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("a 1 5.000001: 10 cpu-clock: 4011 main+0x1 (/a)\n", encoding="utf-8")

    with pytest.raises(InputError) as refused:
        read(tmp_path, stack_size(MAIN))

    assert refused.value.slug == "several-time-profiles"


def test_remarks_without_lines_are_doubted(tmp_path: Path) -> None:
    run = read(tmp_path, remark("Missed", "gvn", "LoadClobbered", "main", None))

    assert [doubt.kind for doubt in run.doubts] == ["remarks-without-lines"]


def test_a_damaged_file_is_a_doubt(tmp_path: Path) -> None:
    (tmp_path / "cut.opt.bitstream").write_bytes(b"RMRK\0")
    run = read(tmp_path, stack_size(MAIN))

    assert [each.method for each in run.units] == ["main"]
    assert [(doubt.kind, doubt.amount) for doubt in run.doubts if doubt.kind == "lost-remarks"] == [("lost-remarks", 1)]


def test_inlined_frames_of_perf_are_called_as_in_the_source(tmp_path: Path) -> None:
    inner, outer = Function("_Z3mixi", 20), Function("main", 30)
    profile = tmp_path / "perf.txt"
    profile.write_text(
        "a 1 5.1: 10 cpu-clock:\n\t4011 mix (inlined)\n\t4011 main+0x1 (/a)\n\n"
        "a 1 5.2: 20 cpu-clock:\n\t4011 main+0x9 (/a)\n\n",
        encoding="utf-8",
    )
    run = read(tmp_path, inlined(inner, outer, [(outer, 32, 9)]), stack_size(inner), stack_size(outer), profile=profile)
    (spread,) = (each.spread for each in run.units if each.method == "main")
    assert set(spread) == {((Place("mix(int)", -1), Place("main", -1)), 10), ((Place("main", -1),), 20)}
