"""What probes make of a compiled program's code: its size, the calls that are inlined, and what compiling takes."""

from sonde.instruments.audit.analysis import Audit
from sonde.instruments.audit.profile import PLAIN, AuditProfile
from sonde.report import Column, Row, Table


def code_table(profile: AuditProfile, audit: Audit) -> Table:
    """A row for each profiler, and one without any."""
    plain = profile.code[PLAIN]
    building = {each.profiler.name: each.building for each in audit.verdicts}
    columns = (
        Column("profiler", "profiler", "name"),
        Column("size", "code", "bytes", meaning="of all functions"),
        Column("growth", "growth", "ratio", meaning="against the code without probes"),
        Column("inlined", "inlined calls", "count", meaning="of which debug information says so"),
        Column("building", "to compile", "ratio", meaning="start and compilation, against runs without a profiler"),
    )
    names = [PLAIN, *(each.name for each in profile.profilers if each.name in profile.code)]
    rows = [
        Row(
            (
                name,
                profile.code[name].size_bytes,
                profile.code[name].size_bytes / max(1, plain.size_bytes),
                profile.code[name].inlined_calls,
                building.get(name),
            )
        )
        for name in names
    ]
    return Table("code", "what probes make of the code", columns, rows, noun="profiler")
