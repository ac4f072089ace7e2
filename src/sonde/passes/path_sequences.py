"""Handing each path on where it ends, to what counts which paths follow one another."""

from dataclasses import dataclass, field

from sonde.ir import Block, Function, Instruction
from sonde.passes.path_counters import PathKinds, Register, signed

ENTER, NEXT = "sn_paths_enter", "sn_paths_next"
"""What the code calls (`native/probes/path_forests.h`)."""
_FRESH = -1
"""`SN_PATHS_FRESH`."""


@dataclass(slots=True)
class PathSequences:
    """Hands on the paths of one function; the twin of `PathCounters`."""

    function: Function
    number: int
    """Of the function."""
    taken: set[str]
    """Names in the function."""
    in_array: int = 0
    """No path has a counter."""
    _activation: str = field(default="%path.activation")
    _names: int = field(default=0)

    def begin(self) -> None:
        """Where the function begins, make room for how far an activation has come."""
        while self._activation in self.taken:
            self._activation += "."
        self.taken.add(self._activation)
        entry, text = self.function.entry.instructions, Instruction.from_text
        position = self._new("position")
        first = next(at for at, each in enumerate(entry) if each.opcode != "alloca")
        entry[first:first] = [
            text(f"getelementptr i8, ptr {self._activation}, i64 12", position),
            text(f"store i32 {_FRESH}, ptr {position}"),
        ]
        entry.insert(0, text("alloca { i32, i32, i32, i32 }, align 8", self._activation))

    def put(self, block: Block, before: Instruction, path: Register, _kinds: PathKinds) -> None:
        """Hand a path on before an instruction."""
        at = next(at for at, each in enumerate(block.instructions) if each is before)
        number, made = str(signed(path.added)), list[Instruction]()
        if path.base is not None:
            number = self._new("number")
            made.append(Instruction.from_text(f"add i64 {path.base}, {signed(path.added)}", number))
        call = f"call preserve_mostcc void @{NEXT}(ptr {self._activation}, i64 {number}, i32 {self.number})"
        block.instructions[at:at] = [*made, Instruction.from_text(call)]

    def count_begun(self, block: Block, at: int, _counter: int) -> None:
        """Before an instruction, begin an activation."""
        call = f"call preserve_mostcc void @{ENTER}(ptr {self._activation}, i32 {self.number})"
        block.instructions.insert(at, Instruction.from_text(call))

    def _new(self, name: str) -> str:
        while True:
            self._names += 1
            found = f"%path.{name}{self._names}"
            if found not in self.taken:
                self.taken.add(found)
                return found
