"""Reading a module from the text that LLVM prints.

It is LLVM's own printer whose text is read here, line by line; text that people write goes through LLVM first
(`sonde.llvm`), which also says what is wrong with it. Only what does not look like printed IR at all is refused.
"""

import re
from collections.abc import Iterator

from sonde.base.collections_off import without_collections
from sonde.base.errors import InputError
from sonde.ir.block import Block
from sonde.ir.function import Function
from sonde.ir.global_value import GlobalValue
from sonde.ir.instruction import DebugRecord, Instruction, opcode_of
from sonde.ir.module import Module
from sonde.ir.named_types import keep_types
from sonde.ir.names import is_number, split_at_locals
from sonde.ir.signature import parse_signature

_METADATA = re.compile(r"!([0-9]+) = ")
_ATTRIBUTES = re.compile(r"attributes #([0-9]+) = ")


def parse_module(text: str) -> Module:
    """Read a module.

    Raises:
        InputError: `not-printed-ir`, a line that LLVM does not print; with its number.
    Cost: some 5 us a line.
    """
    module = Module()
    with without_collections():
        _read_lines(module, text.split("\n"))
    return module


def _read_lines(module: Module, texts: list[str]) -> None:
    lines = enumerate(texts, start=1)
    for number, line in lines:
        if not line or line[0] == ";":
            continue
        try:
            _read_line(module, line, lines)
        except (ValueError, IndexError, StopIteration) as error:
            raise InputError(
                f"cannot read line {number} of the module, '{line[:100]}': it is not as LLVM prints it ({error})",
                slug="not-printed-ir",
                hint="read it with sonde.llvm first, and parse what that prints",
            ) from error


def _read_line(module: Module, line: str, lines: Iterator[tuple[int, str]]) -> None:
    start = line[0]
    if start == "!":
        if match := _METADATA.match(line):
            module.metadata[int(match.group(1))] = line[match.end() :]
        else:
            name, _, body = line.partition(" = ")
            module.named_metadata[name] = body
    elif start == "@":
        name, body = _split_definition(line)
        module.globals[name] = GlobalValue(name, body)
    elif start == "%":
        name, body = _split_definition(line)
        module.types[name] = body.removeprefix("type ")
    elif line.startswith("define "):
        function = Function(parse_signature(line[len("define ") :].removesuffix(" {")))
        _read_blocks(function, lines, module.types)
        module.functions[function.name] = function
    elif line.startswith("declare "):
        attachments, signature = _split_attachments(line[len("declare ") :])
        declaration = Function(parse_signature(signature), attachments=attachments)
        module.functions[declaration.name] = declaration
    elif match := _ATTRIBUTES.match(line):
        module.attribute_groups[int(match.group(1))] = line[match.end() :]
    elif start in "^$" or line.startswith(("source_filename", "target ", "module asm ")):
        module.header.append(line)
    else:
        raise ValueError("no such line at the top of a module")


def _split_definition(line: str) -> tuple[str, str]:
    at = line.index('" = ', 2) + 1 if line[1] == '"' else line.index(" = ")
    return line[:at], line[at + 3 :]


def _split_attachments(text: str) -> tuple[str, str]:
    match = re.match(r"(?:![-\w.$]+ ![0-9]+ )+", text)
    return (match.group(0).rstrip(), text[match.end() :]) if match else ("", text)


def _read_blocks(function: Function, lines: Iterator[tuple[int, str]], types: dict[str, str]) -> None:
    unnamed = sum(1 for each in function.parameters if each.name and is_number(each.name))
    block = Block(f"%{unnamed}")  # the entry block, if no label comes first
    function.blocks.append(block)
    instructions = block.instructions
    records: list[DebugRecord] = []
    continued: list[str] = []  # further lines of the instruction read last
    for _, line in lines:
        if line.startswith(("    ", "  ]")):
            if line.startswith("    #dbg_"):
                records.append(DebugRecord(split_at_locals(line[4:])))
            else:
                continued.append(line)
            continue
        if continued:
            last = instructions[-1]
            last.pieces = split_at_locals("\n".join([last.text, *continued]))
            continued = []
        if line.startswith("  "):
            if line[2] == "%":
                at = line.index('" = ', 4) + 1 if line[3] == '"' else line.index(" = ")
                result, body = line[2:at], line[at + 3 :]
            else:
                result, body = None, line[2:]
            if records:
                instructions.append(Instruction(result, opcode_of(body), split_at_locals(body), tuple(records)))
                records = []
            else:
                instructions.append(Instruction(result, opcode_of(body), split_at_locals(body)))
        elif line == "}":
            break
        elif line and line[0] != ";":
            end = line.index('":', 1) + 1 if line[0] == '"' else line.index(":")
            if instructions:
                block = Block("")
                function.blocks.append(block)
                instructions = block.instructions
            block.name = f"%{line[:end]}"
    else:
        raise ValueError("the function does not end")
    if types:
        keep_types(function, types)
