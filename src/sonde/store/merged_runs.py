"""What several runs have in common, said as one: command, machine, words."""

from collections.abc import Iterable, Sequence

from sonde.store.program_identity import AND_SO_ON, split_command

_SEVERAL = "several machines"


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
