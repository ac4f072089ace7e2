"""Stubs and slots: what stands still while versions of functions change."""

import pytest

from sonde.ir import Module, parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.machine.stubs import slot_name, startup_functions, stub_module

PROGRAM = """
%T = type { i64, [3 x i64] }
$shared = comdat any
@table = global [2 x ptr] [ptr @f, ptr @g], align 16, !dbg !0
@shared = linkonce_odr constant i32 7, comdat
@jumps = internal constant [1 x ptr] [ptr blockaddress(@h, %there)]
@elsewhere = external global i32
@alias = alias i32 (i32), ptr @f
@llvm.used = appending global [1 x ptr] [ptr @table], section "llvm.metadata"

define internal fastcc noundef i32 @f(i32 noundef signext %x) #0 {
  ret i32 %x
}

define void @g(ptr sret(%T) align 8 %result, ptr byval(%T) %x, ...) {
  ret void
}

define void @h() {
  br label %there
there:
  ret void
}

declare i32 @other(i32)
attributes #0 = { nounwind }
!0 = !{}
"""


@pytest.fixture
def stubs() -> Module:
    module = parse_module(PROGRAM)
    return stub_module(module, {name: f"{name}-base" for name in ("@f", "@g", "@h")})


def test_what_is_made_verifies(stubs: Module) -> None:
    LlvmModule.from_text(print_module(stubs), "stubs")


def test_each_function_has_a_stub_that_jumps_to_where_its_slot_points(stubs: Module) -> None:
    assembly = LlvmModule.from_text(print_module(stubs), "stubs").assembly(2)
    for name in ("f", "g", "h"):
        body = assembly.split(f"\n{name}:")[1].split(".Lfunc_end")[0]
        instructions = [line for line in map(str.strip, body.splitlines()) if line and line[0] not in ".#"]
        assert instructions[-1].startswith("jmp")
        assert f"{name}--slot" in " ".join(instructions)
        assert len(instructions) == 2, (name, instructions)  # a load and a jump: arguments are left alone
        assert stubs.globals[slot_name(f"@{name}")].initializer == f"@{name}-base"


def test_local_functions_become_visible_and_keep_their_convention(stubs: Module) -> None:
    signature = stubs.functions["@f"].signature
    assert signature.prefix == "fastcc noundef"
    assert stubs.functions["@f-base"].is_declaration
    assert stubs.functions["@f-base"].signature.prefix == "fastcc noundef"


def test_variables_stay_and_are_visible_without_their_groups(stubs: Module) -> None:
    assert stubs.globals["@shared"].linkage == "external"
    assert "comdat" not in stubs.globals["@shared"].text
    assert stubs.globals["@shared"].initializer == "7"
    assert stubs.globals["@elsewhere"].is_declaration
    assert "!dbg" not in stubs.globals["@table"].text


def test_tables_of_block_addresses_and_lists_of_llvm_stay_away(stubs: Module) -> None:
    assert "@jumps" not in stubs.globals
    assert "@llvm.used" not in stubs.globals


def test_startup_functions_run_by_priority_and_then_as_listed() -> None:
    entries = "{ i32, ptr, ptr } { i32 65535, ptr @b, ptr null }, { i32, ptr, ptr } { i32 101, ptr @a, ptr @x }"
    more = "{ i32, ptr, ptr } { i32 65535, ptr @c, ptr null }, { i32, ptr, ptr } { i32 1, ptr null, ptr null }"
    listed = f"appending global [4 x {{ i32, ptr, ptr }}] [{entries}, {more}]"
    module = Module()
    module.add_global("@llvm.global_ctors", listed)
    module.add_global("@llvm.global_dtors", listed)
    assert startup_functions(module, "before") == ["@a", "@b", "@c"]
    assert startup_functions(module, "after") == ["@c", "@b", "@a"]
    assert startup_functions(Module(), "before") == []
    empty = Module()
    empty.add_global("@llvm.global_ctors", "appending global [0 x { i32, ptr, ptr }] zeroinitializer")
    assert startup_functions(empty, "before") == []
