"""Run a command under the Valgrind tool, and be as good as not there, but for the time it takes."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import sonde
from sonde.base.errors import MissingCapability
from sonde.instruments.memory.options import Window
from sonde.instruments.memory.source.target import Target
from sonde.launch import NowAndThen, Outcome, Refusal, StartHook, refusals_in, run_to_end, with_start_hook
from sonde.valgrind import LOGS, BuiltTool, fault_in, tool_command, tool_environment

RECORD = "record"
"""Name of the record in the folder of the run."""
_HOOK = Path(__file__).with_name("inject") / "start_hook.py"
_NEWEST_PYTHON = (3, 15)
"""In which there is an agent; in later ones it is said of each Python that it was not in."""
_SNAPSHOT_ACCESSES = 1 << 28


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """What the tool is to do."""

    caches: str
    """`I1:SIZE,WAYS,LINE;D1:...`, in bytes, ways, bytes."""
    policy: str = "lru"
    inclusion: str = "neither"
    write_allocate: bool = True
    classify: bool = False
    count_only: bool = False
    """Count accesses and misses, and attribute nothing."""
    window: Window = "all"
    trace: Path | None = None
    agent: bool = True
    """Have an agent in it if it is a Python."""
    spare: Path | None = None
    """A folder for the record when its own has no room for it."""
    sharing: bool = False
    """Find lines of memory that threads share."""
    lines_only: bool = False
    """Attribute to code only: what memory was accessed is not told apart."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """How a run under the tool ended."""

    outcome: Outcome
    record: Path
    """May be missing, or end early; see `fault`."""
    tool: str
    """What it was measured with."""
    fault: str | None
    """What Valgrind could not do, in words."""
    refusals: tuple[Refusal, ...]
    """Which Python the agent was not in, and why."""
    folder: Path
    """Of the run: what jitted code was, for one."""


def run_under_tool(
    target: Target,
    tool: BuiltTool,
    spool: Path,
    options: ToolOptions,
    *,
    meanwhile: Callable[[], None] = lambda: None,
    now_and_then: NowAndThen | None = None,
) -> ToolRun:
    """Run `target` to its end, with the record in the folder `spool`.

    Raises:
        MissingCapability: `no-agent`.
        SondeError: `cannot-execute`.
    """
    outcome = run_to_end(
        command_of(target, tool, spool, options),
        _environment(tool, spool, options),
        meanwhile=meanwhile,
        now_and_then=now_and_then,
    )
    spare = options.spare / RECORD if options.spare else None
    return ToolRun(
        outcome,
        spare if spare and spare.exists() else spool / RECORD,
        tool.about,
        next(filter(None, map(fault_in, spool.glob(LOGS))), None),
        tuple(refusals_in(spool)),
        spool,
    )


def pid_of_tool(spool: Path) -> int | None:
    """The process of the tool whose run has this folder; None: there is none any more."""
    for log in spool.glob(LOGS):
        pid = log.stem.removeprefix("valgrind-")
        try:
            words = Path("/proc", pid, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(f"--sonde-record={spool.resolve() / RECORD}") in words:
            return int(pid)
    return None


def command_of(target: Target, tool: BuiltTool, spool: Path, options: ToolOptions) -> tuple[str, ...]:
    """Valgrind's command line, which begins with the tool itself."""
    words = [
        f"--sonde-record={spool.resolve() / RECORD}",
        f"--sonde-caches={options.caches}",
        f"--sonde-policy={options.policy}",
        f"--sonde-inclusion={options.inclusion}",
        f"--sonde-write-allocate={_yes(options.write_allocate)}",
        f"--sonde-classify={_yes(options.classify)}",
        f"--sonde-mode={'count' if options.count_only else 'full'}",
        f"--sonde-objects={_yes(not options.lines_only)}",
        f"--sonde-sharing={_yes(options.sharing)}",
        f"--sonde-window={'all' if options.window == 'all' else 'requests'}",
        f"--sonde-snapshot={_SNAPSHOT_ACCESSES}",
    ]
    if options.spare is not None:
        words.append(f"--sonde-spare={options.spare.resolve() / RECORD}")
    if options.window == "manual" and options.agent:
        words.append("--sonde-sites-before=yes")
    if options.trace is not None:
        words.append(f"--sonde-trace={options.trace.resolve()}")
    return tool_command(target.argv, tool, spool, words, inline_info=not options.count_only)


def _environment(tool: BuiltTool, spool: Path, options: ToolOptions) -> dict[str, str]:
    environment = dict(os.environ)
    if options.agent and (not options.count_only or options.window != "all"):
        agent = find_spec("sonde._memory_agent")  # without loading it
        place = Path(agent.origin if agent and agent.origin else sonde.__file__)
        if place.name == "__init__.py" and sys.version_info[:2] <= _NEWEST_PYTHON:
            raise MissingCapability(
                "cannot measure memory accesses: this installation of sonde has no agent for them",
                slug="no-agent",
                hint="python -m pip install --force-reinstall sonde",
            )
        collections = "" if options.count_only else "1"
        hook = StartHook(_HOOK, spool, (options.window, collections), package=place.parent)
        environment = with_start_hook(environment, hook)
    return tool_environment(environment, tool)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
