"""Whether a mapping is right, found out by running: both versions of a program are made to log, and compared.

The original logs, before each of its calls, all values that are made on every path to there. The optimised version
logs, before each call of `@observe`, all that the mapping says. Calls of `@observe` are effects, of which both versions
have the same in the same order; so it is certain which point of one run is which of the other.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sonde.ir import Function, Instruction, Module, call_site, print_module
from sonde.ir.bookkeeping import Mapping, Marks, Origin, compensation, without_debug_information
from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.llvm import LinkingJit, LlvmModule

_LOG = ("log_enter", "log_leave", "log_point", "log_value")


@dataclass
class Frame:
    """An activation of a function of the original."""

    function: str
    number: int = 0
    """Of the call that it is about to make."""
    values: dict[int, int] = field(default_factory=dict)


@dataclass
class Claims:
    """What the mapping says at one call of `@observe`, as it came out at run time."""

    path: list[tuple[str, int]] | None
    """Functions and numbers, innermost first; None when the call's origin is not known."""
    values: dict[tuple[int, int], int] = field(default_factory=dict)
    """(how many calls outwards, number) -> bits."""


@dataclass
class Verdict:
    """What came of comparing."""

    points: int = 0
    compared: int = 0
    unknown_points: int = 0
    is_cut: bool = False
    """The two runs went different ways; what came after was not compared."""
    wrong: list[str] = field(default_factory=list)


def compare(marks: Marks, mapping: Mapping, *arguments: int) -> Verdict:
    """Run both versions with each argument, and compare what the mapping says with what was."""
    verdict = Verdict()
    runs = zip(arguments, run_original(marks, arguments), run_optimised(mapping, arguments), strict=True)
    for argument, (stacks, observed, result), (claims, observed_later, result_later) in runs:
        assert (observed, result) == (observed_later, result_later), "the program itself was changed"
        _compare_run(marks, stacks, claims, verdict, f"argument {argument}: ")
    return verdict


def _compare_run(marks: Marks, stacks: list[list[Frame]], claims: list[Claims], verdict: Verdict, where: str) -> None:
    for stack, claim in zip(stacks, claims, strict=True):
        verdict.points += 1
        if claim.path is None:
            verdict.unknown_points += 1
            continue
        frames = stack[-len(claim.path) :]
        were = [(frame.function, frame.number) for frame in reversed(frames)]
        if were != claim.path:
            verdict.wrong.append(f"{where}the point is {were}, not {claim.path}")
            continue
        for (outwards, number), bits in claim.values.items():
            frame = frames[-1 - outwards]
            verdict.compared += 1
            if frame.values[number] != bits:
                name = marks.functions[frame.function].place(number).name
                place = f"{where}{name} of {frame.function} at its {frame.number}"
                verdict.wrong.append(f"{place}: {frame.values[number]:#x}, not {bits:#x}")


def run_original(marks: Marks, arguments: Sequence[int]) -> Iterator[tuple[list[list[Frame]], list[int], int]]:
    """The stack of the original at each call of `@observe`, what it observed, what it returned; for each argument."""
    module = without_debug_information(marks.module)
    names = list(marks.functions)
    for name in names:
        _log_values(module.functions[name], names.index(name), marks)
    stacks: list[list[Frame]] = []
    stack: list[Frame] = []

    def point(number: int) -> None:
        stack[-1].number = number
        stack[-1].values = {}

    def at_observe() -> None:
        stacks.append([Frame(each.function, each.number, dict(each.values)) for each in stack])

    for observed, result in _run(
        module,
        arguments,
        {
            "log_enter": lambda function, _: stack.append(Frame(names[function])),
            "log_leave": lambda _, __: stack.pop(),
            "log_point": lambda number, _: point(number),
            "log_value": lambda number, bits: stack[-1].values.__setitem__(number, bits),
        },
        at_observe,
    ):
        yield stacks.copy(), observed, result
        stacks.clear()


def run_optimised(mapping: Mapping, arguments: Sequence[int]) -> Iterator[tuple[list[Claims], list[int], int]]:
    """What the mapping says at each call of `@observe`, what was observed, what was returned; for each argument."""
    module = without_debug_information(mapping.module)
    points: list[list[tuple[str, int]] | None] = []
    keys: list[tuple[int, int]] = []
    for name in mapping.functions():
        log_claims(module.functions[name], mapping, name, points, keys)
    claims: list[Claims] = []
    for observed, result in _run(
        module,
        arguments,
        {
            "log_enter": lambda _, __: None,
            "log_leave": lambda _, __: None,
            "log_point": lambda point, _: claims.append(Claims(points[point])),
            "log_value": lambda key, bits: claims[-1].values.__setitem__(keys[key], bits),
        },
        lambda: None,
    ):
        yield claims.copy(), observed, result
        claims.clear()


