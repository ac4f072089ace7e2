"""A Python function to be called again and again in a process of its own."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.instruments.bench.invocations.command import Command, Output

_WORKER = Path(__file__).parents[1] / "worker" / "worker.py"


@dataclass(frozen=True, slots=True)
class SteadyCall:
    """Which function, under which interpreter, with which surroundings.

    >>> SteadyCall("json.decoder:JSONDecoder", interpreter=("python3.12", "-O")).text
    'python3.12 -O json.decoder:JSONDecoder'
    """

    target: str
    """`module:function` or `file.py:function`; `function` may be dotted, and takes no arguments."""
    interpreter: tuple[str, ...] = (sys.executable,)
    """Its words: CPython 3.6 or later, or PyPy."""
    folder: Path | None = None
    """To start and to look for modules in; None: where sonde was started."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables set in addition to those that sonde was given."""
    arguments: tuple[str, ...] = ()
    """What the module sees in `sys.argv[1:]`."""
    output: Output = "discard"

    def __post_init__(self) -> None:
        place, colon, name = self.target.rpartition(":")
        if not (place and colon and name and all(part.isidentifier() for part in name.split("."))):
            raise UsageError(
                f"cannot call '{self.target}': it is not MODULE:FUNCTION or FILE.py:FUNCTION",
                slug="bad-target",
                hint=f"{self.target.partition(':')[0] or 'module'}:function",
            )

        for word in (*self.interpreter, *self.arguments):
            if "\0" in word:
                fact = "no program can be given a NUL character"
                raise UsageError(f"cannot call '{self.target}' with {word!r}: {fact}", slug="bad-command")

    @property
    def text(self) -> str:
        """What distinguishes it from others, in words."""
        words = [] if self.interpreter == (sys.executable,) else list(self.interpreter)
        return " ".join([*words, self.target, *self.arguments])

    def command(self, options: Mapping[str, str | int | float]) -> Command:
        """The worker's command line."""
        folder = str(Path.cwd() / (self.folder or ""))
        words = [f"{name}={value}" for name, value in {**options, "target": self.target, "folder": folder}.items()]
        return Command(
            (*self.interpreter, str(_WORKER), *words, "--", *self.arguments),
            folder=self.folder,
            environment=self.environment,
            output=self.output,
        )
