"""A run under way: its spool folder, and what is made of it when the run ends or is recovered.

While a program runs, its counts live in `run.sonde-live/` beside the output (or in a
temporary folder), written by the measured processes themselves. An orderly end turns them
into `run.sonde` and removes the folder. After a crash the folder is still there, complete
up to the last call, and every verb that reads `run.sonde` recovers it.
"""

import os
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sonde import __version__
from sonde.base.errors import InputError, SondeError
from sonde.base.units import counted
from sonde.base.whole_file import WholeFile
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.stored_kind import STORED
from sonde.launch import Outcome
from sonde.options.bursts import Bursts
from sonde.store.run_folder import RunFolder, remove_folder

if TYPE_CHECKING:
    # Loaded while the measured program starts, see prepare().
    from sonde.instruments.contexts.profile import ContextProfile, Run, TimeKind
    from sonde.instruments.contexts.sources.probes import ProbedCode
    from sonde.instruments.contexts.sources.sampling import CallSampling, LineSampling, TimeSampling
    from sonde.instruments.contexts.sources.spool import Recording, SpooledProcess
    from sonde.instruments.contexts.verb.run_watch import Draining
    from sonde.launch.burst_clock import LookedAt
    from sonde.native import Spool

_ABOUT = "run.json"
_EXTENSION = "extension"
"""So begins how spools say that they saw calls in what a Python program loaded."""
_MUCH_BYTES = 64 << 20
"""Cells that take longer than a second to bring together."""
_SOURCE_FILES_KEPT = 64
"""Text of the files of the hottest functions is kept, and of as many of the program's own, so that reports show the
lines that ran: what a program does itself is often little beside what it calls."""


class RunPlan(NamedTuple):
    """What is run, and what is looked for."""

    argv: tuple[str, ...]
    hot: HotLimits | None
    """None: every context is kept."""
    bursts: Bursts | None
    """None: the program is watched all the time."""
    by_line: bool = False
    """Whether it is sampled which lines run."""
    sampled_time: "TimeKind | None" = None
    """Time of what is sampled by context; None: of nothing, the program measures time itself or not at all."""
    sampled_ns: int | None = None
    """Of a Python program whose times are sampled: mean time between two looks; None: of no such program."""
    cycles: bool = False
    """Whether cycles of compiled functions are measured, and nothing is told of calling contexts."""


