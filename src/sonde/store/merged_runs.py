"""What several runs have in common, said as one: command, machine, words, losses, source texts.

Guarantee: all of it is associative and commutative.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from sonde.evidence import Loss
from sonde.store.program_identity import AND_SO_ON, split_command

_SEVERAL = "several machines"


class Part(Protocol):
    """What is merged, of whatever kind."""

    @property
    def losses(self) -> Sequence[Loss]: ...

    @property
    def sources(self) -> Mapping[str, str]: ...


def merged_command(commands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The program, and the arguments that all have first; what differs is left to an ellipsis."""
    split = [split_command(command) for command in commands]
    heads, arguments = ([part[side] for part in split] for side in (0, 1))
    programs = {head[-1:] for head in heads}
    if len(programs) > 1:
        return (AND_SO_ON,)
    common = 0
    shortest, longest = min(arguments, key=len), max(arguments, key=len)
    while common < len(shortest) and len({words[common] for words in arguments}) == 1:
        common += 1
    return min(heads) + shortest[:common] + ((AND_SO_ON,) if common < len(longest) else ())


def merged_machine(machines: Iterable[str]) -> str:
    """The machine that all ran on, or that there were several."""
    names = set(machines)
    return names.pop() if len(names) == 1 else _SEVERAL


def each_once(texts: Iterable[str], separator: str = ", ") -> str:
    """The parts of all texts, each of them once, in alphabetical order."""
    return separator.join(sorted({part for text in texts for part in text.split(separator) if part}))


def merged_losses(parts: Sequence[Part]) -> tuple[Loss, ...]:
    """Amounts of equal losses added up; a file whose text differs is one loss, however many merges met it."""
    amounts: dict[tuple[str, str], int] = {}
    for part in parts:
        for loss in part.losses:
            amounts[loss.kind, loss.detail] = amounts.get((loss.kind, loss.detail), 0) + loss.amount
    losses = {
        Loss(kind, 1 if kind == "sources-differ" else amount, detail) for (kind, detail), amount in amounts.items()
    }
    first: dict[str, str] = {}
    for part in parts:
        for file, text in part.sources.items():
            if first.setdefault(file, text) != text:
                detail = f"{file} changed between the runs: counts of its lines may be of different texts"
                losses.add(Loss("sources-differ", 1, detail))
    return tuple(sorted(losses, key=lambda loss: (loss.kind, loss.detail)))


def merged_sources(parts: Iterable[Part]) -> dict[str, str]:
    """The text of every file; of texts that differ the longest one, so that lines of the others are there, too."""
    sources: dict[str, str] = {}
    for part in parts:
        for file, text in part.sources.items():
            sources[file] = max(sources.get(file, text), text, key=lambda each: (len(each), each))
    return sources
