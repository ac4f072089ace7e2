"""The slow twin of native/core/remarks/remark_scalars.c: scalars of YAML, each read byte by byte by the rules."""

import re
from typing import NoReturn

_ESCAPES = {
    ord("0"): 0, ord("a"): 7, ord("b"): 8, ord("t"): 9, 9: 9, ord("n"): 10, ord("v"): 11, ord("f"): 12, ord("r"): 13,
    ord("e"): 27, ord(" "): 32, ord('"'): 34, ord("/"): 47, ord("\\"): 92, ord("N"): 0x85, ord("_"): 0xA0,
    ord("L"): 0x2028, ord("P"): 0x2029,
}  # fmt: skip
_DIGITS = {ord("x"): 2, ord("u"): 4, ord("U"): 8}
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]+")
_BLANKS, _SPACES = re.compile(rb"[ \t]*"), re.compile(rb" *")
_NEVER_FIRST = b"\t,[]{}#&*!|>'\"%@`"
_FLOW_MARKS = b",[]{}"


class WrongRemark(Exception):
    """What is wrong with a document; the cursor is where."""


class Cursor:
    """A place in a document."""

    def __init__(self, text: bytes, at: int) -> None:
        self.text, self.at, self.stop = text, at, len(text)
        self.began = at
        """The value that was read last."""

    def byte(self, at: int | None = None) -> bytes:
        """One byte, or none at the end."""
        at = self.at if at is None else at
        return self.text[at : at + 1]

    def is_space_at(self, at: int) -> bool:
        return self.byte(at) in (b"", b" ", b"\t", b"\n", b"\r")

    def break_at(self, at: int) -> int:
        """Bytes of the line break there."""
        return 1 if self.byte(at) == b"\n" else 2 if self.text[at : at + 2] == b"\r\n" else 0

    def behind_blanks(self, at: int) -> int:
        match = _BLANKS.match(self.text, at)
        return match.end() if match else at

    def behind_spaces(self, at: int) -> int:
        match = _SPACES.match(self.text, at)
        return match.end() if match else at

    def line_feed(self, at: int) -> int:
        found = self.text.find(b"\n", at)
        return self.stop if found < 0 else found

    def is_comment_at(self, at: int) -> bool:
        return self.byte(at) == b"#" and (at == 0 or self.byte(at - 1) in (b" ", b"\t", b"\n"))

    def skip_blanks(self) -> None:
        self.at = self.behind_blanks(self.at)

    def skip_space(self) -> None:
        """Spaces, line breaks and comments."""
        while True:
            at = self.behind_blanks(self.at)
            at = self.line_feed(at) if self.is_comment_at(at) else at
            size = self.break_at(at)
            self.at = at + size
            if not size:
                return

    def has_only_space(self) -> bool:
        """Whether nothing but blanks or a comment is left of the line; if so, go to the next one."""
        at = self.behind_blanks(self.at)
        at = self.line_feed(at) if self.is_comment_at(at) else at
        size = self.break_at(at)
        if at < self.stop and not size:
            return False
        self.at = at + size
        return True

    def end_line(self) -> None:
        if not self.has_only_space():
            self.skip_blanks()
            wrong("text behind a value")

    def next_line(self) -> int | None:
        """Indentation of the next line with anything on it, to whose beginning the cursor goes."""
        while self.at < self.stop:
            first = self.behind_spaces(self.at)
            at = self.behind_blanks(first)
            if at < self.stop and not self.break_at(at) and self.byte(at) != b"#":
                return first - self.at
            self.at = min(self.line_feed(at) + 1, self.stop)
        return None


def wrong(what: str) -> NoReturn:
    raise WrongRemark(what)


def quoted(c: Cursor) -> bytes:
    """From its first quote on; the cursor is then behind its last one."""
    quote = c.byte()
    c.at += 1
    found, fixed = bytearray(), 0
    while c.at < c.stop:
        byte = c.byte()
        if c.break_at(c.at):
            kept = bytes(found[fixed:]).rstrip(b" \t")
            found[fixed:] = kept + _fold(_breaks(c))
            fixed = len(found)
        elif byte == quote == b"'" and c.byte(c.at + 1) == b"'":
            found += b"'"
            c.at += 2
        elif byte == quote:
            c.at += 1
            return bytes(found)
        elif byte == b"\\" and quote == b'"':
            c.at += 1
            found += _escaped(c)
            fixed = len(found)
        else:
            found += byte
            c.at += 1
    wrong("a quote is not closed")


