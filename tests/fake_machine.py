"""A made-up machine: files as the kernel has them, in a folder."""

from pathlib import Path

from sonde.instruments.bench.environment import Machine

CPU = "sys/devices/system/cpu"
PLAIN = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Example 3000\nflags\t\t: fpu sse2\n",
    "proc/self/status": "Name:\tpython\nCpus_allowed_list:\t0-3\n",
    "proc/loadavg": "0.25 0.10 0.05 1/100 4242\n",
    "proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
    "proc/sys/kernel/randomize_va_space": "2\n",
    "proc/sys/kernel/osrelease": "6.1.0\n",
    "proc/stat": "cpu 0 0 0 0 0 0 0 0 0 0\n",
    f"{CPU}/online": "0-3\n",
    f"{CPU}/isolated": "\n",
    f"{CPU}/smt/active": "0\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
}
"""A quiet one, about which there is nothing to doubt."""


def make_machine(root: Path, files: dict[str, str] | None = None) -> Machine:
    """Write the files of a plain machine, and these over them."""
    change_machine(root, {**PLAIN, **(files or {})})
    return Machine(root)


def change_machine(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def stat(*, busy_s: float = 0.0, idle_s: float = 0.0, stolen_s: float = 0.0) -> str:
    """`/proc/stat` of processors that were so long busy, idle, or not there."""
    user, idle, stolen = (round(seconds * 100) for seconds in (busy_s, idle_s, stolen_s))
    return f"cpu  {user} 0 0 {idle} 0 0 0 {stolen} 0 0\ncpu0 1 2 3\n"
