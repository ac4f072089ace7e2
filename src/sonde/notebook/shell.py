"""What sonde asks of IPython's shell."""

from collections.abc import Callable
from typing import Any, Protocol


class Compiler(Protocol):
    """Compiles cells so that tracebacks show their lines."""

    def cache(self, transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
        """The file name that a cell gets."""


class Publisher(Protocol):
    """Where what is shown goes."""

    def publish(self, data: dict[str, str]) -> None:
        """Show a bundle by MIME type."""


class Shell(Protocol):
    """`IPython.core.interactiveshell.InteractiveShell`, as far as it is needed."""

    user_ns: dict[str, Any]
    compile: Compiler
    display_pub: Publisher
    execution_count: int

    def transform_cell(self, raw_cell: str) -> str:
        """Python of a cell, whose magics are calls."""

    def register_magic_function(self, func: Callable[..., object], magic_kind: str, magic_name: str) -> None:
        """Make a magic known."""
