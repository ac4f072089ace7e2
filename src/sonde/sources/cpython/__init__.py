"""CPython programs: run one with the agent inside."""

from sonde.sources.cpython.launch import (
    AgentOptions,
    NowAndThen,
    Outcome,
    die_by,
    launch,
    run_to_end,
    with_start_up_file,
)
from sonde.sources.cpython.program import Program, program_of_words

__all__ = [
    "AgentOptions",
    "NowAndThen",
    "Outcome",
    "Program",
    "die_by",
    "launch",
    "program_of_words",
    "run_to_end",
    "with_start_up_file",
]
