"""Putting instructions into a function, taking them out, moving and replacing them.

A debug record says what a variable is from the place where it stands. So records stay in their places when an
instruction behind them goes; only those that would name a value before it is there say `poison` from then on.
"""

from sonde.ir.analyses import ControlFlow, dominators
from sonde.ir.block import Block
from sonde.ir.edits.insertion_points import why_nothing_goes_there
from sonde.ir.edits.lifetimes import drop_lifetimes
from sonde.ir.edits.replace_uses import poison_records
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction, replace_names


def insert_instruction(
    function: Function, block: Block, at: int, new: Instruction, *, ahead_of_records: bool = False
) -> None:
    """Put an instruction before the one at `at`.

    Args:
        new: its result must be free in the function, what it uses must be there already; LLVM's verifier tells.
        ahead_of_records: before the debug records too that stand there; otherwise right before the instruction.
    Raises:
        ValueError: nothing of its kind can stand there; with the reason.
    """
    if new.opcode == "phi":
        raise ValueError(f"cannot insert '{new}': see add_phi")
    if new.is_terminator:
        raise ValueError(f"cannot insert '{new}': a block has one end, see replace_instruction")
    if reason := why_nothing_goes_there(block, at):
        raise ValueError(f"cannot insert '{new}' at {at} of {block.name}: {reason}")
    if new.result is not None and new.result in function.local_names():
        raise ValueError(f"cannot insert '{new}': the name is taken")
    following = block.instructions[at]
    if not ahead_of_records:
        new.records = following.records + new.records
        following.records = ()
    block.instructions.insert(at, new)


def erase_instruction(function: Function, block: Block, at: int) -> Instruction:
    """Take out an instruction that nothing uses; debug records that name its value name `poison` instead.

    Returns: the instruction, without records.
    Raises:
        ValueError: its value is used, or it ends the block.
    """
    gone = block.instructions[at]
    if gone.is_terminator:
        raise ValueError(f"cannot erase '{gone}': a block needs an end, see replace_instruction")
    if gone.result is not None:
        for each in function.instructions():
            if gone.result in each.uses():
                raise ValueError(f"cannot erase '{gone}': '{each}' uses it")
        poison_records(function, {gone.result})
    _take_out(block, at)
    return gone


def replace_instruction(function: Function, block: Block, at: int, new: Instruction) -> Instruction:
    """Put an instruction in the place of another, whose result and debug records it takes over.

    Args:
        new: of the same kind as the old one, where that must be first or last in its block. Its result may be None;
            it gets the old one's.
    Returns: the old instruction, without records.
    Raises:
        ValueError: `new` has a result of another name, or one must end the block and the other cannot; or the
            successors of a terminator change, in which phis would not agree.
    """
    old = block.instructions[at]
    if old.is_terminator != new.is_terminator or (old.opcode == "phi") != (new.opcode == "phi"):
        raise ValueError(f"cannot put '{new}' in the place of '{old}'")
    if new.result not in (None, old.result):
        raise ValueError(f"cannot put '{new}' in the place of '{old}': what uses it knows it as {old.result}")
    if old.is_terminator:
        lost, gained = set(old.successors()), set(new.successors())
        if sorted(old.successors()) != sorted(new.successors()):
            for each in function.blocks:
                if each.name in lost | gained and each.phis():
                    raise ValueError(f"cannot put '{new}' in the place of '{old}': {each.name} has phis")
    if old.opcode == "alloca" != new.opcode and old.result is not None:
        drop_lifetimes(function, {old.result})
        at = next(index for index, each in enumerate(block.instructions) if each is old)
    new.result = old.result
    new.records = old.records + new.records
    old.records = ()
    block.instructions[at] = new
    return old


def move_instruction(function: Function, source: Block, at: int, target: Block, to: int) -> None:
    """Move an instruction to before the one that is at `to` of `target`.

    Its uses must still come after it, and what it uses before it; LLVM's verifier tells. Whether the program does the
    same then is for the caller to know.

    Args:
        to: index as it is before the move.
    Raises:
        ValueError: it is a phi or a terminator, or cannot stand there.
    Cost: a walk over the function where debug records may have to be changed.
    """
    moved = source.instructions[at]
    if moved.opcode == "phi" or moved.is_terminator:
        raise ValueError(f"cannot move '{moved}': a {moved.opcode} has its place in the block")
    if reason := why_nothing_goes_there(target, to):
        raise ValueError(f"cannot move '{moved}' to {to} of {target.name}: {reason}")
    if source is target and to in (at, at + 1):
        return
    following = target.instructions[to]
    _take_out(source, at)
    to = target.instructions.index(following)
    target.instructions.insert(to, moved)
    moved.records, following.records = following.records, ()
    if moved.result is not None:
        _forget_where_not_yet(function, moved.result, target, to)


def _take_out(block: Block, at: int) -> None:
    gone = block.instructions.pop(at)
    following = block.instructions[at]
    following.records = gone.records + following.records
    gone.records = ()


def _forget_where_not_yet(function: Function, value: str, block: Block, at: int) -> None:
    """Let records that name a value say `poison` where it is not made yet, now that `block` makes it at `at`."""
    tree = None
    for each in function.blocks:
        for place, instruction in enumerate(each.instructions):
            records = [record for record in instruction.records if value in record.pieces[1::2]]
            if not records:
                continue
            if each is block:
                is_made = place > at
            else:
                tree = tree or dominators(ControlFlow.of(function))
                is_made = tree.strictly_dominates(block.name, each.name)
            if not is_made:
                for record in records:
                    replace_names(record.pieces, {value: "poison"})
