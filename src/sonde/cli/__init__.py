"""The command line: one verb per question, one file per verb."""

from sonde.cli.main import main

__all__ = ["main"]
