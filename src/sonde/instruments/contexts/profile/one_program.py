"""Whether profiles are of one program, as far as their commands and functions tell."""

from sonde.instruments.contexts.profile.context_profile import ContextProfile
from sonde.store.program_identity import program_name


def are_of_one_program(one: ContextProfile, other: ContextProfile) -> bool:
    """Whether two profiles can be of the same program.

    Their commands name the same one, as far as they are known, and some function ran in both, wherever its file
    is and whatever line it is on; a profile without functions goes with all.
    """
    names = program_name(one.run.command), program_name(other.run.command)
    if all(names) and names[0] != names[1]:
        return False
    ours, theirs = (
        {(function.name, function.module) for function in each.functions if function.kind != "builtin"}
        for each in (one, other)
    )
    return not ours or not theirs or not ours.isdisjoint(theirs)
