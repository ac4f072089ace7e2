"""Java: HotSpot's compilation log or Graal's optimization log, with execution samples of JDK Flight Recorder."""

from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import SondeError, UsageError
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.capture.flight_recording import Flight
from sonde.instruments.decisions.capture.java_machine import JavaMachine, java_machine
from sonde.instruments.decisions.capture.java_options import check_machine_options, machine_options, uses_graal
from sonde.instruments.decisions.capture.proftool_profile import write_proftool_profile
from sonde.instruments.decisions.capture.thread_logs import complete_log
from sonde.instruments.decisions.model import CompilerKind
from sonde.instruments.decisions.readers.hotspot import index_log, java_versions
from sonde.instruments.decisions.time_profiles import LinkedTime, link_samples, read_recording
from sonde.launch import run_to_end

KINDS: tuple[CompilerKind, ...] = ("hotspot", "graal")
LOG = "compilation_log.xml"
OPTIMIZATION_LOG = "optimization_log"
PROFILE = "profile.json"
_UNSAFE = frozenset(",%'\"=\n")
"""Characters with a meaning in the options that take the paths of our files."""
_BEST_LEVEL = 4
"""Of code of Graal; before it is there, C1's runs, levels 1 to 3."""
_NEW_PREFIX = 22
"""JDK from which Graal's options begin with `jdk.graal.`; before it was `graal.`. One does not know the other's."""


def recognises(command: Sequence[str]) -> bool:
    """Whether it is `java` itself. Scripts and build tools that run it are not told apart from any other program."""
    return Path(command[0]).name in ("java", "java.exe")


def run(command: Sequence[str], folder: Path, options: CaptureOptions) -> Captured:
    """Run a `java` command with options of ours before its own; see `capture`.

    What the program prints and its exit code stay as they are. A machine that is killed leaves the compilations that
    were finished, and the samples until at most a second before.

    Raises:
        UsageError: `capture-options`, `capture-folder`.
        MissingCapability: `no-hotspot`.
    """
    if _UNSAFE & set(str(folder)):
        raise UsageError(
            f"cannot capture into '{folder}': options of java cannot hold paths with one of , % = and quotes",
            slug="capture-folder",
            hint="name another folder with -o",
        )
    theirs = machine_options(command)
    machine = java_machine(command[0], theirs)
    said = uses_graal(theirs)
    graal = options.kind == "graal" or (options.kind is None and (machine.graal if said is None else said))
    if options.kind == "graal" and not (machine.graal if said is None else said):
        raise UsageError(
            "cannot capture Graal's decisions: the command does not turn Graal on",
            slug="capture-options",
            hint="java -XX:+UnlockExperimentalVMOptions -XX:+EnableJVMCI -XX:+UseJVMCICompiler ...",
        )
    check_machine_options(theirs, graal=graal)
    flight = Flight(folder, has_own_options=any(word.startswith("-XX:FlightRecorderOptions") for word in theirs))
    ours = [
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+LogCompilation",
        f"-XX:LogFile={folder / LOG}",
        # So that samples within inlined code name the inlined method.
        "-XX:+DebugNonSafepoints",
        *flight.options(),
    ]
    if graal:
        prefix = "-Djdk.graal." if machine.feature >= _NEW_PREFIX else "-Dgraal."
        ours += [
            f"{prefix}OptimizationLog=Directory",
            f"{prefix}OptimizationLogPath={folder / OPTIMIZATION_LOG}",
            f"{prefix}TrackNodeSourcePosition=true",
        ]
    code = run_to_end([command[0], *ours, *command[1:]]).shell_code
    profile, remarks = None, list[str]()
    try:
        complete_log(folder / LOG)
        profile, remarks = _profile(folder, flight.land(), machine, graal=graal)
    except OSError as error:  # the program has run, and its exit code counts
        remarks.append(f"what was recorded is not complete: {error.strerror}")
    if graal and not (folder / OPTIMIZATION_LOG).is_dir():
        remarks.append("Graal compiled nothing: the program was too short, or did not get as far")
        (folder / OPTIMIZATION_LOG).mkdir()
    elif not graal and not (folder / LOG).is_file():
        remarks.append("there is no compilation log: the virtual machine did not start")
    return Captured(
        kind="graal" if graal else "hotspot",
        exit_code=code,
        record=folder / (OPTIMIZATION_LOG if graal else LOG),
        profile=profile,
        compiler=f"{machine.name} {machine.version}{', Graal' if graal else ''}",
        remarks=tuple(remarks),
    )


def _profile(
    folder: Path, recording: Path | None, machine: JavaMachine, *, graal: bool
) -> tuple[Path | None, list[str]]:
    """Where the time went, by compilation. That it cannot be told is a remark: the decisions are there all the same."""
    if recording is None:
        return None, ["there is no time profile: the flight recorder wrote nothing, which it does once a second"]
    try:
        index = index_log(folder / LOG)
        flight = read_recording(recording, java_home=machine.home)
        linked = link_samples(flight, java_versions(index, flight))
    except SondeError as error:
        return None, [f"there is no time profile: {error.message}"]
    loops = frozenset(number for number, about in index.nmethods.items() if about.get("compile_kind") == "osr")
    path = folder / PROFILE
    write_proftool_profile(path, linked.profile, index.process, loops)
    return path, [link_remark(linked, graal=graal)]


def link_remark(linked: LinkedTime, *, graal: bool) -> str:
    """How much of the time it is known of in which compilation it was spent."""
    said = f"{linked.compiled} of {linked.profile.total} samples are in compiled code"
    if graal:
        best = sum(entry.period for entry in linked.profile.entries if entry.level == _BEST_LEVEL)
        said += f", {best} of them in code of Graal"
    return f"{said}; of {linked.rate:.1%} of these it is known which compilation it was" if linked.compiled else said
