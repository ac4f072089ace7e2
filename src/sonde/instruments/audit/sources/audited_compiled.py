"""A program in C, C++ or LLVM's languages that is audited, as `sonde contexts` takes it."""

import sys
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.base.program_sources import COMPILED
from sonde.jit import check_source
from sonde.options.compiled_program import compiled_program_of_words

INLINING = "inlining"
"""What half of the runs of a compiled program are without: the front end is told `-fno-inline`."""
_OFF = "-fno-inline"


class AuditedCompiled(NamedTuple):
    """A program that sonde compiles, in the words that say so."""

    words: tuple[str, ...]
    """Files, options of the compiler, and, after `--`, arguments."""

    @property
    def argv(self) -> tuple[str, ...]:
        """As it is run without a profiler."""
        return (sys.executable, "-P", "-m", "sonde", "vm", "run", *self.words)

    @property
    def without(self) -> "AuditedCompiled | None":
        """The same without inlining; None where it comes from no front end that could be told."""
        program = compiled_program_of_words(self.words, "audit")
        if not all(Path(file).suffix in COMPILED for file in program.files):
            return None
        return AuditedCompiled((self.words[0], _OFF, *self.words[1:]))


def audited_compiled(words: list[str]) -> AuditedCompiled:
    """The program of an audit.

    Raises:
        UsageError: `usage`, `no-source`, `unknown-source`; InputError: `no-such-source`; MissingCapability.
    """
    program = compiled_program_of_words(words, "audit")
    for file in program.files:
        check_source(file)
    if program.tells_perf:
        raise UsageError("cannot use --perf with 'audit': nothing would read it", slug="usage", hint="leave out --perf")
    return AuditedCompiled(tuple(words))
