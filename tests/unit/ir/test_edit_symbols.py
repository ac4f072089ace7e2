"""Names and linkage: symbols renamed, made visible, taken out into modules of their own."""

import pytest

from edited_ir import DEBUG_INFO, module_of, verified_text
from sonde.ir import Module, print_module
from sonde.ir.edits import (
    canonical_name,
    declaration_of,
    extract_functions,
    promote_internals,
    rename_globals_everywhere,
    rename_locals,
)

_PROGRAM = """
    %pair = type { i32, %inner }
    %inner = type { ptr }
    %unused = type { i8 }
    $shared = comdat any
    @text = private unnamed_addr constant [3 x i8] c"hi\\00", align 1
    @names = constant [1 x ptr] [ptr @text], align 8
    @state = internal global %pair zeroinitializer, align 8
    @local = thread_local(localexec) global i32 0, align 4
    @weak = weak constant i32 7
    @away = external global i32
    @unrelated = global i32 0
    @alias = alias i32 (i32), ptr @helper
    @other = alias i32, ptr @unrelated
    declare i32 @printf(ptr, ...) #0
    declare i32 @personality(...)
    define internal fastcc i32 @quiet(i32 %x) unnamed_addr #1 personality ptr @personality {
      ret i32 %x
    }
    define linkonce_odr hidden i32 @shared(i32 %x) comdat align 32 {
      %a = call fastcc i32 @quiet(i32 %x)
      ret i32 %a
    }
    define i32 @helper(i32 noundef %x) #1 {
      %a = call i32 @shared(i32 %x)
      %s = getelementptr %pair, ptr @state, i32 0, i32 0
      store i32 %a, ptr %s
      ret i32 %a
    }
    define dso_local i32 @f(i32 %n) {
      %a = call i32 @helper(i32 %n) #2
      %b = call i32 (ptr, ...) @printf(ptr @text, i32 %a)
      %c = load ptr, ptr @names
      %d = load i32, ptr @local
      %e = load i32, ptr @weak
      %g = load i32, ptr @away
      %h = call i32 @alias(i32 1)
      %i = load i32, ptr @other
      %j = call i32 @f(i32 %i)
      ret i32 %j
    }
    attributes #0 = { cold }
    attributes #1 = { nounwind }
    attributes #2 = { noinline }
"""


def _described(module: Module) -> dict[str, str]:
    return {
        **{name: value.text for name, value in module.globals.items()},
        **{name: str(function.signature) for name, function in module.functions.items()},
    }


def test_what_was_local_can_be_named_from_outside() -> None:
    module = module_of(_PROGRAM)

    names = promote_internals(module, ".7")

    assert names == {"@text": "@text.7", "@state": "@state.7", "@quiet": "@quiet.7"}
    text = _described(module)
    assert text["@text.7"].startswith("hidden unnamed_addr constant")
    assert text["@quiet.7"].startswith("hidden fastcc i32 @quiet.7(")
    assert text["@names"] == "constant [1 x ptr] [ptr @text.7], align 8"
    assert promote_internals(module, ".8") == {}
    verified_text(module)


def test_promoted_names_are_free_and_comdats_keep_theirs() -> None:
    module = module_of("""
        $f = comdat any
        @f.1 = global i32 0
        @"a b" = internal global i32 0
        define internal void @f() comdat {
          ret void
        }""")
    assert promote_internals(module, ".1", visibility="default") == {"@f": "@f.1.1", '@"a b"': '@"a b.1"'}
    assert str(module.functions["@f.1.1"].signature) == "void @f.1.1() comdat($f)"
    verified_text(module)


def test_two_symbols_are_never_promoted_to_one_name() -> None:
    module = module_of("@f = internal global i32 0\n@f.1 = internal global i32 1")
    assert promote_internals(module, ".1") == {"@f": "@f.1.1", "@f.1": "@f.1.1.1"}
    assert [value.initializer for value in module.globals.values()] == ["0", "1"]


def test_what_assembler_may_name_stays_local() -> None:
    text = """
        module asm "jmp kept"
        @llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
        @note = private constant [2 x i8] c"a\\00", section "llvm.metadata"
        @gone = internal global i32 0
        define internal void @kept() {
          ret void
        }"""
    module = module_of(text)
    assert promote_internals(module, ".p") == {"@gone": "@gone.p"}
    verified_text(module)


