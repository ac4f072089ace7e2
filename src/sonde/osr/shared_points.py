"""Several points of a function that lead to one continuation."""

from collections.abc import Sequence

from sonde.ir import Function, Module
from sonde.ir.analyses import Place
from sonde.machine.versions import body_name
from sonde.osr.cell import Word
from sonde.osr.code import Code, free_version
from sonde.osr.conditions import Condition
from sonde.osr.point import Part, Point
from sonde.osr.points import Points
from sonde.osr.shared_continuation import shared_continuation
from sonde.osr.signature import Transition
from sonde.passes import parse_recipe


def insert_shared(
    points: Points,
    f: Code,
    at: Sequence[tuple[str | Place, Condition]],
    *,
    version: str | None = None,
    recipe: str = "",
) -> list[Point]:
    """Make a version of a function with several points, all of which go on in one continuation of `f`.

    Args:
        at: where (see `place_of`), and when.
        version: the name of the new version; None: one that is free.
        recipe: passes to be run on the continuation.
    Returns: the points, in their order.
    Raises:
        UsageError: `osr-refused`, `osr-place`, `osr-condition`, and as `VirtualMachine.clone`.
    """
    machine, managed = points.machine, f.function
    version = version or free_version(f)
    part = f"{version}.to" + (f".{len(managed.parts)}" if managed.parts else "")
    name = body_name(managed.name, part)
    target, original = f.copied()

    def leave(_module: Module, _body: Function, places: Sequence[Place]) -> Sequence[Transition]:
        shared = shared_continuation(target, original, places, name, linkage="external")
        del target.functions[original.name]
        return shared.leaving

    found = points.put_in(f, at, leave, version=version, words=f"clone {recipe}".rstrip() + ", shared")
    try:
        if recipe:
            target = parse_recipe(recipe).run(target, functions=[name], explains=False).module
        code = machine.load_part(managed, part, target, max(f.version.level, 1))
    except BaseException:
        points.take_out(found)
        raise
    for point in found:
        point.parts[None] = Part(target.functions[name], code)
        point.cell[Word.CODE] = code.address
    return found
