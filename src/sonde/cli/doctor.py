"""Say what works on this machine, what does not, and what to do about it.

  sonde doctor
  sonde doctor --json
  sonde doctor && sonde bench run suite.toml -o new.sonde     only if nothing is missing

exit code: 0 sonde has everything that it needs, 3 something is missing.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from sonde import __version__
from sonde.base.errors import EXIT_MISSING_CAPABILITY, EXIT_OK, MissingCapability, SondeError
from sonde.base.free_threading import is_free_threaded
from sonde.base.numeric_packages import numeric_packages_problem
from sonde.cli.fitted_finding import fitted_finding
from sonde.options.output import add_json_option, print_json

Verdict = Literal["ok", "limited", "missing"]
_MOST_PARANOID = 2
"""The strictest rule of the kernel under which users may count in their own programs."""
_OTHER_TRIGGER = "give --trigger one that works, or leave out --mechanism: then sonde samples from outside"
_MARKS: dict[Verdict, str] = {"ok": "ok", "limited": "--", "missing": "!!"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    what: str
    verdict: Verdict
    """`limited`: something optional is not there; `missing`: sonde cannot work without it."""
    fact: str
    cure: str = ""
    """The one thing to do about it."""


EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run every check and print what it found."""
    findings = [check() for check in _CHECKS]
    if arguments.json:
        print_json("doctor", 1, {"version": __version__, "findings": [asdict(finding) for finding in findings]})
    else:
        print(fitted_finding("sonde ", f"{__version__} on Python {platform.python_version()}, {platform.platform()}"))
        print()
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            print(fitted_finding(f"{_MARKS[finding.verdict]}  {finding.what:<{width}}  ", finding.fact))
            if finding.cure:
                print(fitted_finding(f"    {'':<{width}}  -> ", finding.cure))
    return EXIT_MISSING_CAPABILITY if any(finding.verdict == "missing" for finding in findings) else EXIT_OK


def _python() -> Finding:
    version = platform.python_version()
    if platform.python_implementation() != "CPython":
        return Finding("interpreter", "missing", f"{platform.python_implementation()} {version}", "use CPython >= 3.11")
    if is_free_threaded(sys.abiflags):
        fact = f"CPython {version} without a GIL (free-threaded)"
        return Finding("interpreter", "missing", fact, "install sonde in the build with a GIL")
    return Finding("interpreter", "ok", f"CPython {version}")


def _system() -> Finding:
    system = f"{platform.system()} {platform.machine()}"
    if platform.system() != "Linux":
        return Finding("system", "missing", system, "sonde runs on Linux")
    if platform.machine() != "x86_64":
        return Finding("system", "limited", f"{system}: not tested", "report what you find")
    return Finding("system", "ok", system)


def _agent() -> Finding:
    try:
        from sonde._agent import available
    except ImportError as error:
        return Finding("agent", "missing", str(error), "reinstall: python -m pip install --force-reinstall sonde")
    return Finding("agent", "ok", f"sees calls by {', '.join(available())}")


