"""Compile a C or C++ program and run it, in the process that holds the compiler.

  sonde vm run prog.c
  sonde vm run -O3 -Iinclude -DNDEBUG main.c util.c -lz -- input.txt
  sonde vm run app.cpp -std=c++20 < data

FILE is C (.c), C++ (.cc .cpp .cxx), or LLVM IR (.ll .bc); several are linked together. The program's output, exit code
and signals are those of a program compiled ahead of time and run alone; `sonde vm run` exits as it did.

options:
  -O0 -O1 -O2 -O3      how hard LLVM optimises each file (default: -O2)
  -I -D -U -include -isystem -std= -g -f... -m... -W... -w -pthread
                       for the compiler: clang, from the package ziglang or
                       on PATH, or the one that SONDE_CC names
  -lNAME -LFOLDER      a shared library that the program is linked with, and its folder
  --perf               write names and lines for the profiler perf: /tmp/perf-PID.map, and jit-PID.dump here
  --                   what follows are the program's arguments; argv[0] is the first FILE
  -h, --help           this
"""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sonde.base.compilation_steps import MACHINE_CODE, WITHOUT_PROBES
from sonde.base.errors import EXIT_OK, InputError
from sonde.launch import die_by, run_fork
from sonde.options.compiled_program import CompiledProgram, compiled_program_of_words
from sonde.options.help_text import fitted_help, help_width
from sonde.render.compiling import Compiling

if TYPE_CHECKING:
    from sonde.jit import CrashRecord

_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP, signal.SIGSYS)


def run_words(words: Sequence[str]) -> int:
    """Do what stands after `sonde vm run`, and return the program's exit code."""
    own = words[: words.index("--")] if "--" in words else words
    if "-h" in own or "--help" in own:
        print("usage: sonde vm run [options] FILE ... [-- args ...]\n")
        print(fitted_help(__doc__ or "", help_width()))
        return EXIT_OK
    return run(compiled_program_of_words(words, "vm run"))


def run(program: CompiledProgram) -> int:
    """Run the program in a child, be as good as not there, and end as it ended.

    The child is a fork: it compiles, and its main thread becomes the program's. So a crash, an exit or a signal is
    the program's own, and this process is left to say what happened.
    """
    from sonde.jit import CrashRecord, check_source  # after the options are known to be good

    for file in program.files:
        check_source(file)
    record = CrashRecord()
    outcome = run_fork(lambda: _be_the_program(program, record))
    return outcome.shell_code if outcome.signal is None else _died(program, record, outcome.signal)


def _be_the_program(program: CompiledProgram, record: "CrashRecord") -> NoReturn:
    from sonde.jit import Libraries, link_program, run_alone

    libraries = Libraries(program.libraries, program.folders)
    with Compiling(WITHOUT_PROBES) as steps:
        linked = link_program(program.files, program.compiler_options, level=program.level, steps=steps)
        steps.begin(MACHINE_CODE)
        image = linked.module.object(program.level)
    perf_folder = Path.cwd() if program.tells_perf else None
    run_alone(linked, image, libraries, [program.files[0], *program.arguments], record, perf_folder)


def _died(program: CompiledProgram, record: "CrashRecord", number: int) -> int:
    """Say so, and end the same way, so that a shell sees the same."""
    name, file = signal.Signals(number).name, program.files[0]
    if not record.began:
        raise InputError(
            f"cannot compile '{file}': LLVM itself was killed by {name}",
            slug="llvm-crashed",
            hint="what LLVM printed says more; another -O level may do",
        )
    if number in _CRASHES:
        where = record.function()
        print(f"sonde: '{file}' was killed by {name}" + (f" in {where}" if where else ""), file=sys.stderr, flush=True)
    die_by(number)
    return 128 + number  # SIGKILL of oneself has been known to take a moment
