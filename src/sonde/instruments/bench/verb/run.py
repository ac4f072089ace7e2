"""`sonde bench COMMAND ...` and `sonde bench --steady TARGET ...`: measuring what stands on the command line."""

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from sonde.base.errors import UsageError
from sonde.instruments.bench import Policy
from sonde.instruments.bench.printed_metric import PrintedMetric
from sonde.instruments.bench.runs.quantities import MOST_HASH_SEED, count_of, range_of, seconds_of
from sonde.instruments.bench.verb.measuring import add_measuring_options, checked_by, measure, natural_number
from sonde.options.declared import Option, options_from

if TYPE_CHECKING:
    from sonde.instruments.bench.runs.plan import Alternative, Plan

_BUDGET_S = 60.0
"""Without --budget, --rounds and --precision: no round is begun after this, once there are enough for an interval."""
COMMANDS, FUNCTIONS = "commands", "functions"
"""Names of the one benchmark that stands on a command line."""
_HINT = 'sonde bench "python a.py" "python b.py"'


@dataclass(frozen=True, slots=True)
class RunPolicy(Policy):
    """How commands that are run are judged: also by what they print."""

    metric: Annotated[
        str,
        Option(
            "judge by wall, user, system, peak-memory or a counter (default: what each benchmark measures);"
            " NAME=PATTERN or NAME(UNIT)=PATTERN: by what commands print, the numbers that a regular expression's group"
            " matches, each an iteration",
            metavar="NAME",
        ),
    ] = ""


@checked_by
def _hash_seed(text: str) -> int:
    return count_of(text, 0, MOST_HASH_SEED)


