"""From files to columns: telling formats apart, tables of strings, remarks that lie in another file."""

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.decisions.remarks.cache import find_kept, keep
from sonde.instruments.decisions.remarks.columns import COLUMN_TYPES, Columns, RemarkFile, Remarks, SkippedRemark
from sonde.native import RemarkParser, new_remark_parser

_BITSTREAM, _HEADED = b"RMRK", b"REMARKS\0"
_NEWEST_CONTAINER = 1
_HEADER_BYTES = 24
"""Of a YAML file that has one: eight of magic, then version and length of the table of strings, of eight each."""
_TAGS = tuple(b"--- !" + kind for kind in (b"Passed", b"Missed", b"Analysis", b"Failure", b"Unknown"))


def are_remarks(head: bytes) -> bool:
    """Whether a file that begins so has remarks in it.

    >>> are_remarks(b"--- !Missed\\nPass:            inline\\n"), are_remarks(b"---\\nname: ci\\n")
    (True, False)
    """
    return head.startswith((_BITSTREAM, _HEADED)) or head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_TAGS)


def read_remarks(
    paths: Sequence[Path], *, cache: Path | None = None, progress: Callable[[str], None] | None = None
) -> Remarks:
    """All remarks of some files, in the order of the files.

    Args:
        cache: a folder in which to keep what was parsed, and to look for it; None: nothing is kept. A folder that
            cannot be written is no mistake.
        progress: is told which file is read, and why nothing was kept.
    Of a damaged bitstream the remarks before the damage are read, and `RemarkFile.damage` tells; of one that has its
    strings at its end, as LLVM 22 and newer write them, that is none.

    Raises:
        InputError: a file cannot be read, or is a bitstream that is newer than sonde or without its strings; a
            file is damaged, and there is no remark in any.
    Cost: about a second for 500,000 remarks as YAML, as bitstream or kept less.
    """
    tell = progress or (lambda _: None)
    if cache is not None and (found := find_kept(cache, paths, tell)) is not None:
        return found
    reader = _Reader(tell)
    for path in paths:
        reader.read(path)
    remarks = reader.remarks()
    if not remarks and (damaged := [file for file in reader.files if file.damage]):
        raise _damaged(damaged[0])
    if cache is not None:
        keep(cache, paths, remarks, tell)
    return remarks


