"""What a workbench tells about programs, functions and versions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModuleInfo:
    """A program that was loaded."""

    name: str
    path: str
    functions: int
    globals: int


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """A function of a program."""

    name: str
    demangled: str
    module: str
    signature: str
    blocks: int
    instructions: int
    versions: int
    active: str


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """A version of a function."""

    name: str
    recipe: str
    origin: str
    instructions: int
    size_bytes: int | None
    address: int | None
    is_active: bool


@dataclass(frozen=True, slots=True)
class CodeAddress:
    """Where the code of a version is, and the slot through which calls find it."""

    version: str
    start: int
    size: int
    slot: int


@dataclass(frozen=True, slots=True)
class PassReport:
    """What passes did."""

    lines: tuple[str, ...]
