"""What a `java` command is: version, home, and whether Graal is its compiler."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sonde.base.errors import MissingCapability, SondeError

_OLDEST = 11
"""JDK from which flight recording is there for all, with the options that are used here."""


@dataclass(frozen=True, slots=True)
class JavaMachine:
    """A Java virtual machine."""

    version: str
    name: str
    home: Path | None
    graal: bool
    """Graal is what compiles, if no option says otherwise."""

    @property
    def feature(self) -> int:
        """17 of 17.0.15, 8 of 1.8.0_392.

        >>> JavaMachine("1.8.0_392", "", None, False).feature
        8
        """
        numbers = re.findall(r"\d+", self.version) or ["0"]
        return int(numbers[1]) if numbers[0] == "1" and len(numbers) > 1 else int(numbers[0])


def java_machine(java: str, options: Sequence[str] = ()) -> JavaMachine:
    """Ask a `java` what it is.

    Args:
        options: of the command; those that choose a machine (`-server`) are passed on.
    Raises:
        SondeError: `cannot-execute`.
        MissingCapability: `no-hotspot`: it is none that writes a compilation log, or too old.
    """
    if shutil.which(java) is None:
        raise SondeError(f"cannot run '{java}': there is no such program", slug="cannot-execute")
    asked = [java, *(word for word in options if word in ("-server", "-client"))]
    try:
        done = subprocess.run(
            [*asked, "-XshowSettings:properties", "-XX:+PrintFlagsFinal", "-version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SondeError(f"cannot run '{java}': {error}", slug="cannot-execute") from error
    said = done.stderr + done.stdout
    machine = JavaMachine(
        version=_property(said, "java.version"),
        name=_property(said, "java.vm.name"),
        home=Path(home) if (home := _property(said, "java.home")) else None,
        graal=re.search(r"\b(UseJVMCICompiler|UseGraalJIT)\s+:?=\s+true", said) is not None,
    )
    if "OpenJ9" in machine.name or machine.feature < _OLDEST:
        raise MissingCapability(
            f"cannot capture '{java}': it is {machine.name or 'no machine that is known'} {machine.version}",
            slug="no-hotspot",
            hint=f"HotSpot from JDK {_OLDEST} on is needed; 17 and 25 are tested",
        )
    return machine


def _property(said: str, name: str) -> str:
    match = re.search(rf"^\s*{re.escape(name)} = (.*)$", said, re.MULTILINE)
    return match[1].strip() if match else ""