class _Reader:
    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._parser: RemarkParser = new_remark_parser()
        self.files: list[RemarkFile] = []
        self._skipped: list[SkippedRemark] = []
        self._without_table: list[tuple[Path, int]] = []
        """Texts, and the number of the first remark of each."""

    def remarks(self) -> Remarks:
        columns = Columns(
            *(memoryview(column).cast(kind) for column, kind in zip(self._parser.columns(), COLUMN_TYPES, strict=True))
        )
        self._check_strings(columns)
        unknown: dict[str, int] = {}
        for key, count in self._parser.unknown_keys():
            name = key.decode("utf-8", "backslashreplace")
            unknown[name] = unknown.get(name, 0) + count
        return Remarks(columns, tuple(self.files), tuple(self._skipped), unknown)

    def read(self, path: Path, table: bytes | None = None, named_by: Path | None = None) -> None:
        self._tell(f"reading remarks of {path}")
        if named_by and path.exists() and not path.is_file():  # a device or pipe might never end
            raise _unreadable(path, named_by, "it is not a file")
        try:
            data = path.read_bytes()  # not mapped: a compiler that begins anew would take the pages away
        except OSError as error:
            raise _unreadable(path, named_by, str(error.strerror)) from error
        first, skipped = self._parser.count, self._parser.skipped
        told = len(self._parser.problems())
        unended, form, version, names, strings, damage = False, "yaml", 0, None, table, ""
        if data[:4] == _BITSTREAM:
            form = "bitstream"
            version, names, strings, damage = self._bitstream(path, data, table)
        elif data[:8] == _HEADED:
            version, names, strings, unended, damage = self._headed(path, data)
        else:
            unended = self._parser.read_yaml(data, table)
            if table is None:
                self._without_table.append((path, first))
        if names and named_by is not None:
            names, damage = None, f"it names another file, and is named by '{named_by}'"
        for where, reason in self._parser.problems()[told:]:
            self._skipped.append(SkippedRemark(path, where, reason))
        stop, lost = self._parser.count, self._parser.skipped - skipped
        self.files.append(RemarkFile(path, form, version, first, stop, lost, unended, damage))
        if names:
            self.read(_named(path, names), strings, path)

    def _headed(self, path: Path, data: bytes) -> tuple[int, bytes | None, bytes | None, bool, str]:
        """YAML behind a header, or only the header, which names the file; with the strings of either. The last: what is
        wrong, so that nothing was read."""
        if len(data) < _HEADER_BYTES:
            return 0, None, None, False, "it ends within its header"
        version, size = struct.unpack_from("<QQ", data, len(_HEADED))
        if version:
            raise _newer(path, f"its remarks are of version {version}, the newest known is 0")
        if size > len(data) - _HEADER_BYTES:
            return version, None, None, False, "its strings go beyond its end"
        table = data[_HEADER_BYTES : _HEADER_BYTES + size] if size else None
        rest = data[_HEADER_BYTES + size :]
        if rest.startswith(b"---") or not rest.strip(b"\0 \r\n"):
            return version, None, table, self._parser.read_yaml(rest, table), ""
        return version, rest, table, False, ""

    def _bitstream(self, path: Path, data: bytes, table: bytes | None) -> tuple[int, bytes | None, bytes | None, str]:
        """Version, the file that it names, strings, what is wrong behind that which was read."""
        what, bit, needs_table, version, _, _, strings, names = self._parser.read_bitstream(data, table)
        if needs_table:
            raise _without_strings(path)
        if what and version is not None and version > _NEWEST_CONTAINER:
            raise _newer(path, f"its container is of version {version}, the newest known is {_NEWEST_CONTAINER}")
        if what == "newer remarks":
            raise _newer(path, "its remarks are of a newer version")
        return version or 0, names, strings, f"at bit {bit}, {what}" if what else ""

    def _check_strings(self, columns: Columns) -> None:
        """Raises: InputError: a text has numbers in the place of strings, whose table went elsewhere."""
        for path, first in self._without_table:
            if first < len(columns.passes):
                string = columns.passes[first]
                bounds = columns.string_bounds
                if bytes(columns.string_bytes[bounds[string] : bounds[string + 1]]).isdigit():
                    raise _without_strings(path)


def _named(path: Path, name: bytes) -> Path:
    """The file that another one names, or one of that name beside it: they may have been moved together."""
    found = path.parent / name.split(b"\0")[0].decode("utf-8", "surrogateescape")
    beside = path.parent / found.name
    return beside if beside.exists() and not found.exists() else found


def _unreadable(path: Path, named_by: Path | None, what: str) -> InputError:
    because = f", which '{named_by}' names" if named_by else ""
    return InputError(
        f"cannot read remarks '{path}'{because}: {what}",
        slug="remarks-unreadable",
        hint="name files that the compiler wrote",
    )


def _damaged(file: RemarkFile) -> InputError:
    return InputError(
        f"cannot read remarks '{file.path}': {file.damage}",
        slug="damaged-remarks",
        hint="let the compiler write them anew",
    )


def _newer(path: Path, what: str) -> InputError:
    return InputError(
        f"cannot read remarks '{path}': {what}", slug="newer-remarks", hint="let the compiler write them as YAML"
    )


def _without_strings(path: Path) -> InputError:
    return InputError(
        f"cannot read remarks '{path}': they have numbers for strings, whose table the compiler put elsewhere",
        slug="remarks-without-strings",
        hint="let the compiler write them as YAML",
    )
