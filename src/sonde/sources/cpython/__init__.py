"""CPython programs: run one with the agent inside."""

from sonde.sources.cpython.agent import AgentOptions, run_with_agent

__all__ = ["AgentOptions", "run_with_agent"]
