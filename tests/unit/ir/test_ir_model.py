"""Texts of LLVM's printer as the model has them: what each part is, and that nothing else changes."""

import pytest

from sonde.base.errors import InputError
from sonde.ir import (
    Instruction,
    Module,
    SourceFrame,
    SourceFrames,
    call_site,
    incoming_of,
    make_phi,
    operands_of,
    parse_module,
    parse_signature,
    phi_type,
    print_function,
    print_module,
    referenced_types,
    result_type,
    set_incoming,
    split_list,
    value_types,
)
from sonde.ir.names import fresh_name, globals_in, quoted, rename_globals, split_at_locals, unquoted

COUNTING = """
%n = type { i32 }
define i32 @count(i32 %n) {
entry:
  %box = alloca %n, align 4
  br label %loop

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nsw i32 %i, %n
  %done = icmp eq i32 %next, 10
  br i1 %done, label %out, label %loop, !prof !0

out:                                              ; preds = %loop
  %end = load %n, ptr %box, align 4
  ret i32 %next
}
!0 = !{!"branch_weights", i32 1, i32 9}
"""


def test_a_function_has_blocks_of_instructions_that_use_values_and_lead_to_blocks() -> None:
    function = parse_module(COUNTING).functions["@count"]

    assert [block.name for block in function.blocks] == ["%entry", "%loop", "%out"]
    loop = function.block("%loop")
    assert [each.opcode for each in loop.instructions] == ["phi", "add", "icmp", "br"]
    assert [list(each.uses()) for each in loop.instructions] == [["%next"], ["%i", "%n"], ["%next"], ["%done"]]
    assert loop.successors() == ["%out", "%loop"]
    assert loop.first_after_phis() == loop.first_insertion_point() == 1
    assert function.local_names() == {
        "%n", "%entry", "%box", "%loop", "%i", "%next", "%done", "%out", "%end"
    }  # fmt: skip


def test_a_name_of_a_type_and_of_a_value_is_what_its_place_says() -> None:
    module = parse_module(COUNTING)
    function = module.functions["@count"]
    function.definitions()["%next"].replace_uses({"%n": "%m"})

    assert list(function.definitions()["%box"].uses()) == []
    assert list(function.definitions()["%end"].uses()) == ["%box"]
    assert str(function.definitions()["%next"]) == "%next = add nsw i32 %i, %m"
    assert value_types(function, module.types)["%end"] == "%n"


def test_the_entry_block_without_a_label_has_the_number_after_the_parameters() -> None:
    module = parse_module("define i8 @f(i8 %0, i8 %named, i8 %1) {\n  br label %3\n\n3:\n  ret i8 %1\n}\n")

    assert [block.name for block in module.functions["@f"].blocks] == ["%2", "%3"]


def test_numbers_follow_upon_one_another_again_when_printed() -> None:
    module = parse_module(
        "@table = global ptr blockaddress(@f, %2)\n"
        "define i8 @f(i8 %0) {\n  br label %2\n\n2:\n  %3 = add i8 %0, 1\n  ret i8 %3\n}\n"
    )
    first = module.functions["@f"].blocks[0]
    first.instructions.insert(0, Instruction.from_text("mul i8 %0, %0", "%9"))

    text = print_module(module)

    assert "@table = global ptr blockaddress(@f, %3)" in text
    assert "  %2 = mul i8 %0, %0\n  br label %3\n3:\n  %4 = add i8 %0, 1\n  ret i8 %4\n" in text


def test_the_address_of_a_block_is_its_functions_whoever_writes_it() -> None:
    module = parse_module(
        "define void @f(ptr %0) {\n  br label %2\n\n2:\n  ret void\n}\n\n"
        "define ptr @g(ptr %0) {\n  %2 = load ptr, ptr %0, align 8\n"
        "  store ptr blockaddress(@f, %2), ptr %2, align 8\n  ret ptr %2\n}\n"
    )
    f, g = module.functions.values()
    store = g.blocks[0].instructions[1]
    assert list(store.uses()) == ["%2"]

    g.blocks[0].instructions.insert(0, Instruction.from_text("load ptr, ptr %0, align 8", "%9"))
    assert "%3 = load ptr" in print_module(module)
    assert str(store) == "store ptr blockaddress(@f, %2), ptr %3, align 8"

    f.blocks[0].instructions.insert(0, Instruction.from_text("load ptr, ptr %0, align 8", "%9"))
    print_module(module)
    assert str(store) == "store ptr blockaddress(@f, %3), ptr %3, align 8"


