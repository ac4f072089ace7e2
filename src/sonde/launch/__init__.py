"""PROGRAM in words, and running it as undisturbed as if sonde were not there: its start, its signals, its end."""

from sonde.launch.command_search import find_command
from sonde.launch.installed import addresses_in, agent_folder, probe_library
from sonde.launch.outcome import Outcome, die_by, end_as, end_by
from sonde.launch.program import Program, is_compiled, program_of_words
from sonde.launch.refusals import REFUSED, Refusal, read_refusal, refusals_in, why_nothing_measured
from sonde.launch.running import NowAndThen, end_with, run_fork, run_to_end
from sonde.launch.start_hooks import START_UP, StartHook, with_start_hook

__all__ = [
    "NowAndThen",
    "Outcome",
    "Program",
    "REFUSED",
    "Refusal",
    "START_UP",
    "StartHook",
    "addresses_in",
    "agent_folder",
    "die_by",
    "end_as",
    "end_by",
    "end_with",
    "find_command",
    "is_compiled",
    "probe_library",
    "program_of_words",
    "read_refusal",
    "refusals_in",
    "run_fork",
    "run_to_end",
    "why_nothing_measured",
    "with_start_hook",
]
