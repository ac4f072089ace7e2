"""Containers of remarks that are no containers: what is said of them; both cores."""

import pytest

import sonde._native
from remark_containers import BitWriter, Field
from sonde.native import RemarkParser
from sonde.native.reference_remarks import ReferenceRemarkParser

NO_ORDER = "an abbreviation with fields in an order that cannot be"
NO_WIDTH = "a field of a width that cannot be"


@pytest.mark.parametrize("parser", [sonde._native.RemarkParser, ReferenceRemarkParser], ids=["native", "python"])
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ([], "an abbreviation without fields"),
        ([("literal", 1)] * 65, "an abbreviation with more fields than anyone writes"),
        ([("array", 0), ("char6", 0)], NO_ORDER),
        ([("literal", 3), ("array", 0)], NO_ORDER),
        ([("literal", 3), ("array", 0), ("fixed", 8), ("fixed", 8)], NO_ORDER),
        ([("literal", 3), ("array", 0), ("literal", 3)], NO_ORDER),
        ([("literal", 3), ("array", 0), ("blob", 0)], NO_ORDER),
        ([("blob", 0)], NO_ORDER),
        ([("literal", 3), ("blob", 0), ("fixed", 8)], NO_ORDER),
        ([("fixed", 33)], NO_WIDTH),
        ([("variable", 33)], NO_WIDTH),
        ([("variable", 1)], NO_WIDTH),
    ],
)
def test_an_abbreviation_that_cannot_be_ends_the_container(
    parser: type[RemarkParser], fields: list[Field], reason: str
) -> None:
    out, inside = BitWriter(), BitWriter()
    for byte in b"RMRK":
        out.fixed(byte, 8)
    inside.define(3, fields)
    inside.record(3, 1, [1, 1])
    out.block(2, 8, 3, inside)

    assert parser().read_bitstream(out.data(), None)[0] == reason
