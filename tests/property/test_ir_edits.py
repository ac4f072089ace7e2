"""Edits of IR change how a function is written, never what it does; and LLVM verifies what they leave."""

import re
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from ir_interpreter import behaviour_of
from ir_programs import functions
from sonde.ir import Block, Function, Instruction, Module, parse_module, print_function, print_module
from sonde.ir.analyses import ControlFlow
from sonde.ir.edits import (
    canonical_name,
    clone_function,
    cut_block,
    demote_to_stack,
    erase_instruction,
    erase_unreachable_blocks,
    extract_functions,
    insert_instruction,
    merge_into_predecessor,
    move_instruction,
    promote_internals,
    rename_globals_everywhere,
    rename_locals,
    replace_all_uses,
    split_block,
    split_edge,
    why_not_split,
    why_not_split_edge,
    why_nothing_goes_there,
)
from sonde.llvm import LlvmModule

_SOME = examples(0.6)  # LLVM reads every example, and loads when it reads the first
_ARGUMENTS = st.fixed_dictionaries({"%n": st.integers(0, 12), "%m": st.integers(0, 2**32 - 1), "%c": st.integers(0, 1)})
_NAMES = st.one_of(
    st.sampled_from(("%n", "%m", "%b0", "%b1", "%pad", "%lp", "%s0", '%"v 0"', "%T1", "%v0", '%"7"', "%7")),
    st.text(st.sampled_from("abT0. "), min_size=1, max_size=4).map(lambda text: f'%"{text}"'),
)


def read(text: str) -> tuple[Module, Function]:
    """The module as LLVM prints it, and its function `@f`."""
    module = parse_module(LlvmModule.from_text(text, "random.ll").text())
    return module, module.functions["@f"]


def verify(module: Module) -> None:
    LlvmModule.from_text(print_module(module), "edited.ll")


def normal_form(function: Function) -> list[list[object]]:
    """The function with names by order of definition: equal for functions that differ in names only."""
    names = [each.name for each in function.parameters]
    for block in function.blocks:
        names += [block.name, *(each.result for each in block.instructions if each.result is not None)]
    assert len(set(names)) == len(names)
    number = {name: f"%{at}" for at, name in enumerate(names)}

    def written(pieces: list[str]) -> str:
        return "".join(number.get(piece, piece) if at % 2 else piece for at, piece in enumerate(pieces))

    return [
        [(written(each.pieces), [written(record.pieces) for record in each.records]) for each in block.instructions]
        for block in function.blocks
    ]


def keeps_behaviour(text: str, arguments: dict[str, int], edit: Callable[[Module, Function], None]) -> Function:
    """Do an edit, and check that it changed nothing that can be seen, to LLVM's satisfaction."""
    module, function = read(text)
    before = behaviour_of(function, arguments)
    edit(module, function)
    verify(module)
    assert behaviour_of(function, arguments).agrees_with(before)
    return function


def points(function: Function) -> list[tuple[Block, int]]:
    return [(block, at) for block in function.blocks for at in range(len(block.instructions))]


def edges(function: Function) -> list[tuple[Block, Block, int]]:
    blocks = function.blocks_by_name()
    return [
        (source, blocks[target], occurrence)
        for source in function.blocks
        for target in dict.fromkeys(source.successors())
        for occurrence in range(source.successors().count(target))
    ]


@_SOME
@given(functions(), _ARGUMENTS, st.data())
def test_a_clone_does_what_the_original_does(text: str, arguments: dict[str, int], data: st.DataObject) -> None:
    module, function = read(text)
    clone = clone_function(module, function, "@copy", calls_itself=data.draw(st.booleans())).function
    verify(module)
    assert behaviour_of(clone, arguments) == behaviour_of(function, arguments)
    without_numbers = [[re.sub(r"!\d+", "!", str(each)) for each in normal_form(one)] for one in (function, clone)]
    assert without_numbers[0] == without_numbers[1]
    own = [{int(number) for number in re.findall(r"!dbg !(\d+)", str(one.signature))} for one in (function, clone)]
    assert not own[0] or own[0].isdisjoint(own[1])