def _breaks(c: Cursor) -> int:
    """Line breaks, and blanks behind each."""
    breaks = 0
    while size := c.break_at(c.at):
        breaks += 1
        c.at = c.behind_blanks(c.at + size)
    return breaks


def _fold(breaks: int) -> bytes:
    return b" " if breaks == 1 else b"\n" * (breaks - 1)


def _escaped(c: Cursor) -> bytes:
    if c.at >= c.stop:
        wrong("a quote is not closed")
    if c.break_at(c.at):
        return b"\n" * (_breaks(c) - 1)
    name = c.byte()[0]
    if name in _DIGITS:
        c.at += 1
        digits = _HEXADECIMAL.match(c.text, c.at, c.at + _DIGITS[name])
        end = digits.end() if digits else c.at
        short = end < c.at + _DIGITS[name]
        point = 0 if short else int(c.text[c.at : end], 16)
        c.at = end
        if short or point > 0x10FFFF or 0xD800 <= point < 0xE000:
            wrong("an escape that is no character")
        return chr(point).encode()
    if name not in _ESCAPES:
        wrong("an escape that YAML does not know")
    c.at += 1
    return chr(_ESCAPES[name]).encode()


def check_plain(c: Cursor, *, in_flow: bool) -> None:
    first, second = c.byte(), c.byte(c.at + 1)
    alone = c.is_space_at(c.at + 1) or (in_flow and second in _FLOW_MARKS)
    if (first and first in _NEVER_FIRST) or (first in (b"-", b"?", b":") and alone):
        wrong("not a string or number")


def _without_end(c: Cursor, start: int, end: int) -> bytes:
    """A part of a line, less the line's end and blanks before that."""
    part = c.text[start:end]
    if c.byte(end) == b"\n" and part.endswith(b"\r"):
        part = part[:-1]
    return part.rstrip(b" \t")


def _is_trailing_comment(c: Cursor, at: int, start: int) -> bool:
    return c.byte(at) == b"#" and at > start and c.byte(at - 1) in (b" ", b"\t")


def _plain_part(c: Cursor) -> bytes:
    start = at = c.at
    while at < c.stop and c.byte(at) != b"\n" and not _is_trailing_comment(c, at, start):
        if c.byte(at) == b":" and c.is_space_at(at + 1):
            c.at = at
            wrong("a key within a value")
        at += 1
    c.at = at
    return _without_end(c, start, at)


def _gap(c: Cursor, at: int) -> tuple[int, int, int]:
    """Empty lines there; the indentation and the first byte of the line behind them."""
    breaks = 0
    while True:
        behind = c.behind_spaces(at)
        first = c.behind_blanks(behind)
        size = c.break_at(first)
        if not size:
            return breaks, behind - at, first
        breaks += 1
        at = first + size


def _plain(c: Cursor, indent: int) -> bytes:
    check_plain(c, in_flow=False)
    found = _plain_part(c)
    while c.byte() == b"\n":
        breaks, deeper, first = _gap(c, c.at + 1)
        if first >= c.stop or deeper <= indent or c.byte(first) == b"#":
            break
        c.at = first
        found += _fold(breaks + 1) + _plain_part(c)
    c.end_line()
    return found


def _ends_flow_plain(c: Cursor, at: int) -> bool:
    byte = c.byte(at)
    if byte == b":":
        return c.is_space_at(at + 1) or c.byte(at + 1) in _FLOW_MARKS
    return byte != b"" and byte in _FLOW_MARKS


def flow_plain(c: Cursor) -> bytes:
    """Without quotes, in a flow mapping; the cursor is then at what ends it."""
    if c.byte() in (b"", b",", b"}"):
        return b""
    check_plain(c, in_flow=True)
    found = b""
    while True:
        start = at = c.at
        while (
            at < c.stop
            and c.byte(at) != b"\n"
            and not _ends_flow_plain(c, at)
            and not _is_trailing_comment(c, at, start)
        ):
            at += 1
        found += _without_end(c, start, at)
        c.at = at
        if c.byte() != b"\n":
            return found
        breaks, _, c.at = _gap(c, at + 1)
        if c.at >= c.stop or _ends_flow_plain(c, c.at) or c.byte() == b"#":
            return found
        found += _fold(breaks + 1)


