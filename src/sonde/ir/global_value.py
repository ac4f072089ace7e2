"""Global variables, aliases and ifuncs: a line of text each."""

import re
from dataclasses import dataclass

from sonde.ir.types import split_list, type_end

_LINKAGES = (
    "private", "internal", "available_externally", "linkonce", "weak", "common", "appending", "extern_weak",
    "linkonce_odr", "weak_odr", "external",
)  # fmt: skip
_KIND = re.compile(r"(?:^| )(global|constant|alias|ifunc) ")


@dataclass(slots=True, eq=False)
class GlobalValue:
    """A global variable, alias or ifunc.

    >>> value = GlobalValue("@x", 'internal thread_local unnamed_addr constant [2 x i8] c"a\\\\00", align 1')
    >>> value.kind, value.linkage, value.is_thread_local, value.is_declaration, value.value_type
    ('constant', 'internal', True, False, '[2 x i8]')
    >>> value.initializer
    'c"a\\\\00"'
    """

    name: str
    """With sigil."""
    text: str
    """What stands after `=`."""

    def __str__(self) -> str:
        return f"{self.name} = {self.text}"

    @property
    def linkage(self) -> str:
        """`external` for what says nothing."""
        word = self.text.partition(" ")[0]
        return word if word in _LINKAGES else "external"

    @property
    def kind(self) -> str:
        """`global`, `constant`, `alias` or `ifunc`."""
        return self._kind().group(1)

    @property
    def is_declaration(self) -> bool:
        """Whether it is defined elsewhere."""
        return self.kind in ("global", "constant") and not self.initializer

    @property
    def is_thread_local(self) -> bool:
        return "thread_local" in self.text[: self._kind().start()]

    @property
    def value_type(self) -> str:
        start = self._kind().end()
        return self.text[start : type_end(self.text, start)]

    @property
    def initializer(self) -> str:
        """The value of a variable or constant, the target of an alias or ifunc without its type; empty if declared."""
        parts = split_list(self.text[type_end(self.text, self._kind().end()) :])
        if self.kind in ("alias", "ifunc"):
            end = type_end(parts[1])  # none stands before a constant expression
            return parts[1][end + 1 :] if end else parts[1]
        return parts[0].removeprefix(" ") if parts else ""

    def _kind(self) -> re.Match[str]:
        match = _KIND.search(self.text)
        if match is None:
            raise ValueError(f"'{self}' is no global variable, alias or ifunc")
        return match
