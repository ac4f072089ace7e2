"""Can a profiler be believed: the example's answer is known, since its calls take hardly any time."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from measuring import run_sonde
from planted_profilers import PLANTED
from sonde.base.fitted_text import display_width
from sonde.instruments.audit.analysis import audit_of
from sonde.instruments.audit.profile import Profiler
from sonde.instruments.audit.sources import AuditedPython, Rounds

PROGRAM = Path(__file__).parents[2] / "examples" / "answers" / "trivial_actions" / "actions.py"


@pytest.mark.sweep  # the next one finds the same in a profiler that people use
def test_who_counts_calls_is_caught() -> None:
    """The worst case of the source: the activations of one function say nothing of where the time is."""
    driver, faults = PLANTED["calls"]
    program = AuditedPython(sys.executable, (str(PROGRAM), "10"))
    rounds = Rounds(program, [driver], (Profiler(driver.name),))
    rounds.check_program()
    rounds.count_calls()
    made = list(rounds.run(6))

    (verdict,) = audit_of(rounds.profile(python="", turned_off="", losses=())).verdicts

    assert len(made) == 6 * len(rounds.turns)
    assert [fault.kind for fault in verdict.faults] == faults
    assert verdict.biases.calls is not None and verdict.biases.calls.amount > 0.9


@pytest.mark.skipif(find_spec("yappi") is None, reason="yappi is not installed")
def test_the_first_lines_name_who_counts_calls() -> None:
    options = ("--profilers", "yappi", "--rounds", "6", "--no-realism")
    done = run_sonde("audit", *options, PROGRAM, "10")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(display_width, lines)) <= 80
    assert lines[1].startswith("yappi follows how often functions are called: ")
