"""`contexts --lines`: own time by line, of programs that know their lines."""

from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import Measured, measure, measure_elsewhere, run_plainly
from sonde.instruments.contexts.analysis.line_shares import LineShare, line_shares
from sonde.instruments.contexts.profile import ContextProfile, function_totals

FUNCTIONS = 16
WORK = """\
def work_{number}(limit):
    first = second = 0
    begun = last = now()
    while last - begun < limit:
        sum(short)
        between = now()
        first += between - last
        nothing(last)
        before = now()
        sum(long)
        last = now()
        second += last - before
    return first, second
"""
"""Two lines whose time the program measures itself, around a call of a Python function."""
FIRST, SECOND = 4, 9
"""Lines of `sum`, counted from that of the function."""
PROGRAM = """\
import sys
import threading
import time
from time import perf_counter_ns as now

short, long = [0] * 2000, [0] * 6000

def nothing(value):
    return value

{work}
def long_call():
    total = 0
    for number in range(1000):
        total += number
    return sum(range(4_000_000)) + total

def in_a_thread():
    begun = now()
    while now() - begun < 100_000_000:
        sum(long)

def waits():
    time.sleep(0.1)
    begun = now()
    while now() - begun < 100_000_000: sum(long)

limit = int(sys.argv[1] if len(sys.argv) > 1 else 40) * 1_000_000
for function in [{names}]:
    print(*function(limit))
if sys.argv[2:] == ["all"]:
    long_call()
    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    waits()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [f"work_{number}" for number in range(FUNCTIONS)]
    script = tmp_path_factory.mktemp("program") / "program.py"
    work = "\n".join(WORK.format(number=number) for number in range(FUNCTIONS))
    script.write_text(PROGRAM.format(work=work, names=", ".join(names)), encoding="utf-8")
    return script


@pytest.fixture(scope="module")
def measured(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(tmp_path_factory.mktemp("run"), "--lines", program, "40", "all")


def shares_of(profile: ContextProfile, name: str) -> dict[int, LineShare]:
    """What lines have of a function's own time, by their number from the function's own line on."""
    number = next(each for each, function in enumerate(profile.functions) if function.name == name)
    function = profile.functions[number]
    own_ns = function_totals(profile).self_ns[number]
    shares = line_shares(own_ns, profile.line_samples.get(function, {}))
    assert not shares or sum(share.own_ns for share in shares) == own_ns
    return {share.line - function.first_line: share for share in shares}


def seen_in(profile: ContextProfile, name: str) -> dict[int, int]:
    """How often a function was seen in its lines, numbered likewise."""
    function = next(each for each in profile.functions if each.name == name)
    return {line - function.first_line: count for line, count in profile.line_samples.get(function, {}).items()}


def most_seen(profile: ContextProfile, name: str) -> int:
    seen = seen_in(profile, name)
    return max(seen, key=seen.__getitem__)


def assert_most_lines_are_right(measured: Measured) -> None:
    # The program's own clock is the truth, however often it was kept from running. Reading it is in neither line.
    told = right = 0
    for number, line in enumerate(measured.stdout.splitlines()):
        shares = shares_of(measured.profile, f"work_{number}")
        for at, true_ns in zip((FIRST, SECOND), map(int, line.split()), strict=True):
            if at in shares:
                told += 1
                right += abs(shares[at].own_ns - true_ns) <= shares[at].around_ns + 0.03 * true_ns
    assert told >= FUNCTIONS  # of twice as many
    assert right >= 0.8 * told  # 95 % are promised; a chance below one in a thousand


def test_lines_have_the_time_that_the_program_measures_itself(measured: Measured) -> None:
    assert_most_lines_are_right(measured)


def test_a_long_call_of_c_code_is_the_own_time_of_its_line(measured: Measured) -> None:
    assert most_seen(measured.profile, "long_call") == 4


def test_all_threads_are_looked_at(measured: Measured) -> None:
    assert most_seen(measured.profile, "in_a_thread") == 3


def test_waiting_is_the_time_of_the_line_that_waits_unless_it_is_of_the_processor(
    measured: Measured, program: Path, tmp_path: Path
) -> None:
    processor = measure(tmp_path, "--lines", "--clock", "cpu", program, "0", "all").profile

    assert {1, 3} <= set(seen_in(measured.profile, "waits"))
    assert most_seen(processor, "waits") == 3


@pytest.mark.parametrize("options", [["--exact"], ["--concurrent"], ["--mechanism", "cpython-set-profile"]])
def test_lines_are_sampled_however_calls_are_counted(options: list[str], program: Path, tmp_path: Path) -> None:
    profile = measure(tmp_path, "--lines", *options, program, "0", "all").profile

    assert most_seen(profile, "long_call") == 4
    assert most_seen(profile, "in_a_thread") == 3


def test_the_program_is_as_without(program: Path, tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(
        "import os, sys, threading, time, warnings\n"
        "warnings.simplefilter('error')\n"
        "def spin():\n"
        "    begun = time.perf_counter()\n"
        "    while time.perf_counter() - begun < 0.4: sum(range(1000))\n"  # new processes are looked for every 50 ms
        "child = os.fork()\n"
        "if not child:\n"
        "    spin()\n"
        "    os._exit(3)\n"
        "print(threading.active_count(), len(os.listdir('/proc/self/task')), os.waitpid(child, 0)[1] >> 8)\n",
        encoding="utf-8",
    )

    alone, watched = run_plainly(script), measure(tmp_path, "--lines", "--follow", script)

    assert (watched.stdout, watched.stderr, watched.returncode) == (alone.stdout, alone.stderr, alone.returncode)
    assert most_seen(watched.profile, "spin") == 2
    assert len(watched.profile.processes) == 2


def test_calls_alone_are_not_sampled(program: Path, tmp_path: Path) -> None:
    assert not measure(tmp_path, "--lines", "--no-time", program, "0").profile.line_samples


@pytest.mark.parametrize("python", measured_pythons(), ids=lambda python: python.parts[-3])
def test_lines_in_other_pythons(python: Path, program: Path, tmp_path: Path, cache: str) -> None:
    assert build_agent(python, tmp_path, cache)

    assert_most_lines_are_right(measure_elsewhere(tmp_path, python, "--lines", program))
