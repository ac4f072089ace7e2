"""Counters at the entry or in blocks of functions, read while the program runs and after it."""

import ctypes
import mmap
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.ir import Instruction
from sonde.ir.analyses import Place
from sonde.machine import Version, VirtualMachine
from sonde.osr.code import Code, place_in

_MOST = 4096
_SYMBOL = "sonde.probe"
ENTRY = "entry"


@dataclass(frozen=True, slots=True)
class Probe:
    """One counter."""

    number: int
    code: Code
    """The version with the counter."""
    place: Place
    _cell: ctypes.c_int64

    @property
    def count(self) -> int:
        """How often its place was passed, by all threads, in programs under `run` too."""
        return self._cell.value


class Probes:
    """The counters of one machine.

    They lie in memory that is shared with processes that begin as copies of this one, and count atomically.
    """

    def __init__(self, machine: VirtualMachine) -> None:
        self.machine = machine
        self.all: dict[int, Probe] = {}
        self._memory = mmap.mmap(-1, 8 * _MOST)

    def insert(self, f: Code, places: Sequence[str], version: str | None = None) -> list[Probe]:
        """Make a version of a function that counts how often it passes some places.

        Args:
            places: `entry`, for the function's beginning, or as `place_of` reads them.
            version: the name of the new version; None: one that is free.
        Raises:
            UsageError: `osr-place`, and as `VirtualMachine.clone`.
            UsageError: `too-many-probes`.
        """
        if len(self.all) + len(places) > _MOST:
            raise UsageError(f"cannot count at more than {_MOST:,} places", slug="too-many-probes", hint="quit")
        made = self.machine.clone(f.function, f.version, version or _free_version(f))
        try:
            module = self.machine.body_to_change(f.function, made)
            body = module.functions[made.symbol]
            chosen = [
                Place(body.entry.name, body.entry.first_insertion_point()) if each == ENTRY else place_in(f, body, each)
                for each in places
            ]
            probes: list[Probe] = []
            for at in chosen:
                number = len(self.all) + len(probes)
                cell = ctypes.c_int64.from_buffer(self._memory, 8 * number)
                probes.append(Probe(number, Code(f.machine, f.function, made), at, cell))
                name = f"{_SYMBOL}.{number}"
                self.machine.imports[name] = ctypes.addressof(cell)
                module.add_global(f"@{name}", "external global i64")
            # Later ones first, so that places stay what they are.
            for probe in sorted(probes, key=lambda each: each.place.at, reverse=True):
                counting = Instruction.from_text(
                    f"atomicrmw add ptr @{_SYMBOL}.{probe.number}, i64 1 monotonic, align 8",
                    f"%sonde.probe.{probe.number}",
                )
                instructions = body.block(probe.place.block).instructions
                counting.location = instructions[probe.place.at].location
                instructions.insert(probe.place.at, counting)
            self.machine.replace_body(f.function, made, module, made.level, f"probe {' '.join(places)}")
            self.machine.compile(f.function, made)
        except BaseException:
            self.machine.drop(f.function, made)
            raise
        self.all |= {each.number: each for each in probes}
        return probes

    def there(self) -> list[Probe]:
        """Those of versions that are still there."""
        return [each for each in self.all.values() if _is_there(self.machine, each.code.version, each)]


def _is_there(machine: VirtualMachine, version: Version, probe: Probe) -> bool:
    function = probe.code.function
    return machine.functions.get(function.name) is function and function.versions.get(version.name) is version


def _free_version(f: Code) -> str:
    number = 1
    while (name := "probed" if number == 1 else f"probed{number}") in f.function.versions:
        number += 1
    return name
