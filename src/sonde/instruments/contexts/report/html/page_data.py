"""A profile as the page receives it: columns of numbers, each distinct text once.

The keys below are the contract with the scripts in `page/`; `version` rises when they change.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sonde.instruments.contexts.profile import (
    FUNCTION_KINDS,
    NO_PARENT,
    ContextProfile,
    Function,
    FunctionTotals,
    function_totals,
    watching_cost_text,
)
from sonde.instruments.contexts.report.exactness import deviations_of_functions, not_kept_below
from sonde.instruments.contexts.report.html.exactness_data import NotKept, exactness_data
from sonde.instruments.contexts.report.html.heaviest_contexts import heaviest_rows, keep_heaviest
from sonde.render.html.embedded_sources import MAX_SOURCE_BYTES, choose_sources
from sonde.render.html.package import package_of

DATA_VERSION = 3

MAX_CONTEXTS = 40_000
"""Contexts in a page: about 1.4 MB of columns, laid out by a browser in some 15 ms."""

MAX_FUNCTIONS = 10_000
"""Functions in the table that need not have a context in the page; the heaviest."""

MAX_TEXT_LENGTH = 300
"""Longer names and paths lose their middle: generated code has names of megabytes."""

MAX_ROWS = 100
"""Processes and losses that are listed one by one; the rest is counted."""


def page_data(profile: ContextProfile, *, title: str, max_contexts: int) -> dict[str, Any]:
    """Turn a profile into what the page's scripts read.

    Args:
        profile: whole, or pruned already.
        title: the page's heading.
        max_contexts: of these the heaviest are taken.
    Returns:
        a value made of dicts, lists, strings, ints and bools. Times are nanoseconds.
    Cost: O(n log n) for n contexts given.
    """
    totals = function_totals(profile)
    not_kept = NotKept(profile)
    shown = keep_heaviest(profile, max_contexts)
    not_kept_columns = not_kept.of(heaviest_rows(profile, max_contexts))
    listed = _listed_functions(shown, totals, max_functions=MAX_FUNCTIONS * max_contexts // MAX_CONTEXTS)
    functions = [profile.functions[index] for index in listed]
    files = _Texts()
    columns = _function_columns(functions, files)
    for name in ("calls", "total_calls", "self_ns", "total_ns"):
        column: Sequence[int] = getattr(totals, name)
        columns[name] = [column[index] for index in listed]
    for name in ("calls_deviation", "ns_deviation"):
        deviations = deviations_of_functions(profile, getattr(profile.contexts, name))
        columns[name] = [deviations[index] for index in listed] if deviations else []
    # Inclusive weight first: the files on the hot paths are those that a reader opens.
    inclusive = totals.total_ns if profile.has_time else totals.total_calls
    by_inclusive = sorted(listed, key=lambda index: (-inclusive[index], index))
    paths = list(dict.fromkeys(profile.functions[index].file for index in by_inclusive))
    sources = choose_sources(profile.sources, paths, MAX_SOURCE_BYTES)
    return {
        "version": DATA_VERSION,
        "title": _shorten(title),
        "run": _run(profile),
        "processes": _processes(profile),
        "losses": _losses(profile),
        "total": {"calls": profile.total_calls, "ns": profile.total_ns},
        "exactness": exactness_data(profile, not_kept),
        "hidden": {
            "contexts": shown.pruned_contexts,
            "calls": profile.total_calls - sum(shown.contexts.calls) - not_kept.all_calls,
            "ns": profile.total_ns - sum(shown.contexts.self_ns) - not_kept.all_ns,
            "functions": len(profile.functions) - len(listed),
            "in_functions": profile.pruned_contexts > 0,
            "source_files": sources.left_out_files,
            "source_bytes": sources.left_out_bytes,
        },
        "functions": columns,
        "contexts": _context_columns(shown, {old: new for new, old in enumerate(listed)}, not_kept_columns),
        "files": files.texts,
        "sources": {str(files.number[file]): text for file, text in sources.texts.items()},
    }


class _Texts:
    """Distinct texts in order of appearance, each with its number."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.number.setdefault(text, len(self.number))

    @property
    def texts(self) -> list[str]:
        return [_shorten(text) for text in self.number]


def _listed_functions(shown: ContextProfile, totals: FunctionTotals, max_functions: int) -> list[int]:
    """Functions in the page, ascending: all that have a context there, then the heaviest others."""
    listed = set(shown.contexts.function)
    others = [index for index, calls in enumerate(totals.calls) if calls and index not in listed]
    room = max(0, max_functions - len(listed))
    return sorted(listed.union(_by_weight(others, shown, totals)[:room]))


