"""What a command of gcc or clang does: compile which files, link, or something of which we know nothing."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

_WITH_VALUE = frozenset(
    (
        *("-o", "-x", "-I", "-D", "-U", "-L", "-l", "-B", "-T", "-u", "-z", "-e", "-A", "-G", "-MF", "-MT", "-MQ"),
        *("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-isysroot"),
        *("-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-aux-info", "--param", "-target", "-wrapper"),
        *("-rpath", "-soname", "-dumpbase", "-dumpdir", "-arch", "--sysroot"),
    )
)
"""Options whose value may be the next word."""
_NO_COMPILING = frozenset(
    ("-E", "-S", "-M", "-MM", "-fsyntax-only", "-###", "--version", "-dumpversion", "-dumpmachine")
)
_OTHERWISE = (
    *("-print-", "--print-", "-dump", "--help", "-fplugin", "-fdump", "-save-temps", "-wrapper"),
    *("-fsanitize", "-fprofile-", "-ftest-coverage", "--coverage", "-coverage", "-fopenmp", "-fopenacc", "-fgnu-tm"),
    *("-m32", "-mx32", "-m16", "-finstrument-functions"),
)
"""Beginnings of options that need the real compiler, mostly as its runtime library is another than clang's."""
_PREPROCESSING = re.compile(r"-Wp,-MM?(?:,|$)")
_C = (".c",)
_CXX = (".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".CPP")
_LINKER_OPTION = re.compile(
    r"-(?:[lL]|Wl,|rdynamic|shared|static|pie$|no-pie|nostdlib|nodefaultlibs|nostartfiles|s$|r$)"
)
_PROBES_OF_CONFIGURE = re.compile(r"conftest|^ztest|sanitycheck|testfile\.c|CMakeCCompiler|CMakeCXXCompiler")
_FOLDERS_OF_PROBES = {"CMakeTmp", "CMakeScratch", "meson-private"}
_DEPENDENCIES = ("-MD", "-MMD")


@dataclass(frozen=True, slots=True)
class Source:
    """A file that a command compiles."""

    word: int
    """Which word it is."""
    path: str
    language: str
    """`c` or `c++`."""


@dataclass(slots=True)
class CompilerCommand:
    """A command, without the compiler's own name."""

    words: list[str]
    sources: list[Source] = field(default_factory=list)
    output: str = ""
    """As given; empty: the compiler's own choice."""
    is_compiling: bool = True
    """Whether it makes object files, or a program of sources."""
    reason: str = ""
    """Why its files are left to the real compiler although they are C or C++; empty: they are not, or there is none."""
    links: bool = True
    is_shared: bool = False
    is_static: bool = False
    is_probe: bool = False
    """Whether it asks what the compiler can do, as configure does."""
    changing: list[str] = field(default_factory=list)
    """Words that change what becomes of a file."""

    def options(self, source: Source) -> list[str]:
        """Words for compiling one of the sources that change what becomes of it."""
        found = [*self.changing]
        if any(word in _DEPENDENCIES for word in found):
            target = self.object_of(source)
            if "-MF" not in found and not any(word.startswith("-MF") for word in found):
                found += ["-MF", str(PurePath(target).with_suffix(".d"))]
            if not any(word.startswith(("-MT", "-MQ")) for word in found):
                found += ["-MT", target]
        return found

    def object_of(self, source: Source) -> str:
        """Where the compiler would put the object file."""
        return self.output if self.output and not self.links else PurePath(source.path).stem + ".o"

    def with_objects(self, objects: dict[int, str]) -> list[str]:
        """The words that link, with object files in place of sources."""
        found: list[str] = []
        skipped = False
        for number, word in enumerate(self.words):
            if skipped or word in _DEPENDENCIES:  # what it depends on is known
                skipped = False
            elif word in ("-MF", "-MT", "-MQ", "-x"):
                skipped = True
            else:
                found.append(objects.get(number, word))
        return found


def read_compiler_command(words: Sequence[str], *, is_cxx: bool) -> CompilerCommand:
    """Understand the words of a command.

    Args:
        is_cxx: whether the compiler takes C for C++, as g++ does.
    """
    command = CompilerCommand(_expanded(words))
    language, inputs, skipped = "", 0, False
    for number, word in enumerate(command.words):
        if skipped:
            skipped = False
            continue
        value = command.words[number + 1] if word in _WITH_VALUE and number + 1 < len(command.words) else None
        skipped = value is not None
        if word == "-o" or (word.startswith("-o") and len(word) > 2 and not word.startswith("-objc")):
            command.output = value if value is not None else word[2:]
        elif word == "-x" or word.startswith("-x"):
            language = value if value is not None else word[2:]
        elif word == "-":
            command.is_compiling = False
        elif not word.startswith("-"):
            inputs += 1
            _take_input(command, number, word, language, is_cxx=is_cxx)
        else:
            _take_option(command, word, value)
    command.links = command.links and inputs > 0
    command.is_compiling = command.is_compiling and bool(command.sources)
    return command


def _take_input(command: CompilerCommand, number: int, word: str, language: str, *, is_cxx: bool) -> None:
    path = PurePath(word)
    if _PROBES_OF_CONFIGURE.search(path.name) or _FOLDERS_OF_PROBES & {*path.parts, *Path.cwd().parts}:
        command.is_probe = True
    if language in ("", "none"):
        language = "c" if path.suffix in _C else "c++" if path.suffix in _CXX else "none"
        language = "c++" if language == "c" and is_cxx else language
    if language in ("c", "c++"):
        command.sources.append(Source(number, word, language))


def _take_option(command: CompilerCommand, word: str, value: str | None) -> None:
    if word == "-c":
        command.links = False
    elif word in _NO_COMPILING or _PREPROCESSING.match(word):
        command.is_compiling = command.links = False
    elif word.startswith(_OTHERWISE):
        command.reason = command.reason or f"{word} needs the real compiler"
        command.is_compiling = False
    elif word == "-r":
        command.links = False
    command.is_shared = command.is_shared or word == "-shared"
    command.is_static = command.is_static or word in ("-static", "-static-pie")
    if word == "-c" or word.startswith("-flto") or word == "-ffat-lto-objects" or _LINKER_OPTION.match(word):
        return
    command.changing.append(word)
    if value is not None:
        command.changing.append(value)


def _expanded(words: Sequence[str]) -> list[str]:
    """Words with those of response files in their places."""
    found: list[str] = []
    for word in words:
        if word.startswith("@") and Path(word[1:]).is_file():
            found += shlex.split(Path(word[1:]).read_text(encoding="utf-8", errors="surrogateescape"))
        else:
            found.append(word)
    return found
