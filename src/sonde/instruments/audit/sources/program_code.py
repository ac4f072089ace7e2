"""Functions of the audited program, found by whatever a profiler says of one."""

import warnings
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from sonde.code import IMPLICIT, Function, plain_function, source_text

_WORDS = {words: name for name, words in IMPLICIT.items()}


class CodeName(NamedTuple):
    """What a profiler says of a function, or of a line."""

    file: str
    line: int
    """The function's first one, or one of those in it; 0: not told."""
    name: str = ""
    """With or without what is around it; empty: the innermost function that has the line."""


class _Code(NamedTuple):
    name: str
    qualified_name: str
    first_line: int
    last_line: int


class _CachedCode(SourceFileLoader):
    """Reads what Python compiled before where that is still true, a tenth of the time; writes nothing."""

    def set_data(self, path: str, data: object, *, _mode: int = 0o666) -> None:
        """Leave the program's folders as they are."""


class ProgramCode:
    """Functions by file, line and name, as the source has them, so that all profilers speak of the same ones.

    Args:
        folder: where relative paths begin.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._codes: dict[str, list[_Code]] = {}
        self._found: dict[CodeName, Function] = {}

    def function(self, name: CodeName) -> Function:
        """The function that is meant; where the source does not have it, one that is called as the profiler says."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._find(name)
        return found

    def _find(self, name: CodeName) -> Function:
        file = str(self._folder / name.file) if name.file and not name.file.startswith("<") else name.file
        bare = _bare(name.name)
        codes = self._of_file(file)
        there = [each for each in codes if name.line == each.first_line]
        around = [each for each in codes if each.first_line <= name.line <= each.last_line]
        fitting = (
            [each for each in there if each.name == bare]
            or [each for each in around if each.name == bare]
            or (around if not bare else [])
            or there
        )
        if not fitting:
            # Without a source nobody knows what is around it, and some profilers do not say.
            return plain_function("python", bare or "<lines>", file, name.line)
        best = max(fitting, key=lambda each: each.first_line)
        return plain_function("python", best.qualified_name, file, best.first_line)

    def _of_file(self, file: str) -> list[_Code]:
        if file not in self._codes:
            self._codes[file] = _codes_in(file)
        return self._codes[file]


def _codes_in(file: str) -> list[_Code]:
    """All code objects that compiling a file makes; none if that cannot be done."""
    text = source_text(file) if file and not file.startswith("<") else None
    if not text:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = _CachedCode("", file).get_code("")
    except (ImportError, OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # of another version than ours
        return []
    assert module is not None  # as it would be of a package without a file
    codes, pending = [], [module]
    while pending:
        code = pending.pop()
        lines = [line for _, _, line in code.co_lines() if line]
        inner = [each for each in code.co_consts if isinstance(each, CodeType)]
        last = max([*lines, code.co_firstlineno])
        codes.append(_Code(code.co_name, code.co_qualname, code.co_firstlineno, last))
        pending += inner
    module_last = text.count("\n") + 1
    return [each._replace(first_line=1, last_line=module_last) if each.name == "<module>" else each for each in codes]


def _bare(name: str) -> str:
    """The name that a code object has: without what is around it.

    >>> _bare("Counter.tick"), _bare("main.<locals>.<listcomp>"), _bare("list comprehension in main")
    ('tick', '<listcomp>', '<listcomp>')
    """
    words = name.partition(" in ")[0]
    return _WORDS.get(words, name.rpartition(".")[2])
