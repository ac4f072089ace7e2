"""A path profile of a program that is written here: its source, its control flow, and what it did."""

from array import array
from collections.abc import Callable

from sonde.code import Function
from sonde.evidence import Loss
from sonde.flow import FlowGraph, PathNumbering
from sonde.instruments.paths.analyses import PathForests
from sonde.instruments.paths.path_batch import PathBatch
from sonde.instruments.paths.profile import PathProfile, RoutineBlock, RoutineCode, Way

SOURCE = """def smooth(values, mask):
    out = []
    for at, value in enumerate(values):
        if mask[at]:
            out.append(value)
        else:
            out.append(clamp(values[at - 1] + value))
        if value < 0:
            raise ValueError(value)
    return out
"""
FILE = "/src/smooth.py"
SMOOTH = Function("smooth", "", FILE, 1)
HELPER = Function("scan <i>", "", "/src/scan.c", 12, "function", "jit")

_GRAPH = FlowGraph.of([[1], [2, 7], [3, 4], [5], [5], [1, 6], [8], [8], []])
_LINES = ((1, 2), (3,), (3, 4), (5,), (7,), (8,), (9,), (10,), ())


def smooth_code(*, last_line: int = 10) -> RoutineCode:
    """The control flow of `smooth`, with the ways of all of its paths."""
    numbering = PathNumbering.of(_GRAPH)
    blocks = [
        RoutineBlock(lines, after, (8,) if at == 6 else (), ("clamp (smooth.py:14)",) if at == 4 else ())
        for at, (lines, after) in enumerate(zip(_LINES, _GRAPH.successors, strict=True))
    ]
    blocks[7] = blocks[7]._replace(lines=(last_line,))
    ways = {path: Way.of(numbering.decode(path), numbering) for path in range(numbering.paths)}
    return RoutineCode(tuple(blocks), ways)


def walk(choices: Callable[[int], bool], times: int) -> tuple[int, ...]:
    """The paths that `smooth` takes.

    Args:
        choices: of an iteration, whether its value is copied.
    """
    numbering = PathNumbering.of(_GRAPH)
    number_of = {Way.of(numbering.decode(path), numbering): path for path in range(numbering.paths)}
    sides = [3 if choices(at) else 4 for at in range(times)]
    first = Way((0, 1, 2, sides[0], 5), 1)
    found = [number_of[first], *(number_of[Way((1, 2, side, 5), 1)] for side in sides[1:])]
    return (*found, number_of[Way((1, 7, 8), None)])


def smooth_profile(choices: Callable[[int], bool] = lambda at: at % 100 < 60, *, last_line: int = 10) -> PathProfile:
    """Of 3,000 iterations, and of a function without a source."""
    forests = PathForests(8, 1 << 20)
    forests.update(PathBatch(array("Q", walk(choices, 3000)), array("Q", [0]), array("I", [1])))
    forests.update(PathBatch(array("Q", (4, 9) * 20), array("Q", [0]), array("I", [0])))
    made = forests.snapshot([HELPER, SMOOTH])
    code = smooth_code(last_line=last_line)
    routines = []
    for routine in made.routines:
        taken = {path: way for path, way in code.ways.items() if path in routine.acyclic}
        known = RoutineCode(code.blocks, taken) if routine.function == SMOOTH else RoutineCode()
        routines.append(type(routine)(routine.function, routine.activations, routine.forest, known))
    losses = (Loss("functions-never-ran", 2, "functions never ran"),)
    return PathProfile(8, tuple(routines), ("smooth.py",), losses=losses, sources={FILE: SOURCE})
