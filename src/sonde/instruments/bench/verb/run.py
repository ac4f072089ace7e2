"""`sonde bench COMMAND ...` and `sonde bench --steady TARGET ...`: measuring what stands on the command line."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sonde.base.errors import UsageError
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import (
    BaselineOptions,
    ConditionOptions,
    MeasuringOptions,
    RunPolicy,
    SteadyOptions,
    WorkOptions,
)
from sonde.instruments.bench.printed_metric import PrintedMetric
from sonde.instruments.bench.unnamed_benchmark import COMMANDS, FUNCTIONS
from sonde.instruments.bench.verb.judgement import add_report_options
from sonde.instruments.bench.verb.measuring import measure
from sonde.options.declared import add_options, options_from

if TYPE_CHECKING:
    from sonde.instruments.bench.runs.plan import Alternative, Plan

_BUDGET_S = 60.0
"""Without --budget, --rounds and --precision: no round is begun after this, once there are enough for an interval."""
_HINT = 'sonde bench "python a.py" "python b.py"'


@dataclass(frozen=True, slots=True)
class _Asked:
    """What stands on the command line."""

    commands: Sequence[str]
    work: WorkOptions
    steady: SteadyOptions
    conditions: ConditionOptions
    measuring: MeasuringOptions
    policy: Policy
    metric: PrintedMetric | None
    """What commands print, if they are judged by that."""


def configure_direct(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the direct form."""
    parser.add_argument(
        "work", nargs="*", metavar="COMMAND", help="a command in quotes; with --steady: module:function"
    )
    add_options(parser, WorkOptions)
    add_options(parser.add_argument_group("with --steady"), SteadyOptions)
    add_report_options(parser, MeasuringOptions, BaselineOptions, RunPolicy)
    add_options(parser, ConditionOptions)


def run_direct(arguments: argparse.Namespace) -> int:
    """Measure what stands on the command line, and report.

    Returns:
        0; 1 when an invocation failed; when it was interrupted 130, 143 after SIGTERM, 129 after SIGHUP.
    Raises:
        SondeError: something cannot be run, stored or written.
        UsageError: `bad-pattern`, or options that do not fit together.
    """
    policy, metric = options_from(RunPolicy, arguments), None
    if "=" in policy.metric:
        metric, arguments.metric = PrintedMetric.parse(policy.metric, policy.better), ""
    asked = _Asked(
        arguments.work,
        options_from(WorkOptions, arguments),
        options_from(SteadyOptions, arguments),
        options_from(ConditionOptions, arguments),
        options_from(MeasuringOptions, arguments),
        options_from(Policy, arguments),
        metric,
    )
    return measure(_plan(asked), arguments, seed_is_chosen=asked.measuring.seed is not None)


def _plan(asked: _Asked) -> "Plan":
    from sonde.instruments.bench.runs.plan import ROUNDS_TO_KEEP, Benchmark, Conditions, Extent, Plan, rounds_between
    from sonde.instruments.bench.runs.session import new_seed

    _check(asked)
    usual, extent, measuring, around = Conditions(), Extent(), asked.measuring, asked.conditions
    conditions = Conditions(
        warm_up_rounds=usual.warm_up_rounds if measuring.warmup is None else measuring.warmup,
        timeout_s=measuring.timeout,
        pin=around.pin,
        aslr=not around.no_aslr,
        hash_seed=around.hash_seed,
        vary_environment=around.vary_environment,
        ignore_failure=around.ignore_failure,
    )
    groups = _groups(asked)
    usual_least = extent.minimum if all(len(group) > 1 for _, group in groups) else ROUNDS_TO_KEEP
    least, most = rounds_between(measuring.min_rounds, measuring.max_rounds, usual_least, extent.maximum)
    extent = Extent(
        rounds=measuring.rounds,
        minimum=least,
        maximum=most,
        precision=extent.precision if measuring.precision is None else measuring.precision,
        level=asked.policy.level,
    )
    is_open = measuring.budget is None and measuring.rounds is None and measuring.precision is None
    return Plan(
        tuple(Benchmark(name, group, conditions, extent, asked.metric) for name, group in groups),
        seed=new_seed() if measuring.seed is None else measuring.seed,
        budget_s=_BUDGET_S if is_open else measuring.budget,
        budget_is_firm=not is_open,
    )


