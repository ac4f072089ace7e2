"""The words of a `java` command: which are for the virtual machine, and which of those bear on a capture."""

from collections.abc import Sequence
from typing import NoReturn

from sonde.base.errors import UsageError

_WITH_A_WORD = frozenset(
    {
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--upgrade-module-path",
        "--add-modules",
        "--add-exports",
        "--add-opens",
        "--add-reads",
        "--limit-modules",
        "--patch-module",
        "--enable-native-access",
        "--describe-module",
        "-d",
        "--source",
    }
)
"""Options whose value is the next word."""
_PROGRAM = frozenset({"-jar", "-m", "--module"})
"""What follows is the program, and its arguments."""
_OURS = ("-XX:LogFile=", "-XX:-LogCompilation")
_GRAAL_OURS = (
    "-Dgraal.OptimizationLog",
    "-Djdk.graal.OptimizationLog",
    "-Dgraal.TrackNodeSourcePosition=false",
    "-Djdk.graal.TrackNodeSourcePosition=false",
)


def machine_options(command: Sequence[str]) -> tuple[str, ...]:
    """The words between `java` and the program.

    >>> machine_options(["java", "-cp", "a.jar", "-XX:+UseSerialGC", "Main", "-XX:other"])
    ('-cp', 'a.jar', '-XX:+UseSerialGC')
    """
    at = 1
    while at < len(command):
        word = command[at]
        if word in _PROGRAM or not word.startswith(("-", "@")):
            break
        at += 2 if word in _WITH_A_WORD else 1
    return tuple(command[1:at])


def uses_graal(options: Sequence[str]) -> bool | None:
    """Whether options turn Graal on as the compiler; None: they say nothing of it.

    >>> uses_graal(["-XX:+UseJVMCICompiler"]), uses_graal(["-XX:+UseG1GC"])
    (True, None)
    """
    said = None
    for word in options:
        if word in ("-XX:+UseJVMCICompiler", "-XX:+UseGraalJIT"):
            said = True
        elif word in ("-XX:-UseJVMCICompiler", "-XX:-UseGraalJIT"):
            said = False
    return said


def check_machine_options(options: Sequence[str], *, graal: bool) -> None:
    """Refuse what would send the record elsewhere.

    Raises:
        UsageError: `capture-options`.
    """
    for word in options:
        if word.startswith(_OURS) or (graal and word.startswith(_GRAAL_OURS)):
            _refuse(word, "it says where the record goes, or that there is none", "leave it out: sonde sets it")
        if word == "-Xint":
            _refuse(word, "nothing is compiled with it", "leave it out")


def _refuse(word: str, fact: str, hint: str) -> NoReturn:
    raise UsageError(f"cannot capture with '{word}': {fact}", slug="capture-options", hint=hint)