def test_numbers_that_are_right_change_nothing() -> None:
    text = print_module(parse_module(COUNTING))

    assert print_module(parse_module(text)) == text


def test_quoted_names_are_names_and_quoted_texts_are_not_looked_into() -> None:
    text = 'call void asm "%no", "@no"(ptr %"a \\22b\\22 c", ptr @"x y", i8 %z)'

    assert split_at_locals(text)[1::2] == ['%"a \\22b\\22 c"', "%z"]
    assert split_at_locals("store ptr blockaddress(@g, %1), ptr %1")[1::2] == ["%1"]
    assert globals_in(text) == ['@"x y"']
    assert rename_globals(text, {'@"x y"': "@q", "@no": "@yes"}) == text.replace('@"x y"', "@q")


@pytest.mark.parametrize("name", ["main", "a b", 'say "hi"', "1st", "naïve", "a\\b", "x.y$-_", "tab\t"])
def test_names_that_need_quotes_get_them_and_lose_them(name: str) -> None:
    assert unquoted(quoted("@", name)) == name


def test_fresh_names_are_numbered_in_order_and_never_taken() -> None:
    given: list[str] = []
    for _ in range(40):
        given.append(fresh_name("%x", given))
    assert given == ["%x", *(f"%x.{number}" for number in range(1, 40))]
    holes = {"%x", "%x.1", "%x.2", "%x.4", "%x.5", "%x.9"}
    assert fresh_name("%x", holes) not in holes


def test_fresh_names_are_not_taken() -> None:
    function = parse_module(COUNTING).functions["@count"]

    assert function.fresh_name("%i") == "%i.1" and function.fresh_name("%free") == "%free"
    assert fresh_name('%"a b"', {'%"a b"', '%"a b.1"'}) == '%"a b.2"'


def test_an_instruction_over_several_lines_is_one() -> None:
    module = parse_module(
        "define void @f(i32 %x) personality ptr @p {\n"
        "  switch i32 %x, label %a [\n    i32 1, label %a\n    i32 2, label %b\n  ], !prof !0\n\n"
        "a:\n  invoke void @g()\n          to label %b unwind label %pad\n\n"
        "b:\n  ret void\n\n"
        "pad:\n  %lp = landingpad { ptr, i32 }\n          cleanup\n          catch ptr null\n"
        "  resume { ptr, i32 } %lp\n}\n"
    )
    function = module.functions["@f"]

    assert [block.successors() for block in function.blocks] == [["%a", "%a", "%b"], ["%b", "%pad"], [], []]
    assert function.block("%pad").is_landing_pad and function.block("%pad").first_insertion_point() == 1
    assert "i32 2, label %b\n  ], !prof !0" in function.blocks[0].terminator.text
    assert "          catch ptr null\n  resume" in print_function(function)


def test_debug_records_belong_to_the_instruction_that_they_stand_before() -> None:
    module = parse_module(
        "define void @f(i32 %x) !dbg !1 {\n"
        "    #dbg_value(i32 %x, !2, !DIExpression(), !3)\n"
        "    #dbg_assign(i32 %x, !2, !DIExpression(), !4, ptr %s, !DIExpression(), !3)\n"
        "  ret void, !dbg !3\n}\n"
    )
    function = module.functions["@f"]
    [end] = function.instructions()

    assert [(record.kind, record.pieces[1::2]) for record in end.records] == [
        ("value", ["%x"]),
        ("assign", ["%x", "%s"]),
    ]
    assert list(end.uses()) == [] and end.location == 3
    end.replace_uses({"%x": "%y"})
    assert "i32 %x, !2" in print_function(function)
    end.replace_uses({"%x": "%y"}, in_records=True)
    assert "i32 %x" not in print_function(function).partition("{")[2]


