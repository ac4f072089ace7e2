"""What was seen of each instruction that can be specialised, from the first snapshot of a run to the last."""

from collections import Counter
from dataclasses import dataclass

from sonde.instruments.decisions.readers.cpython.counters import Stage, Standing, standing
from sonde.instruments.decisions.readers.cpython.record import Instruction, InterpreterTables, RecordedCode


@dataclass(frozen=True, slots=True)
class InstructionHistory:
    """An instruction, and what became of it."""

    index: int
    """Among the instructions of its code."""
    instruction: Instruction
    form: str
    """What stood in it last."""
    standing: Standing
    changes: tuple[tuple[str, str, int], ...] = ()
    """From which specialised form it went to which other form, and how often that was seen. Between two snapshots it
    may have changed more often."""

    @property
    def is_specialised(self) -> bool:
        """Whether it is in a specialised form at last."""
        return self.standing.stage is Stage.SPECIALISED


def histories(code: RecordedCode, tables: InterpreterTables) -> list[InstructionHistory]:
    """Of all instructions that can be specialised, in their order; empty if none was seen."""
    if not code.snapshots:
        return []
    specialisable = [
        (index, instruction)
        for index, instruction in enumerate(code.instructions(tables))
        if instruction.name in tables.families
    ]
    return [
        _history(code, tables, place, index, instruction) for place, (index, instruction) in enumerate(specialisable)
    ]


def _history(
    code: RecordedCode, tables: InterpreterTables, place: int, index: int, instruction: Instruction
) -> InstructionHistory:
    forms = [tables.opcodes.get(snapshot.forms[place], "?") for snapshot in code.snapshots]
    specialised = [form in tables.families[instruction.name] and not form.endswith("_ADAPTIVE") for form in forms]
    changes = Counter(
        (_plain(before), _plain(after))
        for before, after, was in zip(forms, forms[1:], specialised, strict=False)
        if was and before != after
    )
    return InstructionHistory(
        index,
        instruction,
        _plain(forms[-1]),
        standing(tables.minor, forms[-1], specialised[-1], code.snapshots[-1].counters[place], any(specialised[:-1])),
        tuple((before, after, count) for (before, after), count in changes.items()),
    )


def _plain(form: str) -> str:
    return form.removesuffix("_ADAPTIVE")
