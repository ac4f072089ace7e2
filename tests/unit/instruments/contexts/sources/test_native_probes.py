"""Structures that cross into the library of the probes have the fields that its header has, in their order."""

import ctypes
import re
from pathlib import Path

import pytest

from sonde.instruments.contexts.sources.native_probes import HotPlan, Plan

_NATIVE = Path(__file__).parents[5] / "native"
_FIELD = re.compile(r"(\w+)(?:, (\w+))?;")


def _fields(header: str, structure: str) -> list[str]:
    text = (_NATIVE / header).read_text(encoding="utf-8")
    body = text[: text.index(f"}} {structure};")].rpartition("typedef struct {")[2]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    return [name for match in _FIELD.finditer(body) for name in match.groups() if name]


@pytest.mark.parametrize(
    ("made", "header", "structure"),
    [(Plan, "probes/probes.h", "sn_probes_plan"), (HotPlan, "core/contexts/hot_contexts.h", "sn_hot_plan")],
    ids=["plan", "hot plan"],
)
def test_fields_are_those_of_the_header(made: type[ctypes.Structure], header: str, structure: str) -> None:
    names = [str(field[0]) for field in made._fields_]
    flat = ["outer" if name.startswith("outer_") else name for name in names]
    assert list(dict.fromkeys(flat)) == _fields(header, structure)
