"""Profiles written as outlines, for tests that need to see the tree they talk about."""

from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Function, Loss, Run, contexts_from_self


def profile_of(
    outline: str,
    *,
    clock: str = "tsc",
    functions: dict[str, Function] | None = None,
    losses: tuple[Loss, ...] = (),
    command: tuple[str, ...] = ("app.py",),
) -> ContextProfile:
    """Build a profile from lines `name @call_line self_ns xcalls`, indented by two spaces for each caller.

    Args:
        outline: `@call_line`, `self_ns` and `xcalls` may be left out (0, 0 and 1).
        functions: the functions behind some of the names; the others are in `app.py`, 100 lines apart.
    """
    known = dict(functions or {})
    numbers: dict[str, int] = {}
    parent: list[int] = []
    function: list[int] = []
    line: list[int] = []
    calls: list[int] = []
    self_ns: list[int] = []
    above: list[int] = []
    for text in outline.strip("\n").splitlines():
        words = text.split()
        depth = (len(text) - len(text.lstrip())) // 2
        name = words[0]
        known.setdefault(name, Function(name, "app", "app.py", 100 * (len(known) + 1)))
        function.append(numbers.setdefault(name, len(numbers)))
        line.append(next((int(word[1:]) for word in words[1:] if word[0] == "@"), 0))
        calls.append(next((int(word[1:]) for word in words[1:] if word[0] == "x"), 1))
        self_ns.append(next((int(word) for word in words[1:] if word.isdecimal()), 0))
        del above[depth:]
        parent.append(above[-1] if above else NO_PARENT)
        above.append(len(parent) - 1)
    return ContextProfile(
        functions=tuple(known[name] for name in numbers),
        contexts=contexts_from_self(parent=parent, function=function, call_line=line, calls=calls, self_ns=self_ns),
        run=Run(command=command, clock=clock, ended="exited 0"),
        losses=losses,
    )


def chain_of(depth: int, *, self_ns: int = 1) -> ContextProfile:
    """One function that calls itself `depth - 1` times."""
    return ContextProfile(
        functions=(Function("down", "app", "app.py", 1),),
        contexts=contexts_from_self(
            parent=range(-1, depth - 1),
            function=[0] * depth,
            call_line=[0] + [2] * (depth - 1),
            calls=[1] * depth,
            self_ns=[self_ns] * depth,
        ),
        run=Run(clock="tsc"),
    )
