"""The ways in which the agent can see calls, as sources."""

from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.contexts.sources.cpython.agent import AgentOptions, run_with_agent
from sonde.launch import Outcome


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One mechanism of the agent, by the name that the agent gives it."""

    name: str

    def unavailable(self) -> str | None:
        """Why it cannot run with this interpreter; None when it can."""
        from sonde._agent import available  # a broken agent is a reason like others

        if self.name in available():
            return None
        return f"the agent for this Python has no {self.name}, it has {' and '.join(available())}"

    def run_into_spool(self, argv: tuple[str, ...], spool: Path) -> Outcome:
        """Run `argv` to its end with the agent in it, writing into the folder `spool`."""
        return run_with_agent(argv, spool, AgentOptions(mechanism=self.name))


EVAL_HOOK = Mechanism("cpython-eval-hook")
MONITORING = Mechanism("cpython-monitoring")
SET_PROFILE = Mechanism("cpython-set-profile")