def test_symbols_change_names_wherever_they_are_mentioned() -> None:
    module = module_of("""
        @table = global [2 x ptr] [ptr @f, ptr blockaddress(@f, %next)]
        @alias = alias void (), ptr @f
        define void @f() prefix ptr @g {
          br label %next
        next:
          ret void
        }
        define void @g() {
          call void @f(), !callees !0
          call void asm sideeffect "call @f", ""()
          ret void
        }
        !0 = !{ptr @f}""")
    rename_globals_everywhere(module, {"@f": "@g", "@g": '@"an f"'})
    text = verified_text(module)
    assert "[ptr @g, ptr blockaddress(@g, %next)]" in text and "alias void (), ptr @g" in text
    assert 'define void @g() prefix ptr @"an f"' in text and "!{ptr @g}" in text
    assert '"call @f"' in text


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"@f": "@g"}, "@g is taken"),
        ({"@f": "@x", "@g": "@x"}, "two symbols"),
        ({"@nothing": "@x"}, "there is no @nothing"),
    ],
)
def test_names_that_would_be_two_symbols_are_refused(names: dict[str, str], reason: str) -> None:
    module = module_of("define void @f() {\n ret void\n}\ndefine void @g() {\n ret void\n}")
    with pytest.raises(ValueError, match=reason):
        rename_globals_everywhere(module, names)


def test_blocks_change_names_in_their_addresses_and_nobody_elses() -> None:
    module = module_of("""
        @table = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@g, %a)]
        define ptr @f(ptr %x) {
        entry:
          indirectbr ptr %x, [label %a]
        a:
          ret ptr blockaddress(@g, %a)
        }
        define ptr @g(ptr %x) {
        entry:
          indirectbr ptr %x, [label %a]
        a:
          ret ptr blockaddress(@f, %a)
        }""")
    got = rename_locals(module, module.functions["@f"], {"%a": "%x", "%entry": "%first"})
    assert got == {"%a": "%x.1", "%entry": "%first"}
    text = verified_text(module)
    assert "[ptr blockaddress(@f, %x.1), ptr blockaddress(@g, %a)]" in text
    assert text.count("blockaddress(@g, %a)") == 2 and text.count("blockaddress(@f, %x.1)") == 2
    with pytest.raises(ValueError, match="@f has no %gone"):
        rename_locals(module, module.functions["@f"], {"%gone": "%x"})


def test_names_are_the_same_however_they_are_written() -> None:
    module = module_of("define i32 @f(i32 %x, i32 %y) {\n %z = add i32 %x, %y\n ret i32 %z\n}")
    got = rename_locals(module, module.functions["@f"], {"%z": '%"\\78"'})
    assert got == {"%z": "%x.1"}
    assert canonical_name('%"a\\22\\5c"') == '%"a\\22\\5C"'
    verified_text(module)


def test_a_declaration_says_nothing_of_the_body() -> None:
    module = module_of(_PROGRAM)
    functions = module.functions
    assert str(declaration_of(functions["@quiet"].signature)) == "fastcc i32 @quiet(i32) unnamed_addr #1"
    assert str(declaration_of(functions["@shared"].signature)) == "i32 @shared(i32)"


def test_a_function_by_itself_declares_what_it_uses() -> None:
    module = module_of(_PROGRAM)
    promote_internals(module, ".p")
    before = print_module(module)

    alone = extract_functions(module, ["@f"], renamed={"@f": "@f.v2"})

    text = _described(alone)
    assert text.pop("@f.v2") == "i32 @f.v2(i32 %n)"
    assert text.pop("@f") == "i32 @f(i32)"  # whom it calls
    assert text == {
        "@helper": "i32 @helper(i32 noundef) #1",
        "@alias": "i32 @alias(i32 noundef) #1",
        "@printf": "i32 @printf(ptr, ...) #0",
        "@text.p": 'available_externally unnamed_addr constant [3 x i8] c"hi\\00", align 1',
        "@names": "available_externally constant [1 x ptr] [ptr @text.p], align 8",
        "@local": "external thread_local global i32, align 4",
        "@weak": "external constant i32",
        "@away": "external global i32",
        "@other": "external global i32",
    }
    assert alone.types == {} and set(alone.attribute_groups) == {0, 1, 2}
    assert print_module(module) == before
    verified_text(alone)