def _measurement() -> Finding:
    """The proof of the pudding: measure a program of one call."""
    with tempfile.TemporaryDirectory(prefix="sonde-doctor-") as folder:
        output = Path(folder) / "run.sonde"
        command = [sys.executable, "-m", "sonde", "contexts", "--quiet", "-o", str(output), "-c", "(lambda: 1)()"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not output.exists():
            said = (done.stderr.strip().splitlines() or ["no message"])[0]
            return Finding("measuring", "missing", said, f"see: {' '.join(command[2:])}")
    return Finding("measuring", "ok", "a program was measured from start to end")


def _clock() -> Finding:
    flags = _cpu_flags()
    if platform.machine() == "x86_64" and not {"constant_tsc", "nonstop_tsc"} <= flags:
        return Finding(
            "clock",
            "limited",
            "no invariant time-stamp counter: time is read by clock_gettime, which costs more",
            "--no-time counts calls only",
        )
    return Finding("clock", "ok", "time-stamp counter, constant rate on all cores")


def _counters() -> Finding:
    if Path("/sys/bus/event_source/devices/cpu").exists():
        return Finding("hardware counters", "ok", "the kernel offers them; sonde bench reads them")
    return Finding(
        "hardware counters", "limited", "none, as in most virtual machines; sonde bench and sonde phases do without"
    )


def _own_sampling() -> Finding:
    from sonde.instruments.contexts.sources.sampling.abilities import own_abilities

    try:
        found = own_abilities()
    except SondeError as error:
        return Finding("sampling inside", "limited", error.message, error.hint or "")
    fact = f"sonde sample --mechanism takes {', '.join(found.works) or 'no trigger'}"
    without = ", ".join(trigger for trigger in found.refused if trigger != "cycles" or "task-clock" not in found.works)
    if without:
        said = next((reason for reason in found.refused.values() if reason), "no sample came")
        fact += f"; not {without}: {said}"
        is_forbidden = (found.paranoid or 0) > _MOST_PARANOID and "task-clock" in found.refused
        cure = f"sudo sysctl kernel.perf_event_paranoid={_MOST_PARANOID}" if is_forbidden else _OTHER_TRIGGER
        return Finding("sampling inside", "limited", fact, cure)
    if "cycles" in found.refused:
        fact += "; cycles need hardware counters"
    if found.only_user:
        fact += "; time in system calls is in no sample"
        return Finding("sampling inside", "limited", fact, "sudo sysctl kernel.perf_event_paranoid=1")
    return Finding("sampling inside", "ok", fact)


def _outside_sampling() -> Finding:
    from sonde.instruments.contexts.sources.sampling import LOOKED_AT
    from sonde.instruments.contexts.sources.sampling.abilities import outside_abilities

    found = outside_abilities()
    if not found.started:
        return Finding(
            "sampling outside",
            "limited",
            "the system does not let sonde read the memory of a process; sonde sample needs that",
            "in a container: --cap-add SYS_PTRACE; sudo sysctl kernel.yama.ptrace_scope=1; or --mechanism immediate",
        )
    if not found.running:
        return Finding(
            "sampling outside",
            "limited",
            f"sonde sample app.py works, --pid does not: kernel.yama.ptrace_scope is {found.ptrace_scope}",
            "sudo sysctl kernel.yama.ptrace_scope=0, or sudo sonde sample --pid",
        )
    whose = "any process" if found.is_privileged else "processes of this user"
    return Finding("sampling outside", "ok", f"sonde sample reads {whose}: {LOOKED_AT}")


def _phases() -> Finding:
    from sonde.instruments.phases.known_counters import KNOWN_COUNTERS, SIMULATED
    from sonde.instruments.phases.sources.cpython import available_counters

    names = tuple(counter.name for counter in KNOWN_COUNTERS if not counter.name.startswith(SIMULATED))
    try:
        found = available_counters(names)
    except MissingCapability as error:
        return Finding("counters of phases", "limited", error.message, error.hint or "")
    missing = [name for name in names if name not in found]
    not_here = f"; {len(missing)} others cannot be had" if missing else ""
    fact = f"{', '.join(found)}{not_here}"
    return Finding("counters of phases", "limited" if missing else "ok", fact)


def _spool() -> Finding:
    folder = Path(os.environ.get("TMPDIR") or "/tmp")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding(
            "temporary folder", "missing", f"cannot write in {folder}", "set TMPDIR to a folder you can write"
        )
    free = shutil.disk_usage(folder).free
    if free < 64 << 20:
        return Finding("temporary folder", "limited", f"{folder} has {free >> 20} MiB left", "make room, or use -o")
    return Finding("temporary folder", "ok", f"{folder} has {free >> 30} GiB left")


def _stack() -> Finding:
    if sys.version_info >= (3, 12):
        return Finding("deep recursion", "ok", "no C stack is used for Python calls")
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    size = "unlimited" if soft == resource.RLIM_INFINITY else f"{soft >> 20} MiB"
    return Finding("deep recursion", "ok", f"C stack {size}: past half of it, calls are counted by a slower mechanism")


def _llvm() -> Finding:
    from sonde.llvm import llvm_version

    try:
        version = ".".join(map(str, llvm_version()))
    except MissingCapability as error:
        return Finding("LLVM", "limited", f"{error.message}; only sonde vm needs it", error.hint or "")
    return Finding("LLVM", "ok", f"LLVM {version} for sonde vm")


def _c_compiler() -> Finding:
    try:
        from sonde.jit.compilers import find_compiler
    except ModuleNotFoundError as error:
        if error.name != "_ctypes":
            raise
        told = "this Python was built without libffi (ctypes); only sonde vm and compiled programs want it"
        return Finding("C and C++ compiler", "limited", told, "use a Python that has ctypes")
    try:
        return Finding("C and C++ compiler", "ok", find_compiler().about)
    except MissingCapability as error:
        return Finding(
            "C and C++ compiler", "limited", f"{error.message}; sonde vm then reads LLVM IR only", error.hint or ""
        )


def _perf() -> Finding:
    from sonde.instruments.decisions.capture import perf_works

    if perf_works():
        return Finding("perf", "ok", "sonde decisions takes times of prog.c with it")
    cure = "let it sample: sysctl kernel.perf_event_paranoid=2" if shutil.which("perf") else "install perf"
    return Finding("perf", "limited", "'perf record -e cpu-clock' does not work; prog.c then has no times", cure)


def _java() -> Finding:
    """Java alone leaves a log; its recordings of times are read by a tool of the JDK."""
    from sonde.instruments.decisions.time_profiles import jfr_tool

    java = shutil.which("java")
    if java is None:
        return Finding("Java", "limited", "no java on PATH; only sonde decisions wants one", "install a JDK >= 17")
    try:
        jfr_tool()
    except MissingCapability:
        return Finding("Java", "limited", f"{java} without the tool jfr; its runs have no times", "install a JDK >= 17")
    return Finding("Java", "ok", f"{java} and jfr for sonde decisions")


def _c_stacks() -> Finding:
    from sonde.instruments.contexts.sources.sampling import check_unwinder

    try:
        check_unwinder()
    except MissingCapability as error:
        return Finding(
            "C functions", "limited", f"{error.message}; only sonde sample --native needs it", error.hint or ""
        )
    return Finding("C functions", "ok", "libdw unwinds stacks for sonde sample --native")


def _memory() -> Finding:
    from sonde.instruments.memory.source import check_tool

    try:
        about = check_tool()
    except MissingCapability as error:
        return Finding("memory profiles", "limited", f"{error.message}; only sonde memory needs it", error.hint or "")
    return Finding("memory profiles", "ok", f"{about} for sonde memory")


def _statistics() -> Finding:
    if problem := numeric_packages_problem():
        reason, hint = problem
        return Finding("statistics", "limited", f"{reason}; only what judges measurements needs it", hint)
    return Finding("statistics", "ok", "NumPy and SciPy for sonde bench")


def _invocations() -> Finding:
    """Measure a short command that is always there."""
    if _statistics().verdict != "ok":
        return Finding("invocations", "limited", "not tried without NumPy and SciPy")
    from sonde.instruments.bench.invocations import Command, run_command

    try:
        invocation = run_command(Command((sys.executable, "-S", "-c", "")))
    except SondeError as error:
        return Finding("invocations", "missing", error.message, error.hint or "")
    if invocation.outcome != "ok":
        return Finding(
            "invocations", "missing", f"an empty program failed: {invocation.detail}", "report what you find"
        )
    return Finding("invocations", "ok", "sonde bench has measured an empty program")


def _viewers() -> Finding:
    browser = next(filter(shutil.which, ("chromium", "google-chrome", "firefox", "xdg-open")), None)
    if browser is None:
        return Finding("browser", "limited", "none found on PATH", "copy the page of --html to a machine that has one")
    return Finding("browser", "ok", f"{browser} opens the page of sonde view --html")


_CHECKS: tuple[Callable[[], Finding], ...] = (
    _python,
    _system,
    _agent,
    _measurement,
    _clock,
    _stack,
    _counters,
    _outside_sampling,
    _own_sampling,
    _phases,
    _spool,
    _viewers,
    _llvm,
    _c_compiler,
    _perf,
    _java,
    _c_stacks,
    _memory,
    _statistics,
    _invocations,
)


def _cpu_flags() -> set[str]:
    return {flag for line in _cpu_lines() if line.startswith("flags") for flag in line.partition(":")[2].split()}


def _cpu_lines() -> Iterator[str]:
    try:
        yield from Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return
