"""Code objects of modules, to try things on."""

from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType


def code_of(module: ModuleType) -> Iterator[CodeType]:
    """That of the module, and of all its functions and classes."""
    assert module.__file__ is not None
    waiting = [compile(Path(module.__file__).read_text(encoding="utf-8"), module.__file__, "exec")]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
