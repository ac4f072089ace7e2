"""Which routines of a profile are told of."""

from sonde.base.errors import UsageError
from sonde.base.near_names import did_you_mean
from sonde.code import is_called, near_code_names
from sonde.instruments.paths.profile import PathProfile, PathRoutine


def selected_routines(profile: PathProfile, name: str) -> list[PathRoutine]:
    """The routines of a name, or all; those with the most paths first.

    Raises:
        UsageError: `no-such-function`: there are routines, but none is called so.
    """
    found = [each for each in profile.routines if not name or is_called(each.function, name)]
    if profile.routines and not found:
        functions = [each.function for each in profile.routines]
        raise UsageError(
            f"cannot show '{name}': no function of that name took a path",
            slug="no-such-function",
            hint=did_you_mean(near_code_names(functions, [name]), "leave out --function to see all of them"),
        )
    return sorted(found, key=lambda routine: -routine.taken)
