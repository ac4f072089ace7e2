"""Audits, for the verbs that serve all kinds."""

from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.units import counted
from sonde.instruments.audit.options import AuditViewOptions
from sonde.instruments.audit.stored_kind import STORED
from sonde.instruments.kind import About, Kind
from sonde.report import Report

if TYPE_CHECKING:
    from sonde.instruments.audit.profile import AuditProfile


def _read(path: Path) -> "AuditProfile":
    from sonde.instruments.audit.profile import read_audit

    return read_audit(path)


def _write(path: Path, profile: "AuditProfile") -> None:
    from sonde.instruments.audit.profile import write_audit

    write_audit(path, profile)


def _about(profile: "AuditProfile") -> About:
    words = f"{counted(len(profile.profilers), 'profiler')}, {counted(len(profile.runs), 'run')}"
    return About(words, profile.command, profile.losses)


def _report(path: Path, options: AuditViewOptions, _with_data: bool) -> Report:
    from sonde.instruments.audit.report import audit_report  # needs the extra sonde[bench]

    return audit_report(_read(path), options)


AUDIT: "Kind[AuditProfile]" = Kind(
    name=STORED.name,
    words=STORED.words,
    stored=STORED,
    read=_read,
    write=_write,
    about=_about,
    report=_report,
    view_options=AuditViewOptions,
)
"""What `sonde audit -o` keeps."""
