"""A profile on a terminal while its program runs."""

from sonde.instruments.contexts.report.terminal.live import LiveView

__all__ = ["LiveView"]
