"""Several points of a function that lead to one continuation."""

from collections.abc import Sequence

from sonde.ir.analyses import Place
from sonde.machine.versions import body_name
from sonde.osr.cell import Word
from sonde.osr.code import Code, free_version, place_in
from sonde.osr.conditions import Condition
from sonde.osr.insertion import PlannedPoint, insert_points
from sonde.osr.point import Part, Point
from sonde.osr.points import Points
from sonde.osr.refusals import Refused, refusal
from sonde.osr.shared_continuation import shared_continuation
from sonde.osr.targets import Slot
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
    made = machine.clone(managed, f.version, version or free_version(f))
    numbers = range(len(points.points), len(points.points) + len(at))
    try:
        module = machine.body_to_change(managed, made)
        body = module.functions[made.symbol]
        places = [place_in(f, body, place) for place, _ in at]
        part = f"{made.name}.to" + (f".{len(managed.parts)}" if managed.parts else "")
        name = body_name(managed.name, part)
        target, original = f.copied()
        try:
            shared = shared_continuation(target, original, places, name, linkage="external")
            del target.functions[original.name]
            cells = [points.new_cell(number, when) for number, (_, when) in zip(numbers, at, strict=True)]
            planned = [
                PlannedPoint(place, leaving, when, Slot(), f"@sonde.osr.cell.{number}")
                for number, place, leaving, (_, when) in zip(numbers, places, shared.leaving, at, strict=True)
            ]
            insert_points(module, body, planned)
        except Refused as refused:
            raise refusal(f"leave {f.name} at {len(at)} points", refused) from refused
        if recipe:
            target = parse_recipe(recipe).run(target, functions=[name], explains=False).module
        where = ", ".join(f"{each.block}+{each.at}" for each in places)
        machine.replace_body(managed, made, module, max(made.level, 1), f"osr at {where}")
        code = machine.load_part(managed, part, target, max(f.version.level, 1))
    except BaseException:
        machine.drop(managed, made)
        raise
    found = []
    words = f"clone {recipe}".rstrip() + ", shared"
    for number, cell, each in zip(numbers, cells, planned, strict=True):
        point = Point(number, f, each.place, each.when, each.leaving, made, words, cell, points.switches)
        point.parts[None] = Part(target.functions[name], code)
        cell[Word.CODE] = code.address
        points.points[number] = point
        found.append(point)
    return found