class LiveRun:
    """The spool folder of a run, from before its start until its profile is written."""

    def __init__(self, folder: RunFolder, output: Path | None, plan: RunPlan) -> None:
        self._own = folder
        self.folder = folder.path
        self.output = output
        self._plan = plan
        self._kept = False
        self._written = False
        self._lines: LineSampling | None = None
        self._times: TimeSampling | CallSampling | None = _call_sampling(self.folder, plan)

    @classmethod
    def begin(cls, output: Path | None, plan: RunPlan, *, force: bool) -> Self:
        """Make the folder.

        Raises:
            UsageError: the folder holds a run that goes on, or one that was cut off and `force` is false.
            SondeError: it cannot be made.
        """
        if output is None:
            return cls(RunFolder.temporary(STORED.name), None, plan)
        return cls(RunFolder.beside(output, STORED.name, force=force), output, plan)

    def prepare(self) -> None:
        """Called while the program starts: note what runs, load what its end will need, begin to sample lines."""
        if self._times is not None:
            self._times.begin()
        from sonde.native import ticks_now

        before = ticks_now()
        if self._plan.by_line:
            from sonde.instruments.contexts.sources.sampling import LineSampling

            self._lines = LineSampling(self.folder)
            self._lines.begin()
        if self._plan.sampled_time is not None and self._times is None:
            from sonde.instruments.contexts.sources.sampling import TimeSampling

            self._times = TimeSampling(self.folder, is_processor=self._plan.sampled_time == "processor")
            self._times.begin()
        import sonde.instruments.contexts.analyses
        import sonde.instruments.contexts.profile
        import sonde.instruments.contexts.sources.spool  # noqa: F401

        _write_about(self.folder, self._plan, before, ticks_now())

    def finish(self, outcome: Outcome, draining: "Draining | None" = None) -> "ContextProfile | None":
        """Turn the spool into a profile.

        Args:
            draining: what has counted the events, when the agents did not.
        Returns:
            the profile, or None when nothing was measured (the reason is printed).
        """
        from sonde.instruments.contexts.sources.spool import Recording
        from sonde.launch.burst_clock import read_looked_at

        if not self.folder.is_dir():
            raise SondeError(
                f"cannot make a profile: '{self.folder}', where the counts were, is not there any more",
                slug="counts-removed",
                hint="leave that folder alone until the run has ended",
            )
        size_bytes = sum(cells.stat().st_size for cells in self.folder.glob("*.cells"))
        if size_bytes >= _MUCH_BYTES:
            print(f"sonde: bringing together {size_bytes >> 20} MiB of counts", file=sys.stderr)
        if self._times is not None:
            self._times.end()
        profile = read_live(self.folder, outcome)
        if draining is not None:
            draining.drain(at_the_end=True)
            profile = with_sources(draining.put_into(profile))
        if self._lines is not None:
            profile = self._lines.put_into(profile)
        if self._times is not None and len(profile.contexts):
            profile = self._times.put_into(profile)
        if not len(profile.contexts) and not profile.pruned_root_calls:
            if self._plan.cycles and profile.processes:
                _explain_no_cycles(profile)
            elif _probed_code(self.folder) is None and not _has_units(self.folder):
                explain_nothing(Recording(self.folder), outcome, started=bool(profile.processes))
            elif (looked_at := read_looked_at(self.folder)) is not None and looked_at.bursts:
                _explain_no_calls_in_bursts(looked_at)
            # else the program's fork has told
            return None
        return profile

    def write(self, profile: "ContextProfile") -> None:
        """Write the profile if an output was asked for.

        Raises:
            SondeError: `cannot-write`.
        """
        from sonde.instruments.contexts.profile import write_profile

        if self.output is not None:
            write_profile(self.output, profile)
            self._written = True

    def keep(self) -> None:
        """Leave the counts where they are: what could not be written to its place can be recovered."""
        if self.output is not None and not self._written and any(self.folder.glob("*.cells")):
            self._kept = True
            print(
                f"sonde: the counts are kept in '{self.folder}'; make room, then: sonde view {self.output}",
                file=sys.stderr,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for sampling in (self._lines, self._times):
            if sampling is not None:
                sampling.end()
        if error is not None and not self._kept:
            self.keep()
        if not self._kept and self.folder.is_dir():
            remove_folder(self.folder)
        self.let_go()

    def let_go(self) -> None:
        """Leave the folder to others, as it is."""
        self._own.close()


def _call_sampling(folder: Path, plan: RunPlan) -> "CallSampling | None":
    """What looks at a Python program, if that is to be; made before it starts, as what passes before a look is lost."""
    if plan.sampled_ns is None:
        return None
    from sonde.instruments.contexts.sources.sampling import CallSampling

    return CallSampling(folder, is_processor=plan.sampled_time == "processor", period_ns=plan.sampled_ns)


def read_live(folder: Path, outcome: Outcome | None) -> "ContextProfile":
    """The profile of a spool folder; `outcome` None when the run is being recovered."""
    from sonde.instruments.contexts.analyses import SpooledContexts
    from sonde.instruments.contexts.sources.numba import read_told_code
    from sonde.instruments.contexts.sources.probes import ProbedCode, read_units
    from sonde.instruments.contexts.sources.spool import Recording
    from sonde.launch.burst_clock import read_looked_at

    about, code = _read_about(folder), _probed_code(folder)
    clock = "none"
    recording = Recording(folder)
    ended_pid, ended_ns = (outcome.pid, outcome.ended_ns) if outcome else (None, 0)
    processes = list(recording.processes(ended_pid=ended_pid, ended_ns=ended_ns))
    if (known := read_units(folder)) is not None:
        from sonde.instruments.contexts.verb.read_cycles import unit_profile  # few runs need it

        run = _run(about, outcome, clock, 0, processes)
        known_rate = about.get("ns_per_tick") if outcome is None else None
        return with_sources(unit_profile(folder, known, processes, run, known_rate, partial(_ended, outcome=outcome)))
    if about.get("cycles"):
        from sonde.instruments.contexts.verb.read_numba_cycles import numba_profile  # few runs need it

        run = _run(about, outcome, clock, 0, processes)
        known_rate = about.get("ns_per_tick") if outcome is None else None
        return with_sources(numba_profile(recording, processes, run, known_rate, partial(_ended, outcome=outcome)))
    extensions = None
    if any(_is_of_extension(spool) for process in processes for spool in process.inner):
        extensions, code = code or ProbedCode((), {}, 0, None), None
    contexts = SpooledContexts(
        HotLimits(*about["hot"]) if about["hot"] else None, Bursts(*about["bursts"]) if about["bursts"] else None
    )
    if (looked_at := read_looked_at(folder)) is not None:
        contexts.look_at(*looked_at)
    for process in processes:
        told = read_told_code(folder, process.spool.pid, process.spool.parent_pid)
        for (kind, detail), amount in told.losses.items():
            contexts.lose(kind, amount, detail)
        clock = process.clock
        contexts.update(
            process.spool,
            ns_per_tick=process.ns_per_tick(about.get("ns_per_tick") if outcome is None else None),
            end_ticks=process.end_ticks,
            ended=_ended(process, outcome),
            functions=None if code is None else code.functions,
            inner=[
                (spool, extensions.functions if extensions and _is_of_extension(spool) else told.functions)
                for spool in process.inner
            ],
        )
    contexts.lose(
        "process-replaced",
        sum(process.is_replaced and process.is_last for process in processes),
        "the program replaced itself by another (os.exec), which was not measured",
    )
    for refusal in recording.refusals():
        contexts.lose("process-not-measured", 1, f"{refusal.process}: {refusal.reason}")
    profile = contexts.snapshot(_run(about, outcome, clock, contexts.unseen_wait_ns, processes))
    if code is not None:
        from sonde.instruments.contexts.analyses import of_compiled_code

        profile = of_compiled_code(profile, code.place, about.get("sampled_time"), code.mechanism)
    if extensions is not None:
        from sonde.instruments.contexts.analyses import with_inlined_functions
        from sonde.instruments.contexts.sources.probes import place_in_program

        profile = with_inlined_functions(profile, partial(place_in_program, extensions))
    return with_sources(profile)


def _is_of_extension(spool: "Spool") -> bool:
    return spool.mechanism.startswith(_EXTENSION)


def _probed_code(folder: Path) -> "ProbedCode | None":
    """What numbers in the spools of a compiled program mean; None for Python programs."""
    from sonde.instruments.contexts.sources.probes import read_linked_code, read_probed_code

    return read_probed_code(folder) or read_linked_code(folder)


def _has_units(folder: Path) -> bool:
    from sonde.instruments.contexts.sources.probes import read_units

    return read_units(folder) is not None


def _explain_no_cycles(profile: "ContextProfile") -> None:
    """Say on stderr why no cycles of a Python program are known."""
    of_numba = [loss.detail for loss in profile.losses if loss.kind == "numba-not-probed"]
    why = of_numba[0] if of_numba else "Numba compiled no function in it that ran, and Python functions have no cycles"
    print(
        f"sonde: nothing was measured: {why}\n"
        "hint: leave out --cycles: sonde contexts tells which functions of Python are hot",
        file=sys.stderr,
    )


def _explain_no_calls_in_bursts(looked_at: "LookedAt") -> None:
    """Say on stderr why there are no calls of a program that was looked at in bursts."""
    bursts = counted(looked_at.bursts, "burst", "bursts")
    print(
        f"sonde: nothing was measured: no call began in {bursts}, {looked_at.looked_ns / 1e6:.1f} ms together\n"
        "hint: leave out --burst for a program that is this short, or look more often",
        file=sys.stderr,
    )


def explain_nothing(recording: "Recording", outcome: Outcome, *, started: bool) -> None:
    """Say on stderr why there is no profile.

    Args:
        outcome: how the program ended: a signal may have come before it began.
        started: whether an agent was there, but its program never began.
    """
    refusals = recording.refusals()
    if started and outcome.is_cut_short:
        message = f"nothing was measured: the program {outcome.cut_in_words} before it began to run"
        hint = "let it run longer"
    elif started:
        message = "nothing was measured: the program ended before it began to run"
        hint = "see what it printed; a syntax error is the usual reason"
    elif refusals:
        first = refusals[0]
        message = f"nothing was measured: the agent could not start in {first.process}: {first.reason}"
        python = first.executable
        hint = first.cure(f"use that Python's own sonde: {python} -m pip install sonde; then {python} -m sonde")
        if first.is_of_system:
            hint = "what is counted is kept beside the profile: -o FILE chooses another place"
    else:
        message = "nothing was measured: no Python program loaded the agent"
        hint = (
            "the command must start a Python of this version, without -S, -I or -E, and keep PYTHONPATH;"
            " sonde contexts script.py is the surest way; a program in C or C++ is built for it, by:"
            " sonde contexts --build -- make"
        )
        if outcome.is_cut_short:
            message = f"nothing was measured: the program {outcome.cut_in_words} before a Python in it loaded the agent"
            hint = f"let it run longer; if that does not help, {hint}"
    print(f"sonde: {message}\nhint: {hint}", file=sys.stderr)


def _run(
    about: dict[str, Any], outcome: Outcome | None, clock: str, unseen_wait_ns: int, processes: "list[SpooledProcess]"
) -> "Run":
    import platform
    from datetime import UTC, datetime

    from sonde.instruments.contexts.profile import Run

    running = any(process.alive for process in processes)
    started = outcome.started_at if outcome else about.get("started_at", 0.0)
    return Run(
        command=tuple(about["command"]),
        started_at=datetime.fromtimestamp(started, UTC).isoformat(timespec="milliseconds"),
        duration_ns=outcome.duration_ns if outcome else 0,
        ended=outcome.in_words if outcome else "still running" if running else "cut off",
        clock=clock,
        time_kind="processor" if unseen_wait_ns else "wall",
        unseen_wait_ns=unseen_wait_ns,
        processor_ns=outcome.processor_ns if outcome else 0,
        machine=f"{platform.system()} {platform.machine()}",
        sonde_version=__version__,
        complete=outcome is not None,
    )


def _ended(process: "SpooledProcess", outcome: Outcome | None) -> str:
    if process.is_replaced:
        return "replaced by another program"
    if outcome is not None and process.spool.pid == outcome.pid and process.is_last:
        return outcome.in_words
    return "still running" if process.alive else "ended" if process.spool.end_ticks else "ended early or by os._exit"


def with_sources(profile: "ContextProfile") -> "ContextProfile":
    """Add the text of the files that hold the hottest functions, of all code and of the program's own."""
    from dataclasses import replace

    from sonde.code import origin_of, source_text

    weight: dict[str, int] = {}
    own_files = {function.file for function in profile.functions if origin_of(function) == "own"}
    column = profile.contexts.self_ns if profile.has_time else profile.contexts.calls
    for function, own in zip(profile.contexts.function, column, strict=True):
        file = profile.functions[function].file
        weight[file] = weight.get(file, 0) + own
    hottest = sorted(weight, key=lambda file: (-weight[file], file))
    of_program = [file for file in hottest if file in own_files]
    kept = dict.fromkeys((*hottest[:_SOURCE_FILES_KEPT], *of_program[:_SOURCE_FILES_KEPT]))
    texts = {file: text for file in kept if (text := source_text(file)) is not None}
    return replace(profile, sources=texts)


def _write_about(folder: Path, plan: RunPlan, first: tuple[int, int], second: tuple[int, int]) -> None:
    import json

    # Two readings of both clocks, some milliseconds apart, give the rate of the counter, which a
    # recovery after a reboot could not measure any more.
    rate = (second[1] - first[1]) / max(1, second[0] - first[0])
    about = {
        "command": plan.argv,
        "started_at": time.time(),
        "ns_per_tick": rate,
        "launcher": os.getpid(),
        "hot": plan.hot,
        "bursts": plan.bursts,
        "sampled_time": plan.sampled_time,
        "cycles": plan.cycles,
    }
    # A full disk: a recovery will not know the command, which is no reason to stop the run.
    with suppress(OSError), WholeFile(folder / _ABOUT) as whole:
        whole.write_text(json.dumps(about), encoding="utf-8")


def _read_about(folder: Path) -> dict[str, Any]:
    import json

    try:
        about: dict[str, Any] = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"command": (), "hot": None, "bursts": None}
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read '{folder / _ABOUT}': {error}", slug="corrupt-spool") from error
    return about
