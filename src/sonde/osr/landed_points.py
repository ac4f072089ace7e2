"""Several points of a function in one version, each with a landing of its own."""

from collections.abc import Sequence

from sonde.ir.analyses import Place
from sonde.osr.code import Code, free_version
from sonde.osr.conditions import Condition
from sonde.osr.insertion import PlannedPoint, insert_points
from sonde.osr.landing import Landing
from sonde.osr.live_values import values_there_at
from sonde.osr.needed_values import needed_by
from sonde.osr.point import Point
from sonde.osr.points import Points
from sonde.osr.refusals import Refused, refusal
from sonde.osr.survey import Survey, transition_at
from sonde.osr.targets import Slot


def insert_landings(
    points: Points,
    f: Code,
    at: Sequence[tuple[Place, Landing, Condition]],
    *,
    version: str | None = None,
    words: str = "code",
) -> list[Point]:
    """Make a version of a function with several points, each of which leads to code made for the purpose.

    Args:
        at: where, where to go on, and when.
        version: the name of the new version; None: one that is free.
        words: what they lead to.
    Returns: the points, in their order.
    Raises: as `Points.insert_landing`.
    """
    machine, managed = points.machine, f.function
    made = machine.clone(managed, f.version, version or free_version(f))
    first, found = len(points.points), list[Point]()
    try:
        module = machine.body_to_change(managed, made)
        body = module.functions[made.symbol]
        places = [place for place, _, _ in at]
        survey = Survey.of(module, body, places)
        for number, (there, (place, to, when)) in enumerate(
            zip(values_there_at(module, body, places), at, strict=True), first
        ):
            leaving = transition_at(module, body, place, needed_by(to, there), survey=survey)
            cell = points.new_cell(number, when)
            found.append(Point(number, f, place, when, leaving, made, words, cell, points.switches))
        planned = [
            PlannedPoint(each.place, each.leaving, each.when, Slot(), f"@sonde.osr.cell.{each.number}")
            for each in found
        ]
        insert_points(module, body, planned)
        machine.replace_body(managed, made, module, max(made.level, 1), f"osr at {len(at)} points")
        for point, (_, to, _) in zip(found, at, strict=True):
            points.load(point, to)
    except BaseException as error:
        machine.drop(managed, made)
        if isinstance(error, Refused):
            raise refusal(f"leave {f.name} at {len(at)} points", error) from error
        raise
    points.points |= {each.number: each for each in found}
    return found
