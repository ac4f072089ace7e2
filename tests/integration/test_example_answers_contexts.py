"""Two questions that are answered in the first three lines: which function is slow, and what does a server wait for."""

import re
from pathlib import Path

import pytest

from measuring import run_sonde
from sonde.instruments.contexts.profile import read_profile

_ANSWERS = Path(__file__).parents[2] / "examples" / "answers"


def first_lines(text: str) -> str:
    """The first three lines of an answer at 80 columns, as one."""
    lines = text.splitlines()[:3]
    assert max(map(len, lines[1:])) <= 80
    return " ".join(line.strip() for line in lines)


def answer(example: str, *words: str | Path) -> str:
    return first_lines(run_sonde("contexts", *words, _ANSWERS / example, COLUMNS="80").stderr)


def both_answers(example: str, kept: Path, *words: str) -> tuple[str, str]:
    """Of all code when it was run, and of code of this project when that is viewed."""
    of_all = answer(example, "-o", kept, *words)
    return of_all, first_lines(run_sonde("view", "--mine", kept, COLUMNS="80").stdout)


def test_the_slow_function_is_named_with_its_share(tmp_path: Path) -> None:
    for said in both_answers("slow_function/report.py", tmp_path / "run.sonde"):
        hottest = re.search(r" nearest_region \(report\.py:\d+\) is hottest: ([\d.]+)% of the time", said)
        assert hottest is not None
        assert 50 < float(hottest[1]) <= 100  # all else together is a few per cent, but for imports from a slow disk


@pytest.mark.parametrize("words", [(), ("--builtins",)])
def test_what_the_server_waits_for_is_named_with_its_share(words: tuple[str, ...], tmp_path: Path) -> None:
    answers = both_answers("waiting_server/server.py", tmp_path / "run.sonde", *words)
    for said in answers:
        waiting = re.search(r" Waiting took ([\d.]+)% of the time: Database\.query \(server\.py:\d+\) ([\d.]+)%", said)
        assert waiting is not None
        # Of ten threads, seven wait for the connection that one has; the others are the client and the main thread.
        assert float(waiting[1]) > 80
        assert 45 < float(waiting[2]) < 80
    assert ["in Semaphore.acquire" in said for said in answers] == [True, False]


def test_who_holds_the_loop_of_a_server_is_named() -> None:
    said = answer("waiting_tasks/async_server.py")
    longest = r"longest [\d.]+ m?s by handle \(async_server\.py:\d+\)"
    held = re.search(rf" The loop was held ([\d.]+)% of the time, {longest}", said)
    assert held is not None
    assert 20 < float(held[1]) <= 100  # 12 requests of 120 hold it 30 ms each, the others wait 4 ms in turns of eight
    assert "mostly in statistics" in said


def test_what_is_kept_is_whole_whatever_is_told(tmp_path: Path) -> None:
    kept = tmp_path / "run.sonde"
    ran = run_sonde("contexts", "--mine", "-o", kept, _ANSWERS / "slow_function" / "report.py")
    assert "loads" not in ran.stderr
    assert "JSONDecoder.decode" in {function.name for function in read_profile(kept).functions}
    refused = run_sonde("contexts", "--include", "nearest_regoin", "-o", kept, "--force", "-c", "print('done')")
    assert (refused.stdout, refused.returncode) == ("done\n", 2)
    assert "no function that ran is left" in refused.stderr
    assert read_profile(kept).total_calls > 0