def test_a_copy_shares_nothing() -> None:
    [first, *_] = parse_module(
        "define void @f(i32 %x) {\n    #dbg_value(i32 %x, !2, !DIExpression(), !3)\n  ret void\n}\n"
    ).functions["@f"].instructions()  # fmt: skip
    copy = first.copy()

    copy.replace_uses({"%x": "%y"}, in_records=True)
    copy.location = 9

    assert first.records[0].pieces[1] == "%x" and first.location is None and copy.location == 9
    copy.location = None
    assert copy.text == first.text


@pytest.mark.parametrize(
    ("phi", "type_", "incoming"),
    [
        ("phi i32 [ 0, %a ], [ %x, %b ]", "i32", [("0", "%a"), ("%x", "%b")]),
        ("phi nnan <2 x float> [ <float 1.0, float 2.0>, %a ]", "<2 x float>", [("<float 1.0, float 2.0>", "%a")]),
        ("phi { i8, i8 } [ { i8 1, i8 2 }, %a ], [ poison, %b ]", "{ i8, i8 }",
         [("{ i8 1, i8 2 }", "%a"), ("poison", "%b")]),
        ('phi ptr [ getelementptr (i8, ptr @"a, ]", i64 1), %"x ]" ]', "ptr",
         [('getelementptr (i8, ptr @"a, ]", i64 1)', '%"x ]"')]),
    ],
)  # fmt: skip
def test_phis_say_what_comes_from_where(phi: str, type_: str, incoming: list[tuple[str, str]]) -> None:
    instruction = Instruction.from_text(f"{phi}, !dbg !7", "%p")

    assert phi_type(instruction) == type_ and incoming_of(instruction) == incoming
    set_incoming(instruction, [*incoming, ("%new", "%from")])
    assert incoming_of(instruction) == [*incoming, ("%new", "%from")]
    assert instruction.location == 7 and "%new" in list(instruction.uses()) and "%from" not in list(instruction.uses())
    assert incoming_of(make_phi("%q", type_, incoming)) == incoming


@pytest.mark.parametrize(
    ("call", "callee", "returned", "arguments"),
    [
        ("call void @f()", "@f", "void", []),
        ("tail call fastcc noundef ptr @f(ptr noundef align 8 %p, i32 7) #2, !dbg !4", "@f", "ptr", ["%p", "7"]),
        ("call i32 (ptr, ...) @printf(ptr @x, double 1.0)", "@printf", "i32", ["@x", "1.0"]),
        ('call { i32, i32 } asm sideeffect "a, \\22b(", "=r,~{x}"(i32 %x)',
         'asm sideeffect "a, \\22b(", "=r,~{x}"', "{ i32, i32 }", ["%x"]),
        ("call i8 inttoptr (i64 16 to ptr)(i8 1)", "inttoptr (i64 16 to ptr)", "i8", ["1"]),
        ('call %T %"a(b"(ptr byval(%T) align 8 %x, ptr getelementptr inbounds (i8, ptr @g, i64 4))',
         '%"a(b"', "%T", ["%x", "getelementptr inbounds (i8, ptr @g, i64 4)"]),
        ('invoke i32 @f(i32 range(i32 0, 9) %x) [ "deopt"(i32 3) ]\n          to label %a unwind label %b',
         "@f", "i32", ["%x"]),
        ("call addrspace(2) ptr addrspace(1) %f(ptr addrspace(3) null, metadata !3)",
         "%f", "ptr addrspace(1)", ["null", "!3"]),
    ],
)  # fmt: skip
def test_calls_say_whom_they_call_with_what(call: str, callee: str, returned: str, arguments: list[str]) -> None:
    instruction = Instruction.from_text(call)
    site = call_site(instruction)

    assert (site.callee, site.return_type, [each.value for each in site.arguments]) == (callee, returned, arguments)
    assert instruction.text[slice(*site.callee_span)] == callee
    assert (site.is_direct, site.is_assembler) == (callee.startswith("@"), callee.startswith("asm"))