def configure_direct(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the direct form."""
    parser.add_argument(
        "work", nargs="*", metavar="COMMAND", help="a command in quotes; with --steady: module:function"
    )
    parser.add_argument("--name", action="append", default=[], help="what to call it; once for each COMMAND")
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="fill {NAME} in commands and all else with each value: 1,10,100 or 1..10 or 0..100..20; with several,"
        " all combinations",
    )
    parser.add_argument("--steady", action="store_true", help="call functions again and again in one process")
    parser.add_argument(
        "--shell", action="store_true", help="let sh run the commands: | > && * $x ; mean something then"
    )
    parser.add_argument("--folder", default="", metavar="DIR", help="where to run, and to look for modules")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="set a variable; repeatable")
    parser.add_argument("--stdin", default="", metavar="FILE", help="what commands read (default: nothing)")
    parser.add_argument(
        "--output",
        default="discard",
        metavar="WHERE",
        help="what becomes of what they print: discard, drain (through a pipe), show, or a file (default: discard)",
    )
    parser.add_argument(
        "--prepare", default="", metavar="CMD", help="a shell command before each invocation, not measured"
    )
    parser.add_argument("--setup", default="", metavar="CMD", help="a shell command before all, not measured")
    parser.add_argument("--cleanup", default="", metavar="CMD", help="a shell command after all, not measured")
    steady = parser.add_argument_group("with --steady")
    steady.add_argument("--python", default="", metavar="CMD", help="the interpreter (default: this one)")
    steady.add_argument(
        "--iterations",
        type=checked_by(range_of),
        metavar="MIN:MAX",
        help="values from each process: MIN at least, then until they are steady (default: 20:200)",
    )
    steady.add_argument(
        "--min-time",
        type=checked_by(seconds_of),
        metavar="TIME",
        help="call so often that a value takes this long (default: 5ms)",
    )
    steady.add_argument("--loops", type=checked_by(count_of), metavar="N", help="calls that make one value")
    steady.add_argument("--arguments", default="", metavar="WORDS", help="what the module finds in sys.argv")
    steady.add_argument("--no-gc", action="store_true", help="switch Python's garbage collector off")
    add_measuring_options(parser, RunPolicy)
    parser.add_argument("--pin", type=natural_number, metavar="CPU", help="run on this processor only")
    parser.add_argument("--no-aslr", action="store_true", help="lay out memory the same way each time")
    parser.add_argument("--hash-seed", type=_hash_seed, metavar="N", help="PYTHONHASHSEED (default: new each time)")
    parser.add_argument("--vary-environment", action="store_true", help="change the environment's size each time")
    parser.add_argument("--ignore-failure", action="store_true", help="exit codes other than 0 are no failures")


def run_direct(arguments: argparse.Namespace) -> int:
    """Measure what stands on the command line, and report.

    Returns:
        0; 1 when an invocation failed; when it was interrupted 130, 143 after SIGTERM, 129 after SIGHUP.
    Raises:
        SondeError: something cannot be run, stored or written.
        UsageError: `bad-pattern`, or options that do not fit together.
    """
    asked, metric = options_from(RunPolicy, arguments), None
    if "=" in asked.metric:
        metric, arguments.metric = PrintedMetric.parse(asked.metric, asked.better), ""
    plan, chosen = _plan(arguments, metric)
    return measure(plan, arguments, seed_is_chosen=chosen)


def _plan(arguments: argparse.Namespace, metric: PrintedMetric | None) -> "tuple[Plan, bool]":
    from sonde.instruments.bench.runs.plan import ROUNDS_TO_KEEP, Benchmark, Conditions, Extent, Plan, rounds_between
    from sonde.instruments.bench.runs.session import new_seed

    _check(arguments)
    usual, extent, policy = Conditions(), Extent(), options_from(Policy, arguments)
    conditions = Conditions(
        warm_up_rounds=usual.warm_up_rounds if arguments.warmup is None else arguments.warmup,
        timeout_s=arguments.timeout,
        pin=arguments.pin,
        aslr=not arguments.no_aslr,
        hash_seed=arguments.hash_seed,
        vary_environment=arguments.vary_environment,
        ignore_failure=arguments.ignore_failure,
    )
    groups = _groups(arguments)
    usual_least = extent.minimum if all(len(group) > 1 for _, group in groups) else ROUNDS_TO_KEEP
    least, most = rounds_between(arguments.min_rounds, arguments.max_rounds, usual_least, extent.maximum)
    extent = Extent(
        rounds=arguments.rounds,
        minimum=least,
        maximum=most,
        precision=extent.precision if arguments.precision is None else arguments.precision,
        level=policy.level,
    )
    is_open = arguments.budget is None and arguments.rounds is None and arguments.precision is None
    plan = Plan(
        tuple(Benchmark(name, group, conditions, extent, metric) for name, group in groups),
        seed=new_seed() if arguments.seed is None else arguments.seed,
        budget_s=_BUDGET_S if is_open else arguments.budget,
        budget_is_firm=not is_open,
    )
    return plan, arguments.seed is not None


def _groups(arguments: argparse.Namespace) -> "list[tuple[str, tuple[Alternative, ...]]]":
    """What is compared with one another, and what to call it.

    Of several commands each combination of parameters makes a comparison; of one, its combinations are compared.
    """
    name, alternatives = FUNCTIONS if arguments.steady else COMMANDS, _alternatives(arguments)
    if not arguments.parameter:
        return [(name, alternatives)]
    from sonde.instruments.bench.runs.parameters import read_parameters, with_parameters

    found = list(with_parameters(alternatives, read_parameters(arguments.parameter)))
    if len(alternatives) > 1:
        return [(combination, tuple(filled)) for combination, _, filled in found]
    title = f"{arguments.name[0]}, " if arguments.name else ""
    ways = [replace(filled[0], name=f"{title}{combination}", levels=values) for combination, values, filled in found]
    return [(name, tuple(ways))]


def _alternatives(arguments: argparse.Namespace) -> "tuple[Alternative, ...]":
    from sonde.instruments.bench.runs.plan import Alternative, CommandWork, FunctionWork

    policy = options_from(Policy, arguments)
    environment = dict(variable.split("=", 1) for variable in arguments.env)
    common: dict[str, Any] = {"folder": arguments.folder, "environment": environment, "output": arguments.output}
    usual = FunctionWork("")
    return tuple(
        Alternative(
            name,
            FunctionWork(
                text,
                interpreter=arguments.python,
                iterations=arguments.iterations or usual.iterations,
                window=policy.window,
                threshold=policy.threshold,
                min_time_s=arguments.min_time,
                loops=arguments.loops,
                arguments=arguments.arguments,
                collect_garbage=not arguments.no_gc,
                **common,
            )
            if arguments.steady
            else CommandWork(text, shell=arguments.shell, stdin=arguments.stdin, **common),
            prepare=arguments.prepare,
            setup=arguments.setup,
            cleanup=arguments.cleanup,
        )
        for name, text in zip(_names(arguments), arguments.work, strict=True)
    )


def _names(arguments: argparse.Namespace) -> list[str]:
    """As given, else the commands themselves; the same one twice is numbered."""
    if arguments.name:
        return list(arguments.name)
    names: list[str] = []
    for text in arguments.work:
        name, number = text, 1
        while name in names:
            number += 1
            name = f"{text} #{number}"
        names.append(name)
    return names


def _check(arguments: argparse.Namespace) -> None:
    if not arguments.work:
        raise UsageError("cannot measure: no command was given", slug="nothing-to-measure", hint=_HINT)
    if arguments.name and len(arguments.name) != len(arguments.work):
        given = "1 name was given" if len(arguments.name) == 1 else f"{len(arguments.name)} names were given"
        count = "1 command" if len(arguments.work) == 1 else f"{len(arguments.work)} commands"
        raise UsageError(
            f"cannot name {count}: {given}",
            slug="bad-plan",
            hint="give --name once for each, or not at all",
        )
    wrong = next(
        (variable for variable in arguments.env if not variable.partition("=")[0] or "=" not in variable), None
    )
    if wrong is not None:
        raise UsageError(f"cannot set '{wrong}': it is not NAME=VALUE", slug="usage", hint="--env LANG=C")
    of_steady = {
        "--python": arguments.python,
        "--iterations": arguments.iterations,
        "--min-time": arguments.min_time,
        "--loops": arguments.loops,
        "--arguments": arguments.arguments,
        "--no-gc": arguments.no_gc,
    }
    of_commands = {"--shell": arguments.shell, "--stdin": arguments.stdin}
    for option, value in (of_commands if arguments.steady else of_steady).items():
        if value:
            is_how = "runs commands" if arguments.steady else "calls functions"
            hint = f"leave out {option}, or " + ("--steady" if arguments.steady else "add --steady")
            raise UsageError(f"cannot use {option}: it says how sonde {is_how}", slug="usage", hint=hint)
