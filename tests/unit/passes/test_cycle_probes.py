"""Cycle probes stand where a function's own time begins and ends, and nowhere else."""

from sonde.ir import Module, parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.passes import CycleProbes
from sonde.passes.cycle_probes import BEGIN, END, FIRST_UNIT, THREAD_OF_CYCLES, UNIT_BYTES

_DECLARED = "declare void @g(i64)\ndeclare void @stop() noreturn\ndeclare i32 @__gxx_personality_v0(...)\n"


def _probed(body: str, *, has_intervals: bool = True) -> Module:
    """A module with the functions, with probes; LLVM has verified it."""
    module = parse_module(LlvmModule.from_text(_DECLARED + body, "it").text())
    CycleProbes(-8, has_intervals).insert(module)
    LlvmModule.from_text(print_module(module), "probed").verify()
    return module


def _ways(module: Module, name: str = "@f") -> list[str]:
    """Calls, ends and what probes call, in the order in which they may come: `+` begins an interval, `-` ends one."""
    function = module.functions[name]
    blocks = {each.name: each for each in function.blocks}
    found = []
    for block in function.blocks:
        for each in block.instructions:
            if each.opcode in ("call", "invoke", "ret", "unreachable") and "@sn_cycles" not in each.text:
                found.append(each.text.partition("(")[0].split()[-1] if "(" in each.text else each.opcode)
            if each.opcode == "br" and len(each.successors()) == 2:
                called = blocks[each.successors()[1]].instructions[0].text
                signs = {BEGIN: "+", END: "-", THREAD_OF_CYCLES: "thread"}
                found += [sign for name, sign in signs.items() if f"@{name}(" in called]
    return found


def test_intervals_are_between_calls() -> None:
    module = _probed(
        "define i64 @f(i64 %x) {\n  %a = mul i64 %x, 3\n  call void @g(i64 %a)\n  %b = mul i64 %a, 5\n  ret i64 %b\n}"
    )
    assert _ways(module) == ["thread", "+", "-", "@g", "+", "-", "ret"]


def test_intervals_in_which_nothing_happens_have_no_probes() -> None:
    module = _probed("define void @f(i64 %x) {\n  call void @g(i64 %x)\n  call void @g(i64 1)\n  ret void\n}")
    assert _ways(module) == ["thread", "@g", "@g", "ret"]


def test_what_never_returns_begins_no_interval() -> None:
    module = _probed("define void @f(i64 %x) {\n  %a = mul i64 %x, 3\n  call void @stop()\n  unreachable\n}")
    assert _ways(module) == ["thread", "+", "-", "@stop", "unreachable"]


def test_a_function_that_is_jumped_to_is_behind_the_end() -> None:
    module = _probed("define void @f(i64 %x) {\n  %a = mul i64 %x, 3\n  musttail call void @g(i64 %a)\n  ret void\n}")
    assert _ways(module) == ["thread", "+", "-", "@g", "ret"]


def test_intervals_begin_behind_invokes_and_at_landing_pads() -> None:
    module = _probed(
        """
        define i64 @f(i64 %x) personality ptr @__gxx_personality_v0 {
          %a = mul i64 %x, 3
          %is = icmp eq i64 %a, 7
          br i1 %is, label %call, label %on
        call:
          invoke void @g(i64 %a) to label %on unwind label %pad
        on:
          %b = mul i64 %a, 5
          ret i64 %b
        pad:
          %caught = landingpad { ptr, i32 } cleanup
          %c = mul i64 %a, 7
          resume { ptr, i32 } %caught
        }
        """
    )
    # The way from the invoke has a block of its own: the other one into %on is in the middle of an interval.
    assert _ways(module) == ["thread", "+", "-", "@g", "+", "-", "ret", "+", "-"]


def test_entries_alone_are_counted_where_no_intervals_are() -> None:
    module = _probed("define i64 @f(i64 %x) {\n  call void @g(i64 1)\n  ret i64 %x\n}", has_intervals=False)
    assert _ways(module) == ["thread", "@g", "ret"]
    assert sum(each.opcode == "store" for each in module.functions["@f"].instructions()) == 1


def test_each_function_has_words_of_its_own() -> None:
    module = _probed(
        "".join(f"define i64 {name}(i64 %x) {{\n  %a = mul i64 %x, 3\n  ret i64 %a\n}}\n" for name in ("@e", "@f"))
    )
    for number, name in enumerate(("@e", "@f")):
        first = FIRST_UNIT + UNIT_BYTES * number
        places = {
            int(each.text.rpartition(" ")[2])
            for each in module.functions[name].instructions()
            if each.opcode == "getelementptr"
        }
        assert places == {first, first + 8}
