"""What machine code a compiled program has with each profiler's probes: its size, and the calls that were inlined."""

from collections.abc import Callable, Mapping

from sonde.instruments.audit.profile import PLAIN, CodeFacts
from sonde.instruments.audit.sources.audited_compiled import AuditedCompiled
from sonde.jit.object_code import ObjectCode
from sonde.options.compiled_program import CompiledProgram, compiled_program_of_words


def compiled_code(program: AuditedCompiled) -> Mapping[str, CodeFacts]:
    """Compile a program as each profiler does, and look at its object file.

    Returns:
        by the profiler's name, and `PLAIN`.
    Raises:
        InputError, UsageError, MissingCapability: it does not compile.
    """
    from sonde.instruments.contexts.sources.compiled import CycledProgram, ProbedProgram  # with the compiler

    images: dict[str, Callable[[CompiledProgram], bytes]] = {
        PLAIN: lambda asked: CycledProgram.compile(asked, "chosen", "sampled").image,
        "early": lambda asked: ProbedProgram.compile(asked, "early").image,
        "late": lambda asked: ProbedProgram.compile(asked, "late").image,
        "cycles": lambda asked: CycledProgram.compile(asked, "chosen").image,
    }
    facts = {name: _facts(image(compiled_program_of_words(program.words, "audit"))) for name, image in images.items()}
    same = {"all-cycles": "cycles", "cycles-and-samples": "cycles", "sampled": PLAIN}
    return {**facts, **{name: facts[other] for name, other in same.items()}}


def _facts(image: bytes) -> CodeFacts:
    code, inlined = ObjectCode(image), set[tuple[object, ...]]()
    for function in code.functions:
        for row in code.lines_of(function).rows:
            # a call that was inlined: who was called, and from where, in what it was inlined into itself
            inlined |= {
                (function.name, row.frames[at].function, row.frames[at + 1 :]) for at in range(len(row.frames) - 1)
            }
    return CodeFacts(sum(function.size for function in code.functions), len(inlined))
