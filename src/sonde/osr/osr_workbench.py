"""The workbench with points."""

import sys

from sonde.machine import Workbench
from sonde.osr.code import Code
from sonde.osr.points import Points
from sonde.osr.probes import Probes


class OsrWorkbench(Workbench):
    """A workbench whose functions can be left while they run. Generators that fail are told on standard error."""

    def __init__(self) -> None:
        super().__init__()
        self.points = Points(self.machine, _tell)
        self.probes = Probes(self.machine)

    def code(self, name: str) -> Code:
        """A version of a function, by its source name or symbol: `f`, `f@version`. Raises: as `find`."""
        function, version = self.find(name)
        return Code(self.machine, function, version)


def _tell(what: str) -> None:
    print(f"sonde: {what}", file=sys.stderr, flush=True)
