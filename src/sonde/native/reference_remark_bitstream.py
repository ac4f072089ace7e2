"""The slow twin of native/core/remarks/remark_bits.c and remark_bitstream.c: one large number, taken apart."""

from dataclasses import dataclass, field
from typing import NoReturn

from sonde.native.reference_remark_columns import KINDS, NONE, Place, RemarkColumns, WholeRemark

_LITERAL, _FIXED, _VARIABLE, _ARRAY, _CHAR6, _BLOB = range(6)
_CHAR6_ALPHABET = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"
_MOST_WIDTH, _MOST_DEPTH, _MOST_SHARED, _MOST_FIELDS = 32, 16, 256, 64
_BLOCK_INFO, _META, _REMARK = 0, 8, 9
_NO_BLOCK = (1 << 64) - 1
_CUT = "the bytes end within it"
_NO_STRING = "a number beyond the table of strings"
_NO_ORDER = "an abbreviation with fields in an order that cannot be"

Field = tuple[int, int]
"""Encoding; value of a literal, else width."""


class _Wrong(Exception):
    """What is wrong with the bytes; the reader is where."""


class _Refused(_Wrong):
    """They are a bitstream, but not one that can be used."""


def _refuse(what: str) -> NoReturn:
    raise _Refused(what)


@dataclass(slots=True)
class _Block:
    number: int | None
    end: int
    id_width: int
    known: list[list[Field]]


@dataclass(slots=True)
class _Record:
    code: int
    values: list[int] = field(default_factory=list)
    blob: bytes | None = None


