"""Making two blocks of one, or more."""

from collections.abc import Collection

from sonde.ir.block import Block
from sonde.ir.edits.branches import jump_to, move_phi_entries
from sonde.ir.edits.insertion_points import why_nothing_goes_there
from sonde.ir.edits.new_names import new_local
from sonde.ir.function import Function
from sonde.ir.instruction import DebugRecord, Instruction

_FIRST_IN_BLOCK = ("@llvm.experimental.convergence.loop(",)
_IN_ENTRY_ONLY = ("@llvm.experimental.convergence.entry(", "@llvm.localescape(", "@llvm.gcroot(")


def split_block(function: Function, block: Block, at: int, *, taken: set[str] | None = None) -> Block:
    """Cut a block before one of its instructions: the first part goes on to the second, a new block.

    Stack slots of fixed size that stand behind the cut in the function's first block stay there: elsewhere they
    would not be part of the frame. Their records move on.

    Args:
        at: index of the instruction that begins the new block.
        taken: the function's local names, if the caller keeps them for many edits; changed.
    Returns: the new block; `block` keeps its name and its first part.
    Raises:
        ValueError: the block cannot be cut there; with the reason.
    Guarantee: the function does what it did, and verifies if it did.
    Cost: a look at every block, and at every value unless `taken` is given.
    """
    return cut_block(function, block, [at], taken=taken)[0]


def cut_block(
    function: Function, block: Block, places: Collection[int], *, taken: set[str] | None = None
) -> list[Block]:
    """Cut a block before several of its instructions, as `split_block` does from the last to the first.

    Args:
        places: indices of the instructions that begin the new blocks; of one that is there twice, the first new block
            only goes on to the second.
    Returns: the new blocks, in the order of the text.
    Raises: as `split_block`; then nothing was cut.
    Guarantee: as of `split_block`.
    Cost: as one `split_block`.
    """
    for at in places:
        if reason := why_not_split(function, block, at):
            raise ValueError(f"cannot split {block.name} at {at}: {reason}")
    taken = function.local_names() if taken is None else taken
    number = function.blocks.index(block)
    made: list[Block] = []
    for at in sorted(places, reverse=True):
        name = new_local(function, block.name, "split", taken)
        moved = block.instructions[at:]
        del block.instructions[at:]
        if number == 0:
            moved = _keep_slots(block, moved)
        made.append(Block(name, moved))
        block.instructions.append(jump_to(name, moved[0].location))
    if made:
        move_phi_entries(function, made[0], block.name, made[0].name)
    made.reverse()
    function.blocks[number + 1 : number + 1] = made
    return made


def why_not_split(function: Function, block: Block, at: int) -> str | None:
    """Why a block cannot be cut there; None if it can."""
    if at < block.first_after_phis():
        return "phis stand at the beginning of a block"
    if reason := why_nothing_goes_there(block, at):
        return reason
    if _mentions(block.instructions[at], _FIRST_IN_BLOCK):
        return "what controls convergence stands at the beginning of a block"
    if block is function.blocks[0] and any(_mentions(each, _IN_ENTRY_ONLY) for each in block.instructions[at:]):
        return "something behind it must be in the function's first block"
    return None


def _mentions(instruction: Instruction, intrinsics: tuple[str, ...]) -> bool:
    return instruction.opcode == "call" and any(each in instruction.pieces[0] for each in intrinsics)


def _keep_slots(entry: Block, moved: list[Instruction]) -> list[Instruction]:
    rest: list[Instruction] = []
    waiting: tuple[DebugRecord, ...] = ()
    for each in moved:
        if each.opcode == "alloca" and len(each.pieces) == 1 and "inalloca " not in each.pieces[0]:
            waiting += each.records
            each.records = ()
            entry.instructions.append(each)
        else:
            each.records = waiting + each.records
            waiting = ()
            rest.append(each)
    return rest
