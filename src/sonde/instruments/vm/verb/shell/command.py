"""A command of the shell: its name, what it takes, how it is explained, and what it does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter, read_arguments
from sonde.instruments.vm.verb.shell.workbench import Workbench

Group = Literal["programs", "looking", "versions", "running", "the shell"]
Data = None | bool | int | float | str | Sequence["Data"] | Mapping[str, "Data"]
"""What JSON can say."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found, for people and for programs."""

    text: str = ""
    data: Mapping[str, Data] = field(default_factory=dict)


Action = Callable[[Workbench, Arguments, int | None], Answer]
"""Does the command in the worker. The last argument is the width of the terminal; None: lines may be long."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `sonde.instruments.vm.verb.shell.all_commands` has them all."""

    name: str
    group: Group
    summary: str
    example: str
    """A line that shows it; the tests read it."""
    parameters: tuple[Parameter, ...] = ()
    details: str = ""
    action: Action | None = None
    """None: the shell itself does it, since it has no business with the program."""
    changes_state: bool = False
    """What it does is part of what a session has built, so it is done again after a crash."""
    runs_program: bool = False
    """It may take forever, so the setting `timeout` bounds it."""
    may_exit: bool = False
    """That the program ends the process is one of its regular outcomes."""
    passes_options_on: bool = False
    """Words that begin with `-` belong to somebody else."""

    @property
    def usage(self) -> str:
        """One line: the name and its parameters."""
        plain = [parameter.usage for parameter in self.parameters if not parameter.is_option]
        options = [parameter.usage for parameter in self.parameters if parameter.is_option]
        return " ".join([self.name, *plain, *options])

    def read(self, line: str, start: int) -> Arguments:
        """The arguments on `line`, which begin at `start`.

        Raises:
            UsageError: they are not what the command takes.
        """
        return read_arguments(line, start, self.parameters, usage=self.usage, passes_options_on=self.passes_options_on)
