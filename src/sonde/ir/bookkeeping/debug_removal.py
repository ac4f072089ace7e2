"""Taking debug information out of a module, so that other debug information can be put in."""

import re
from dataclasses import replace

from sonde.ir.block import Block
from sonde.ir.function import Function
from sonde.ir.global_value import GlobalValue
from sonde.ir.instruction import Instruction
from sonde.ir.metadata import kind_of, reachable, references
from sonde.ir.module import Module

_ATTACHED = re.compile(r",? ?!(?:dbg|DIAssignID) ![0-9]+")
_COMPILE_UNITS = "!llvm.dbg.cu"


def without_debug_information(module: Module) -> Module:
    """A copy that says nothing of the source. Nothing is shared with the original that can be changed.

    Locations are taken out of the metadata of loops too, where clang notes where a loop begins and ends.

    Cost: O(size of the module).
    """
    copy = Module(
        header=module.header.copy(),
        types=module.types.copy(),
        globals={name: GlobalValue(name, _ATTACHED.sub("", each.text)) for name, each in module.globals.items()},
        functions={name: _bare_function(each) for name, each in module.functions.items()},
        attribute_groups=module.attribute_groups.copy(),
        named_metadata={name: text for name, text in module.named_metadata.items() if name != _COMPILE_UNITS},
        metadata={number: _bare_node(module, text) for number, text in module.metadata.items()},
    )
    kept = reachable(copy.metadata, _roots(copy))
    copy.metadata = {number: text for number, text in copy.metadata.items() if number in kept}
    return copy


def _bare_function(function: Function) -> Function:
    signature = function.signature
    if "!dbg" in signature.suffix:
        signature = replace(signature, suffix=_ATTACHED.sub("", signature.suffix).strip())
    return Function(
        signature,
        [Block(block.name, [_bare_instruction(each) for each in block.instructions]) for block in function.blocks],
        _ATTACHED.sub("", function.attachments).strip(),
    )


def _bare_instruction(instruction: Instruction) -> Instruction:
    pieces = instruction.pieces.copy()
    if "!" in pieces[-1]:
        pieces[-1] = _ATTACHED.sub("", pieces[-1])
    return Instruction(instruction.result, instruction.opcode, pieces)


def _bare_node(module: Module, text: str) -> str:
    """Metadata of a loop without its locations; other nodes as they are."""
    if "!{" not in text or "!" not in text[2:]:
        return text
    locations = [number for number in references(text) if kind_of(module.metadata.get(number, "")) == "DILocation"]
    for number in locations:
        text = re.sub(rf", !{number}(?=[,}}])", "", text)
    return text


def _roots(module: Module) -> list[int]:
    texts = [*module.named_metadata.values(), *(each.text for each in module.globals.values())]
    for function in module.functions.values():
        texts += (function.signature.suffix, function.attachments)
        texts += (piece for each in function.instructions() for piece in each.pieces[::2] if "!" in piece)
    return [number for text in texts if "!" in text for number in references(text)]
