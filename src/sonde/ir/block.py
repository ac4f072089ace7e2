"""Blocks: straight runs of instructions."""

from dataclasses import dataclass, field

from sonde.ir.instruction import Instruction


@dataclass(slots=True, eq=False)
class Block:
    """A basic block: phis first, a terminator last."""

    name: str
    """With sigil, as branches write it."""
    instructions: list[Instruction] = field(default_factory=list)

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]

    def successors(self) -> list[str]:
        """Names of the blocks that may follow, in order, with repetitions."""
        return self.instructions[-1].successors()

    def phis(self) -> list[Instruction]:
        return self.instructions[: self.first_after_phis()]

    def first_after_phis(self) -> int:
        """Index of the first instruction that is not a phi."""
        at = 0
        while at < len(self.instructions) and self.instructions[at].opcode == "phi":
            at += 1
        return at

    def first_insertion_point(self) -> int:
        """Index before which any instruction may be put: after phis and what must come first when unwinding.

        A `catchswitch` stands in its block with phis only: there nothing may be inserted, and its index is returned.
        """
        at = self.first_after_phis()
        if at < len(self.instructions) and self.instructions[at].opcode in ("landingpad", "catchpad", "cleanuppad"):
            at += 1
        return at

    @property
    def is_landing_pad(self) -> bool:
        """Whether it begins, after its phis, with what only an unwind edge may lead to."""
        at = self.first_after_phis()
        return at < len(self.instructions) and self.instructions[at].opcode in (
            "landingpad",
            "catchpad",
            "cleanuppad",
            "catchswitch",
        )
