"""What a session has built, as the commands that built it: done again when the worker had to be replaced."""

from dataclasses import dataclass, field

from sonde.instruments.vm.verb.shell.all_commands import ReadLine


@dataclass(slots=True)
class Journal:
    """Commands that succeeded and that later ones build on, in order."""

    lines: list[ReadLine] = field(default_factory=list)

    def note(self, line: ReadLine) -> None:
        """Keep a command that succeeded, if there is a reason to."""
        if line.command.changes_state:
            self.lines.append(line)

    def forget(self, line: ReadLine) -> None:
        """Do not do this again: it did not work a second time."""
        self.lines = [each for each in self.lines if each is not line]
