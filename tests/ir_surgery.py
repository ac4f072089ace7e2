"""Heavy editing of whole programs, which must still do what they did: all functions cloned, cut, mended at random."""

import random
from collections import Counter
from dataclasses import dataclass, field

from sonde.ir import Function, Module
from sonde.ir.edits import (
    address_taken_blocks,
    clone_function,
    demote_to_stack,
    merge_into_predecessor,
    rename_globals_everywhere,
    split_block,
    split_edge,
    why_not_split,
    why_not_split_edge,
)
from sonde.ir.names import rename_globals

_ADDRESS = "blockaddress("


@dataclass
class Surgery:
    """What was done to a program, and what was refused, by reason."""

    functions: int = 0
    clones: int = 0
    splits: int = 0
    edges: int = 0
    merges: int = 0
    demoted: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        refused = "; ".join(f"{count} {reason}" for reason, count in self.refused.most_common())
        return (
            f"{self.functions} functions: {self.clones} clones, {self.splits} blocks and {self.edges} edges split, "
            f"{self.merges} merged, {self.demoted} values demoted; refused: {refused or 'nothing'}"
        )


def run_on_clones(module: Module, surgery: Surgery) -> None:
    """Clone every function, and let all that mentions one mention its clone, so that the clones run.

    What the program calls from outside (`main`) is the clone too: it changes names with its original.
    """
    clones = {}
    for function in list(module.defined_functions()):
        surgery.functions += 1
        clone = f'{function.name[:-1]}.clone"' if function.name.endswith('"') else f"{function.name}.clone"
        try:
            clone_function(module, function, clone, linkage="hidden")
        except ValueError as error:
            surgery.refused[f"clone: {str(error).partition(' and ')[2] or error}"] += 1
            continue
        surgery.clones += 1
        clones[function.name] = clone
    _mention_instead(module, clones)
    if "@main" in clones:
        # Those who called main call its clone already, by a name that nobody defines any more.
        rename_globals_everywhere(module, {"@main": "@main.original", "@main.clone": "@main"})


def _mention_instead(module: Module, new_names: dict[str, str]) -> None:
    for value in module.globals.values():
        if _ADDRESS not in value.text:
            value.text = rename_globals(value.text, new_names)
    for function in module.defined_functions():
        for instruction in function.instructions():
            pieces = instruction.pieces
            for at in range(0, len(pieces), 2):
                if "@" in pieces[at] and _ADDRESS not in pieces[at]:
                    pieces[at] = rename_globals(pieces[at], new_names)


def cut_everywhere(module: Module, rng: random.Random, surgery: Surgery, *, share: float = 0.5) -> None:
    """Split blocks at random places, and edges, of every function: at least one block of each, where one can be."""
    for function in list(module.defined_functions()):
        taken = function.local_names()
        _cut_blocks(function, rng, surgery, share, taken)
        _cut_edges(function, rng, surgery, share, taken)


def _cut_blocks(function: Function, rng: random.Random, surgery: Surgery, share: float, taken: set[str]) -> None:
    blocks = list(function.blocks)
    chosen = [block for block in blocks if rng.random() < share] or [rng.choice(blocks)]
    for block in chosen:
        at = rng.randrange(block.first_after_phis(), len(block.instructions))
        if reason := why_not_split(function, block, at):
            surgery.refused[f"block: {reason}"] += 1
        else:
            split_block(function, block, at, taken=taken)
            surgery.splits += 1


def _cut_edges(function: Function, rng: random.Random, surgery: Surgery, share: float, taken: set[str]) -> None:
    blocks = function.blocks_by_name()
    for source in list(function.blocks):
        for target in dict.fromkeys(source.successors()):
            if target not in blocks:  # made when a landing pad was shared
                blocks = function.blocks_by_name()
            if rng.random() < share:
                occurrence = rng.randrange(source.successors().count(target))
                if reason := why_not_split_edge(source, blocks[target], occurrence):
                    surgery.refused[f"edge: {reason}"] += 1
                else:
                    split_edge(function, source, blocks[target], occurrence, taken=taken)
                    surgery.edges += 1


def mend_some(module: Module, rng: random.Random, surgery: Surgery, *, share: float = 0.3) -> None:
    """Merge some of the blocks that can be merged."""
    addresses = address_taken_blocks(module)
    for function in list(module.defined_functions()):
        here = addresses.get(function.name, set())
        for block in [each for each in function.blocks if rng.random() < share]:
            try:
                merge_into_predecessor(module, function, block, address_taken=here)
                surgery.merges += 1
            except ValueError:
                continue


def demote_some(module: Module, rng: random.Random, surgery: Surgery, *, most: int = 3) -> None:
    """Keep some values of every function in stack slots."""
    for function in list(module.defined_functions()):
        values = [*function.definitions(), *(each.name for each in function.parameters)]
        for value in rng.sample(values, min(most, len(values))):
            try:
                demote_to_stack(module, function, value)
                surgery.demoted += 1
            except ValueError as error:
                surgery.refused[f"demote: {str(error).partition(': ')[2].partition('%')[0]}"] += 1
