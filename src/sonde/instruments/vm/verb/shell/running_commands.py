"""Commands that run code: one function, one function many times, or the whole program."""

from sonde.base.units import format_count, format_duration
from sonde.instruments.vm.verb.shell.command import Answer, Command, Data
from sonde.instruments.vm.verb.shell.endings import error_of_signal
from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter
from sonde.instruments.vm.verb.shell.words import quoted
from sonde.instruments.vm.verb.shell.workbench import Workbench

_DEFAULT_TIMES = 10


def _call(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    result = bench.call(arguments.text("function"), arguments.texts("arguments"))
    data: dict[str, Data] = {"result": result.text, "type": result.type, "seconds": result.seconds}
    return Answer("" if result.type == "void" else f"{result.text} : {result.type}", data)


def _repeat(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    timing = bench.repeat(
        arguments.text("function"), arguments.texts("arguments"), arguments.count("n", _DEFAULT_TIMES)
    )
    text = (
        f"{format_count(timing.times)} calls in {_duration(timing.total_seconds)}; per call: "
        f"median {_duration(timing.median_seconds)}, quartiles {_duration(timing.lower_quartile_seconds)} to "
        f"{_duration(timing.upper_quartile_seconds)}, least {_duration(timing.minimum_seconds)}"
    )
    return Answer(
        text,
        {
            "times": timing.times,
            "total_seconds": timing.total_seconds,
            "minimum_seconds": timing.minimum_seconds,
            "lower_quartile_seconds": timing.lower_quartile_seconds,
            "median_seconds": timing.median_seconds,
            "upper_quartile_seconds": timing.upper_quartile_seconds,
        },
    )


def _run(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    status = bench.run(arguments.texts("argument"))
    if status is not None and status < 0:
        text = " ".join(["run", *map(quoted, arguments.texts("argument"))])
        raise error_of_signal(text, -status)
    return Answer(f"exited {status}", {"status": status})


def _start(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    bench.run(arguments.texts("argument"), True)
    return Answer("started; 'wait' waits for its end", {"running": True})


def _wait(bench: Workbench, _arguments: Arguments, _width: int | None) -> Answer:
    status = bench.wait()
    return Answer(f"exited {status}", {"status": status})


def _duration(seconds: float) -> str:
    return format_duration(round(seconds * 1e9))


_ARGUMENT = Parameter("argument", "text", "for main, as argv[1] and on", is_optional=True, is_many=True)

RUNNING_COMMANDS = (
    Command(
        "call",
        "running",
        "call a function and print what it returns",
        "call isord([1, 2, 3], 3)",
        (Parameter("call", "call", "the function and its arguments"),),
        "Arguments are integers (7, -7, 0x7f, 'a'), floating-point numbers (0.5), \"text\", null, arrays\n"
        "([1, 2], i64[1, 2], [0.5, 1.0]), and names of functions and variables, as the function's type demands.\n"
        "'call isord [1,2,3] 3' is the same. f@VERSION calls that version, whichever is active.",
        action=_call,
        runs_program=True,
    ),
    Command(
        "repeat",
        "running",
        "call a function many times and tell how long it takes",
        "repeat 1000 isord([1, 2, 3], 3)",
        (
            Parameter("n", "count", f"how often; {_DEFAULT_TIMES} if it is left out", is_optional=True),
            Parameter("call", "call", "the function and its arguments"),
        ),
        action=_repeat,
        runs_program=True,
    ),
    Command(
        "run",
        "running",
        "run the program's main to its end",
        "run input.txt -v",
        (_ARGUMENT,),
        action=_run,
        runs_program=True,
        may_exit=True,
        passes_options_on=True,
    ),
    Command(
        "start",
        "running",
        "run the program's main while the shell goes on",
        "start 1000000",
        (_ARGUMENT,),
        "Versions can be switched while it runs. It should not read its standard input, which is the shell's too.",
        action=_start,
        passes_options_on=True,
    ),
    Command(
        "wait",
        "running",
        "wait for the program that was started",
        "wait",
        action=_wait,
        runs_program=True,
        may_exit=True,
    ),
)