@_SOME
@given(functions(), _ARGUMENTS, st.data())
def test_blocks_split_anywhere_do_the_same(text: str, arguments: dict[str, int], data: st.DataObject) -> None:
    def edit(_: Module, function: Function) -> None:
        for _cut in range(3):
            block, at = data.draw(st.sampled_from(points(function)))
            if why_not_split(function, block, at) is None:
                split_block(function, block, at)

    keeps_behaviour(text, arguments, edit)


@examples(0.2)
@given(functions(), st.data())
def test_a_block_cut_at_several_places_is_what_single_cuts_from_the_last_to_the_first_make_of_it(
    text: str, data: st.DataObject
) -> None:
    module, function = read(text)
    _, twin = read(text)
    for block in [*function.blocks]:
        able = [at for at in range(len(block.instructions)) if why_not_split(function, block, at) is None]
        places = data.draw(st.lists(st.sampled_from(able), max_size=4)) if able else []
        rests = cut_block(function, block, places)
        singly = [split_block(twin, twin.block(block.name), at) for at in sorted(places, reverse=True)]
        assert [each.name for each in rests] == [each.name for each in reversed(singly)]
    assert print_function(function) == print_function(twin)
    verify(module)


@_SOME
@given(functions(), _ARGUMENTS, st.data())
def test_edges_split_do_the_same(text: str, arguments: dict[str, int], data: st.DataObject) -> None:
    def edit(_: Module, function: Function) -> None:
        for _cut in range(3):
            if found := edges(function):
                source, target, occurrence = data.draw(st.sampled_from(found))
                assert why_not_split_edge(source, target, occurrence) is None
                new = split_edge(function, source, target, occurrence)
                assert new.successors() == [target.name] and new.name in source.successors()

    keeps_behaviour(text, arguments, edit)


@_SOME
@given(functions(), st.data())
def test_a_block_split_and_merged_is_what_it_was(text: str, data: st.DataObject) -> None:
    module, function = read(text)
    before = normal_form(function)
    block, at = data.draw(st.sampled_from(points(function)))
    if why_not_split(function, block, at) is None:
        new = split_block(function, block, at)
        assert normal_form(function) != before
        assert merge_into_predecessor(module, function, new) is block
    assert normal_form(function) == before
    verify(module)


@_SOME
@given(functions(), _ARGUMENTS, st.data())
def test_merging_does_the_same(text: str, arguments: dict[str, int], data: st.DataObject) -> None:
    def edit(module: Module, function: Function) -> None:
        for block in data.draw(st.permutations(list(function.blocks))):
            try:
                merge_into_predecessor(module, function, block)
            except ValueError:
                continue

    keeps_behaviour(text, arguments, edit)


@_SOME
@given(functions(), _ARGUMENTS, st.data())
def test_values_kept_on_the_stack_do_the_same(text: str, arguments: dict[str, int], data: st.DataObject) -> None:
    def edit(module: Module, function: Function) -> None:
        values = [*(each.name for each in function.parameters), *function.definitions()]
        for value in data.draw(st.lists(st.sampled_from(values), max_size=4, unique=True)):
            demote_to_stack(module, function, value)

    keeps_behaviour(text, arguments, edit)


@_SOME
@given(functions(), _ARGUMENTS)
def test_unreachable_blocks_are_erased_and_nothing_else(text: str, arguments: dict[str, int]) -> None:
    expected = set(ControlFlow.of(read(text)[1]).unreachable())

    def edit(module: Module, function: Function) -> None:
        assert set(erase_unreachable_blocks(module, function)) == expected

    function = keeps_behaviour(text, arguments, edit)
    assert ControlFlow.of(function).unreachable() == []


