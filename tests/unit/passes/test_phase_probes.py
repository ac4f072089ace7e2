"""Probes in phases: code that LLVM verifies, and where they stand."""

from textwrap import dedent

from sonde.ir import Module, parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.passes.phase_probes import PhaseProbes, has_several_stacks

_THROWS = dedent("""\
    declare i32 @__gxx_personality_v0(...)
    declare i32 @may_throw(i32)
    declare i32 @never_throws(i32) nounwind
    declare void @typed()
    declare i32 @_setjmp(ptr) returns_twice
    declare void @_exit(i32) noreturn
    declare i32 @swapcontext(ptr, ptr)
    @type = external constant ptr

    define i32 @plain(i32 %n) {
      %m = tail call i32 @never_throws(i32 %n) nounwind
      %k = add i32 %m, 1
      ret i32 %k
    }
    define i32 @last(i32 %n) {
      %r = tail call i32 @may_throw(i32 %n)
      ret i32 %r
    }
    define float @passes(i32 %n, ptr %f) {
    start:
      %a = tail call i32 @may_throw(i32 %n), !prof !0
      %b = call fast float %f(i32 %a)
      %c = fadd float %b, %b
      ret float %c
    }
    define void @catches() personality ptr @__gxx_personality_v0 {
      invoke void @typed() to label %done unwind label %pad
    pad:
      %thrown = landingpad { ptr, i32 }
              catch ptr @type
      resume { ptr, i32 } %thrown
    done:
      ret void
    }
    define void @jumps(ptr %at) {
      %r = call i32 @_setjmp(ptr %at) returns_twice
      call void @_exit(i32 %r)
      unreachable
    }
    !0 = !{!"branch_weights", i32 1}
    """)


def probed(*names: str) -> tuple[Module, dict[str, str]]:
    """The module with probes in some functions, verified, and the text of each."""
    module = parse_module(_THROWS)
    assert PhaseProbes({name: number for number, name in enumerate(names)}).insert(module) == [*names]
    text = print_module(module)
    LlvmModule.from_text(text, "probed").object(2)
    return module, {part.split("@")[1].split("(")[0]: part.split("\n}")[0] for part in text.split("\ndefine ")[1:]}


def test_each_end_has_a_probe_of_its_kind() -> None:
    _, texts = probed("@plain", "@last", "@passes", "@catches")
    assert (
        texts["plain"].index("@never_throws")
        < texts["plain"].index("@sn_phases_leave")
        < texts["plain"].index("ret i32")
    )
    assert "invoke" not in texts["plain"]
    assert texts["last"].index("@sn_phases_leave") < texts["last"].index("tail call i32 @may_throw")
    assert texts["passes"].count("invoke ") == 2
    assert "invoke i32 @may_throw(i32 %n)" in texts["passes"]
    assert "invoke float %f(i32 %a)" in texts["passes"]
    assert "unwind label %phase.pad, !prof !" in texts["passes"]
    assert texts["passes"].count("@sn_phases_unwind") == 1
    assert "personality ptr @__gxx_personality_v0" in texts["passes"]
    assert (
        texts["catches"].index("cleanup")
        < texts["catches"].index("@sn_phases_unwind")
        < texts["catches"].index("resume")
    )


def test_what_is_no_phase_has_a_word_at_jumps_and_ends_only() -> None:
    before = parse_module(_THROWS)
    module, texts = probed("@plain")
    assert str(module.functions["@passes"]) == str(before.functions["@passes"])
    jumps = texts["jumps"]
    assert (
        jumps.index("@_setjmp")
        < jumps.index("@sn_phases_back")
        < jumps.index("@sn_phases_last")
        < jumps.index("@_exit")
    )


def test_without_phases_nothing_changes() -> None:
    module = parse_module(_THROWS)
    before = print_module(module)
    assert PhaseProbes({"@none": 0}).insert(module) == []
    assert print_module(module) == before
    assert not has_several_stacks(module)
    text = "  %r = call i32 @swapcontext(ptr %a, ptr %a)\n  ret void\n"
    assert has_several_stacks(parse_module(f"declare i32 @swapcontext(ptr, ptr)\ndefine void @f(ptr %a) {{\n{text}}}"))
