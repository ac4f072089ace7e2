"""The spool: what agents in measured processes left behind, one file of cells for each process."""

from sonde.instruments.contexts.sources.spool.recording import Recording, Refusal, SpooledProcess, is_alive

__all__ = ["Recording", "Refusal", "SpooledProcess", "is_alive"]