@_SOME
@given(functions(), st.data())
def test_replacing_leaves_no_use(text: str, data: st.DataObject) -> None:
    module, function = read(text)
    numbers = [name for name in function.definitions() if name not in ("%s0", "%s1", "%s2", "%lp")]
    old = data.draw(st.sampled_from([*numbers, "%n", "%m"]))
    expected = sum(list(each.uses()).count(old) for each in function.instructions())
    assert replace_all_uses(function, old, data.draw(st.sampled_from(("7", "poison")))) == expected
    for each in function.instructions():
        assert old not in each.uses()
        assert not any(old in record.pieces[1::2] for record in each.records)
    verify(module)


@_SOME
@given(functions(), st.data())
def test_renaming_captures_nothing(text: str, data: st.DataObject) -> None:
    module, function = read(text)
    before, names = normal_form(function), sorted(function.local_names())
    wanted = data.draw(st.dictionaries(st.sampled_from(names), _NAMES))
    got = rename_locals(module, function, wanted)
    assert normal_form(function) == before
    taken = set(names) - wanted.keys()
    for old, new in got.items():
        assert new == canonical_name(wanted[old]) or canonical_name(wanted[old]) in {*taken, *got.values()}
    verify(module)


@_SOME
@given(functions(), st.permutations(["@g", "@escape", "@table", "@f", '@"a b"', "@T1"]))
def test_globals_change_names_all_at_once(text: str, new: list[str]) -> None:
    module, function = read(text)
    other, _ = read(text)
    old = [name for name in new if name in ("@g", "@escape", "@table", "@f")]
    names = dict(zip(old, new, strict=False))
    rename_globals_everywhere(module, names)
    verify(module)
    assert module.functions[names["@f"]] is function
    rename_globals_everywhere(module, {new: old for old, new in names.items()})
    for name, value in other.globals.items():
        assert str(module.globals[name]) == str(value)
    assert normal_form(module.functions["@f"]) == normal_form(other.functions["@f"])


@_SOME
@given(functions(), st.data())
def test_what_is_inserted_and_erased_leaves_no_trace(text: str, data: st.DataObject) -> None:
    module, function = read(text)
    before = normal_form(function)
    block, at = data.draw(st.sampled_from(points(function)))
    if why_nothing_goes_there(block, at) is None:
        new = Instruction.from_text("add i32 %n, %m", "%inserted")
        insert_instruction(function, block, at, new, ahead_of_records=data.draw(st.booleans()))
        verify(module)
        assert erase_instruction(function, block, block.instructions.index(new)) is new
    assert normal_form(function) == before


@_SOME
@given(functions(), _ARGUMENTS, st.data())
def test_a_value_that_nothing_uses_can_be_moved_anywhere(
    text: str, arguments: dict[str, int], data: st.DataObject
) -> None:
    def edit(_: Module, function: Function) -> None:
        home = function.entry
        at = home.first_insertion_point()
        moved = Instruction.from_text("add i32 %n, %m", "%moved")
        insert_instruction(function, home, at, moved)
        block, to = data.draw(st.sampled_from(points(function)))
        if why_nothing_goes_there(block, to) is None:
            following = block.instructions[to]
            move_instruction(function, home, at, block, to)
            where = block.instructions.index(moved)
            assert moved is following or block.instructions[where + 1] is following

    keeps_behaviour(text, arguments, edit)


@_SOME
@given(functions(), _ARGUMENTS)
def test_a_function_by_itself_is_the_same_function(text: str, arguments: dict[str, int]) -> None:
    module, function = read(text)
    promote_internals(module, ".p")
    unchanged = print_module(module)
    alone = extract_functions(module, ["@f"], renamed={"@f": "@f.v2"})
    verify(alone)
    extracted = alone.functions["@f.v2"]
    assert normal_form(extracted) == normal_form(function)
    extracted.blocks[0].instructions[-1].records = ()
    alone.metadata.clear()
    extracted.blocks.clear()
    assert print_module(module) == unchanged