def _by_weight(functions: Iterable[int], profile: ContextProfile, totals: FunctionTotals) -> list[int]:
    """Functions by exclusive weight, then inclusive, heaviest first."""
    if profile.has_time:
        return sorted(functions, key=lambda index: (-totals.self_ns[index], -totals.total_ns[index], index))
    return sorted(functions, key=lambda index: (-totals.calls[index], -totals.total_calls[index], index))


def _function_columns(functions: Sequence[Function], files: Callable[[str], int]) -> dict[str, Any]:
    modules, packages = _Texts(), _Texts()
    columns: dict[str, Any] = {
        "name": [_shorten(function.name) for function in functions],
        "module": [modules(function.module) for function in functions],
        "package": [packages(package_of(function)) for function in functions],
        "file": [files(function.file) for function in functions],
        "line": [function.first_line for function in functions],
        "kind": [FUNCTION_KINDS.index(function.kind) for function in functions],
        # Sparse: most labels are the names.
        "label": {
            str(index): _shorten(function.label)
            for index, function in enumerate(functions)
            if function.label != function.name
        },
    }
    return columns | {"kinds": list(FUNCTION_KINDS), "modules": modules.texts, "packages": packages.texts}


def _context_columns(
    shown: ContextProfile, function_number: dict[int, int], not_kept: tuple[list[int], list[int]]
) -> dict[str, list[int]]:
    tree = shown.contexts
    rest_calls = not_kept_below(tree.parent, tree.calls, tree.total_calls)
    rest_ns = not_kept_below(tree.parent, tree.self_ns, tree.total_ns)
    not_kept_calls, not_kept_ns = not_kept
    return {
        # Distance to the parent's row, 0 for roots: fewer digits than the row itself.
        "up": [0 if parent == NO_PARENT else row - parent for row, parent in enumerate(tree.parent)],
        "function": [function_number[index] for index in tree.function],
        "call_line": list(tree.call_line),
        "calls": list(tree.calls),
        "self_ns": list(tree.self_ns) if shown.has_time else [],
        # Inclusive weight that neither the context nor its children in the page account for;
        # empty when nothing is hidden.
        "rest_calls": list(rest_calls) if any(rest_calls) else [],
        "rest_ns": list(rest_ns) if shown.has_time and any(rest_ns) else [],
        # The part of it that ran in contexts which were given up; empty when none were.
        "not_kept_calls": not_kept_calls if any(not_kept_calls) else [],
        "not_kept_ns": not_kept_ns if any(not_kept_ns) else [],
        # How much more the own value of the metric may be, and standard errors; empty for none.
        "error": list(tree.error) if any(tree.error) else [],
        "calls_deviation": list(tree.calls_deviation),
        "ns_deviation": list(tree.ns_deviation) if shown.has_time else [],
    }


def _run(profile: ContextProfile) -> dict[str, Any]:
    run = profile.run
    return {
        "command": _shorten(" ".join(run.command), limit=2000),
        "started_at": _shorten(run.started_at),
        "duration_ns": run.duration_ns,
        "ended": _shorten(run.ended),
        "clock": _shorten(f"{run.clock}, processor time" if profile.is_processor_time else run.clock),
        "has_time": profile.has_time,
        "taken_out": watching_cost_text(profile),
        "machine": _shorten(run.machine),
        "sonde_version": _shorten(run.sonde_version),
        "complete": run.complete,
    }


def _processes(profile: ContextProfile) -> dict[str, Any]:
    processes = profile.processes
    return {
        "count": len(processes),
        "threads": sum(process.threads for process in processes),
        "pythons": sorted({_shorten(process.python) for process in processes})[:MAX_ROWS],
        "mechanisms": sorted({_shorten(process.mechanism) for process in processes})[:MAX_ROWS],
        "listed": [
            [
                process.pid,
                _shorten(process.command),
                _shorten(process.python),
                process.threads,
                process.calls,
                _shorten(process.ended),
            ]
            for process in processes[:MAX_ROWS]
        ],
    }


def _losses(profile: ContextProfile) -> dict[str, Any]:
    losses = profile.losses
    return {
        "count": len(losses),
        "listed": [[_shorten(loss.kind), loss.amount, _shorten(loss.detail, limit=1000)] for loss in losses[:MAX_ROWS]],
    }


def _shorten(text: str, *, limit: int = MAX_TEXT_LENGTH) -> str:
    """Drop the middle of a text that is too long, and say how much."""
    if len(text) <= limit:
        return text
    half = limit // 2 - 15
    return f"{text[:half]}...[{len(text) - 2 * half:,} characters]...{text[-half:]}"
