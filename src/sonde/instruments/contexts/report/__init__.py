"""A profile of calling contexts as a report."""

from sonde.instruments.contexts.report.context_report import ContextLimits, contexts_page, contexts_report

__all__ = ["ContextLimits", "contexts_page", "contexts_report"]
