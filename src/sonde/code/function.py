"""Functions as people know them: names, places and kinds, free of addresses."""

from dataclasses import dataclass
from typing import Literal, get_args

FunctionKind = Literal[
    "function",
    "module",
    "class body",
    "lambda",
    "comprehension",
    "generator expression",
    "dynamic code",
    "builtin",
    "thread",
]
"""What a frame runs. `dynamic code` is the body of an `exec`, `eval` or `-c` string; a `thread` stands above
all that it runs."""

Language = Literal["python", "native", "jit", "java"]
"""What a function is written in, or compiled to: `native` is machine code of files, `jit` that of a JIT."""

LANGUAGES: tuple[Language, ...] = get_args(Language)

FUNCTION_KINDS: tuple[FunctionKind, ...] = get_args(FunctionKind)


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the measured program.

    Two code objects with the same fields are the same function: that is what makes
    profiles of different processes, machines and days comparable.
    """

    name: str
    """Qualified name, `Parser.parse` or `list.append`; `<module>` for the body of a module."""
    module: str
    """Dotted module that the code ran in, of a thread its process; empty when unknown."""
    file: str
    """Path as the interpreter knew it, `<string>` and the like for dynamic code, empty for builtins."""
    first_line: int
    """1-based line of the definition; 0 for builtins."""
    kind: FunctionKind = "function"
    language: Language = "python"
    library: str = ""
    """Executable or shared library of native code."""

    @property
    def label(self) -> str:
        """How a person recognises it in a tree, without its file."""
        match self.kind:
            case "module":
                return f"<module {self.module or self.name}>"
            case "class body":
                return f"class {self.name}"
            case "lambda":
                return f"{_enclosing(self.name)}lambda:{self.first_line}"
            case "comprehension" | "generator expression":
                return self.name
            case "dynamic code":
                return f"<code {self.file.strip('<>') or 'string'}>"
            case _:
                return self.name

    @property
    def place(self) -> str:
        """`file:line`, or what stands for it when there is no file."""
        if self.kind == "builtin":
            return "(built-in)"
        if self.kind == "thread":
            return self.module
        return f"{self.file}:{self.first_line}"


def plain_function(language: Language, name: str, file: str, first_line: int, library: str = "") -> Function:
    """A function of which neither the module nor the kind is known.

    >>> plain_function("native", "sum", "sum.c", 3).label
    'sum'
    """
    return Function(name, "", file, first_line, "function", language, library)


def _enclosing(qualified_name: str) -> str:
    outer = qualified_name.removesuffix("<lambda>").removesuffix(".").removesuffix(".<locals>")
    return f"{outer}." if outer else ""
