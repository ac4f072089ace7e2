"""What long work tells of how far it is, to whoever shows it."""

import sys


class Steps:
    """Told of the steps that work goes through; this one shows nothing."""

    def begin(self, name: str) -> None:
        """A step begins, and those before it are done."""

    def done(self, count: int, total: int) -> None:
        """So many parts of this step are done, which take about as long each."""

    def tick(self) -> None:
        """Some time has passed, about a quarter of a second."""

    def say(self, text: str) -> None:
        """Print a line that stays, to standard error."""
        print(text, file=sys.stderr, flush=True)
