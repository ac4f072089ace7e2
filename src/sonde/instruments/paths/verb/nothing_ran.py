"""A program none of whose functions counted a path."""

from sonde.evidence import Loss


def nothing_ran(functions: tuple[str, ...]) -> Loss:
    """What is told of it.

    Args:
        functions: names of those that were to count; none: all of the program's own.
    """
    if functions:
        return Loss("no-function-ran", 0, f"no function that ran is called {' or '.join(map(repr, functions))}")
    detail = "no function of the program's own ran; those of libraries are only looked at by name"
    return Loss("no-function-ran", 0, detail, hint="--function NAME")