def test_what_calls_nothing_is_no_call_site() -> None:
    with pytest.raises(ValueError, match="calls nothing"):
        call_site(Instruction.from_text("ret void"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("store atomic volatile i32 %x, ptr %p syncscope(\"a, b\") seq_cst, align 4", ["%x", "%p"]),
        ("load atomic i32, ptr %p acquire, align 4", ["%p"]),
        ("cmpxchg weak ptr %p, i32 %a, i32 0 acq_rel monotonic, align 4", ["%p", "%a", "0"]),
        ("insertvalue { i32, [2 x i8] } %s, i32 7, 0", ["%s", "7"]),
        ("extractvalue { i32, [2 x i8] } %s, 1, 0", ["%s"]),
        ("select i1 %c, i64 ptrtoint (ptr @g to i64), i64 4", ["%c", "ptrtoint (ptr @g to i64)", "4"]),
        ("inttoptr i64 ptrtoint (ptr @g to i64) to ptr", ["ptrtoint (ptr @g to i64)"]),
        ("switch i32 %x, label %a [\n    i32 1, label %b\n  ]", ["%x", "%a", "%b"]),
        ("indirectbr ptr %p, [label %a, label %b]", ["%p", "%a", "%b"]),
        ("landingpad { ptr, i32 }\n          catch ptr @t\n          filter [1 x ptr] [ptr @u], !dbg !3",
         ["@t", "[ptr @u]"]),
        ("catchpad within %cs [ptr @t, i32 64, ptr %slot]", ["@t", "64", "%slot", "%cs"]),
        ("cleanupret from %pad unwind label %b", ["%pad", "%b"]),
        ("catchswitch within none [label %a, label %b] unwind to caller", ["none", "%a", "%b"]),
        ("getelementptr inbounds nuw %T, ptr %p, i64 0, i32 2, !dbg !9", ["%p", "0", "2"]),
        ("alloca [4 x i8], i64 %n, align 16, addrspace(5)", ["%n"]),
        ("fence syncscope(\"x\") seq_cst", []),
        ("br i1 %c, label %a, label %b, !prof !1", ["%c", "%a", "%b"]),
        ("va_arg ptr %list, i32", ["%list"]),
        ("ret { i32, i8 } { i32 1, i8 2 }", ["{ i32 1, i8 2 }"]),
    ],
)  # fmt: skip
def test_operands_are_what_an_instruction_works_on(text: str, values: list[str]) -> None:
    assert [operand.value for operand in operands_of(Instruction.from_text(text, "%r"))] == values


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("icmp slt <vscale x 4 x i32> %a, %b", "<vscale x 4 x i1>"),
        ("cmpxchg ptr %p, ptr null, ptr %q seq_cst seq_cst", "{ ptr, i1 }"),
        ("atomicrmw volatile fadd ptr %p, <2 x half> %v monotonic", "<2 x half>"),
        ("getelementptr %T, ptr addrspace(1) %p, i64 1", "ptr addrspace(1)"),
        ("getelementptr i8, <4 x ptr> %p, i64 1", "<4 x ptr>"),
        ("shufflevector <4 x float> %a, <4 x float> %b, <8 x i32> zeroinitializer", "<8 x float>"),
        ("extractvalue %T %x, 1, 0", "i16"),
        ("bitcast <2 x i32> %x to i64", "i64"),
        ("alloca i8, align 1, addrspace(5)", "ptr addrspace(5)"),
        ("select <4 x i1> %c, <4 x ptr> %a, <4 x ptr> %b", "<4 x ptr>"),
        ("landingpad { ptr, i32 }\n          cleanup", "{ ptr, i32 }"),
        ("catchswitch within none [label %a] unwind to caller", "token"),
        ("call void @f()", None),
        ("store i8 1, ptr %p", None),
    ],
)
def test_the_type_of_a_result_follows_from_the_text(text: str, type_: str | None) -> None:
    assert result_type(Instruction.from_text(text, "%r"), {"%T": "{ i8, [2 x i16] }"}) == type_


