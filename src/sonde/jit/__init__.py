"""Compiled programs in this process: front ends, the engine that loads code, a map of it, `main` as if run alone."""

from sonde.jit.crash_record import CrashRecord
from sonde.jit.engine import Engine, LoadedCode
from sonde.jit.front_end import check_source, compile_file, compile_files, optimising_command
from sonde.jit.libraries import Libraries
from sonde.jit.lined_program import link_with_lines
from sonde.jit.lone_program import LinkedProgram, link_program, run_alone
from sonde.jit.main_program import run_main
from sonde.jit.program_functions import function_of_source, function_of_symbol

__all__ = [
    "CrashRecord",
    "Engine",
    "Libraries",
    "LinkedProgram",
    "LoadedCode",
    "check_source",
    "compile_file",
    "compile_files",
    "function_of_source",
    "function_of_symbol",
    "link_program",
    "link_with_lines",
    "optimising_command",
    "run_alone",
    "run_main",
]
