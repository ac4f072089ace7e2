"""A version of a function that can be left at some points."""

from collections.abc import Callable, Sequence

from sonde.ir import Function, Module
from sonde.ir.analyses import Place
from sonde.machine import Version, VirtualMachine
from sonde.osr.code import Code, free_version, place_in
from sonde.osr.conditions import Condition
from sonde.osr.insertion import PlannedPoint, insert_points
from sonde.osr.refusals import Refused, refusal
from sonde.osr.signature import Transition
from sonde.osr.targets import Target

Leaving = Callable[[Module, Function, Sequence[Place]], Sequence[Transition]]
"""How a body, which has a module of its own, is left at each of some places."""
_NAMED = 4
"""Points of a version are named one by one up to so many."""


def version_with_points(
    machine: VirtualMachine,
    f: Code,
    at: Sequence[tuple[str | Place, Condition]],
    leave: Leaving,
    target: Target,
    first: int,
    version: str | None,
) -> tuple[Version, list[PlannedPoint]]:
    """Make it.

    Args:
        at: where (see `place_of`), and when.
        target: what checks lead to.
        first: the first point's number; its cell and the next ones' are the machine's imports.
        version: the name of the new version; None: one that is free.
    Raises:
        UsageError: `osr-refused`, `osr-place`, `osr-condition`, and as `VirtualMachine.clone`.
    """
    made = machine.clone(f.function, f.version, version or free_version(f))
    try:
        module = machine.body_to_change(f.function, made)
        body = module.functions[made.symbol]
        places = [place_in(f, body, place) for place, _ in at]
        where = f"{len(at)} points" if len(at) > _NAMED else ", ".join(f"{each.block}+{each.at}" for each in places)
        try:
            planned = [
                PlannedPoint(place, leaving, when, target, f"@sonde.osr.cell.{number}")
                for number, (place, (_, when), leaving) in enumerate(
                    zip(places, at, leave(module, body, places), strict=True), first
                )
            ]
            insert_points(module, body, planned)
        except Refused as refused:
            raise refusal(f"leave {f.name} at {where}", refused) from refused
        machine.replace_body(f.function, made, module, max(made.level, 1), f"osr at {where}")
    except BaseException:
        machine.drop(f.function, made)
        raise
    return made, planned
