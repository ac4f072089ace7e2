"""What the agent can tell in sonde's own process: which counters there are."""

from importlib import import_module
from typing import Any

from sonde.instruments.phases.profile import SOURCES
from sonde.launch import agent_folder

_AGENT = "sonde._phase_agent"
_MOST_AT_A_TIME = 12


def available_counters(names: tuple[str, ...]) -> dict[str, str]:
    """Where each counter is from on this machine; those that cannot be had are not there.

    Raises:
        MissingCapability: `no-agent`.
    """
    agent = _agent()
    found: dict[str, str] = {}
    for first in range(0, len(names), _MOST_AT_A_TIME):
        some = names[first : first + _MOST_AT_A_TIME]
        found |= {name: SOURCES[source] for name, source in zip(some, agent.available(some), strict=True) if source}
    return found


def _agent() -> Any:
    agent_folder(_AGENT)
    return import_module(_AGENT)
