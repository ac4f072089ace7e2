"""Functions: a signature and blocks, or a signature only."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sonde.ir.block import Block
from sonde.ir.instruction import Instruction
from sonde.ir.names import fresh_name
from sonde.ir.signature import Parameter, Signature


@dataclass(slots=True, eq=False)
class Function:
    """A function of a module. Without blocks it is a declaration."""

    signature: Signature
    blocks: list[Block] = field(default_factory=list)
    attachments: str = ""
    """Metadata of a declaration, which LLVM writes before the signature: `!dbg !5`."""

    @property
    def name(self) -> str:
        """With sigil."""
        return self.signature.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.signature.parameters

    @property
    def is_declaration(self) -> bool:
        return not self.blocks

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def instructions(self) -> Iterator[Instruction]:
        """All of them, block by block."""
        for block in self.blocks:
            yield from block.instructions

    def block(self, name: str) -> Block:
        """The block of that name.

        Raises:
            KeyError: there is none.
        """
        for block in self.blocks:
            if block.name == name:
                return block
        raise KeyError(name)

    def blocks_by_name(self) -> dict[str, Block]:
        return {block.name: block for block in self.blocks}

    def definitions(self) -> dict[str, Instruction]:
        """Value -> the instruction that makes it; parameters are not among them."""
        return {each.result: each for each in self.instructions() if each.result is not None}

    def local_names(self) -> set[str]:
        """Every name that is taken by a parameter, a block or a value."""
        names = {parameter.name for parameter in self.parameters}
        for block in self.blocks:
            names.add(block.name)
            names.update(each.result for each in block.instructions if each.result is not None)
        return names

    def fresh_name(self, wanted: str) -> str:
        """A name like `wanted` (with sigil) that nothing here has; see `sonde.ir.edits.suffixed` too.

        Cost: a walk over the function.
        """
        return fresh_name(wanted, self.local_names())
