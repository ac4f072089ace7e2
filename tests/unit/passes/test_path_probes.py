"""Where paths are counted in IR, and what their numbers mean."""

from collections import Counter

import pytest
from hypothesis import given

from edited_ir import DEBUG_INFO, lines_of, module_of, verified_text
from ir_programs import functions
from sonde.flow import Edge
from sonde.ir import Function, Module, SourceFrames, parse_module
from sonde.passes import FunctionPaths, PathProbes, ProbedPaths

_LOOP = """
define i64 @f(i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %side, label %latch
side:
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %out
out:
  ret i64 %i
}
"""


def probed(text: str, **options: int) -> tuple[Module, ProbedPaths]:
    """The module, which LLVM has verified, with probes."""
    module = module_of(text)
    paths = PathProbes(-8, **options).insert(module)  # type: ignore[arg-type]
    verified_text(module)
    return module, paths


def only(paths: ProbedPaths) -> FunctionPaths:
    (found,) = paths.functions
    return found


def opcodes(function: Function) -> Counter[str]:
    return Counter(each.opcode for each in function.instructions())


@given(functions())
def test_functions_with_probes_are_valid(text: str) -> None:
    for options in ({}, {"most_counters": 0}, {"most_paths": 3, "most_counters": 2}):
        module = parse_module(text)
        paths = PathProbes(-8, **options).insert(module)  # type: ignore[arg-type]
        verified_text(module)
        assert len(paths.functions) == 1


def test_a_loop_has_the_paths_of_one_iteration() -> None:
    module, paths = probed(_LOOP)
    function = only(paths)
    assert {function.names(number) for number in range(function.numbering.paths)} == {
        ("%head", "%latch"), ("%head", "%side", "%latch"), ("%head", "%latch", "%out"),
        ("%head", "%side", "%latch", "%out"), ("%entry", "%head", "%latch"), ("%entry", "%head", "%side", "%latch"),
        ("%entry", "%head", "%latch", "%out"), ("%entry", "%head", "%side", "%latch", "%out"),
    }  # fmt: skip
    assert paths.counters == 8
    # Two counts, at the end and on the way back; the register is set by phis, and added to on one side.
    assert opcodes(module.functions["@f"])["store"] == 2
    assert sum("%path" in str(each) and each.opcode == "add" for each in module.functions["@f"].instructions()) == 3


def test_counts_are_found_by_the_numbers_of_paths() -> None:
    _, paths = probed(_LOOP + _LOOP.replace("@f", "@g"), most_counters=4)
    for function in paths.functions:
        assert function.in_array == 4 and function.has_keys and function.begun is None
    first, second = paths.functions
    assert (first.first, second.first, first.first_key, second.first_key) == (0, 4, 1, 5)
    assert first.counts([7, 0, 0, 9, 1, 1, 1, 1], {1: 5, 4: 6, 5: 1}) == {0: 7, 3: 9, 4: 5, 7: 6}
    assert second.counts([0, 0, 0, 0, 0, 2, 0, 0], {1: 5, 8: 3}) == {1: 2, 7: 3}


def test_what_is_left_midway_is_told() -> None:
    _, paths = probed(
        """
        declare void @unknown()
        define void @calls(i1 %c) {
          br i1 %c, label %there, label %back
        there:
          call void @unknown()
          ret void
        back:
          ret void
        }
        define void @passes() {
          call void @calls(i1 true)
          ret void
        }
        define void @leaf() {
          ret void
        }
        """
    )
    calls, passes, leaf = paths.functions
    assert calls.begun is not None and passes.begun is not None and leaf.begun is None
    counters = [0] * paths.counters
    counters[calls.begun] = 10
    assert calls.lost({0: 3, 1: 5}, counters) == 2


def test_a_call_that_may_be_jumped_to_comes_after_the_count() -> None:
    module, _ = probed(
        """
        declare i64 @g(i64) nounwind willreturn
        define i64 @f(i64 %x) {
          %r = tail call i64 @g(i64 %x)
          ret i64 %r
        }
        """
    )
    assert [each.opcode for each in module.functions["@f"].entry.instructions][-3:] == ["store", "call", "ret"]


def test_what_ends_the_program_comes_after_the_count() -> None:
    module, _ = probed(
        """
        declare void @exit(i32) noreturn
        define void @f() {
          call void @exit(i32 3)
          unreachable
        }
        """
    )
    assert [each.opcode for each in module.functions["@f"].entry.instructions][-3:] == ["store", "call", "unreachable"]