def _groups(asked: _Asked) -> "list[tuple[str, tuple[Alternative, ...]]]":
    """What is compared with one another, and what to call it.

    Of several commands each combination of parameters makes a comparison; of one, its combinations are compared.
    """
    work = asked.work
    name, alternatives = FUNCTIONS if work.steady else COMMANDS, _alternatives(asked)
    if not work.parameter:
        return [(name, alternatives)]
    from sonde.instruments.bench.runs.parameters import read_parameters, with_parameters

    found = list(with_parameters(alternatives, read_parameters(work.parameter)))
    if len(alternatives) > 1:
        return [
            (combination, tuple(replace(each, levels=values) for each in filled))
            for combination, values, filled in found
        ]
    title = f"{work.name[0]}, " if work.name else ""
    ways = [replace(filled[0], name=f"{title}{combination}", levels=values) for combination, values, filled in found]
    return [(name, tuple(ways))]


def _alternatives(asked: _Asked) -> "tuple[Alternative, ...]":
    from sonde.instruments.bench.runs.plan import Alternative, CommandWork, FunctionWork

    policy, work = asked.policy, asked.work
    environment = dict(variable.split("=", 1) for variable in work.env)
    common: dict[str, Any] = {"folder": work.folder, "environment": environment, "output": work.output}
    usual, called = FunctionWork(""), asked.steady
    return tuple(
        Alternative(
            name,
            FunctionWork(
                text,
                interpreter=called.python,
                iterations=called.iterations or usual.iterations,
                window=policy.window,
                threshold=policy.threshold,
                min_time_s=called.min_time,
                loops=called.loops,
                arguments=called.arguments,
                collect_garbage=not called.no_gc,
                **common,
            )
            if work.steady
            else CommandWork(text, shell=work.shell, stdin=work.stdin, **common),
            prepare=work.prepare,
            setup=work.setup,
            cleanup=work.cleanup,
        )
        for name, text in zip(_names(asked), asked.commands, strict=True)
    )


def _names(asked: _Asked) -> list[str]:
    """As given, else the commands themselves; the same one twice is numbered."""
    if asked.work.name:
        return list(asked.work.name)
    names: list[str] = []
    for text in asked.commands:
        name, number = text, 1
        while name in names:
            number += 1
            name = f"{text} #{number}"
        names.append(name)
    return names


def _check(asked: _Asked) -> None:
    work, called, commands = asked.work, asked.steady, asked.commands
    if not commands:
        raise UsageError("cannot measure: no command was given", slug="nothing-to-measure", hint=_HINT)
    if work.name and len(work.name) != len(commands):
        given = "1 name was given" if len(work.name) == 1 else f"{len(work.name)} names were given"
        count = "1 command" if len(commands) == 1 else f"{len(commands)} commands"
        raise UsageError(
            f"cannot name {count}: {given}",
            slug="bad-plan",
            hint="give --name once for each, or not at all",
        )
    wrong = next((variable for variable in work.env if not variable.partition("=")[0] or "=" not in variable), None)
    if wrong is not None:
        raise UsageError(f"cannot set '{wrong}': it is not NAME=VALUE", slug="usage", hint="--env LANG=C")
    of_steady = {
        "--python": called.python,
        "--iterations": called.iterations,
        "--min-time": called.min_time,
        "--loops": called.loops,
        "--arguments": called.arguments,
        "--no-gc": called.no_gc,
    }
    of_commands = {"--shell": work.shell, "--stdin": work.stdin}
    for option, value in (of_commands if work.steady else of_steady).items():
        if value:
            is_how = "runs commands" if work.steady else "calls functions"
            hint = f"leave out {option}, or " + ("--steady" if work.steady else "add --steady")
            raise UsageError(f"cannot use {option}: it says how sonde {is_how}", slug="usage", hint=hint)
