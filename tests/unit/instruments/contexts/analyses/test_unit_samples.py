"""Samples of addresses are those of compiled functions, of what was inlined there, and of lines."""

from sonde.events import CodeFrame, CodeMap, CodeRange, LineRow, LineTable
from sonde.instruments.contexts.analyses import UnitSamples, unit_samples
from sonde.ir import SourceFunction
from sonde.ir.analyses import InlinedPart

F, G = SourceFunction("f", "/a.c", 1), SourceFunction("_Z1gv", "/a.c", 5)
PROBE = "(a probe)"
_IN_F = (CodeFrame("f.3", "/a.c", 2),)
_IN_G = (CodeFrame("_Z1gv", "/a.c", 6), CodeFrame("f.3", "/a.c", 3))
_IN_PROBE = (CodeFrame(PROBE, "/a.c", 1), CodeFrame("f.3", "/a.c", 0))
_ROWS = [LineRow(0, _IN_F), LineRow(8, _IN_G), LineRow(16, _IN_PROBE), LineRow(24, (CodeFrame("f.3"),))]


def _code() -> CodeMap:
    code = CodeMap()
    code.add(
        CodeRange(0x1000, 32, "f.3", lines=LineTable(_ROWS)), CodeRange(0x1020, 16, "g"), CodeRange(0x1030, 4, "x")
    )
    return code


def _found(counts: dict[int, int]) -> UnitSamples:
    return unit_samples(counts, _code(), [("f.3", F), ("g", G)], [F, G], PROBE)


def test_samples_are_those_of_the_instruction_before_their_address() -> None:
    found = _found({0x1008: 5, 0x1009: 7, 0x1010: 1})
    assert dict(found.of_units[0].parts) == {
        InlinedPart((F,), (2,)): 5.0,
        InlinedPart((G, F), (6, 3)): 8.0,
    }
    assert (found.of_units[0].unplaced, found.in_probes, found.unknown) == (0, 0, 0)


def test_at_a_functions_first_instruction_it_is_that_function() -> None:
    found = _found({0x1000: 2, 0x1020: 3})
    assert dict(found.of_units[0].parts) == {InlinedPart((F,), (2,)): 2.0}
    assert (dict(found.of_units[1].parts), found.of_units[1].unplaced) == ({}, 3)


def test_probes_have_samples_of_their_own_and_units_without_lines_keep_theirs() -> None:
    found = _found({0x1012: 4, 0x101C: 6, 0x1028: 9})
    assert found.in_probes == 4
    assert found.of_units[0].unplaced == 6
    assert found.of_units[1].unplaced == 9


def test_all_samples_are_somewhere() -> None:
    counts = {address: 1 + address % 3 for address in range(0xFF0, 0x1050)}
    found = _found(counts)
    assert sum(each.cycles for each in found.of_units.values()) + found.in_probes + found.unknown == sum(
        counts.values()
    )
    assert found.unknown == sum(n for address, n in counts.items() if not 0x1000 <= address < 0x1030)


def test_functions_that_nothing_describes_have_their_symbol() -> None:
    code = CodeMap()
    rows = [LineRow(0, (CodeFrame("made", "/b.c", 4), CodeFrame("f", "/a.c", 3)))]
    code.add(CodeRange(0x1000, 8, "f", lines=LineTable(rows)))
    found = unit_samples({0x1004: 1}, code, [("f", F)], [F, G], PROBE)
    assert list(found.of_units[0].parts) == [InlinedPart((SourceFunction("made", "/b.c", 0), F), (4, 3))]
