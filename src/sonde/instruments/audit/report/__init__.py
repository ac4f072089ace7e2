"""Reports of audits."""

from sonde.instruments.audit.report.audit_report import audit_report

__all__ = ["audit_report"]
