"""The trees of a code object: its calls, and what was decided for each of its instructions."""

from collections.abc import Callable, Iterator

from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place, Trees, Value
from sonde.instruments.decisions.readers.cpython.call_kinds import CALLS, HIDDEN_CALLS, meaning_of
from sonde.instruments.decisions.readers.cpython.called_names import called_name
from sonde.instruments.decisions.readers.cpython.counters import Stage
from sonde.instruments.decisions.readers.cpython.instruction_history import InstructionHistory, histories
from sonde.instruments.decisions.readers.cpython.record import Instruction, InterpreterTables, RecordedCode

ROOT_PHASE = "Specialization"


def trees_of(code: RecordedCode, method: str, tables: InterpreterTables) -> Trees:
    """Build both trees."""
    seen = histories(code, tables)
    return Trees(_inlining(code, method, tables, seen), _optimizations(method, seen))


def _optimizations(method: str, seen: list[InstructionHistory]) -> Phase:
    """A phase for each kind of instruction, by name; in it one decision or more for each that became warm."""
    families: dict[str, list[InstructionHistory]] = {}
    for history in seen:
        families.setdefault(history.instruction.name, []).append(history)
    root = Phase(ROOT_PHASE)
    for family in sorted(families):
        phase = Phase(family)
        for history in families[family]:
            phase.children.extend(_decisions(method, history))
        cold = sum(history.standing.stage is Stage.COLD for history in families[family])
        if cold:
            phase.children.append(Decision(family, "NotWarm", (), (("instructions", cold),), "analysis"))
        root.children.append(phase)
    return root


def _decisions(method: str, history: InstructionHistory) -> Iterator[Decision]:
    position = (_place(method, history.instruction),)
    family = history.instruction.name
    for before, after, count in history.changes:
        event = "Deoptimized" if after == family else "Respecialized"
        yield Decision(family, event, position, (("from", before), ("to", after), ("seen", count)))
    if history.is_specialised:
        # How many guards failed since the last change is a matter of chance; that some did is not.
        properties: tuple[tuple[str, Value], ...] = (("failedGuards", "some"),) if history.standing.misses else ()
        yield Decision(family, history.form, position, properties)
    elif history.standing.stage is Stage.FAILED:
        failed = (("failedAttempts", history.standing.failures),)
        yield Decision(family, "NotSpecialized", position, failed, "missed")


def _inlining(code: RecordedCode, method: str, tables: InterpreterTables, seen: list[InstructionHistory]) -> CallSite:
    root = CallSite(method, is_root=True, inlined=True)
    by_index = {history.index: history for history in seen}
    instructions = list(code.instructions(tables))
    for index, instruction in enumerate(instructions):
        history = by_index.get(index)
        if instruction.name in CALLS:
            before = by_index.get(index - 1)
            first_half = before if before is not None and before.instruction.name == "PRECALL" else None
            name = called_name(code, instructions, index, tables.minor)
            root.children.append(_call(name, instruction, history, first_half))
        elif history is not None and history.form in HIDDEN_CALLS:
            what = HIDDEN_CALLS[history.form]
            root.children.append(_site(what, instruction, alive=True, reasons=(f"{history.form}: enters it directly",)))
    return root


def _call(
    name: str | None, call: Instruction, history: InstructionHistory | None, first_half: InstructionHistory | None
) -> CallSite:
    # 3.11: what is not a Python function is called by PRECALL altogether, and CALL is jumped over.
    if first_half is not None and first_half.is_specialised:
        done = not first_half.form.endswith(("_PYFUNC", "_BOUND_METHOD"))
        if done or history is None or not history.is_specialised:
            history = first_half if done else history
    if history is None:
        return _site(name, call, alive=True, indirect=True, reasons=(f"{call.name} is never specialised",))
    if history.is_specialised:
        inlined, indirect, says = meaning_of(history.form)
        reasons = [f"{history.form}: {says}"]
        reasons += [f"was {before} before" for before, after, _ in history.changes if after == history.form]
        return _site(name, call, inlined=inlined, alive=not inlined, indirect=indirect, reasons=tuple(reasons))
    return _site(name, call, alive=True, indirect=True, reasons=tuple(_why_general(history)))


def _why_general(history: InstructionHistory) -> Iterator[str]:
    for before, _, _ in history.changes:
        yield f"was {before} before, until its guard failed too often"
    if history.standing.stage is Stage.COLD:
        yield "has not run often enough to be specialised"
    elif history.standing.failures:
        times = history.standing.failures
        yield f"specialising failed {times} time{'s' * (times != 1)}"


def _site(method: str | None, instruction: Instruction, **what_became: object) -> CallSite:
    make: Callable[..., CallSite] = CallSite
    place = _place("", instruction)
    return make(method, place.at, place.column, **what_became)


def _place(method: str, instruction: Instruction) -> Place:
    """Lines count from the first one of the function, so that functions that moved stay equal."""
    span = instruction.span
    return Place(method, -1 if span.line is None else span.line, 0 if span.column is None else span.column + 1)
