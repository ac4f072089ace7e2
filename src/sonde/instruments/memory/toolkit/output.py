"""`Output`: a text file that advice writes lines to."""

from sonde.instruments.memory.toolkit.containers import Container


class Output(Container):
    """Lines of text.

    In advice: `self.trace.print(f"{loc.ip:#x} {loc.size}")`. In `report()`: `file`, `lines` written, and `lost` lines
    that could not be written.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines = 0
        self.lost = 0
        self.text: list[str] = []
        """What the slow twin has printed; the compiled tool writes to the file."""

    def print(self, *values: object) -> None:
        """Write a line."""
        self.text.append(" ".join(map(str, values)))
        self.lines += 1