def test_threads_begin_in_functions_whose_address_is_taken() -> None:
    module, _ = probed(
        """
        @pointers = global [1 x ptr] [ptr @f]
        define internal void @f() {
          call void @g()
          ret void
        }
        define void @g() {
          ret void
        }
        """
    )
    looks = {name: "call preserve_mostcc void @sn_paths_thread()" in text_of(module, name) for name in ("@f", "@g")}
    assert looks == {"@f": True, "@g": False}


def text_of(module: Module, function: str) -> str:
    return "\n".join(line for block in module.functions[function].blocks for line in lines_of(block))


def test_edges_that_cannot_have_blocks_end_paths_where_they_begin() -> None:
    _, paths = probed(
        """
        define i64 @f(ptr %to) {
        entry:
          indirectbr ptr %to, [label %a, label %b]
        a:
          indirectbr ptr %to, [label %a, label %b]
        b:
          ret i64 1
        }
        """
    )
    function = only(paths)
    assert function.numbering.ending == {0, 1}
    assert {function.names(number) for number in range(function.numbering.paths)} == {("%entry",), ("%a",), ("%b",)}


def test_a_call_that_may_return_twice_begins_a_path() -> None:
    _, paths = probed(
        """
        declare i32 @_setjmp(ptr) returns_twice
        define i32 @f(ptr %b) {
          %r = call i32 @_setjmp(ptr %b) returns_twice
          ret i32 %r
        }
        """
    )
    function = only(paths)
    assert function.again == {1} and function.numbering.cut == {Edge(0, 0)}
    assert function.numbering.paths == 2 and function.begun is not None


@pytest.mark.parametrize(("mark", "why"), [("naked", "no entry like others"), ("", "")])
def test_functions_without_probes_are_told(mark: str, why: str) -> None:
    _, paths = probed(f"define void @f() {mark} {{\n  unreachable\n}}")
    assert [reason[-len(why) :] for _, reason in paths.left_out] == ([why] if why else [])


def test_a_path_has_places_with_what_was_inlined() -> None:
    module = module_of(
        """
        define i32 @f(i32 %n) !dbg !4 {
          %a = add i32 %n, 1, !dbg !10
          %b = mul i32 %a, 2, !dbg !12
          %c = mul i32 %b, 3, !dbg !12
          ret i32 %c, !dbg !10
        }
        """
        + DEBUG_INFO
    )
    frames = SourceFrames(parse_module(verified_text(module)))
    function = only(PathProbes(-8).insert(module))
    places = function.places(0, frames)
    assert [[(each.function, each.line) for each in stack] for stack in places] == [
        [("f", 2)], [("inlined", 10), ("f", 3)], [("f", 2)],
    ]  # fmt: skip


def test_what_begins_again_is_counted_after_the_call_that_returned() -> None:
    text = """
        declare i32 @_setjmp(ptr) returns_twice
        define i32 @f(ptr %b) {
          %r = call i32 @_setjmp(ptr %b) returns_twice
          ret i32 %r
        }
        """
    for probes in (
        PathProbes(thread_offset=-8),
        PathProbes(thread_offset=-8, most_counters=0),
        PathProbes(thread_offset=-8, with_order=True),
    ):
        module = module_of(text)
        probes.insert(module)
        (block,) = (
            each for each in module.functions["@f"].blocks if any("_setjmp(" in line.text for line in each.instructions)
        )
        at = next(at for at, each in enumerate(block.instructions) if "_setjmp(" in each.text)
        behind = [each.opcode for each in block.instructions[at + 1 :]]
        first = behind.index("add")  # of one to what has begun
        assert behind[first - 1 : first + 2] == ["load", "add", "store"]
        assert "br" not in behind[:first]


def test_only_functions_that_are_asked_for_get_probes() -> None:
    module = module_of("define void @f() {\n  ret void\n}\ndefine internal void @g() {\n  ret void\n}")
    paths = PathProbes(thread_offset=-8, only={"@g"}).insert(module)
    assert [each.name for each in paths.functions] == ["@g"] and not paths.left_out
    assert "sn_paths" not in text_of(module, "@f")
    assert "@sn_paths_thread()" in text_of(module, "@g")  # a thread may come there first
