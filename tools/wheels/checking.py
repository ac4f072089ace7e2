"""What must be true of a wheel before anybody gets it."""

import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from wheels.building import ROOT
from wheels.compilers import compiler_commands
from wheels.platforms import PLATFORMS, Platform
from wheels.shipping import MANUAL, TWINS

MOST_BYTES = 3_000_000
"""More is a mistake, or a decision: docs/installing.md tells the size."""

_EXTENSIONS = ("_agent", "_memory_agent", "_native", "_path_agent", "_phase_agent", "_sample_agent")
_SOURCES = "sonde/valgrind_tool.tar.xz"
_FILES = (
    "sonde/_cycle_probes.so",
    "sonde/_launcher",
    "sonde/_path_probes.so",
    "sonde/_plain_frames.so",
    "sonde/_probes.so",
    "sonde/include/sonde_window.h",
    "sonde/libsonde_probes.a",
    "sonde/libsonde_probes.so",
    "sonde/py.typed",
    _SOURCES,
    "sonde/launch/start_up/sitecustomize.py",
)
_LIBRARIES = re.compile(r"lib(c|m|dl|pthread|rt)\.so(\.\d+)?|ld-linux-[\w-]+\.so\.\d")
"""What programs may need: the C library."""


def faults_of_wheel(path: Path) -> list[str]:
    """What is wrong with a wheel, a sentence each."""
    platform = next((each for each in PLATFORMS if path.stem.endswith(each.tag)), None)
    if platform is None:
        return [f"its tag is of no platform that wheels are built for: {path.name}"]
    return [*faults_of_content(path, platform), *_faults_of_policy(path, platform)]


def faults_of_content(path: Path, platform: Platform) -> list[str]:
    """What is wrong with what is in it."""
    found = [f"it has {path.stat().st_size:,} bytes, {MOST_BYTES:,} are allowed"] * (path.stat().st_size > MOST_BYTES)
    with zipfile.ZipFile(path) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}  # which looks at their sums
        modes = {info.filename: info.external_attr >> 16 for info in wheel.infolist()}
    found += _faults_of_tags(path, files)
    found += [f"{name} is not in it" for name in _expected(path, platform) if name not in files]
    found += [f"{name} is in it, which only a checkout needs" for name in files if name.startswith(TWINS)]
    if not any(name.endswith(MANUAL) for name in files):
        found.append("the page of man is not in it")
    if not modes.get("sonde/_launcher", 0) & 0o100:
        found.append("sonde/_launcher cannot be executed")
    found += _faults_of_sources(files)
    here = os.fsencode(ROOT)
    found += [f"{name} has the folder in it that it was built in" for name, content in files.items() if here in content]
    for name, content in files.items():
        if content.startswith(b"\x7fELF"):
            found += [f"{name}: {fault}" for fault in _faults_of_program(PurePosixPath(name), content, platform)]
    return found


def _faults_of_tags(path: Path, files: Mapping[str, bytes]) -> Iterator[str]:
    about = next(content.decode() for name, content in files.items() if name.endswith(".dist-info/WHEEL"))
    tag = "-".join(path.stem.split("-")[-3:])
    if re.findall(r"^Tag: (\S+)$", about, re.M) != [tag]:
        yield f"the tag of its name is not that in it: {tag}"
    interpreter, abi, _ = tag.split("-")
    if interpreter != abi:
        yield f"it is for no one version of CPython: {tag}"
    metadata = next(content.decode() for name, content in files.items() if name.endswith(".dist-info/METADATA"))
    for line in re.findall(r"^Requires-Dist: .*$", metadata, re.M):
        if "extra ==" not in line:
            yield f"it needs another package: {line}"


def _faults_of_sources(files: Mapping[str, bytes]) -> Iterator[str]:
    """Of the archive in it, which is to be the same whoever builds it."""
    if packed := files.get(_SOURCES):
        with tarfile.open(fileobj=io.BytesIO(packed)) as sources:
            for each in sources:
                if each.uid or each.gid or each.uname or each.gname or each.mtime:
                    yield f"{_SOURCES} tells who has built it, or when: {each.name}"
                    return


def _expected(path: Path, platform: Platform) -> Iterator[str]:
    yield from _FILES
    digits = path.stem.split("-")[2].removeprefix("cp3")
    for name in _EXTENSIONS:
        yield f"sonde/{name}.cpython-3{digits}-{platform.abi}.so"


def _faults_of_program(name: PurePosixPath, content: bytes, platform: Platform) -> Iterator[str]:
    elf = ELFFile(io.BytesIO(content))
    if elf["e_machine"] != platform.machine:
        yield f"it is for {elf['e_machine']}, not for {platform.machine}"
    for section in elf.iter_sections():
        if section.name.startswith((".debug", ".symtab")):
            yield f"it is not stripped of {section.name}"
        if isinstance(section, DynamicSection):
            for tag in section.iter_tags():
                library = getattr(tag, "needed", None)
                if library and not _LIBRARIES.fullmatch(library):
                    yield f"it needs {library}"
                elif tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
                    yield "it tells where to look for libraries"
    module = name.name.partition(".")[0]
    if module in _EXTENSIONS:
        extra = sorted(_exported(elf) - {f"PyInit_{module}"})
        if extra:
            yield f"others can see {', '.join(extra[:5])}, which is its own"


def _exported(elf: ELFFile) -> set[str]:
    table = elf.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    return {symbol.name for symbol in table.iter_symbols() if symbol.name and symbol["st_shndx"] != "SHN_UNDEF"}


def _faults_of_policy(path: Path, platform: Platform) -> Iterator[str]:
    """Of auditwheel: which symbols of which versions of the C library it needs."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if platform.abi.endswith("-musl"):
            # It reads every library that is needed; on a machine with glibc, `libc.so` is a script for linkers.
            cc = compiler_commands(platform, Path(folder))["cc"]
            subprocess.run([cc, "-shared", "-xc", os.devnull, "-o", Path(folder, "libc.so")], check=True)
            environment["LD_LIBRARY_PATH"] = folder
        command = [sys.executable, "-m", "auditwheel", "show", str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if platform.abi.endswith("-musl") and re.search(r"will need to be eliminated:\s+libc\.so\s*$", done.stdout):
        return  # musl's own name for itself, which its loader knows everywhere; auditwheel has Alpine's name only
    said = re.search(r"following\s+platform\s+tag:\s+\"((?:many|musl)linux_(\d+)_(\d+)_\w+)\"", done.stdout)
    allowed = re.match(r"(\w+?linux)_(\d+)_(\d+)", platform.tag)
    assert allowed
    if said is None or not said[1].startswith(allowed[1]):
        yield f"auditwheel does not take it: {(done.stdout + done.stderr).strip()[-300:]}"
    elif (int(said[2]), int(said[3])) > (int(allowed[2]), int(allowed[3])):
        yield f"auditwheel says that it needs {said[1]}"
