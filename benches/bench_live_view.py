"""How long it takes from `sonde sample --live --pid` to the first page, and py-spy's `top` beside it.

    python benches/bench_live_view.py [--rounds 11] [--py-spy PATH]

Both run on a pseudo-terminal of 80 x 24; the clock runs from before the start of the command to the first page that
names a function of the program that is looked at. Interleaved rounds; the median, with a 95 % interval.
"""

import argparse
import os
import platform
import pty
import random
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

from ratios import median_interval

WORKLOAD = Path(__file__).with_name("workloads") / "sampled.py"
NAMES = (b"sampled.py",)
"""Of the file that the program is in: what the first page must tell."""


def first_page_s(command: list[str]) -> float:
    """Seconds until the terminal has one."""
    began = time.monotonic()
    pid, terminal = pty.fork()
    if not pid:
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm"})
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    try:
        while b"function" not in seen.lower() or not any(seen.count(name) > 1 for name in NAMES):
            if not select.select([terminal], [], [], 30)[0]:
                raise SystemExit(f"no page within 30 s: {seen[-2000:]!r}")
            seen += os.read(terminal, 1 << 16)
        return time.monotonic() - began
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--py-spy", default=shutil.which("py-spy"))
    arguments = parser.parse_args()
    print(platform.platform())
    with subprocess.Popen([sys.executable, str(WORKLOAD), "10000"], stdout=subprocess.DEVNULL) as process:
        time.sleep(1)
        ways = {"sonde": [sys.executable, "-m", "sonde", "sample", "--live", "--pid", str(process.pid)]}
        if arguments.py_spy:
            ways["py-spy"] = [arguments.py_spy, "top", "--pid", str(process.pid)]
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        order = random.Random(0)
        for _ in range(arguments.rounds):
            for way in order.sample(sorted(ways), len(ways)):
                seconds[way].append(first_page_s(ways[way]))
        process.kill()
    for way, each in seconds.items():
        low, high = median_interval(each)
        print(f"{way}: {statistics.median(each):.3f} s [{low:.3f}, {high:.3f}] to the first page")


main()
