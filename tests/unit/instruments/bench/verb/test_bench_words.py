"""What the words after `sonde bench` ask for."""

import argparse
from typing import Any

import pytest

from sonde.instruments.bench.runs.plan import CommandWork, FunctionWork, Plan
from sonde.instruments.bench.verb import run as bench_run
from sonde.instruments.bench.verb.run import configure_direct, run_direct


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Plan, bool]]:
    found: list[tuple[Plan, bool]] = []

    def measure(plan: Plan, arguments: argparse.Namespace, *, seed_is_chosen: bool) -> int:
        found.append((plan, seed_is_chosen))
        return 0

    monkeypatch.setattr(bench_run, "measure", measure)
    return found


def ask(*words: str) -> None:
    parser = argparse.ArgumentParser()
    configure_direct(parser)
    assert run_direct(parser.parse_args(words)) == 0


def test_commands_are_alternatives_named_by_themselves(plans: list[tuple[Plan, bool]]) -> None:
    ask("python a.py", "python b.py", "python a.py")
    plan, chosen = plans[0]
    (benchmark,) = plan.benchmarks
    assert [one.name for one in benchmark.alternatives] == ["python a.py", "python b.py", "python a.py #2"]
    assert [one.work for one in benchmark.alternatives][::2] == [CommandWork("python a.py")] * 2
    assert (benchmark.extent.rounds, benchmark.extent.precision, benchmark.conditions.warm_up_rounds) == (None, 0.01, 1)
    assert (plan.budget_s, plan.budget_is_firm, chosen) == (60.0, False, False)


@pytest.mark.parametrize(
    ("words", "budget"),
    [
        (["--rounds", "30"], (None, True)),
        (["--precision", "2%"], (None, True)),
        (["--budget", "2min"], (120.0, True)),
        (["--budget", "90", "--rounds", "5"], (90.0, True)),
    ],
)
def test_who_says_how_long_is_taken_at_their_word(
    words: list[str], budget: tuple[Any, Any], plans: list[tuple[Plan, bool]]
) -> None:
    ask("true", *words)
    assert (plans[0][0].budget_s, plans[0][0].budget_is_firm) == budget


def test_all_options_arrive(plans: list[tuple[Plan, bool]]) -> None:
    ask(
        *[
            "a | b",
            "--name",
            "ab",
            "--shell",
            "--folder",
            "/tmp",
            "--env",
            "A=b=c",
            "--stdin",
            "in",
            "--output",
            "drain",
        ],
        *["--prepare", "p", "--setup", "s", "--cleanup", "c", "--warmup", "3", "--timeout", "2s", "--pin", "1"],
        *["--no-aslr", "--hash-seed", "0", "--ignore-failure", "--vary-environment", "--seed", "5"],
        *["--min-rounds", "4", "--max-rounds", "9", "--precision", "5%", "--level", "90%"],
    )
    plan, chosen = plans[0]
    (benchmark,) = plan.benchmarks
    (one,) = benchmark.alternatives
    assert one.work == CommandWork("a | b", True, "/tmp", {"A": "b=c"}, "in", "drain")
    assert (one.name, one.prepare, one.setup, one.cleanup) == ("ab", "p", "s", "c")
    conditions, extent = benchmark.conditions, benchmark.extent
    assert (conditions.warm_up_rounds, conditions.timeout_s, conditions.pin) == (3, 2.0, 1)
    assert (conditions.aslr, conditions.hash_seed) == (False, 0)
    assert (conditions.ignore_failure, conditions.vary_environment) == (True, True)
    assert (extent.minimum, extent.maximum, extent.precision, extent.level) == (4, 9, 0.05, 0.9)
    assert (plan.seed, chosen) == (5, True)


def test_functions_are_called_as_the_options_say(plans: list[tuple[Plan, bool]]) -> None:
    ask(
        *["--steady", "m:f", "m:g", "--python", "python3.12 -O", "--iterations", "5:50", "--min-time", "1ms"],
        *["--loops", "2", "--arguments", "x y", "--no-gc", "--window", "7", "--threshold", "2%"],
    )
    (benchmark,) = plans[0][0].benchmarks
    assert (benchmark.name, benchmark.mode) == ("functions", "steady")
    assert benchmark.alternatives[1].work == FunctionWork(
        "m:g",
        interpreter="python3.12 -O",
        iterations=(5, 50),
        window=7,
        threshold=0.02,
        min_time_s=0.001,
        loops=2,
        arguments="x y",
        collect_garbage=False,
    )


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--budget", "-1s", "is not a duration"),
        ("--precision", "0", "is not a share"),
        ("--rounds", "0", "is not a whole number from 1 on"),
        ("--min-rounds", "1", "is not a whole number from 2 on"),
        ("--iterations", "9:3", "is not a range"),
        ("--warmup", "x", "is not a whole number from 0 on"),
    ],
)
def test_what_is_no_quantity_is_refused_with_what_to_write(
    option: str, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        ask("true", f"{option}={value}")
    assert said in capsys.readouterr().err
