"""Rewritten code keeps to the stack that it asks for."""

import argparse
import asyncio.tasks
import contextlib
import dis
import sys
from types import CodeType, ModuleType

import pytest

from python_code import code_of
from sonde.instruments.paths.sources.bytecode.instructions import instructions_of, protected_ranges
from sonde.instruments.paths.sources.bytecode.numbered_code import NumberedCode
from sonde.instruments.paths.sources.bytecode.rewriting import rewrite

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="functions are rewritten up to CPython 3.13")


NEVER_GOES_ON = (
    *("RETURN_VALUE", "RETURN_CONST", "RERAISE", "RAISE_VARARGS"),
    *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
)


class NoProbes:
    """Constants that are never used."""

    def routine(self, number: int, start: int) -> object:
        return ("routine", number, start)

    def add(self, value: int) -> object:
        return ("add", value)

    def emit(self, value: int, start: int) -> object:
        return ("emit", value, start)

    def end(self, value: int) -> object:
        return ("end", value)

    def whole(self, number: int, value: int) -> object:
        return ("whole", number, value)

    def lose(self, start: int) -> object:
        return ("lose", start)


async def nothing() -> None:
    """It needs the least stack that there is."""


def deepest(code: CodeType) -> int:
    """The depth of the stack that instructions, jumps and exceptions can come to."""
    instructions = {each.start: each for each in instructions_of(code)}
    handlers = protected_ranges(code)
    depths = {0: 0}
    waiting, most = [0], 0
    while waiting:
        start = waiting.pop()
        each, depth = instructions[start], depths[start]
        argument = each.argument if each.opcode >= dis.HAVE_ARGUMENT else None
        # What is sent to a generator at its beginning is not in the tables.
        begins = each.name == "RETURN_GENERATOR" and not dis.stack_effect(each.opcode, argument)
        after = {each.end: depth + begins + dis.stack_effect(each.opcode, argument, jump=False)}
        if each.target is not None:
            after[each.target] = depth + dis.stack_effect(each.opcode, argument, jump=True)
        for entry in handlers:
            if entry.start <= each.offset < entry.end:
                after[entry.handler] = entry.depth + entry.keeps_place + 1
        if each.name in NEVER_GOES_ON:
            after.pop(each.end, None)
        for place, there in after.items():
            most = max(most, there)
            if place not in depths:
                depths[place] = there
                waiting.append(place)
    return most


@pytest.mark.parametrize("module", [argparse, asyncio.tasks, contextlib, sys.modules[__name__]])
def test_no_way_through_it_needs_more_stack_than_it_has(module: ModuleType) -> None:
    functions = [code for code in code_of(module) if code.co_flags & 3 == 3]
    assert functions
    for code in functions:
        assert deepest(code) <= code.co_stacksize

        new = rewrite(code, NumberedCode.of(code), 1, NoProbes(), code.co_consts).code

        assert deepest(new) <= new.co_stacksize, code.co_qualname
