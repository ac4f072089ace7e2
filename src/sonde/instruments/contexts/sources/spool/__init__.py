"""The spool: what agents in measured processes left behind, one file of cells for each process."""

from sonde.instruments.contexts.sources.spool.recording import Recording, SpooledProcess

__all__ = ["Recording", "SpooledProcess"]
