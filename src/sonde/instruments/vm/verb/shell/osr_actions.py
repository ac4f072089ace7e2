"""What the command `osr` does in the worker: points at which functions are left while they run."""

from collections.abc import Sequence

from sonde.base.errors import UsageError
from sonde.base.units import counted
from sonde.instruments.vm.verb.shell.command import Answer, Data
from sonde.instruments.vm.verb.shell.osr_insertion import Insertion, read_insertion
from sonde.instruments.vm.verb.shell.osr_words import USAGE
from sonde.instruments.vm.verb.shell.parameters import Arguments
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.workbench import Workbench
from sonde.ir import print_function
from sonde.osr import Code, Flag, Generator, Landing, Point, clone, inline, insert_shared, landing
from sonde.report import Column

_COLUMNS = (
    Column("point", "point", "count"),
    Column("version", "version"),
    Column("place", "at"),
    Column("when", "when"),
    Column("target", "to"),
    Column("values", "values", "count"),
    Column("fired", "fired", "count"),
    Column("made", "made", "count"),
)


def osr(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    """Do what follows `osr`. Raises: UsageError, InputError."""
    what, *words = arguments.texts("words")
    if what == "insert":
        return _insert(bench, read_insertion(words))
    if what not in ("points", "show", "fire", "hold") or len(words) > 1 or (what != "points" and not words):
        raise UsageError(
            f"cannot do 'osr {' '.join([what, *words])}': it is not read",
            slug="missing-argument",
            hint=f"usage: {USAGE}",
        )
    found = _points(bench, words[0] if words else None)
    if what == "points":
        return _list(found, width)
    if what == "show":
        return _show(found)
    return _set_flags(found, words[0], what == "fire")


def _insert(bench: Workbench, asked: Insertion) -> Answer:
    f = bench.code(asked.function)
    to = " ".join(asked.target)
    if asked.kind == "shared":
        return _insert_shared(bench, f, asked)
    if asked.kind == "open":
        generate, value = _generator(bench, f, asked)
        point = bench.points.insert_open(
            f, asked.place, asked.when, generate, value=value, version=asked.version, target=to
        )
    else:
        target, at = _target(bench, f, asked)
        point = bench.points.insert_resolved(
            f, asked.place, target, at, asked.when, compensation=asked.compensation, version=asked.version
        )
    bench.machine.switch(f.function, point.version)
    values = counted(len(point.leaving.values), "live value")
    text = f"point {point.number}: {point.name}, {values}; calls of {f.function.name[1:]} now run it"
    return Answer(text, _as_data(point))


def _insert_shared(bench: Workbench, f: Code, asked: Insertion) -> Answer:
    match asked.target:
        case ("clone", *recipe) if len(recipe) < 2:
            points = insert_shared(bench.points, f, asked.points, version=asked.version, recipe=",".join(recipe))
        case _:
            raise UsageError(
                f"cannot insert the points: '{' '.join(asked.target)}' is no target that points can share",
                slug="missing-argument",
                hint="to clone | clone PASSES",
            )
    version = points[0].version
    bench.machine.switch(f.function, version)
    name = f.function.name[1:]
    numbers = ", ".join(str(each.number) for each in points)
    text = (
        f"{counted(len(points), 'point')} ({numbers}) of {name}@{version.name} with one continuation; "
        f"calls of {name} now run it"
    )
    return Answer(text, {"points": [_as_data(each) for each in points]})


def _generator(bench: Workbench, f: Code, asked: Insertion) -> tuple[Generator, str | None]:
    """The generator that a target means, and the value that it depends on."""
    match asked.target:
        case ("clone", *recipe) if len(recipe) < 2 and asked.compensation is None:
            return clone(*recipe), None
        case ("inline", pointer, *recipe) if len(recipe) < 2 and asked.compensation is None:
            value = pointer if pointer.startswith("%") else f"%{pointer}"
            return inline(value, *recipe), value
    target, at = _target(bench, f, asked)

    def go_on(_: object) -> Landing:
        return landing(target, at, asked.compensation)

    return go_on, None


def _target(bench: Workbench, f: Code, asked: Insertion) -> tuple[Code, str]:
    """The version and place that a target means."""
    match asked.target:
        case ("clone",):
            return f, asked.place
        case ("inline", *_):
            raise UsageError(
                "cannot insert the point: what is inlined is known only when it fires",
                slug="missing-argument",
                hint="osr insert open in f at ...",
            )
        case (version,):
            if version in f.function.versions:
                return Code(f.machine, f.function, f.function.version(version)), asked.place
            return bench.code(version), asked.place
        case (function, "at", place):
            return bench.code(function), place
    raise UsageError(
        f"cannot insert the point: '{' '.join(asked.target)}' is no target",
        slug="missing-argument",
        hint="to clone | inline %pointer | VERSION | FUNCTION at PLACE",
    )


def _points(bench: Workbench, function: str | None) -> list[Point]:
    """Points of versions that are still there."""
    there = [
        each
        for each in bench.points.points.values()
        if bench.machine.functions.get(each.code.function.name) is each.code.function
        and each.code.function.versions.get(each.version.name) is each.version
    ]
    if function is None:
        return there
    wanted = bench.code(function)
    is_one = "@" in function[1:]
    return [
        each
        for each in there
        if each.code.function is wanted.function and (not is_one or each.version is wanted.version)
    ]


def _list(points: Sequence[Point], width: int | None) -> Answer:
    data: list[Data] = [_as_data(each) for each in points]
    if not points:
        return Answer("no points; osr insert makes them", {"points": data})
    rows = [
        (
            each.number,
            f"{each.code.function.name[1:]}@{each.version.name}",
            f"{each.place.block}+{each.place.at}",
            str(each.when),
            each.target,
            len(each.leaving.values),
            each.fired,
            len(each.parts),
        )
        for each in points
    ]
    said = [f"point {each.number} {why}" for each in points for why in each.failures]
    return Answer("\n".join([text_table(_COLUMNS, rows, width=width), *said]), {"points": data})


def _show(points: Sequence[Point]) -> Answer:
    if not points:
        return Answer("no points; osr insert makes them", {"points": []})
    parts = []
    for version in dict.fromkeys(each.version for each in points):
        parts.append(f"; the version '{version.name}'\n{print_function(version.body)}")
    for point in points:
        for value, part in point.parts.items():
            of = "" if value is None else f", for the value {value:#x}"
            parts.append(f"; where point {point.number} goes on{of}\n{part.text()}")
    return Answer("\n".join(parts).rstrip("\n"), {"points": [_as_data(each) for each in points]})


def _set_flags(points: Sequence[Point], function: str, fires: bool) -> Answer:
    flagged = [each for each in points if isinstance(each.when, Flag)]
    if not flagged:
        raise UsageError(
            f"cannot fire '{function}': it has no point that looks at a flag",
            slug="osr-condition",
            hint=f"osr insert open in {function} at ... when flag to clone",
        )
    for each in flagged:
        if fires:
            each.fire()
        else:
            each.hold()
    said = "fires when it is passed" if fires else "does not fire any more"
    text = "\n".join(f"point {each.number} {said}" for each in flagged)
    return Answer(text, {"points": [_as_data(each) for each in flagged]})


def _as_data(point: Point) -> dict[str, Data]:
    return {
        "point": point.number,
        "function": point.code.function.name[1:],
        "version": point.version.name,
        "block": point.place.block,
        "instruction": point.place.at,
        "when": str(point.when),
        "target": point.target,
        "values": [{"name": each.name, "type": each.type} for each in point.leaving.values],
        "fired": point.fired,
        "made": len(point.parts),
        "failures": list(point.failures),
    }
