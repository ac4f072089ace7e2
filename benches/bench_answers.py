"""Five questions, from the command to the moment the answer is on the screen; and its first three lines.

    python benches/bench_answers.py

The programs are those of examples/answers, whose answers are known. Each command as a ratio to the program alone, in
interleaved runs; what runs no program is compared with starting Python. Reading ends with the third line.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ratios import ratio

ROUNDS = 5
ANSWERS = Path(__file__).parents[1] / "examples" / "answers"
SONDE = (sys.executable, "-m", "sonde")
NOTHING = (sys.executable, "-c", "pass")


def python(name: str) -> tuple[str, ...]:
    return (sys.executable, str(ANSWERS / name))


TASKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "which function of mine is slow": (
        python("slow_function/report.py"),
        (*SONDE, "contexts", "--mine", str(ANSWERS / "slow_function/report.py")),
    ),
    "is my change faster": (
        python("is_it_faster/before.py"),
        (
            *SONDE,
            "bench",
            "--quiet",
            *(" ".join(python(f"is_it_faster/{name}.py")) for name in ("before", "after")),
        ),
    ),
    "which line misses the cache": (
        python("cache_misses/columns.py"),
        (*SONDE, "memory", str(ANSWERS / "cache_misses/columns.py")),
    ),
    "why did this loop stop being vectorized": (
        NOTHING,
        (*SONDE, "decisions", "diff", str(ANSWERS / "vectorisation/fast"), str(ANSWERS / "vectorisation/slow")),
    ),
    "what does my server wait for": (
        python("waiting_server/server.py"),
        (*SONDE, "contexts", str(ANSWERS / "waiting_server/server.py")),
    ),
    "what does my asyncio server wait for": (
        python("waiting_tasks/async_server.py"),
        (*SONDE, "contexts", str(ANSWERS / "waiting_tasks/async_server.py")),
    ),
}
"""Question -> the program alone, and the command that answers."""


def run(command: tuple[str, ...], cache: str) -> tuple[float, list[str]]:
    """Seconds, and what it said: answers stand on either stream."""
    environment = {**os.environ, "COLUMNS": "80", "XDG_CACHE_HOME": cache}
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - started
    said = done.stderr if "contexts" in command or "memory" in command else done.stdout
    return seconds, said.splitlines()[:3]


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for question, (alone, command) in TASKS.items():
            run(command, cache)  # what is built or measured once
            rounds = [(run(alone, cache)[0], run(command, cache)) for _ in range(ROUNDS)]
            found = ratio([answered for _, (answered, _) in rounds], [plain for plain, _ in rounds])
            print(f"{question}?  {found} times the program alone")
            print(*(f"    {line}" for line in rounds[-1][1][1]), sep="\n", flush=True)


if __name__ == "__main__":
    main()