@pytest.mark.parametrize(
    "text",
    [
        "i32 @f(i32 noundef %0, ...) #3 !dbg !7",
        'internal fastcc noundef nonnull align 8 ptr @"a b"(ptr byval(%T) align 8 %"p q") section "x,y"',
        "void @f(ptr captures(none), i32 range(i32 0, 9))",
        "{ i32, [2 x ptr] } @f() personality ptr @p prefix i32 7",
        "target(\"spirv.Image\", void, 1) @f(<vscale x 2 x double> %x)",
        "noalias range(i32 0, 7) i32 @f(i32 %0, %T %1)",
    ],
)  # fmt: skip
def test_signatures_are_written_as_they_were_read(text: str) -> None:
    signature = parse_signature(text)

    assert str(signature) == text
    assert str(signature.named("@g")) == text.replace(signature.name, "@g", 1)


def test_globals_say_what_they_are() -> None:
    module = parse_module(
        '@x = internal thread_local(localexec) constant [3 x i8] c"a\\22,", section "o, d", align 1\n'
        "@y = external addrspace(1) global i8\n"
        "@z = weak alias i8, getelementptr (i8, ptr @x, i64 1)\n"
        "@i = ifunc i32 (i32), ptr @resolver\n"
    )
    x, y, z, i = module.globals.values()

    assert (x.kind, x.linkage, x.is_thread_local, x.value_type, x.initializer) == (
        "constant", "internal", True, "[3 x i8]", 'c"a\\22,"'
    )  # fmt: skip
    assert (y.is_declaration, x.is_declaration, z.kind, i.kind) == (True, False, "alias", "ifunc")
    assert (z.initializer, i.initializer) == ("getelementptr (i8, ptr @x, i64 1)", "@resolver")


def test_inline_stacks_are_told_innermost_first() -> None:
    module = Module(
        metadata={
            1: '!DIFile(filename: "a, b.c", directory: "/src")',
            2: '!DIFile(filename: "x.inc", directory: "/src")',
            3: 'distinct !DISubprogram(linkageName: "outer", file: !1)',
            4: 'distinct !DISubprogram(name: "inner", linkageName: "_Z5inner", file: !1)',
            5: "!DILexicalBlockFile(scope: !4, file: !2, discriminator: 0)",
            6: "!DILocation(line: 3, column: 9, scope: !5, inlinedAt: !7)",
            7: "distinct !DILocation(line: 8, scope: !3)",
        }
    )

    assert SourceFrames(module).of(6) == (
        SourceFrame("inner", "x.inc", 3, 9),
        SourceFrame("outer", "a, b.c", 8, 0),
    )


def test_lists_are_cut_where_no_bracket_and_no_quotes_are_open() -> None:
    assert split_list('ptr @"a, (b", { i8, [2 x i8] } { i8 1, [2 x i8] c"\\22," }, i32 1') == [
        'ptr @"a, (b"', '{ i8, [2 x i8] } { i8 1, [2 x i8] c"\\22," }', "i32 1"
    ]  # fmt: skip
    assert referenced_types("[2 x %A]", {"%A": "{ ptr, %B }", "%B": "opaque"}) == {"%A": "{ ptr, %B }", "%B": "opaque"}


def test_new_globals_declarations_and_metadata_get_names_of_their_own() -> None:
    module = parse_module("declare i32 @f()\n!0 = !{}\n!7 = !{}\n")

    assert module.add_metadata("!{!0}") == 8
    assert module.declare("i32 @f()") is module.functions["@f"]
    assert module.declare("void @new(ptr)").signature.type == "void (ptr)"
    with pytest.raises(ValueError, match="@f is taken"):
        module.add_global("@f", "global i8 0")
    assert "!8 = !{!0}" in print_module(module) and "declare void @new(ptr)" in print_module(module)


@pytest.mark.parametrize(
    ("text", "line"),
    [("hello\n", 1), ("!0 = !{}\nint main() {}\n", 2), ("define void @f() {\n  ret void\n", 1), ("define what\n", 1)],
)
def test_what_llvm_does_not_print_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"cannot read line {line} of the module") as caught:
        parse_module(text)

    assert caught.value.slug == "not-printed-ir" and caught.value.hint
