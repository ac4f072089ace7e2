"""Compiled advice does what the same class does in plain Python: fields, tables, histograms, caches, output, faults."""

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from compiled_advice import POINTS, TYPE_NAMES, built, platform_object, run_compiled
from example_counts import examples
from random_tools import RandomTool, random_events
from sonde.instruments.memory.toolkit import ToolResults, compile_tool
from sonde.instruments.memory.toolkit.host import Event, HostedTool, Location

EXAMPLES = sorted(
    each
    for each in (Path(__file__).parents[2] / "examples" / "memory").glob("*.py")
    if "(Tool)" in each.read_text(encoding="utf-8")  # beside them are programs
)
NEEDLESS = [HealthCheck.function_scoped_fixture]
STEPS = 200


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return platform_object(tmp_path_factory.getbasetemp())


def comparable(results: ToolResults) -> ToolResults:
    """With one kind of NaN, which then equals itself."""
    for name, (kind, value) in results.fields.items():
        if isinstance(value, float):
            results.fields[name] = kind, None if math.isnan(value) else hash((value, math.copysign(1, value)))
    return results


SEEDS = st.integers(0, 1 << 32)


@examples(0.15, unlike=NEEDLESS)
@given(seed=SEEDS)
def test_random_tools_do_the_same_compiled_and_in_python(seed: int, platform: Path, tmp_path: Path) -> None:
    path = tmp_path / "tool.py"
    path.write_text(RandomTool(seed).text())
    source = compile_tool(path)
    program = built(source, tmp_path, platform, f"-DSN_ADVICE_STEPS={STEPS}")
    for length in (20, 300):
        stream = random_events(seed + length, length)
        hosted = HostedTool(source, steps=STEPS, type_names=TYPE_NAMES)

        in_python = hosted.run(stream)
        compiled = run_compiled(program, stream, tmp_path)

        assert comparable(compiled) == comparable(in_python)
        assert (tmp_path / "out.txt").read_text().splitlines() == hosted.text_of("out")


def test_random_tools_mostly_come_to_the_end_and_do_something(tmp_path: Path) -> None:
    path = tmp_path / "tool.py"
    faults, rows, members, misses = [], 0, 0, 0
    for seed in range(20):
        path.write_text(RandomTool(seed).text())
        results = HostedTool(compile_tool(path), steps=STEPS).run(random_events(seed, 60))
        faults += [results.fault.what] if results.fault else []
        rows += sum(len(each.rows) for each in results.counts.values())
        members += sum(len(each.rows) for each in results.sets.values())
        misses += results.caches["cache"].misses[0]

    assert len(faults) < 12
    assert rows > 100
    assert members > 20
    assert misses > 200


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_do_the_same_compiled_and_in_python(path: Path, platform: Path, tmp_path: Path) -> None:
    source = compile_tool(path)
    program = built(source, tmp_path, platform)
    for seed in range(3):
        stream = random_events(seed, 700)
        hosted = HostedTool(source, type_names=TYPE_NAMES)
        assert hosted.run(stream) == run_compiled(program, stream, tmp_path)
        for output in source.declarations.outputs:
            assert (tmp_path / output.file).read_text().splitlines() == hosted.text_of(output.name)


EVERY_POINT = """from sonde.instruments.memory.toolkit import Counts, Tool, after, before


class EveryPoint(Tool):
    seen = Counts("before", "after", "sum")
"""
ADVICE = """
    @{time}("{point}")
    def {time}_{number}(self{parameters}):
        row = self.seen[{number}]
        row.{time} += 1
        row.sum = row.sum * 31 + {value}
"""
SHAPES = {
    "object:relocate": (", loc, type, obj, old", "old + loc.address"),
    "nonobject:access": (", loc", "loc.size"),
    "class:load": (", type", "self.number(type)"),
    "method": (", loc, method", "self.number(method)"),
    "thread": (", thread", "self.number(thread)"),
    "gc": (", generation", "generation"),
    "object": (", loc, type, obj", "loc.ip + loc.line"),
    "any:access": (", loc, type, obj", "loc.ip"),
}


def test_every_join_point_is_told_of_before_and_after(platform: Path, tmp_path: Path) -> None:
    path = tmp_path / "tool.py"
    text = EVERY_POINT
    for number, point in enumerate((*POINTS, "any:access")):
        parameters, value = SHAPES.get(point) or SHAPES[point.partition(":")[0]]
        handle = value.removeprefix("self.number(").removesuffix(")") if "number" in value else None
        for time in ("before", "after"):
            body = ADVICE.format(
                time=time, number=number, point=point, parameters=parameters, value="5" if handle else value
            )
            text += body + (f"        self.last_{handle} = {handle}\n" if handle else "")
    path.write_text(text)
    source = compile_tool(path)
    stream = [
        Event(point, Location(ip=k, address=2 * k, size=k, line=k), type=k, object=1, other=k + 1)
        for k, point in enumerate(POINTS)
    ]

    compiled = run_compiled(built(source, tmp_path, platform), stream, tmp_path)

    assert compiled == HostedTool(source).run(stream)
    assert {row[:2] for row in compiled.counts["seen"].rows.values()} == {(1, 1), (2, 2)}
    assert len(compiled.counts["seen"].rows) == len(POINTS) + 1
