"""When a point fires: always, never, when told to, or after so many passes."""

from dataclasses import dataclass, field
from typing import Protocol

from sonde.base.errors import UsageError
from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.analyses import Place
from sonde.ir.names import fresh_name
from sonde.osr.cell import Word, word_address
from sonde.osr.ssa_repair import Redefined


@dataclass(frozen=True, slots=True)
class Check:
    """Where a condition is checked: at the end of a block that goes on to the rest of what it was."""

    module: Module
    function: Function
    block: Block
    place: Place
    """In the function as it was."""
    cell: str
    taken: set[str]
    _counters: dict[str, Redefined] = field(default_factory=dict)
    """Values that are made of what they were before, in the same call."""

    def add(self, text: str, result: str | None = None) -> str:
        """Add an instruction without types of its own names; returns the name of its value."""
        name = "" if result is None else self.name(result)
        self.block.instructions.insert(len(self.block.instructions) - 1, Instruction.from_text(text, name or None))
        return name

    def count(self, name: str, step: int, begin: int) -> str:
        """Add a counter of the passes in one call, in a register; returns its value after this pass."""
        value, at = self.name(name), len(self.block.instructions) - 1
        # It is made of what it was before; the repair, when all points are put in, says what that is.
        self.block.instructions.insert(at, Instruction.from_text(f"add i64 {value}, {step}", value))
        self._counters[value] = Redefined(value, "i64", str(begin), self.block.name, at)
        return value

    def name(self, wanted: str) -> str:
        """A free name."""
        name = fresh_name(wanted, self.taken)
        self.taken.add(name)
        return name


class Condition(Protocol):
    """What a point's check computes."""

    def emit(self, check: Check, /) -> str:
        """Add the code to the check; returns an `i1`.

        Raises:
            UsageError: `osr-condition`, it cannot be computed there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Always:
    """Fires whenever it is passed."""

    def emit(self, _check: Check, /) -> str:
        return "true"

    def __str__(self) -> str:
        return "always"


@dataclass(frozen=True, slots=True)
class Never:
    """Never fires; the compiler takes it out again."""

    def emit(self, _check: Check, /) -> str:
        return "false"

    def __str__(self) -> str:
        return "never"


@dataclass(frozen=True, slots=True)
class Flag:
    """Fires while a flag is set, by `Point.fire` or any thread. Cost: a load and a branch.

    In code of a machine on x86-64, it is an instruction that does next to nothing instead of the load, see
    `flag_switches`. In a loop of few instructions that already loads as much as the processor can, a load is a tenth of
    its time.

    With `every`, a power of two, the flag is read at the first pass in each call and at each `every`-th after it. Cost:
    a register, counted up, and a branch.
    """

    every: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.every <= 1 << 20 or self.every & (self.every - 1):
            raise UsageError(
                f"cannot read a flag every {self.every} passes: it is read every 1, 2, 4, ... 2^20",
                slug="osr-condition",
                hint="flag every 64",
            )

    def emit(self, check: Check) -> str:
        if self.every == 1:
            return self.confirm(check)
        passed = check.count("%osr.passes", 1, -1)
        low = check.add(f"and i64 {passed}, {self.every - 1}", "%osr.low")
        return check.add(f"icmp eq i64 {low}, 0", "%osr.due")

    def confirm(self, check: Check) -> str:
        """Read the flag; returns an `i1`."""
        raised = check.add(
            f"load atomic i64, ptr {word_address(check.cell, Word.FLAG)} monotonic, align 8", "%osr.flag"
        )
        return check.add(f"icmp ne i64 {raised}, 0", "%osr.fires")

    def __str__(self) -> str:
        return "flag" if self.every == 1 else f"flag every {self.every}"


@dataclass(frozen=True, slots=True)
class Counter:
    """Fires when it is passed for the `limit`-th time.

    Counted is each call for itself, in a register; or, with `all_calls`, the passes of all calls and threads together,
    in memory: then it fires from the `limit`-th time on, and passes that two threads make at once may count as one.
    The count is in the point's cell, which must begin as `first_count` says.
    """

    limit: int
    all_calls: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.limit < 1 << 63:
            raise UsageError(
                f"cannot count to {self.limit}: a counter goes from 1 to 2^63 - 1",
                slug="osr-condition",
                hint="counter 1000",
            )

    def emit(self, check: Check) -> str:
        if self.all_calls:
            address = word_address(check.cell, Word.PASSED)
            before = check.add(f"load atomic i64, ptr {address} monotonic, align 8", "%osr.before")
            passed = check.add(f"add i64 {before}, 1", "%osr.passed")
            check.add(f"store atomic i64 {passed}, ptr {address} monotonic, align 8")
            return check.add(f"icmp sge i64 {passed}, 0", "%osr.fires")
        left = check.count("%osr.left", -1, self.limit)
        return check.add(f"icmp eq i64 {left}, 0", "%osr.fires")

    def __str__(self) -> str:
        return f"counter {self.limit}" + (" of all calls" if self.all_calls else "")


def first_count(when: Condition) -> int:
    """What `Word.PASSED` of a point's cell begins with: counted up, it is negative until the point fires."""
    return -when.limit if isinstance(when, Counter) and when.all_calls else 0
