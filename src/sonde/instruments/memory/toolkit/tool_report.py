"""What a tool has to say when the run is over: its `report` in ordinary Python, or tables of all that it holds."""

import contextlib
import io
import shutil
import sys
import traceback
import types
from dataclasses import dataclass, replace
from typing import Any

from sonde.base.errors import InputError
from sonde.instruments.memory.toolkit.cache import Cache
from sonde.instruments.memory.toolkit.compiled_tool import ToolSource
from sonde.instruments.memory.toolkit.containers import Row
from sonde.instruments.memory.toolkit.counts import Counts
from sonde.instruments.memory.toolkit.default_report import default_report
from sonde.instruments.memory.toolkit.histogram import Histogram
from sonde.instruments.memory.toolkit.output import Output
from sonde.instruments.memory.toolkit.result_names import ResultNames
from sonde.instruments.memory.toolkit.results import ToolResults
from sonde.instruments.memory.toolkit.sets import Set

_WIDTH_WHEN_UNKNOWN = 80


@dataclass(frozen=True, slots=True)
class ToolReport:
    """For the reader."""

    text: str
    """Complete lines: what advice printed, then the report."""
    notices: tuple[str, ...]
    """What went wrong or is missing, a sentence each."""


def tool_report(source: ToolSource, results: ToolResults, names: ResultNames) -> ToolReport:
    """Run the report of a tool on its results.

    Without a `report` method, everything that the tool holds is printed as tables. The tool's file is run as a module
    for this, beside the files in its folder.

    Raises:
        InputError: `tool-report-failed`: the file or its `report` raised; the message says where.
    """
    names = replace(names, objects=results.objects)
    printed = io.StringIO()
    printed.writelines(f"{line}\n" for line in results.printed)
    with contextlib.redirect_stdout(printed):
        tool = _filled(source, results, names)
        report = getattr(tool, "report", None)
        if callable(report):
            _run(source, report)
        else:
            key_texts = {table.name: table.key_texts for table in source.declarations.tables}
            width = shutil.get_terminal_size((_WIDTH_WHEN_UNKNOWN, 0)).columns
            print(default_report(results, names, key_texts, width), end="")
    text = printed.getvalue()
    return ToolReport(
        text if not text or text.endswith("\n") else text + "\n", tuple(results.notices(str(source.path)))
    )


def _filled(source: ToolSource, results: ToolResults, names: ResultNames) -> object:
    """An instance of the tool's class whose fields are what the advice has left."""
    tool: Any = _run(source, lambda: _loaded(source))
    for name, (kind, value) in results.fields.items():
        setattr(tool, name, names.named(kind, value))
    for name, counts in results.counts.items():
        table = Counts(*counts.columns)
        table.refused = counts.refused
        for key, named in names.keys(counts.kinds, counts.rows).items():
            row = Row(counts.columns)
            for column, cell in zip(counts.columns, counts.rows[key], strict=True):
                setattr(row, column, cell)
            table.by_key[named] = row
        setattr(tool, name, table)
    for name, held in results.histograms.items():
        histogram = Histogram()
        histogram.refused = held.refused
        histogram.by_key = {named: held.rows[key] for key, named in names.keys(held.kinds, held.rows).items()}
        setattr(tool, name, histogram)
    for name, found in results.sets.items():
        keys = Set()
        keys.refused = found.refused
        keys.by_key = dict.fromkeys(names.keys(found.kinds, found.rows).values())
        setattr(tool, name, keys)
    for name, simulated in results.caches.items():
        cache = getattr(tool, name)
        assert isinstance(cache, Cache)
        cache.accesses, cache.misses = simulated.accesses, list(simulated.misses)
    for name, written in results.outputs.items():
        output = getattr(tool, name)
        assert isinstance(output, Output)
        output.lines, output.lost = written.lines, written.lost
    assert isinstance(tool, object)
    return tool


def _loaded(source: ToolSource) -> object:
    module = types.ModuleType(source.path.stem)
    module.__file__ = str(source.path)
    folder = str(source.path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        exec(compile(source.path.read_bytes(), str(source.path), "exec", dont_inherit=True), module.__dict__)
        return getattr(module, source.name)()
    finally:
        sys.path.remove(folder)


def _run(source: ToolSource, action: Any) -> Any:
    """Run the author's Python. Whatever it raises is theirs; SystemExit ends the report and nothing else."""
    try:
        return action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the author's code may raise anything
        frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == str(source.path)]
        where = f" line {frames[-1].lineno}:" if frames else ""
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise InputError(
            f"cannot make the report of tool {str(source.path)!r}:{where} {said}",
            slug="tool-report-failed",
            hint="the measurements are in the profile; correct report() and run again",
        ) from error
