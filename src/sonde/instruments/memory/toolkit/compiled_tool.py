"""From a tool's file to C: the one way in for what runs tools."""

from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.c_file import tool_in_c
from sonde.instruments.memory.toolkit.check_tool import check_tool
from sonde.instruments.memory.toolkit.tool_class import find_tool


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A tool that has been checked."""

    path: Path
    name: str
    """Of the class."""
    c_text: str
    """Defines `sn_advice`; to be linked with native/core/advice/advice_runtime.c, cache_model.c and a platform."""
    declarations: tree.TypedTool
    """Fields, tables, caches, outputs, and the methods that are advice."""


def compile_tool(path: Path, class_name: str | None = None) -> ToolSource:
    """Check a tool and write it in C. Nothing of the file is run.

    Args:
        class_name: which class it is; None if there is one only.
    Raises:
        InputError: `no-such-tool`: the file or the class is not there, or it is not clear which class is meant;
            `bad-tool`: something is not of the language. The message points at the line.
    """
    found = find_tool(path, class_name)
    try:
        typed = check_tool(found)
        return ToolSource(path, typed.name, tool_in_c(typed, found.source), typed)
    except RecursionError:
        raise found.source.refusal(found.node, "it is nested too deeply", "call methods for parts of it") from None