def _width(c: Cursor, indent: int) -> int:
    """By how much the lines of a block are indented: as the first that has anything on it."""
    longest, line = 0, c.at
    while True:
        at = c.behind_spaces(line)
        spaces, size = at - line, c.break_at(at)
        if not size:
            break
        longest, line = max(longest, spaces), at + size
    if line >= c.stop or spaces <= indent:
        return max(longest, indent + 1)
    if longest > spaces:
        wrong("an empty line that is indented more than the block it begins")
    return spaces


def _block(c: Cursor, indent: int) -> bytes:
    folded, chomp, width = c.byte() == b">", b"", 0
    c.at += 1
    for _ in range(2):
        byte = c.byte()
        if byte in (b"+", b"-") and not chomp:
            chomp = byte
        elif byte and byte in b"123456789" and not width:
            width = indent + int(byte)
        else:
            break
        c.at += 1
    c.end_line()
    width = width or _width(c, indent)
    found, breaks, is_empty, was_spaced = b"", 0, True, False
    while c.at < c.stop:
        at = c.at
        while c.byte(at) == b" " and at - c.at < width:
            at += 1
        size = c.break_at(at)
        if size or at >= c.stop:
            breaks += size > 0
            c.at = at + size
            continue
        if at - c.at < width:
            break
        spaced = c.byte(at) in (b" ", b"\t")
        folds = folded and not is_empty and not spaced and not was_spaced
        found += _fold(breaks) if folds else b"\n" * breaks
        end = c.line_feed(at)
        breaks = int(end < c.stop)
        line = c.text[at:end]
        found += line[:-1] if breaks and line.endswith(b"\r") else line
        is_empty, was_spaced = False, spaced
        c.at = end + breaks
    kept = breaks if chomp == b"+" else 0 if chomp == b"-" or is_empty else int(breaks > 0)
    return found + b"\n" * kept


def block_value(c: Cursor, indent: int) -> bytes:
    """The value of a key in a block mapping, from behind its colon up to the beginning of a line."""
    c.began = c.at
    c.skip_blanks()
    if c.at >= c.stop or c.break_at(c.at) or c.is_comment_at(c.at):
        c.end_line()
        deeper = c.next_line()
        if deeper is None or deeper <= indent:
            return b""
        c.at += deeper
    c.began = c.at
    if c.byte() in (b"'", b'"'):
        found = quoted(c)
        c.end_line()
        return found
    return _block(c, indent) if c.byte() in (b"|", b">") else _plain(c, indent)


def block_key(c: Cursor) -> bytes:
    """From its first byte on; the cursor is then behind the colon."""
    if c.byte() in (b"'", b'"'):
        line = c.line_feed(c.at)
        found = quoted(c)
        if c.at > line:
            wrong("a key over several lines")
        c.skip_blanks()
        if c.byte() != b":":
            wrong("a line without a key")
    else:
        try:
            check_plain(c, in_flow=False)
        except WrongRemark:
            wrong("a line without a key")
        start = at = c.at
        while (
            at < c.stop
            and c.byte(at) != b"\n"
            and not (c.byte(at) == b":" and c.is_space_at(at + 1))
            and not _is_trailing_comment(c, at, start)
        ):
            at += 1
        if c.byte(at) != b":":
            wrong("a line without a key")
        c.at = at
        found = c.text[start:at].rstrip(b" \t")
    c.at += 1
    if not c.is_space_at(c.at):
        wrong("a key without a space behind its colon")
    return found


def skip_flow(c: Cursor) -> None:
    """A flow mapping or sequence, from its first bracket to behind its last."""
    depth, before = 0, b" "
    while True:
        c.skip_space()
        if c.at >= c.stop:
            wrong("a bracket is not closed")
        byte = c.byte()
        begins = before in _FLOW_MARKS or c.is_space_at(c.at - 1) or before == b":"
        before = byte
        if begins and byte in (b"'", b'"'):
            quoted(c)
        else:
            depth += (byte in b"{[") - (byte in b"}]")
            c.at += 1
        if not depth:
            return
