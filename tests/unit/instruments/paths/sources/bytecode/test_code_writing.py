"""Code that is taken apart and written again is what it was."""

import argparse
import contextlib
import sys
import textwrap
from types import CodeType, ModuleType

import pytest

from python_code import code_of
from sonde.instruments.paths.sources.bytecode.code_writing import Label, Landing, Op, write_code
from sonde.instruments.paths.sources.bytecode.instructions import Protected, instructions_of, protected_ranges

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="functions are rewritten up to CPython 3.13")


def entry_at(entries: tuple[Protected, ...], offset: int) -> Protected | None:
    return next((entry for entry in entries if entry.start <= offset < entry.end), None)


def written_again(code: CodeType) -> CodeType:
    instructions, entries, positions = instructions_of(code), protected_ranges(code), list(code.co_positions())
    labels = {each.start: Label() for each in instructions}
    items: list[Op | Label] = []
    for each in instructions:
        entry = entry_at(entries, each.offset)
        landing = None if entry is None else Landing(labels[entry.handler], entry.depth, entry.keeps_place)
        argument = each.argument if each.target is None else labels[each.target]
        copy = Op(each.name, argument, positions[each.offset // 2], landing, each.offset, each.start)
        items += [labels[each.start], copy]
    written = write_code(items, code.co_firstlineno)
    assert [origin % 2 for origin in written.origins] == [0] * (len(code.co_code) // 2)
    return code.replace(co_code=written.code, co_exceptiontable=written.exceptions, co_linetable=written.lines)


@pytest.mark.parametrize("module", [argparse, contextlib, textwrap])
def test_it_has_the_same_instructions_places_and_handlers(module: ModuleType) -> None:
    for code in code_of(module):
        again = written_again(code)

        assert again.co_code == code.co_code
        assert list(again.co_positions()) == list(code.co_positions())
        assert list(again.co_lines()) == list(code.co_lines())
        merged = {(at, entry_at(protected_ranges(code), at)) for at in range(0, len(code.co_code), 2)}
        handlers = {(at, entry and entry[2:]) for at, entry in merged}
        assert handlers == {
            (at, entry and entry[2:])
            for at in range(0, len(code.co_code), 2)
            for entry in [entry_at(protected_ranges(again), at)]
        }
