"""CPython programs: run one with the agent inside, and find what the agent counted."""

from sonde.sources.cpython.launch import AgentOptions, Outcome, die_by, launch
from sonde.sources.cpython.program import Program, program_of_words
from sonde.sources.cpython.recording import Recording, Refusal, SpooledProcess

__all__ = ["AgentOptions", "Outcome", "Program", "Recording", "Refusal", "SpooledProcess", "die_by", "launch", "program_of_words"]