def _log_values(function: Function, index: int, marks: Marks) -> None:
    marked = marks.functions[function.name]
    values = marked.values()
    fresh = fresh_names()
    for block in function.blocks:
        logged: list[Instruction] = []
        for at, instruction in enumerate(block.instructions):
            if instruction.opcode == "ret":
                logged.append(_call("log_leave", "0", "0"))
            if instruction.opcode == "call" and not call_site(instruction).is_intrinsic:
                number = marked.number_at(block.name, at)
                logged.append(_call("log_point", str(number), "0"))
                for name, value in values.items():
                    if marked.is_made_before(value, number):
                        logged += logged_value(value, name, marked.place(value).type, fresh)
            logged.append(instruction)
        block.instructions[:] = logged
    function.entry.instructions.insert(0, _call("log_enter", str(index), "0"))


def log_claims(
    function: Function,
    mapping: Mapping,
    name: str,
    points: list[list[tuple[str, int]] | None],
    keys: list[tuple[int, int]],
    log_point: str = "log_point",
    log_value: str = "log_value",
) -> None:
    """Let an optimised function say, before each call of `@observe`, what the mapping says.

    Args:
        points: what calls of `log_point` hand over is an index into these: functions and numbers, innermost first.
        keys: what calls of `log_value` hand over is an index into these: how many calls outwards, number.
    """
    found = mapping.function(name)
    fresh = fresh_names()
    for block in function.blocks:
        logged: list[Instruction] = []
        for at, (instruction, known) in enumerate(
            zip(list(block.instructions), found.locations_along(block.name), strict=False)
        ):
            if instruction.opcode == "call" and call_site(instruction).callee == "@observe":
                origin = found.origin_of(block.name, at)
                path, instances = _path(found.instances, origin)
                logged.append(_call(log_point, str(len(points)), "0"))
                points.append(path)
                for value, location in known.items():
                    if origin is None:
                        break
                    type_ = found.place(value).type
                    made = compensation(location, type_ or "", fresh)
                    if made is not None and bit_width(type_ or "") is not None:
                        logged += made[0]
                        logged += logged_value(len(keys), made[1], type_, fresh, log_value)
                        keys.append((instances.index(value.instance), value.number))
            logged.append(instruction)
        if len(logged) >= len(block.instructions):
            block.instructions[:] = logged


def _path(instances: list, origin: Origin | None) -> tuple[list[tuple[str, int]] | None, list[int]]:  # type: ignore[type-arg]
    if origin is None:
        return None, []
    path, indices = [], []
    instance: int | None = origin.instance
    number = origin.number
    while instance is not None:
        path.append((instances[instance].function, number))
        indices.append(instance)
        number, instance = instances[instance].call, instances[instance].caller
    return path, indices


def logged_value(
    key: int, name: str, type_: str | None, fresh: Callable[[], str], log_value: str = "log_value"
) -> list[Instruction]:
    """The bits of a value handed to a function that logs; nothing for what is not one word."""
    width = bit_width(type_ or "")
    if width is None or width > 64:
        return []
    code = []
    word = f"i{width}"
    if type_ == "ptr":
        code.append(Instruction.from_text(f"ptrtoint ptr {name} to i64", fresh()))
    elif type_ != word:
        code.append(Instruction.from_text(f"bitcast {type_} {name} to {word}", fresh()))
    if code:
        name = code[-1].result or ""
    if width < 64:
        code.append(Instruction.from_text(f"zext {word} {name} to i64", fresh()))
        name = code[-1].result or ""
    return [*code, _call(log_value, str(key), name)]


def _call(callee: str, first: str, second: str) -> Instruction:
    return Instruction.from_text(f"call void @{callee}(i64 {first}, i64 {second})")


def fresh_names() -> Callable[[], str]:
    """Names of values that no program has."""
    return (f"%logged.{number}" for number in range(1 << 30)).__next__


def _run(
    module: Module,
    arguments: Sequence[int],
    log: dict[str, Callable[[int, int], object]],
    at_observe: Callable[[], None],
) -> Iterator[tuple[list[int], int]]:
    """Runs of `start`, which is compiled once."""
    for name in _LOG:
        module.declare(f"void @{name}(i64, i64)")
    compiled = LlvmModule.from_text(print_module(module), "logged")
    observed: list[int] = []

    def observe(value: int) -> None:
        observed.append(value)
        at_observe()

    word = ctypes.c_uint64
    callbacks = [ctypes.CFUNCTYPE(None, word, word)(_without_result(log[name])) for name in _LOG]
    observer = ctypes.CFUNCTYPE(None, word)(observe)
    imports = {name: ctypes.cast(each, ctypes.c_void_p).value or 0 for name, each in zip(_LOG, callbacks, strict=True)}
    imports |= {"observe": ctypes.cast(observer, ctypes.c_void_p).value or 0, "arena": ctypes.addressof(_ARENA)}
    jit = LinkingJit()
    try:
        library = jit.link("logged", [compiled.object(0)], ["start"], imports)
        start = ctypes.CFUNCTYPE(word, word)(library.addresses["start"])
        for argument in arguments:
            observed.clear()
            _fill_arena()
            result = start(argument)
            yield observed.copy(), result
    finally:
        jit.close()


_ARENA = (ctypes.c_uint64 * 64)()
"""In the same place for every run, with the same words in it."""


def _fill_arena() -> None:
    _ARENA[:] = list(range(1000, 1064))


def _without_result(log: Callable[[int, int], object]) -> Callable[[int, int], None]:
    def logged(first: int, second: int) -> None:
        log(first, second)

    return logged
