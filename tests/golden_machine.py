"""Answers of `doctor` on machines that are made up, and what every verb says of itself."""

import re
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

from golden_answers import ONE, Case
from sonde.base.errors import MissingCapability
from sonde.cli.verbs import VERBS
from sonde.instruments.bench.verb.bench import QUESTIONS as BENCH_QUESTIONS
from sonde.instruments.contexts.sources.sampling.abilities import OutsideAbilities, OwnAbilities
from sonde.instruments.decisions.verb.decisions import QUESTIONS as DECISION_QUESTIONS

_ABILITIES = "sonde.instruments.contexts.sources.sampling.abilities"
_FORBIDDEN = "the system offers no such counter: Permission denied"
_TEXT = frozenset({"text"})
_USAGE = re.compile(r"usage: .*?\n\n", re.DOTALL)
_LISTS = re.compile(r"^(?:positional arguments|options):$", re.MULTILINE)


def _always(value: object) -> Callable[..., object]:
    return lambda *_, **__: value


def _missing(message: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise MissingCapability(message, slug="made-up", hint=hint)

    return refuse


def _platform(*, system: str, machine: str, implementation: str = "CPython") -> SimpleNamespace:
    names = {"system": system, "machine": machine, "python_version": "3.11.7", "platform": f"{system}-6.1-{machine}"}
    return SimpleNamespace(
        python_implementation=_always(implementation), **{name: _always(value) for name, value in names.items()}
    )


def _python(*, minor: int, has_lock: bool) -> SimpleNamespace:
    return SimpleNamespace(version_info=(3, minor), executable="python3", abiflags="" if has_lock else "t")


class _Nowhere(type(Path())):  # type: ignore[misc] # which class it is depends on the release
    """A path of a machine that has nothing."""

    def exists(self, **_: bool) -> bool:
        return False


class _Everywhere(_Nowhere):
    """A path of a machine that has everything."""

    def exists(self, **_: bool) -> bool:
        return True


def _machine(**seams: object) -> dict[str, object]:
    return {f"sonde.cli.doctor.{name}": value for name, value in {"__version__": "0.0.0", **seams}.items()}


_WHOLE = {
    **_machine(
        platform=_platform(system="Linux", machine="x86_64"),
        sys=_python(minor=12, has_lock=True),
        Path=_Everywhere,
        os=SimpleNamespace(environ={}, access=_always(True), W_OK=2, X_OK=1),
        shutil=SimpleNamespace(
            which=lambda name: f"/usr/bin/{name}", disk_usage=_always(SimpleNamespace(free=200 << 30))
        ),
        subprocess=SimpleNamespace(run=_always(subprocess.CompletedProcess([], 0, "", ""))),
        tempfile=SimpleNamespace(TemporaryDirectory=_always(nullcontext("/tmp/sonde-doctor-abc"))),
        _cpu_lines=_always(["flags : fpu constant_tsc nonstop_tsc"]),
    ),
    "sonde.base.numeric_packages.find_spec": _always(True),
    "sonde._agent.available": _always(["cpython-monitoring"]),
    f"{_ABILITIES}.own_abilities": _always(OwnAbilities(("task-clock", "timer", "sleep"), {"cycles": ""}, False, 1)),
    f"{_ABILITIES}.outside_abilities": _always(OutsideAbilities(True, 0, False)),
    "sonde.llvm.llvm_version": _always((20, 1, 8)),
    "sonde.jit.compilers.find_compiler": _always(SimpleNamespace(about="clang 20.1.8")),
    "sonde.instruments.decisions.capture.perf_works": _always(True),
    "sonde.instruments.decisions.time_profiles.jfr_tool": _always("/usr/bin/jfr"),
    "sonde.instruments.contexts.sources.sampling.check_unwinder": _always(None),
    "sonde.instruments.memory.source.check_tool": _always("valgrind 3.19.0 and cc 1.0"),
    "sonde.instruments.bench.invocations.run_command": _always(SimpleNamespace(outcome="ok", detail="")),
}

_BARE = {
    **_WHOLE,
    **_machine(
        platform=_platform(system="Darwin", machine="arm64", implementation="PyPy"),
        Path=_Nowhere,
        os=SimpleNamespace(environ={"TMPDIR": "/full"}, access=_always(False), W_OK=2, X_OK=1),
        shutil=SimpleNamespace(which=_always(None)),
        subprocess=SimpleNamespace(run=_always(subprocess.CompletedProcess([], 1, "", "sonde: no agent\nhint: none"))),
    ),
    "sonde.base.numeric_packages.find_spec": _always(None),
    f"{_ABILITIES}.own_abilities": _missing("there is no agent for this Python", "reinstall sonde"),
    f"{_ABILITIES}.outside_abilities": _always(OutsideAbilities(False, None, False)),
    "sonde.llvm.llvm_version": _missing("llvmlite is not installed", "python -m pip install 'sonde[vm]'"),
    "sonde.jit.compilers.find_compiler": _missing("no clang on PATH", "python -m pip install 'sonde[c]'"),
    "sonde.instruments.decisions.capture.perf_works": _always(False),
    "sonde.instruments.contexts.sources.sampling.check_unwinder": _missing(
        "there is no libdw.so.1", "apt install libdw1"
    ),
    "sonde.instruments.memory.source.check_tool": _missing(
        "no 'valgrind' on PATH", "install it: apt-get install valgrind"
    ),
}

_ODD = {
    **_WHOLE,
    **_machine(
        platform=_platform(system="Linux", machine="aarch64"),
        sys=_python(minor=13, has_lock=False),
        shutil=SimpleNamespace(
            which=lambda name: f"/usr/bin/{name}" if name in ("perf", "java") else None,
            disk_usage=_always(SimpleNamespace(free=12 << 20)),
        ),
    ),
    f"{_ABILITIES}.own_abilities": _always(
        OwnAbilities(("timer", "sleep"), {"task-clock": _FORBIDDEN, "cycles": _FORBIDDEN}, False, 3)
    ),
    f"{_ABILITIES}.outside_abilities": _always(OutsideAbilities(True, 1, False)),
    "sonde.instruments.decisions.capture.perf_works": _always(False),
    "sonde.instruments.decisions.time_profiles.jfr_tool": _missing("no jfr", "install a JDK"),
    "sonde.instruments.bench.invocations.run_command": _always(SimpleNamespace(outcome="failed", detail="exit code 1")),
}


def _description(text: str) -> str:
    """Help without usage and lists of options, which differ between releases of argparse."""
    return _LISTS.split(_USAGE.sub("", text))[0]


def _options(text: str) -> str:
    """What `_description` leaves out: usage and each option in a line, named as the newest releases do."""
    usage, lists = _USAGE.match(text), _LISTS.search(text)
    told = [" ".join(usage[0].split()), ""] if usage else []
    for entry in re.split(r"\n(?! {3,})", text[lists.start() :] if lists else ""):
        option, *about = re.split(r"\s{2,}", entry.strip())
        told.append("  ".join((re.sub(r"^(-\w) (\S+), (--\S+ \2)$", r"\1, \3", option), " ".join(about))).rstrip())
    return "\n".join(told) + "\n"


def _doctor(patches: dict[str, object]) -> Case:
    return Case(("doctor",), patches=patches, forms=frozenset({"text", "json"}))


_HELPS = [
    *((verb,) for verb in VERBS),
    *(("bench", question) for question in BENCH_QUESTIONS),
    *(("decisions", question) for question in DECISION_QUESTIONS),
]

CASES = {
    "doctor/whole": _doctor(_WHOLE),
    "doctor/bare": _doctor(_BARE),
    "doctor/odd": _doctor(_ODD),
    "help/sonde": Case(("--help",), forms=_TEXT),
    **{f"help/{'-'.join(words)}": Case((*words, "--help"), forms=_TEXT, retold=_description) for words in _HELPS},
    **{
        f"help/{'-'.join(words)}-options": Case((*words, "--help"), forms=_TEXT, looks=ONE, retold=_options)
        for words in _HELPS
    },
}