class _Bits:
    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.stop = data, 32, 8 * len(data)
        self.blocks = [_Block(None, self.stop, 2, [])]
        self.shared: list[tuple[int, list[Field]]] = []
        self.described: int | None = None

    def wrong(self, what: str) -> NoReturn:
        raise _Wrong(what)

    def fixed(self, width: int) -> int:
        if width > self.stop - self.at:
            self.wrong(_CUT)
        first, last = self.at // 8, (self.at + width + 7) // 8
        word = int.from_bytes(self.data[first:last], "little")
        value = word >> self.at % 8 & ((1 << width) - 1)
        self.at += width
        return value

    def variable(self, width: int) -> int:
        value = shift = 0
        while True:
            chunk = self.fixed(width)
            value |= (chunk & ((1 << width - 1) - 1)) << shift
            shift += width - 1
            if value >> 64:
                self.wrong("a number of more than 64 bits")
            if not chunk >> width - 1:
                return value

    def align(self) -> None:
        at = -(-self.at // 32) * 32
        if at > self.stop:
            self.wrong(_CUT)
        self.at = at

    def read_field(self) -> Field:
        if self.fixed(1):
            return _LITERAL, self.variable(8)
        encoding = self.fixed(3)
        if not _FIXED <= encoding <= _BLOB:
            self.wrong("an encoding that is not known")
        if encoding not in (_FIXED, _VARIABLE):
            return encoding, 0
        width = self.variable(5)
        if width > _MOST_WIDTH or (encoding == _VARIABLE and width == 1):
            self.wrong("a field of a width that cannot be")
        return (encoding, width) if width else (_LITERAL, 0)

    def abbreviation(self) -> list[Field]:
        count = self.variable(5)
        if not 0 < count <= self.stop - self.at:
            self.wrong("an abbreviation without fields")
        if count > _MOST_FIELDS:
            self.wrong("an abbreviation with more fields than anyone writes")
        fields: list[Field] = []
        for index in range(count):
            encoding, value = self.read_field()
            is_element = index > 0 and fields[-1][0] == _ARRAY
            if (
                (encoding == _ARRAY and (not index or index + 2 != count))
                or (encoding == _BLOB and (not index or index + 1 != count))
                or (is_element and encoding in (_BLOB, _LITERAL))
            ):
                self.wrong(_NO_ORDER)
            fields.append((encoding, value))
        return fields

    def scalar(self, encoding: int, value: int) -> int:
        if encoding == _FIXED:
            return self.fixed(value)
        if encoding == _VARIABLE:
            return self.variable(value)
        return _CHAR6_ALPHABET[self.fixed(6)] if encoding == _CHAR6 else value

    def unabbreviated(self) -> _Record:
        record = _Record(self.variable(6))
        count = self.variable(6)
        if count > (self.stop - self.at) // 6:
            self.wrong(_CUT)
        record.values = [self.variable(6) for _ in range(count)]
        return record

    def abbreviated(self, index: int) -> _Record:
        known = self.blocks[-1].known
        if index >= len(known):
            self.wrong("an abbreviation that is not defined")
        fields = known[index]
        record = _Record(self.scalar(*fields[0]))
        for position, (encoding, value) in enumerate(fields[1:], 1):
            if encoding == _BLOB:
                record.blob = self.blob()
            elif encoding == _ARRAY:
                element, width = fields[position + 1]
                count = self.variable(6)
                if count > (self.stop - self.at) // (6 if element == _CHAR6 else width):
                    self.wrong(_CUT)
                record.values += [self.scalar(element, width) for _ in range(count)]
                break
            else:
                record.values.append(self.scalar(encoding, value))
        return record

    def blob(self) -> bytes:
        size = self.variable(6)
        self.align()
        if size > (self.stop - self.at) // 8:
            self.wrong(_CUT)
        found = self.data[self.at // 8 : self.at // 8 + size]
        self.at += 8 * size
        self.align()
        return found

    def enter(self) -> None:
        number, id_width = self.variable(8), self.variable(4)
        self.align()
        words = self.fixed(32)
        if not 2 <= id_width <= 32:
            self.wrong("a block with ids of a width that cannot be")
        if words > (self.stop - self.at) // 32:
            self.wrong("a block that goes beyond the end")
        if len(self.blocks) >= _MOST_DEPTH:
            self.wrong("too many blocks in blocks")
        self.stop = self.at + 32 * words
        known = [fields for block, fields in self.shared if block == number]
        self.blocks.append(_Block(number, self.stop, id_width, known))
        self.described = None

    def leave(self) -> None:
        self.at = self.blocks.pop().end
        self.stop = self.blocks[-1].end

    def define(self, *, is_info: bool) -> None:
        fields = self.abbreviation()
        if not is_info:
            self.blocks[-1].known.append(fields)
            return
        if self.described is None:
            self.wrong("an abbreviation of no block")
        if len(self.shared) >= _MOST_SHARED:
            self.wrong("more abbreviations than anyone writes")
        self.shared.append((self.described, fields))

    def next(self) -> _Block | _Record | None:
        """A block that begins, a record, or None: the block ends, or all of it."""
        while True:
            block = self.blocks[-1]
            is_top, is_info = len(self.blocks) == 1, block.number == _BLOCK_INFO
            if is_top and self.at == self.stop:
                return None
            abbreviation = self.fixed(block.id_width)
            if is_top and abbreviation != 1:
                self.wrong("no block where one begins")
            if abbreviation == 0:
                self.align()
                if self.at != self.stop:
                    self.wrong("a block that is not as long as it says")
                self.leave()
                if not is_info:
                    return None
            elif abbreviation == 1:
                self.enter()
                if is_info:
                    self.leave()
                elif self.blocks[-1].number != _BLOCK_INFO:
                    return self.blocks[-1]
            elif abbreviation == 2:
                self.define(is_info=is_info)
            else:
                record = self.unabbreviated() if abbreviation == 3 else self.abbreviated(abbreviation - 4)
                if not is_info:
                    return record
                if record.code == 1:
                    described = record.values[0] if record.values else _NO_BLOCK
                    self.described = None if described == _NO_BLOCK else described


class _Container:
    def __init__(self, to: RemarkColumns, data: bytes) -> None:
        self.to, self.bits = to, _Bits(data)
        self.version: int | None = None
        self.type = self.remark_version = 0
        self.table: bytes | None = None
        self.external: bytes | None = None
        self.remarks: list[_RawRemark] = []

    def leave_out(self, block: _Block) -> None:
        self.to.count_unknown(b"block %d" % (block.number or 0))
        self.bits.leave()

    def read(self) -> None:
        while (block := self.bits.next()) is not None:
            assert isinstance(block, _Block)
            if block.number == _META:
                while (entry := self.bits.next()) is not None:
                    if isinstance(entry, _Record):
                        self.meta(entry)
                    else:
                        self.leave_out(entry)
            elif block.number == _REMARK:
                remark = _RawRemark()
                while (entry := self.bits.next()) is not None:
                    if isinstance(entry, _Record):
                        if not remark.take(entry):
                            self.to.count_unknown(b"record %d" % entry.code)
                    else:
                        self.leave_out(entry)
                self.remarks.append(remark)
            else:
                self.leave_out(block)
        if self.version is None:
            _refuse("no version of the container")

    def meta(self, record: _Record) -> None:
        wrong, values = _refuse, record.values
        if record.code == 1:
            if len(values) != 2:
                wrong("a version of the container that is not one")
            self.version, self.type = values
            if self.version > 1:
                wrong("a newer container")
        elif record.code == 2:
            if len(values) != 1:
                wrong("a version of the remarks that is not one")
            self.remark_version = values[0]
            if self.remark_version > 0:
                wrong("newer remarks")
        elif record.code == 3:
            if record.blob is None:
                wrong("strings that are not bytes")
            self.table = record.blob
        elif record.code == 4:
            if record.blob is None:
                wrong("a name of a file that is not bytes")
            self.external = record.blob
        else:
            self.to.count_unknown(b"record %d" % record.code)


class _RawRemark:
    """One with the numbers of the container's strings."""

    def __init__(self) -> None:
        self.header: list[int] | None = None
        self.place: list[int] | None = None
        self.hotness: int | None = None
        self.arguments: list[list[int]] = []
        self.places: list[list[int]] = []
        """File, line, column: of the remark and its arguments, in the order in which they were written."""
        self.what: str | None = None

    def wrong(self, what: str) -> None:
        self.what = self.what or what

    def take(self, record: _Record) -> bool:
        """Whether it is of a known kind."""
        values = record.values
        if record.code == 5:
            if len(values) != 4 or self.header is not None:
                self.wrong("not one kind, name, pass and function")
            else:
                self.header = values
                if values[0] >= KINDS:
                    self.wrong("not a kind of remark")
                elif max(values[1:]) >= NONE:
                    self.wrong(_NO_STRING)
        elif record.code == 6:
            if len(values) != 3 or self.place is not None:
                self.wrong("not one file, line and column")
            elif self.fits(values):
                self.place = values
                self.places.append(values)
        elif record.code == 7:
            if len(values) != 1 or self.hotness is not None:
                self.wrong("not one hotness")
            else:
                self.hotness = values[0]
        elif record.code in (8, 9):
            if len(values) != (5 if record.code == 8 else 2):
                self.wrong("an argument with another number of fields")
            elif max(values[:2]) >= NONE:
                self.wrong(_NO_STRING)
            elif record.code == 9 or self.fits(values[2:]):
                self.arguments.append(values)
                if record.code == 8:
                    self.places.append(values[2:])
        else:
            return False
        return True

    def fits(self, place: list[int]) -> bool:
        if place[0] >= NONE or max(place[1:]) > 0xFFFFFFFF:
            self.wrong("a place that is too large")
            return False
        return True

    def whole(self, strings: list[bytes]) -> WholeRemark:
        """Raises: _Wrong: it cannot be used."""
        if self.header is None:
            self.wrong("not one kind, name, pass and function")
        if self.what or self.header is None:
            raise _Wrong(self.what)
        kind, name, pass_name, function = self.header
        read = WholeRemark(kind, hotness=self.hotness)
        try:
            read.places = [Place(strings[file], line, column) for file, line, column in self.places]
            read.names = {"Pass": strings[pass_name], "Name": strings[name], "Function": strings[function]}
            read.strings.extend(read.names.values())
            read.place = self.located(self.place or [], read)
            read.arguments = []
            for key, value, *place in self.arguments:
                read.strings += strings[key], strings[value]
                read.arguments.append((strings[key], strings[value], self.located(place, read)))
        except IndexError:
            raise _Wrong(_NO_STRING) from None
        return read

    def located(self, values: list[int], read: WholeRemark) -> Place | None:
        if not values:
            return None
        taken = self.places.index(values)
        self.places[taken] = []  # another with the same numbers is the next one
        read.strings.append(read.places[taken].file)
        return read.places[taken]


def read_remark_bitstream(
    to: RemarkColumns, data: bytes, table: bytes | None
) -> tuple[str | None, int, bool, int | None, int, int, bytes | None, bytes | None]:
    """As `sonde._native.RemarkParser.read_bitstream`."""
    container = _Container(to, data)
    needs_table, what, at = False, None, 0
    try:
        if not data.startswith(b"RMRK"):
            at = 8 * min(len(data), 4)
            container.bits.at = at
            container.bits.wrong("other bytes than those with which remarks begin")
        container.read()
        is_usable = True
    except _Wrong as problem:
        what = str(problem)
        is_usable = bool(container.remarks) and container.version is not None and not isinstance(problem, _Refused)
    table = container.table if container.table is not None else table
    if is_usable and container.remarks and table is None:
        is_usable = False
        if what is None:
            needs_table, what = True, "no table of strings"
    if is_usable:
        strings = (table or b"").split(b"\0")
        strings = strings if strings[-1] else strings[:-1]
        for number, remark in enumerate(container.remarks, 1):
            try:
                to.add(remark.whole(strings))
            except _Wrong as problem:
                to.skip(number, str(problem))
    return (
        what, container.bits.at, needs_table, container.version, container.type, container.remark_version,
        container.table, container.external,
    )  # fmt: skip
