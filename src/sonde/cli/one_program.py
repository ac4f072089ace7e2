"""Whether profiles that are told of together are of one program."""

from collections.abc import Sequence
from pathlib import Path

from sonde.evidence import Doubt
from sonde.store.program_identity import program_name
from sonde.store.reading import recorded_command


def doubts_about_program(paths: Sequence[Path], names: Sequence[str]) -> tuple[Doubt, ...]:
    """That profiles are of different programs, as far as the commands in their files tell; empty where they are of one.

    Args:
        names: what to call the profiles.
    Cost: O(1) for each.
    """
    programs = {name: program for path, name in zip(paths, names, strict=True) if (program := _program_of(path))}
    first, *others = programs.items() or [("", "")]
    other = next(((name, program) for name, program in others if program != first[1]), None)
    if other is None:
        return ()
    told = " and ".join(f"{program} ('{name}')" for name, program in (first, other))
    return (Doubt("different-programs", f"of different programs: {told}"),)


def _program_of(path: Path) -> str:
    return program_name(recorded_command(path)) if path.is_file() else ""
