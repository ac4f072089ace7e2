"""A command to be measured: its words, and what it finds when it starts."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sonde.base.errors import UsageError
from sonde.instruments.bench.invocations.program_search import find_program
from sonde.instruments.bench.invocations.shell_words import split_words

Output = Literal["discard", "drain", "show"] | Path
"""Where standard output goes: to `/dev/null`; through a pipe that is read and forgotten (some programs do less when
they see `/dev/null`); to sonde's own; into a file, which holds the output of the last invocation."""

_SHELL = ("sh", "-c")


@dataclass(frozen=True, slots=True)
class Command:
    """What is executed, with which surroundings.

    >>> Command.parse("python a.py --size 10").words
    ('python', 'a.py', '--size', '10')
    >>> Command.parse("sort < words.txt", shell=True).argv
    ('sh', '-c', 'sort < words.txt')
    """

    words: tuple[str, ...]
    """The program and its arguments; with `shell`, one text for a shell."""
    shell: bool = False
    """Whether `sh -c` runs it. The shell's own start, about a millisecond, is part of what is measured then."""
    folder: Path | None = None
    """To start in; None: where sonde was started."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables set in addition to those that sonde was given."""
    stdin: Path | None = None
    """File to read standard input from; None: `/dev/null`."""
    output: Output = "discard"
    """Unless it is shown, the end of standard error is kept, to say why the command failed."""

    def __post_init__(self) -> None:
        if not self.words or not self.words[0] or (self.shell and len(self.words) != 1):
            raise UsageError(f"cannot run '{' '.join(self.words)}': there is no program in it", slug="bad-command")
        for word in self.words:
            if "\0" in word:
                fact = "no program can be given a NUL character"
                raise UsageError(f"cannot run '{self.words[0]}' with {word!r}: {fact}", slug="bad-command")
        for name, value in self.environment.items():
            if not name or "=" in name or "\0" in name + value:
                fact = "the name of a variable has no '=', and neither name nor value a NUL character"
                raise UsageError(f"cannot set {name!r} to {value!r}: {fact}", slug="bad-variable")

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        shell: bool = False,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: Path | None = None,
        output: Output = "discard",
    ) -> "Command":
        """The command that a line of text means.

        Raises:
            UsageError: `needs-shell`, `bad-command`.
        """
        words = (text,) if shell else split_words(text)
        return cls(words, shell, folder, dict(environment or {}), stdin, output)

    @property
    def text(self) -> str:
        """As one would type it."""
        return self.words[0] if self.shell else shlex.join(self.words)

    @property
    def argv(self) -> tuple[str, ...]:
        """What is executed: the words, or the shell with them."""
        return (*_SHELL, *self.words) if self.shell else self.words

    @property
    def start_folder(self) -> Path:
        """Absolute."""
        return Path.cwd() / (self.folder or "")

    def full_environment(self) -> dict[str, str]:
        """All variables that the command is given."""
        return {**os.environ, **self.environment}

    def program(self) -> Path:
        """The file that is executed.

        Raises:
            UsageError: `no-such-command`, `cannot-execute`.
        """
        search_path = self.full_environment().get("PATH", os.defpath)
        return find_program(self.argv[0], folder=self.start_folder, search_path=search_path)

    def check(self) -> None:
        """See that it can be started, before anything is measured.

        Raises:
            UsageError: `no-such-command`, `cannot-execute`, `no-such-folder`; `no-such-file`: what it is to read is
                not there.
        """
        if not self.start_folder.is_dir():
            raise UsageError(f"cannot run '{self.text}' in '{self.folder}': no such folder", slug="no-such-folder")
        self.program()
        if self.stdin is not None and not os.access(self.stdin, os.R_OK):
            fact = "it may not be read" if self.stdin.exists() else "no such file"
            raise UsageError(f"cannot give '{self.stdin}' to '{self.text}': {fact}", slug="no-such-file")