def test_functions_that_may_be_inlined_bring_their_bodies() -> None:
    module = module_of(_PROGRAM)
    promote_internals(module, ".p")

    alone = extract_functions(module, ["@f"], inlinable=["@helper", "@shared", "@printf"])

    text = _described(alone)
    assert text["@f"] == "i32 @f(i32 %n)"
    assert text["@helper"] == "available_externally i32 @helper(i32 noundef %x) #1"
    assert text["@shared"] == "available_externally i32 @shared(i32 %x) align 32"
    assert text["@quiet.p"] == "fastcc i32 @quiet.p(i32) unnamed_addr #1"
    assert text["@state.p"] == "external global %pair, align 8"
    assert set(alone.types) == {"%pair", "%inner"}
    verified_text(alone)


def test_local_constants_whose_address_does_not_matter_are_copied() -> None:
    module = module_of('@s = private unnamed_addr constant [2 x i8] c"a\\00"\ndefine ptr @f() {\n ret ptr @s\n}')
    assert _described(extract_functions(module, ["@f"]))["@s"].startswith("private unnamed_addr constant")


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (_PROGRAM, "@printf", "@printf is not defined"),
        (_PROGRAM, "@gone", "@gone is not defined"),
        (_PROGRAM, "@helper", "@state is internal: promote it first"),
        (_PROGRAM, "@shared", "@quiet is internal: promote it first"),
        (
            "@t = constant [1 x ptr] [ptr blockaddress(@g, %a)]\ndefine ptr @f() {\n ret ptr @t\n}\n"
            "define void @g() {\n br label %a\na:\n ret void\n}",
            "@f",
            "block addresses of @g: extract them together",
        ),
    ],
)
def test_what_cannot_be_by_itself_is_refused(text: str, name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        extract_functions(module_of(text), [name])


def test_a_new_name_must_not_be_one_that_the_function_may_mention() -> None:
    module = module_of("define void @f() {\n call void @g()\n ret void\n}\ndeclare void @g()")
    with pytest.raises(ValueError, match="@g is taken"):
        extract_functions(module, ["@f"], renamed={"@f": "@g"})


def test_a_table_of_block_addresses_goes_with_its_function() -> None:
    module = module_of("""
        @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
        define ptr @f(i32 %n) {
          %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
          %t = load ptr, ptr %p
          indirectbr ptr %t, [label %a, label %b]
        a:
          ret ptr blockaddress(@f, %b)
        b:
          ret ptr null
        }""")
    alone = extract_functions(module, ["@f"], renamed={"@f": "@g"})
    assert "blockaddress(@g, %a)" in alone.globals["@table"].text and alone.globals["@table"].linkage == "private"
    assert set(alone.functions) == {"@g"}
    assert "blockaddress(@f" not in verified_text(alone)


def test_a_function_that_jumps_to_addresses_is_not_inlined_elsewhere() -> None:
    module = module_of("""
        @table = constant [1 x ptr] [ptr blockaddress(@jumps, %a)]
        define void @jumps() {
          %t = load ptr, ptr @table
          indirectbr ptr %t, [label %a]
        a:
          ret void
        }
        define void @f() {
          call void @jumps()
          ret void
        }""")
    alone = extract_functions(module, ["@f"], inlinable=["@jumps"])
    assert alone.functions["@jumps"].is_declaration and not alone.globals
    verified_text(alone)


def test_debug_information_goes_as_far_as_the_unit_and_no_further() -> None:
    module = module_of(
        """
        define i32 @f(i32 %n) !dbg !4 {
            #dbg_value(i32 %n, !7, !DIExpression(), !10)
          ret i32 %n, !dbg !12
        }
        define void @g() !dbg !99 {
          ret void
        }
        !99 = distinct !DISubprogram(name: "g", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
        """
        + DEBUG_INFO
    )
    alone = extract_functions(module, ["@f"])
    text = verified_text(alone)
    assert 'name: "f"' in text and 'name: "inlined"' in text and 'name: "g"' not in text
    assert "globals:" not in text and text.count("DICompileUnit") == 1 and '"Debug Info Version"' in text


def test_metadata_that_names_what_nobody_needs_names_poison() -> None:
    module = module_of("""
        @secret = internal global i32 0
        define void @f(ptr %p) {
          call void %p(), !callees !0
          ret void
        }
        !0 = !{ptr @secret}""")
    assert "!{ptr poison}" in extract_functions(module, ["@f"]).metadata.values()
