"""Marking: every instruction gets a line of its own, every value a variable of its own.

LLVM's passes keep debug information up to date, whatever it is about. So a module is told, before passes run over it,
that each of its instructions comes from another line, and that each of its values is a variable of the source. What
LLVM says of these lines and variables afterwards is what became of instructions and values.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from sonde.ir.analyses import ControlFlow
from sonde.ir.block import Block
from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.debug_removal import without_debug_information
from sonde.ir.bookkeeping.marks import BEFORE_ALL, MarkedFunction, Marks, Numbered
from sonde.ir.debug_location import SourceFrames
from sonde.ir.function import Function
from sonde.ir.instruction import DebugRecord, Instruction
from sonde.ir.metadata import references
from sonde.ir.module import Module
from sonde.ir.names import split_at_locals
from sonde.ir.numbering import number_all_anew
from sonde.ir.operands import result_type

HEADER = "header"
"""Name of the variables that stand for the beginnings of loops. Values have names with sigil."""
_UNRECORDABLE = ("token", "x86_amx", "metadata", "label")
_FLAGS = "!llvm.module.flags"


def mark(module: Module, functions: Collection[str] | None = None) -> Marks:
    """Number the instructions and values of a module, in a copy whose debug information says these numbers.

    Where a loop begins, there is a variable too, unless a phi stands there: so that values of one turn are never
    taken for those of the next (see `docs/notes/following-values.md`).

    Args:
        module: not changed, except that numbers of unnamed values are made to follow upon one another.
        functions: names with sigil; None: all that are defined.
    Guarantee: the copy does what the module does; its code differs in nothing. What passes make
        of it differs from what they make of the module in names of values at most.
    Cost: some 15 us an instruction.
    Source: debugify, in LLVM's `llvm/docs/HowToUpdateDebugInfo.rst`.
    Differs: variables have types without signedness, so that LLVM invents no sign bits; parameters, results of
        invokes and beginnings of loops are marked too.
    """
    number_all_anew(module)
    original = Module(metadata=module.metadata.copy())
    copy = without_debug_information(module)
    writer = _Writer(copy)
    marked = {}
    for name, function in module.functions.items():
        if function.blocks and (functions is None or name in functions):
            marked[name] = writer.mark(copy.functions[name], function)
    return Marks(copy, marked, SourceFrames(original))


class _Writer:
    """Writes debug information into a module that has none."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._metadata = module.metadata
        self._next = max(module.metadata, default=-1) + 1
        self._file = self._add('!DIFile(filename: "marked", directory: "")')
        self._unit = self._add(
            f"distinct !DICompileUnit(language: DW_LANG_C, file: !{self._file}, isOptimized: true,"
            " runtimeVersion: 0, emissionKind: FullDebug)"
        )
        self._no_types = self._add("!{null}")
        self._signature = self._add(f"!DISubroutineType(types: !{self._no_types})")
        self._types: dict[str, int] = {}
        self._locations: dict[tuple[int, int], int] = {}
        module.named_metadata["!llvm.dbg.cu"] = f"!{{!{self._unit}}}"
        self._state_version()

    def mark(self, function: Function, original: Function) -> MarkedFunction:
        """Mark a function; `original` is the same with its own debug information."""
        scope = self._add(
            f'distinct !DISubprogram(name: "{_escaped(function.name)}", scope: !{self._file}, file: !{self._file},'
            f" line: 1, type: !{self._signature}, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !{self._unit})"
        )
        signature = function.signature
        function.signature = replace(signature, suffix=f"{signature.suffix} !dbg !{scope}".lstrip())
        flow = ControlFlow.of(function)
        headers = {edge.target for edge in flow.retreating_edges()}
        places: list[Numbered] = []
        at_begin: list[DebugRecord] = []
        for each in function.parameters:
            at_begin += self._record(scope, len(places) + 1, each.name, each.type)
            is_recorded = each.type not in _UNRECORDABLE
            places.append(Numbered(each.name, each.type, function.entry.name, BEFORE_ALL, is_recorded, None))
        arriving: dict[str, list[DebugRecord]] = {function.entry.name: at_begin}
        for block, before in zip(function.blocks, original.blocks, strict=True):
            if block.name in headers and not block.phis():
                number = len(places) + 1
                header = self._written("i1 true", self._variable(scope, number, HEADER, "i1"), scope, number)
                arriving.setdefault(block.name, []).insert(0, header)
            self._mark_block(block, before, scope, flow, places, arriving)
        for block in function.blocks:
            if block.name in arriving and (first := _first_place(block)) is not None:
                _put_before(block.instructions[first], arriving[block.name])
        first = len(function.parameters) + 1
        return MarkedFunction(function.name, tuple(places), flow, dict(enumerate(function.instructions(), first)))

    def _mark_block(
        self,
        block: Block,
        before: Block,
        scope: int,
        flow: ControlFlow,
        places: list[Numbered],
        arriving: dict[str, list[DebugRecord]],
    ) -> None:
        """Mark a block's instructions; what must stand at the beginning of some block goes to `arriving`."""
        begin = _first_place(block)
        for index, (instruction, source) in enumerate(zip(block.instructions, before.instructions, strict=True)):
            number = len(places) + 1
            where = (block.name, index)
            target: str | None = None
            type_ = result_type(instruction, self._module.types) if instruction.result else None
            if type_ is not None and type_ not in _UNRECORDABLE:
                if not instruction.is_terminator:
                    if begin is not None:
                        target = block.name
                elif instruction.opcode == "invoke" and len(flow.predecessors(instruction.successors()[0])) == 1:
                    target = instruction.successors()[0]
                    where = (target, BEFORE_ALL)
            if target is not None and type_ is not None and instruction.result is not None:
                records = self._record(scope, number, instruction.result, type_)
                if target == block.name and begin is not None and index >= begin:
                    _put_before(block.instructions[index + 1], records)
                else:
                    arriving.setdefault(target, []).extend(records)
            places.append(Numbered(instruction.result, type_, *where, target is not None, source.location))
            instruction.location = self._location(scope, number)

    def _record(self, scope: int, number: int, name: str, type_: str) -> list[DebugRecord]:
        if type_ in _UNRECORDABLE:
            return []
        return [self._written(f"{type_} {name}", self._variable(scope, number, name, type_), scope, number)]

    def _written(self, value: str, variable: int, scope: int, number: int) -> DebugRecord:
        location = self._location(scope, number)
        return DebugRecord(split_at_locals(f"#dbg_value({value}, !{variable}, !DIExpression(), !{location})"))

    def _variable(self, scope: int, number: int, name: str, type_: str) -> int:
        return self._add(
            f'!DILocalVariable(name: "{_escaped(name)}", scope: !{scope}, file: !{self._file}, line: {number},'
            f" type: !{self._type(type_)})"
        )

    def _location(self, scope: int, number: int) -> int:
        if (scope, number) not in self._locations:
            node = self._add(f"!DILocation(line: {number}, column: 1, scope: !{scope})")
            self._locations[scope, number] = node
        return self._locations[scope, number]

    def _type(self, type_: str) -> int:
        """A type of the same size that is neither signed nor unsigned."""
        if type_ not in self._types:
            size = bit_width(type_) or 0
            name = _escaped(type_)
            self._types[type_] = self._add(f'!DIBasicType(name: "{name}", size: {size}, encoding: DW_ATE_address)')
        return self._types[type_]

    def _state_version(self) -> None:
        """Without this flag LLVM takes debug information for that of an old version, and drops it."""
        flags = self._module.named_metadata.get(_FLAGS, "!{}")
        if any('!"Debug Info Version"' in self._metadata[number] for number in references(flags)):
            return
        version = self._add('!{i32 2, !"Debug Info Version", i32 3}')
        self._module.named_metadata[_FLAGS] = f"{flags[:-1]}{'' if flags == '!{}' else ', '}!{version}}}"

    def _add(self, text: str) -> int:
        number = self._next
        self._next += 1
        self._metadata[number] = text
        return number


def _first_place(block: Block) -> int | None:
    """Index of the first instruction before which records may stand; None in a block where none may."""
    first = block.first_insertion_point()
    return None if block.instructions[first].opcode == "catchswitch" else first


def _put_before(instruction: Instruction, records: Iterable[DebugRecord]) -> None:
    instruction.records = (*instruction.records, *records)


def _escaped(text: str) -> str:
    return re.sub(r'["\\]', lambda match: f"\\{ord(match.group(0)):02X}", text)
