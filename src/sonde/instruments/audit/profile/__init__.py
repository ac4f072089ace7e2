"""What an audit leaves: all its runs, and what each profiler said in them."""

from sonde.instruments.audit.profile.audit_profile import (
    CONTROL,
    DENSE,
    EMPTY,
    NOT_PROFILERS,
    PLAIN,
    AuditProfile,
    ClockKind,
    CodeFacts,
    ProfiledRun,
    Profiler,
)
from sonde.instruments.audit.profile.profile_file import read_audit, write_audit

__all__ = [
    "CONTROL",
    "DENSE",
    "EMPTY",
    "NOT_PROFILERS",
    "PLAIN",
    "AuditProfile",
    "ClockKind",
    "CodeFacts",
    "ProfiledRun",
    "Profiler",
    "read_audit",
    "write_audit",
]
