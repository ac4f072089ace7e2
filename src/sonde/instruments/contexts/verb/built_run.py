"""Programs that their own builds made with probes: the build, and a run."""

import sys
from pathlib import Path
from shlex import join

from sonde.base.errors import UsageError
from sonde.base.units import counted
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.options import RunOptions
from sonde.instruments.contexts.sources.builds import BuildLog, environment_of, has_bursts, run_build
from sonde.instruments.contexts.sources.probe_plan import ProbePlan
from sonde.instruments.contexts.verb.live_run import LiveRun
from sonde.instruments.contexts.verb.refused_options import refuse_options_of_python
from sonde.launch import NowAndThen, Outcome, find_command, run_to_end
from sonde.launch.burst_clock import BurstClock
from sonde.options.bursts import Bursts

_SHOWN = 5
"""Files without probes that are named; the others are counted."""


class BuiltRun:
    """A program with probes, ready to be run.

    Args:
        words: of its command.
    Raises:
        UsageError: `not-of-compiled`, an option is for Python programs.
    """

    def __init__(self, words: list[str], options: RunOptions, bursts: Bursts | None) -> None:
        refuse_options_of_python(words[0], options, ["--probes"] if options.probes else [])
        if bursts is not None and not has_bursts(find_command(words[0])):
            raise UsageError(
                f"cannot watch '{words[0]}' in bursts: it was built without --burst, so its probes are always on",
                slug="not-of-compiled",
                hint=f"build it anew: sonde contexts --build --burst {_lengths(bursts)} -- make",
            )
        self._words, self._options, self._bursts = words, options, bursts

    def run(self, live: LiveRun, hot: HotLimits | None, now_and_then: NowAndThen | None) -> Outcome:
        """Run it to its end, counting into the run's folder."""
        plan = ProbePlan(hot, not self._options.no_time, self._options.follow)
        environment = environment_of(live.folder, plan)
        with BurstClock(live.folder, self._bursts):
            return run_to_end(self._words, environment, meanwhile=live.prepare, now_and_then=now_and_then)


def build(words: list[str], *others: tuple[object, object], bursts: bool) -> int:
    """Run a build, tell what became of it, and return its exit code.

    Args:
        bursts: whether probes are to be such that can be switched.
        others: options that were given, and what they are where none is.
    Raises:
        UsageError: `not-of-builds`: what follows is no command, or an option is for the run; `no-program`.
        MissingCapability, SondeError: as `run_build`.
    """
    if words[:1] != ["--"] or len(words) < 2:
        raise UsageError(
            "cannot build anything: --build is followed by '--' and the command that builds",
            slug="not-of-builds",
            hint="sonde contexts --build -- make",
        )
    if any(given != none for given, none in others):
        raise UsageError(
            "cannot build and measure at once: options for the run were given with --build",
            slug="not-of-builds",
            hint="give them when the program is run: sonde contexts [options] -- ./app",
        )
    find_command(words[1])
    status, log = run_build(words[1:], bursts=bursts)
    for line in _told(log, words[1:], has_failed=status != 0):
        print(f"sonde: {line}", file=sys.stderr)
    return status


def _lengths(bursts: Bursts) -> str:
    """As they are typed."""
    return f"{bursts.interval_ns / 1e6:g}ms/{bursts.burst_ns / 1e6:g}ms"


def _told(log: BuildLog, words: list[str], *, has_failed: bool) -> list[str]:
    if not (log.with_probes or log.without):
        if has_failed:
            return []
        return [
            f"no C or C++ file was compiled: '{join(words)}' found all built, or names its compiler by its path",
            "hint: remove what was built before (make clean); let the build take CC and CXX, or gcc from PATH",
        ]
    lines = []
    if log.with_probes:
        functions = sum(log.with_probes.values())
        which = counted(functions, "function") if functions else "by gcc -finstrument-functions"
        lines = [f"{counted(len(log.with_probes), 'file')} compiled with probes ({which})"]
    if log.without:
        lines.append(f"{counted(len(log.without), 'file')} without probes, by the real compiler:")
        lines += [f"  {Path(file).name}: {reason}" for file, reason in [*log.without.items()][:_SHOWN]]
        if len(log.without) > _SHOWN:
            lines.append(f"  and {len(log.without) - _SHOWN} more")
    if log.dropped:
        lines.append(f"options that clang does not know were left out: {' '.join(sorted(log.dropped))}")
    programs = [path for path in log.programs if Path(path).is_file()]
    if log.with_probes and programs and not has_failed:
        lines.append(f"now: sonde contexts -- {_shown_path(programs[-1])}")
    elif log.with_probes and log.libraries and not has_failed:
        lines.append(f"now: sonde contexts script.py, with a script that loads {Path(log.libraries[-1]).name}")
    return lines


def _shown_path(path: str) -> str:
    """As it would be typed here."""
    here = Path.cwd()
    return f"./{Path(path).relative_to(here)}" if Path(path).is_relative_to(here) else path
