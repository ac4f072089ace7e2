"""`sonde decisions profdiff` prints what its rules say, for random runs: compared with a slow oracle."""

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from odd_graal_logs import OddRuns
from profdiff_oracle import Options, profdiff
from sonde.cli import main

CASES = 50
"""Of every command; a case takes some 20 ms."""
COMMANDS = (
    "jit-vs-jit",
    "jit-vs-jit",
    "report",
    "report with profile",
    "jit-vs-aot",
    "jit-vs-aot with profile",
    "aot-vs-aot",
    "aot-vs-aot-jit-profile",
)


def random_options(random: Random) -> Options:
    """Each with a chance of not being the default."""
    limits = Options(random.choice((0, 1, 1, 2)), random.choice((2, 3, 10)), random.choice((0.0, 0.5, 0.9, 1.0)))
    turned = {name: not value for name, value in asdict(limits).items() if isinstance(value, bool)}
    return replace(limits, **{name: value for name, value in turned.items() if random.random() < 0.3})


def command_line(options: Options) -> list[str]:
    """Options in either form; as few as can be."""
    default = asdict(Options())
    words: list[str] = []
    for name, value in asdict(options).items():
        if value != default[name]:
            option, text = f"--{name.replace('_', '-')}", str(value)
            words += [f"{option}={text}"] if len(words) % 2 else [option, text]
    return words


def files_for(command: str, runs: OddRuns, folder: Path) -> list[Path]:
    """Write the runs that a command takes."""
    first, second = runs.write_log(folder / "a", runs.first), runs.write_log(folder / "b", runs.second)
    jit = runs.write_jit_profile(folder / "a.json", runs.first)
    later = runs.write_aot_profile(folder / "b.aot", runs.second)
    return {
        "jit-vs-jit": [first, jit, second, runs.write_jit_profile(folder / "b.json", runs.second)],
        "report": [first],
        "report with profile": [first, jit],
        "jit-vs-aot": [first, jit, second],
        "jit-vs-aot with profile": [first, jit, second, later],
        "aot-vs-aot": [first, runs.write_aot_profile(folder / "a.aot", runs.first), second, later],
        "aot-vs-aot-jit-profile": [first, jit, second, runs.write_log(folder / "c", runs.first)],
    }[command]


def printed(words: Sequence[str]) -> list[str]:
    """What sonde prints after the explanation."""
    with redirect_stdout(io.StringIO()) as stream:
        assert main(["decisions", "profdiff", *words]) == 0
    explanation, *lines = stream.getvalue().removesuffix("\n").split("\n")
    assert explanation == "How to read the output"
    return lines[next(place for place, line in enumerate(lines) if not line.startswith("    ")) :]


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_the_text_is_what_the_rules_say(command: str) -> None:
    for seed in range(CASES * COMMANDS.count(command)):
        runs, options = OddRuns(seed), random_options(Random(-seed))
        with TemporaryDirectory() as folder:
            files = files_for(command, runs, Path(folder))
            name = command.partition(" ")[0]
            words = [*command_line(options), name, *map(str, files)]
            assert printed(words) == profdiff(name, files, options), f"seed {seed}, {words}"


def test_odd_runs_are_odd() -> None:
    """What makes them worth comparing is in them, often enough."""
    with TemporaryDirectory() as folder:
        text = ""
        for seed in range(30):
            files = files_for("jit-vs-jit", OddRuns(seed), Path(folder, str(seed)))
            for context in (False, True):
                options = Options(optimization_context_tree=context, inliner_reasoning=True)
                text += "\n".join(profdiff("jit-vs-jit", files, options))
    for part in (
        "(root) ", "(inlined) ", "(direct) ", "(indirect) ", "(devirtualized) ", "(deleted) ", " -> ", "unknown at bci",
        "at bci -5", "|_ immature receiver-type profile", " -> T.x()", "no inlining decisions", "duplicate path",
        "of multi-method key", "a fragment of ", "is hot only in experiment 1", "is hot only in experiment 2",
        "No compilations", "There are no differences", "There are no differences", "not found in the optimization log",
        " *hot*", "flag: null", "peelings: 1.0",
    ):  # fmt: skip
        assert part in text, part
