"""CPython programs: run one with the agent inside."""

from sonde.sources.cpython.launch import AgentOptions, launch

__all__ = ["AgentOptions", "launch"]
