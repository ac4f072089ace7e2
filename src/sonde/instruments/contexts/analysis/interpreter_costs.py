"""What the interpreter itself takes: waiting for its lock, collecting garbage; and on whose behalf most."""

from dataclasses import dataclass

from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Function


@dataclass(frozen=True, slots=True)
class InterpreterCost:
    """The whole of one such thing, in nanoseconds."""

    own: int
    caller: Function | None
    """Below which most of it is, of those that are no machine code; None where it has no such caller."""
    of_caller: int


def interpreter_cost(profile: ContextProfile, stand_in: Function) -> InterpreterCost:
    """Sum up what stands below its callers as `stand_in`.

    Cost: O(n) for n contexts.
    """
    tree = profile.contexts
    numbers = {number for number, function in enumerate(profile.functions) if function == stand_in}
    if not numbers:
        return InterpreterCost(0, None, 0)
    is_machine_code = [function.language == "native" for function in profile.functions]
    python = [NO_PARENT] * (len(tree) + 1)  # the nearest one above; the last one is of what is above roots, -1
    own, of_callers = 0, dict[int, int]()
    for row, (above, function, ns) in enumerate(zip(tree.parent, tree.function, tree.self_ns, strict=True)):
        python[row] = python[above] if is_machine_code[function] else function
        if function in numbers:
            own += ns
            if python[above] != NO_PARENT:
                of_callers[python[above]] = of_callers.get(python[above], 0) + ns
    caller, most = max(of_callers.items(), key=lambda item: item[1], default=(-1, 0))
    return InterpreterCost(own, profile.functions[caller] if most else None, most)
