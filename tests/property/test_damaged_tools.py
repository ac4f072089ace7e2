"""A tool that was damaged is refused with the slug of bad tools, or is a tool; nothing else happens."""

import io
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from example_counts import examples
from random_tools import RandomTool
from sonde.base.errors import InputError
from sonde.instruments.memory.toolkit import ToolResults, compile_tool, read_results
from sonde.instruments.memory.toolkit.host import Event, HostedTool

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "memory").glob("*.py"))
SEEDS = st.integers(0, 1 << 32)
NEEDLESS = [HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


def tokens(text: str) -> list[str]:
    """What the text consists of, spaces included."""
    lines, found, at = text.splitlines(keepends=True), [], (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.ENDMARKER:
            break
        since = at[1] if token.start[0] == at[0] else 0
        found.append(lines[token.start[0] - 1][since : token.start[1]] if token.start[1] > since else "")
        found.append(token.string)
        at = token.end
    return [each for each in found if each]


_Value = TypeVar("_Value")


def outcome(action: Callable[[], _Value]) -> _Value | str:
    """What it gives, or the slug of its refusal."""
    try:
        return action()
    except InputError as error:
        return error.slug


def test_tokens_are_the_text() -> None:
    for path in EXAMPLES:
        assert "".join(tokens(path.read_text())) == path.read_text()


@examples(0.8, unlike=NEEDLESS)
@given(data=st.data())
def test_a_damaged_tool_is_refused_or_runs(data: st.DataObject, tmp_path: Path) -> None:
    text = data.draw(
        st.one_of(st.sampled_from(EXAMPLES).map(Path.read_text), SEEDS.map(lambda seed: RandomTool(seed).text()))
    )
    words = tokens(text)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at] = data.draw(
            st.one_of(st.sampled_from(words), st.sampled_from(["", "self", "loc", "(", ")", "0", ".", "0.5", '"a"']))
        )
    path = tmp_path / "tool.py"
    path.write_text("".join(words))

    source = outcome(lambda: compile_tool(path))
    if isinstance(source, str):
        assert source in ("bad-tool", "no-such-tool")
        return
    try:
        hosted = HostedTool(source, steps=100)
    except Exception:  # noqa: BLE001 - what stands outside of advice is ordinary Python, and the author's
        return
    hosted.run([Event("object:create", type=1), Event("object:access"), Event("gc:start")])


def test_what_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tool.py"
    chain = "".join(f"        elif loc.size == {number}:\n            pass\n" for number in range(2000))
    head = "from sonde.instruments.memory.toolkit import Tool, before\n\n\nclass Mine(Tool):\n"
    path.write_text(
        f'{head}    @before("any:access")\n    def used(self, loc):\n        if loc.size:\n            pass\n{chain}'
    )

    with pytest.raises(InputError, match="nested too deeply"):
        compile_tool(path)


@examples(2)
@given(
    st.lists(
        st.lists(st.sampled_from(["tool", "row", "counts", "bins", "field", "1", "-", "1,2", "int", "x"]), max_size=6)
    )
)
def test_damaged_result_lines_are_refused_or_read(lines: list[list[str]]) -> None:
    results = outcome(lambda: read_results(["tool\tMine", *("\t".join(line) for line in lines)]))
    assert results == "damaged-tool-results" or isinstance(results, ToolResults)
