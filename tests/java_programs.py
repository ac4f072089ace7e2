"""Java programs: the JDKs that are here, Graal, classes compiled, what `javap` and `-XX:+PrintInlining` say of them."""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

from sonde.base.errors import MissingCapability

PROGRAMS = Path(__file__).parent / "programs_in_java"


_GRAAL = {
    "compiler": "org.graalvm.compiler:compiler",
    "collections": "org.graalvm.sdk:collections",
    "word": "org.graalvm.sdk:word",
    "truffle-compiler": "org.graalvm.truffle:truffle-compiler",
}
"""What a JDK needs to compile with Graal, as Maven knows it; the first goes on the upgrade path."""


@cache
def graal_jars(version: str) -> list[Path] | None:
    """Graal and what it needs, fetched once into Maven's own store; None where Maven cannot."""
    store = Path.home() / ".m2" / "repository"
    jars = []
    for name, artifact in _GRAAL.items():
        group = artifact.partition(":")[0].replace(".", "/")
        jars.append(store / group / name / version / f"{name}-{version}.jar")
    if not all(map(Path.is_file, jars)) and shutil.which("mvn"):
        words = ["mvn", "-q", "-B", "dependency:get", f"-Dartifact={_GRAAL['compiler']}:{version}"]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, timeout=600)
    return jars if all(map(Path.is_file, jars)) else None


def graal_environment() -> dict[str, str]:
    """PATH and options with which `java` has Graal; raises `MissingCapability` where JDK 25 or Graal is missing."""
    homes = [home for home in jdks() if 'JAVA_VERSION="25' in (home / "release").read_text()]
    jars = graal_jars("25.0.1") if homes else None
    if jars is None:
        raise MissingCapability("there is no JDK 25 with its jfr tool, or no Graal for it", slug="no-graal-here")
    compiler, *modules = jars
    options = f"--module-path={os.pathsep.join(map(str, modules))} --upgrade-module-path={compiler}"
    return {"PATH": f"{homes[0] / 'bin'}{os.pathsep}{os.environ['PATH']}", "JDK_JAVA_OPTIONS": options}


@cache
def jdks() -> list[Path]:
    """Homes of the JDKs that are installed, one of each version, those of the PATH first."""
    on_path = shutil.which("javac")
    homes = [Path(on_path).resolve().parents[1]] if on_path else []
    homes += sorted(each.resolve().parents[1] for each in Path("/usr/lib/jvm").glob("*/bin/javac"))
    by_version: dict[str, Path] = {}
    for home in homes:
        release = home / "release"
        match = re.search(r'JAVA_VERSION="(\d+)', release.read_text()) if release.is_file() else None
        if match and (home / "bin" / "jfr").is_file() and int(match[1]) >= 17:
            by_version.setdefault(match[1], home)
    return list(by_version.values())


def compile_java(home: Path, name: str, folder: Path) -> None:
    """Compile one of the programs for JDK 17 and later, into a folder."""
    words = [str(home / "bin" / "javac"), "--release", "17", "-d", str(folder), str(PROGRAMS / f"{name}.java")]
    subprocess.run(words, check=True, capture_output=True)


def instructions(home: Path, folder: Path, name: str) -> dict[str, dict[int, str]]:
    """Method -> bytecode index -> instruction, by javap; overloads are not told apart."""
    words = [str(home / "bin" / "javap"), "-c", "-p", "-cp", str(folder), name]
    found: dict[str, dict[int, str]] = {}
    method = ""
    for line in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
        if head := re.match(r"  \S.*?([\w$]+)\(.*\)(?: throws .*)?;", line):
            method = head[1] if head[1] != name else "<init>"
        elif code := re.match(r"\s+(\d+): (\w+)", line):
            found.setdefault(method, {})[int(code[1])] = code[2]
    return found


_LINE = re.compile(
    r"^([ !msbn%]{18,})@ (-?\d+)\s+(\S+?)::(\S+?)(?:\([A-Z]*\)[A-Z])? \((?:\d+ bytes|not loaded)\)\s*(.*)$"
)
_GOOD = re.compile(r"(inline|force inline|accessor|\(intrinsic\)|intrinsic)\b(?!.*failed)")


def printed_inlining(text: str) -> list[list[tuple[int, int, str, bool]]]:
    """Of each compilation: depth, bytecode index, method, and whether it was inlined, for each call.

    Only for machines with one compiling thread: others mix their lines.
    """
    blocks: list[list[tuple[int, int, str, bool]]] = []
    first = None
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            # Older machines write what the profile said on a line of its own.
            first = first if "TypeProfile" in line else None
            continue
        if first is None:
            first = len(match[1])
            blocks.append([])
        reason = match[5].split("callee changed")[0].split("\\->")[0].strip()
        name = f"{match[3].replace('/', '.')}.{match[4]}"
        blocks[-1].append(((len(match[1]) - first) // 2, int(match[2]), name, bool(_GOOD.match(reason))))
    return blocks
