"""Containers of remarks in LLVM's bitstream, written by the book."""

from collections.abc import Iterable

from remark_documents import Plain
from sonde.instruments.decisions.remarks import REMARK_KINDS

Field = tuple[str, int]
"""`literal` and its value; `fixed` or `variable` and the width; `array`, `char6`, `blob` and 0."""
_ENCODINGS = {"fixed": 1, "variable": 2, "array": 3, "char6": 4, "blob": 5}
_ABBREVIATIONS: dict[int, tuple[Field, ...]] = {
    5: (("literal", 5), ("fixed", 3), ("variable", 6), ("variable", 6), ("variable", 6)),
    6: (("literal", 6), ("variable", 7), ("fixed", 32), ("fixed", 32)),
    8: (("literal", 8), ("variable", 7), ("variable", 7), ("variable", 7), ("fixed", 32), ("fixed", 32)),
    9: (("literal", 9), ("array", 0), ("variable", 7)),
}


class BitWriter:
    """Bits, the lowest first."""

    def __init__(self) -> None:
        self.bits: list[int] = []

    def fixed(self, value: int, width: int) -> None:
        self.bits += [value >> bit & 1 for bit in range(width)]

    def variable(self, value: int, width: int) -> None:
        more = 1 << width - 1
        while value >= more:
            self.fixed(value & more - 1 | more, width)
            value >>= width - 1
        self.fixed(value, width)

    def align(self) -> None:
        self.bits += [0] * (-len(self.bits) % 32)

    def block(self, outer: int, number: int, width: int, inside: "BitWriter") -> None:
        """`inside` has been written as if it began at a multiple of 32 bits, as it does."""
        self.fixed(1, outer)
        self.variable(number, 8)
        self.variable(width, 4)
        self.align()
        inside.fixed(0, width)
        inside.align()
        self.fixed(len(inside.bits) // 32, 32)
        self.bits += inside.bits

    def record(self, width: int, code: int, values: Iterable[int]) -> None:
        values = list(values)
        self.fixed(3, width)
        for value in (code, len(values), *values):
            self.variable(value, 6)

    def define(self, width: int, fields: Iterable[Field]) -> None:
        fields = list(fields)
        self.fixed(2, width)
        self.variable(len(fields), 5)
        for encoding, value in fields:
            self.fixed(encoding == "literal", 1)
            if encoding == "literal":
                self.variable(value, 8)
                continue
            self.fixed(_ENCODINGS[encoding], 3)
            if encoding in ("fixed", "variable"):
                self.variable(value, 5)

    def blob(self, data: bytes) -> None:
        self.variable(len(data), 6)
        self.align()
        for byte in data:
            self.fixed(byte, 8)
        self.align()

    def abbreviated(self, width: int, index: int, fields: tuple[Field, ...], values: list[int]) -> None:
        self.fixed(4 + index, width)
        if fields[1][0] == "array":
            self.variable(len(values), 6)
            fields = fields[:1] + fields[2:] * len(values)
        for (encoding, size), value in zip(fields[1:], values, strict=True):
            (self.fixed if encoding == "fixed" else self.variable)(value, size)

    def data(self) -> bytes:
        return sum(bit << index for index, bit in enumerate(self.bits)).to_bytes(len(self.bits) // 8, "little")


def container(
    remarks: list[Plain],
    *,
    version: int = 1,
    kind: int = 1,
    abbreviate: bool = True,
    strings: bool = True,
    external: bytes | None = None,
    remark_version: int = 0,
) -> bytes:
    """Remarks as LLVM would write them: strings behind them from version 1 on, else in front; or nowhere."""
    table: dict[str, int] = {}
    blocks = [_remark(remark, table, abbreviate) for remark in remarks]
    out = BitWriter()
    for byte in b"RMRK":
        out.fixed(byte, 8)
    if abbreviate:
        info = BitWriter()
        info.record(2, 1, [9])
        for fields in _ABBREVIATIONS.values():
            info.define(2, fields)
        out.block(2, 0, 2, info)
    early, late = BitWriter(), BitWriter()
    early.record(3, 1, [version, kind])
    early.record(3, 2, [remark_version])
    _blobs(late if version else early, "".join(f"{text}\0" for text in table).encode() if strings else None, external)
    out.block(2, 8, 3, early)
    for block in blocks:
        out.block(2, 9, 4, block)
    if version:
        out.block(2, 8, 3, late)
    return out.data()


def _blobs(meta: BitWriter, table: bytes | None, external: bytes | None) -> None:
    for index, (code, data) in enumerate([(3, table), (4, external)] if table is not None else [(4, external)]):
        if data is not None:
            meta.define(3, (("literal", code), ("blob", 0)))
            meta.fixed(4 + index, 3)
            meta.blob(data)


def _remark(remark: Plain, table: dict[str, int], abbreviate: bool) -> BitWriter:
    kind, pass_name, name, function, place, hotness, arguments = remark

    def number(text: str) -> int:
        return table.setdefault(text, len(table))

    records = [(5, [REMARK_KINDS.index(kind), number(name), number(pass_name), number(function)])]
    if place:
        records.append((6, [number(place[0]), *place[1:]]))
    if hotness is not None:
        records.append((7, [hotness]))
    for key, value, where in arguments:
        located = [number(where[0]), *where[1:]] if where else []
        records.append((8 if where else 9, [number(key), number(value), *located]))
    block = BitWriter()
    for code, values in records:
        if abbreviate and code in _ABBREVIATIONS:
            block.abbreviated(4, list(_ABBREVIATIONS).index(code), _ABBREVIATIONS[code], values)
        else:
            block.record(4, code, values)
    return block
