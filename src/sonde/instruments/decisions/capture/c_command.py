"""The words of a C compiler's command: which files it compiles, and with which options."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = frozenset({
    ".c", ".i", ".cc", ".cpp", ".cxx", ".c++", ".cp", ".C", ".CPP", ".ii", ".m", ".mm", ".mi", ".mii", ".ll",
    ".bc"
})  # fmt: skip
"""What the names of files end in that LLVM makes code of."""
_WITH_VALUE = frozenset({
    "-o", "-x", "-I", "-D", "-U", "-L", "-l", "-F", "-B", "-T", "-u", "-z", "-e", "-A", "-G", "-target",
    "-arch", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
    "-iwithprefixbefore", "-isysroot", "-include-pch", "-ivfsoverlay", "-framework", "-iframework", "-Xclang",
    "-Xlinker", "-Xpreprocessor", "-Xassembler", "-Xanalyzer", "-mllvm", "-MF", "-MT", "-MQ", "-MJ",
    "-resource-dir", "-rpath", "-install_name", "-param", "--param", "-working-directory",
    "-serialize-diagnostics", "--serialize-diagnostics", "-dumpdir", "--sysroot", "--target", "-gcc-toolchain",
    "-current_version", "-compatibility_version", "-version-info", "-weak_library", "-unwindlib"
})  # fmt: skip
"""Options whose value is the next word."""
_FOR_LINKER = ("-l", "-L", "-Wl,", "-Xlinker", "-rpath", "-framework", "-u", "-z", "-T", "-e")
_DEPENDENCIES = ("-M", "-MM", "-MD", "-MMD", "-MG", "-MP", "-MF", "-MT", "-MQ", "-MJ", "-MV")
_DROPPED = frozenset({
    "-c", "-S", "-E", "-fsyntax-only", "-emit-llvm", "-save-temps", "--save-temps", "-pipe", "-v", "-shared",
    "-static", "-rdynamic", "-s", "-r", "-fsave-optimization-record", *_DEPENDENCIES
})  # fmt: skip
"""They say what to make of the code, which is thrown away; what the code is, they do not say."""
_DROPPED_WITH_VALUE = frozenset({
    "-o", "-MF", "-MT", "-MQ", "-MJ", "-serialize-diagnostics", "--serialize-diagnostics", "-dumpdir"
})  # fmt: skip
_DROPPED_STARTS = (
    "-o", "-save-temps=", "--save-temps=", "-fsave-optimization-record=", "-foptimization-record-file=", "-MF",
    "-MT", "-MQ", "-MJ", "-Wl,", "-ftime-trace=", "-fdiagnostics-format="
)  # fmt: skip
_MAKES_NO_CODE = frozenset({
    "-E", "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion", "-dumpmachine", "--help", "-###",
    "--analyze", "--precompile"
})  # fmt: skip


@dataclass(slots=True)
class CCommand:
    """A command of a C compiler."""

    sources: list[tuple[str, str | None]] = field(default_factory=list)
    """Files, each with the language that `-x` says; None: as its name says."""
    options: list[str] = field(default_factory=list)
    """For compiling any of them; without what says what to make and where."""
    makes_code: bool = True
    level: str = ""
    """`-O2`; empty: not given."""
    debug: str = ""
    """`-g`; empty: not given."""
    reads_stdin: bool = False


def c_command(words: Sequence[str]) -> CCommand:
    """Read the words after the compiler's name."""
    command, language = CCommand(), None
    rest = _unfolded(words)
    while rest:
        word = rest.pop(0)
        if word in _MAKES_NO_CODE:
            command.makes_code = False
        if word == "-":
            command.reads_stdin = True
        elif not word.startswith("-"):
            if language is not None or Path(word).suffix in SOURCES:
                command.sources.append((word, language))
        elif word == "-x" and rest:
            language = _language(rest.pop(0))
        elif word.startswith("-x") and len(word) > 2:
            language = _language(word[2:])
        elif word in _WITH_VALUE and rest:
            value = rest.pop(0)
            if word not in _DROPPED_WITH_VALUE and word not in _FOR_LINKER:
                command.options += (word, value)
        elif word in _DROPPED or word.startswith((*_DROPPED_STARTS, "-l", "-L")):
            continue
        else:
            if word.startswith("-O"):
                command.level = word
            elif word.startswith("-g") and not word.startswith(("-gcc", "-gsplit", "-gz", "-gdwarf", "-gno")):
                command.debug = word
            command.options.append(word)
    return command


def _language(name: str) -> str | None:
    return None if name == "none" else name


def _unfolded(words: Sequence[str], depth: int = 0) -> list[str]:
    """The words, with those of response files (`@file`) in their place."""
    found: list[str] = []
    for word in words:
        path = Path(word[1:])
        if word.startswith("@") and depth < _DEEPEST and path.is_file():
            found += _unfolded(shlex.split(path.read_text(encoding="utf-8", errors="replace")), depth + 1)
        else:
            found.append(word)
    return found


_DEEPEST = 8
"""Response files may name each other."""
