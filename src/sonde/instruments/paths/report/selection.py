"""Which routines of a profile are told of."""

from difflib import get_close_matches

from sonde.base.errors import UsageError
from sonde.instruments.paths.profile import PathProfile, PathRoutine


def selected_routines(profile: PathProfile, name: str) -> list[PathRoutine]:
    """The routines of a name, or all; those with the most paths first.

    Raises:
        UsageError: `no-such-function`.
    """
    found = [each for each in profile.routines if not name or each.function.name == name]
    if name and not found:
        near = get_close_matches(name, [each.function.name for each in profile.routines], n=1)
        raise UsageError(
            f"cannot show '{name}': no function of that name took a path",
            slug="no-such-function",
            hint=f"did you mean '{near[0]}'?" if near else "leave out --function to see all of them",
        )
    return sorted(found, key=lambda routine: -routine.taken)
