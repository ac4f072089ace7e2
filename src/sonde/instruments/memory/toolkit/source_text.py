"""The file of a tool, and messages that point into it."""

import ast
import warnings
from pathlib import Path
from typing import NoReturn

from sonde.base.errors import InputError

_WIDEST = 120
"""Characters of a source line that a message shows."""


class SourceText:
    """A tool's file, read and parsed.

    Raises:
        InputError: `no-such-tool`: there is no file to be read; `bad-tool`: it is not Python.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            raw = path.read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(f"cannot read tool {str(path)!r}: {reason.lower()}", slug="no-such-tool") from None
        self.lines = _lines(raw)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.tree = ast.parse(raw, str(path))
                compile(self.tree, str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._refuse_syntax(error)

    def refuse(self, node: ast.AST, fact: str, hint: str | None = None) -> NoReturn:
        """Say no to a part of the tool.

        Raises:
            InputError: `bad-tool`, with the line and a caret below the part.
        """
        raise self.refusal(node, fact, hint)

    def refusal(self, node: ast.AST, fact: str, hint: str | None = None) -> InputError:
        """The error that `refuse` raises."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        source = self.lines[line - 1] if line <= len(self.lines) else ""
        first = len(source.encode()[:column].decode(errors="replace"))
        last = len(source)
        if getattr(node, "end_lineno", None) == line:
            last = len(source.encode()[: getattr(node, "end_col_offset", 0)].decode(errors="replace"))
        return self._refusal(line, first, max(last - first, 1), fact, hint)

    def line(self, number: int) -> str:
        """A line of the file, without what surrounds it; empty beyond the end."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def _refusal(self, line: int, first: int, width: int, fact: str, hint: str | None) -> InputError:
        source = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        message = f"cannot compile tool {str(self.path)!r}: line {line}: {fact}"
        if source.strip():
            indent = len(source) - len(source.lstrip())
            shown = "".join(each if each.isprintable() else " " for each in source.strip())
            caret = max(first - indent, 0)
            if caret >= _WIDEST:
                shown, caret = "..." + shown[caret - 20 :], 23
            shown = shown if len(shown) <= _WIDEST else shown[: _WIDEST - 3] + "..."
            carets = "^" * max(min(width, len(shown) - caret), 1)
            message += f"\n    {shown}\n    {' ' * caret}{carets}"
        return InputError(message, slug="bad-tool", hint=hint)

    def _refuse_syntax(self, error: Exception) -> NoReturn:
        if not isinstance(error, SyntaxError) or error.lineno is None:
            fact = "it is nested too deeply" if isinstance(error, RecursionError | MemoryError) else str(error)
            raise InputError(
                f"cannot compile tool {str(self.path)!r}: it is not Python: {fact}", slug="bad-tool"
            ) from None
        first = (error.offset or 1) - 1
        width = (error.end_offset or 0) - 1 - first if error.end_lineno == error.lineno else 1
        raise self._refusal(error.lineno, first, max(width, 1), f"it is not Python: {error.msg}", None) from None


def _lines(raw: bytes) -> list[str]:
    """Lines as Python's parser numbers them."""
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
