"""Options that make no sense are refused before anything runs, in words that help."""

import sys
from pathlib import Path

import pytest

from measuring import run_sonde, run_sonde_here

REFUSED = [
    ("--phi 0", "phi lies between 0 and 1"),
    ("--phi 1", "phi lies between 0 and 1"),
    ("--phi nan", "phi lies between 0 and 1"),
    ("--phi -1", "phi lies between 0 and 1"),
    ("--phi inf", "phi lies between 0 and 1"),
    ("--phi 1e-300", "cannot monitor"),
    ("--phi many", "--phi"),
    ("--phi 1e-3 --epsilon 1e-3", "epsilon is 0.001"),
    ("--phi 1e-3 --epsilon 1e-2", "epsilon is 0.01"),
    ("--epsilon 0", "epsilon is 0"),
    ("--epsilon nan", "epsilon is nan"),
    ("--memory 0", "too small for a single context"),
    ("--memory 1", "too small for a single context"),
    ("--memory lots", "--memory"),
    ("--metric bytes", "--metric"),
    ("--burst 2ms/20ms", "a burst must be shorter than its interval"),
    ("--burst 2ms/2ms", "a burst must be shorter than its interval"),
    ("--burst 20ms/0ms", "--burst"),
    ("--burst 0ms/0ms", "--burst"),
    ("--burst 20ms", "20ms/2ms"),
    ("--burst often", "20ms/2ms"),
    ("--adaptive 10%", "--adaptive needs --burst"),
    ("--burst 20ms/2ms --adaptive 0", "--adaptive"),
    ("--burst 20ms/2ms --adaptive 200%", "--adaptive"),
    ("--exact --phi 1e-3", "exclude each other"),
    ("--exact --memory 1M", "exclude each other"),
    ("--exact --burst 20ms/2ms", "exclude each other"),
    ("--exact --space-saving --metric calls", "exclude each other"),
    ("--exact --space-saving", "exclude each other"),
    ("--space-saving", "--metric calls"),
    ("--no-time --metric time", "--no-time"),
    ("--concurrent --burst 20ms/2ms", "--concurrent"),
    ("--clock cpu --no-time", "--no-time"),
    ("--clock cpu --record run.trace", "one clock for all threads"),
    ("--clock cpu --concurrent", "one clock for all threads"),
    ("--clock sun", "--clock"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED, ids=[options for options, _ in REFUSED])
def test_options_that_make_no_sense_are_refused(options: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')")

    done = run_sonde_here("contexts", *options.split(), "program.py", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.startswith("sonde: ")
    assert "bug in sonde" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="sys.monitoring sees C functions in bursts as well")
def test_c_functions_in_bursts_are_refused_where_they_take_another_mechanism(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')")

    done = run_sonde("contexts", "--builtins", "--burst", "20ms/2ms", "program.py", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "--builtins" in done.stderr
