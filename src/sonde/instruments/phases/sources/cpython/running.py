"""Run a command whose phases are watched."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sonde.base.cache_geometry import CacheSettings, machine_caches
from sonde.code import Function
from sonde.instruments.phases.profile import Component, Phase, Thetas
from sonde.launch import Outcome, StartHook, agent_folder, run_to_end, with_start_hook
from sonde.valgrind import BuiltTool, tool_command, tool_environment
from sonde.valgrind.tool_caches import caches_for_the_tool

_HOOK = Path(__file__).with_name("start_hook.py")
_BRANCH_MISSES = "simulated:branch-misses"
COLLECTOR = 0xFFFFFF
"""The number under which collections come."""
MOST_LOG_BYTES = 1 << 30
"""Of one thread: some ten million events."""


def _part(component: Component, name: str, file: str = "", line: int = 0) -> Phase:
    return Phase(Function(name, "", file, line), component)


MACHINE_PARTS = (
    _part("import", "_find_and_load", "<frozen importlib._bootstrap>"),
    _part("compilation", "SourceLoader.source_to_code", "<frozen importlib._bootstrap_external>"),
)
"""What of the virtual machine's own work has a frame. Line 0: wherever it is in the release that runs."""
MODULE_BODIES = _part("module bodies", "<module>", line=1)
"""Of all modules that are no phases themselves; a file of no name is any."""
COLLECTION = Phase(Function("garbage collection", "", "", 0, "builtin"), "garbage collection")


class Search(NamedTuple):
    """How phases are found while the program runs."""

    thetas: Thetas
    least_ns: float
    """No method whose calls take less is watched for long: a multiple of what watching one costs."""


class WatchedRun(NamedTuple):
    """What is watched in the measured process."""

    phases: tuple[Phase, ...]
    counters: tuple[str, ...]
    search: Search | None = None
    """None: only these phases are watched."""
    most_log_bytes: int = MOST_LOG_BYTES

    @classmethod
    def of(cls, methods: Sequence[Phase], counters: tuple[str, ...]) -> "WatchedRun":
        """Some methods, and the parts of the virtual machine: those first, as the last that fits is meant."""
        return cls((*MACHINE_PARTS, MODULE_BODIES, COLLECTION, *methods), counters)

    @classmethod
    def of_compiled(cls, functions: Sequence[Phase], counters: tuple[str, ...]) -> "WatchedRun":
        """Some functions of a compiled program, which has no virtual machine."""
        return cls(tuple(functions), counters)

    @property
    def is_compiled(self) -> bool:
        """Whether there is no virtual machine."""
        return COLLECTION not in self.phases

    @classmethod
    def searching(cls, search: Search, counters: tuple[str, ...]) -> "WatchedRun":
        """Methods that are found while the program runs, and the parts of the virtual machine."""
        return cls((*MACHINE_PARTS, MODULE_BODIES, COLLECTION), counters, search)


def run_watched(argv: tuple[str, ...], folder: Path, asked: WatchedRun) -> Outcome:
    """Run `argv` to its end; what its threads write comes into `folder`.

    Raises:
        SondeError: the command cannot be executed.
        MissingCapability: `no-agent`.
    """
    return run_to_end(argv, environment_to_watch(folder, asked, agent_folder("sonde._phase_agent")))


def run_simulated(argv: tuple[str, ...], folder: Path, asked: WatchedRun, tool: BuiltTool) -> Outcome:
    """Run `argv` to its end in sonde's Valgrind tool, which has the caches of this machine.

    Raises:
        SondeError: the command cannot be executed.
        MissingCapability: `no-agent`.
    """
    words = simulation_words(folder, asked.counters, "all")
    environment = environment_to_watch(folder, asked, agent_folder("sonde._phase_agent"))
    return run_to_end(tool_command(argv, tool, folder, words), tool_environment(environment, tool))


def simulation_words(folder: Path, counters: tuple[str, ...], window: Literal["all", "requests"]) -> tuple[str, ...]:
    """Options of sonde's Valgrind tool for a run that counts.

    Args:
        window: count the whole run, or from where the measured process asks for it.
    """
    here = machine_caches()
    return (
        f"--sonde-record={folder.resolve() / 'record'}",
        f"--sonde-caches={caches_for_the_tool(CacheSettings(here.instruction, here.levels))}",
        "--sonde-mode=full",
        "--sonde-policy=lru",
        "--sonde-objects=no",
        f"--sonde-branches={'yes' if _BRANCH_MISSES in counters else 'no'}",
        f"--sonde-window={window}",
    )


def environment_to_watch(folder: Path, asked: WatchedRun, package: Path) -> dict[str, str]:
    """The environment in which Python watches phases from its start.

    Args:
        package: where the agent for that Python lies.
    """
    with (folder / "watched").open("w", encoding="ascii") as file:
        for number, phase in enumerate(asked.phases):
            function = phase.function
            if phase is not COLLECTION and not (phase is MODULE_BODIES and asked.search):
                words = ("x" + os.fsencode(word).hex() for word in (function.file, function.name))
                file.write(f"{number} {function.first_line} {' '.join(words)}\n")
    grain, least_ns = (asked.search.thetas.grain, asked.search.least_ns) if asked.search else (-1.0, 0.0)
    limits = str(asked.most_log_bytes), repr(grain), repr(least_ns)
    return with_start_hook(os.environ, StartHook(_HOOK, folder, (*limits, *asked.counters), package=package))
