"""A cell of a notebook, run in a block as its kernel would run it."""

import ast
import sys
from types import CodeType
from typing import TYPE_CHECKING

from sonde.api import Block
from sonde.base.errors import UsageError

if TYPE_CHECKING:
    from sonde.notebook.shell import Shell

_COROUTINE = 0x80
"""`inspect.CO_COROUTINE`."""


class Cell:
    """Statements, and the expression at the end whose value the notebook shows.

    Args:
        text: of the cell, without the magic.
    Raises:
        UsageError: `not-a-python-cell`.
        SyntaxError: as the kernel would.
    """

    def __init__(self, shell: "Shell", text: str) -> None:
        first = text.lstrip()
        if first.startswith("%%"):
            language = first.partition("\n")[0]
            raise UsageError(
                f"cannot measure this cell: '{language}' hands it on, and it is not Python of this kernel",
                slug="not-a-python-cell",
                hint="put %%sonde above a cell of Python; sonde contexts measures programs",
            )
        source = shell.transform_cell(text)
        self.file = shell.compile.cache(source, shell.execution_count, raw_code=text)
        tree = ast.parse(source, self.file)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        is_shown = last is not None and not text.rstrip().endswith(";")
        if last is not None and not is_shown:
            tree.body.append(last)
        self._statements = self._compiled(tree, "exec")
        self._value = None
        if is_shown and isinstance(last, ast.Expr):
            self._value = self._compiled(ast.Expression(last.value), "eval")

    def _compiled(self, tree: ast.Module | ast.Expression, mode: str) -> CodeType:
        code = compile(tree, self.file, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        assert isinstance(code, CodeType)
        if code.co_flags & _COROUTINE:
            raise UsageError(
                "cannot measure this cell: it awaits, and what the kernel does meanwhile would be counted",
                slug="not-a-python-cell",
                hint="use a block in the cell: with sonde.profile() as p: await ...",
            )
        return code

    def run(self, names: dict[str, object]) -> tuple[Block, BaseException | None]:
        """Run it, and show the value of its last expression; what it raises is returned, without frames of ours."""
        block = Block()
        value: object = None
        try:
            with block:
                exec(self._statements, names)
                value = eval(self._value, names) if self._value is not None else None
        except BaseException as error:  # noqa: BLE001 - the caller raises it again
            inner = error.__traceback__
            return block, error.with_traceback(inner.tb_next if inner is not None else None)
        sys.displayhook(value)
        return block, None
