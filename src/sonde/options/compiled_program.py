"""A program to compile, as it is written on the command line: files, options of the compiler, arguments."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sonde.base.errors import UsageError

_WITH_VALUE = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-x")
_WITH_VALUE_ATTACHED = ("-I", "-D", "-U", "-isystem", "-iquote", "-idirafter")
_ALONE = ("-std=", "-f", "-m", "-W", "-w", "-g", "-pthread", "-ansi", "-pedantic", "-nostdinc", "-trigraphs")
_LEVELS = {"-O": 1, "-O0": 0, "-O1": 1, "-O2": 2, "-O3": 3}


@dataclass(slots=True)
class CompiledProgram:
    """What is to be compiled, how, and run with which arguments."""

    files: list[str] = field(default_factory=list)
    compiler_options: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    level: int = 2
    tells_perf: bool = False
    arguments: list[str] = field(default_factory=list)


def compiled_program_of_words(words: Sequence[str], verb: str) -> CompiledProgram:
    """Read the command line.

    Args:
        verb: which hints are to name.
    Raises:
        UsageError: `usage`, `no-source`.
    """
    program, rest = CompiledProgram(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            program.arguments = rest
            break
        if word in _LEVELS:
            program.level = _LEVELS[word]
        elif word in ("-l", "-L", *_WITH_VALUE):
            if not rest:
                raise _unreadable(f"'{word}' is followed by nothing", verb)
            _take(program, word, rest.pop(0))
        elif word.startswith(("-l", "-L")):
            _take(program, word[:2], word[2:])
        elif word.startswith((*_WITH_VALUE_ATTACHED, *_ALONE)):
            program.compiler_options.append(word)
        elif word == "--perf":
            program.tells_perf = True
        elif word == "--debug":
            continue  # dispatch looks for it
        elif word.startswith("-"):
            raise _unreadable(f"there is no option '{word}'", verb)
        else:
            program.files.append(word)
    if not program.files:
        raise UsageError("cannot run anything: no file was named", slug="no-source", hint=f"sonde {verb} prog.c")
    return program


def _take(program: CompiledProgram, option: str, value: str) -> None:
    if option == "-l":
        program.libraries.append(value)
    elif option == "-L":
        program.folders.append(value)
    else:
        program.compiler_options += (option, value)


def _unreadable(fact: str, verb: str) -> UsageError:
    return UsageError(f"cannot read the command line: {fact}", slug="usage", hint=f"sonde {verb} --help")
