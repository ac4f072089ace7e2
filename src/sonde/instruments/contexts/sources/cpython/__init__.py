"""CPython programs: run one with the agent inside."""

from sonde.instruments.contexts.sources.cpython.agent import AgentOptions, run_with_agent

__all__ = ["AgentOptions", "run_with_agent"]
