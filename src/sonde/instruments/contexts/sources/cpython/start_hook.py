"""Run by the measured interpreter before the program (`sonde.launch.start_hooks`): its calls are counted."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types

    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", mechanism: str, timed: str, builtins: str, *numbers_and_names: str) -> None:
    """Begin to count calls into the folder of the run, until the process ends."""
    *numbers, trace, probes = numbers_and_names
    agent = process.agent("_agent")
    command = "\n".join(sys.orig_argv)
    agent.start(
        os.fsencode(process.folder),
        mechanism or agent.recommended(bool(builtins)),
        os.fsencode(command),
        int(timed),
        bool(builtins),
        process.is_followed,
        process.launcher,
        *map(int, numbers),
        os.fsencode(trace),
    )
    import atexit

    atexit.register(agent.finish)
    reason, extensions = probes, probes
    has_cycles = probes.startswith("cycles-")
    if has_cycles or probes in ("late", "early"):
        extensions = "" if has_cycles else _expect_extensions(process, agent, command)
        reason = "its first function had begun unseen"
        # The first that Numba does when it is to compile.
        first = ("numba/core/codegen.py", "CPUCodegen.__init__")
        agent.when_first_called(*first, lambda: _watch_numba(process, agent, command, probes))
    atexit.register(agent.around(lambda: _tell_of_numba(process.folder, reason), None, None))
    atexit.register(agent.around(lambda: _tell_of_extensions(process, agent, extensions), None, None))


def _library(folder: str) -> bytes:
    """Of probes, which extension modules that were built with them need."""
    return os.fsencode(os.path.join(folder, "libsonde_probes.so"))


def _expect_extensions(process: "StartingProcess", agent: "types.ModuleType", command: str) -> str:
    """Have counted what extension modules with probes call; empty, or why it cannot be done."""
    try:
        where = os.fsencode(process.folder), os.fsencode(command)
        agent.expect_probes(_library(process.package), *where, process.is_followed)
    except OSError as error:
        return str(error)
    return ""


def _tell_of_extensions(process: "StartingProcess", agent: "types.ModuleType", reason: str) -> None:
    """Tell why calls in extension modules with probes were not counted, if there is one; called unseen."""
    if reason and agent.has_probes(_library(process.package)):
        detail = f"calls in extension modules with probes were not counted: {reason}"
        _lose("extension-not-probed", process.folder, detail)


def _watch_numba(process: "StartingProcess", agent: "types.ModuleType", command: str, when: str) -> None:
    """Have probes put into what Numba compiles, or tell why not; called unseen."""
    spool, follow = process.folder, process.is_followed

    def watch() -> None:
        import atexit

        probes = None
        if when.startswith("cycles-"):
            from sonde.instruments.contexts.sources.numba.cycled_code import CycleSettings, watch_cycles

            probes = watch_cycles(CycleSettings(spool, command, when.removeprefix("cycles-"), follow), agent)  # type: ignore[arg-type]
        else:
            from sonde.instruments.contexts.sources.numba.probed_code import Settings, watch_numba

            probes = watch_numba(Settings(spool, command, "late" if when == "late" else "early", follow), agent)
        if probes is not None:
            atexit.register(agent.around(probes.remove, None, None))

    try:
        process.with_sonde(watch)
    except Exception as error:
        _write_of_numba(spool, f"{type(error).__name__}: {error}")
    finally:
        _watched.append(True)


_watched: "list[bool]" = []
"""Whether it was tried."""


def _tell_of_numba(spool: str, reason: str) -> None:
    """Tell why what Numba has compiled has no probes, if it has compiled anything; called unseen."""
    target = getattr(sys.modules.get("numba.core.registry"), "cpu_target", None)
    if not _watched and "_toplevel_target_context" in getattr(target, "__dict__", ()):
        _write_of_numba(spool, reason)


def _write_of_numba(spool: str, reason: str) -> None:
    _lose("numba-not-probed", spool, f"calls of functions that Numba compiled were not counted: {reason}")


def _lose(kind: str, spool: str, detail: str) -> None:
    import json

    try:
        with open(os.path.join(spool, f"{os.getpid()}.numba"), "a", encoding="utf-8") as told:
            told.write(json.dumps({"kind": kind, "detail": detail}) + "\n")
    except OSError:
        pass
