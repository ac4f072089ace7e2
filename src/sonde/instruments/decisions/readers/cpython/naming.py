"""Names for code objects that stay the same when lines or folders move: `package.module:Class.method`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from sonde.instruments.decisions.readers.cpython.record import RecordedCode


def module_of(file: str, import_path: Sequence[str]) -> str:
    """The name under which a file is, or could be, imported: its path below the nearest entry of the import path.

    >>> module_of("/lib/black/linegen.py", ["/lib", "/"])
    'black.linegen'
    >>> module_of("/lib/black/__init__.py", ["/lib"])
    'black'
    >>> module_of("<frozen importlib._bootstrap>", ["/lib"])
    'importlib._bootstrap'
    >>> module_of("<string>", ["/lib"])
    '<string>'
    """
    if file.startswith("<frozen ") and file.endswith(">"):
        return file[len("<frozen ") : -1]
    path = PurePosixPath(file)
    if path.suffix not in (".py", ".pyw", ".pyc"):
        return path.name or file
    entries = [PurePosixPath(entry) for entry in import_path if entry]
    above = [entry for entry in entries if path.is_relative_to(entry)]
    nearest = max(above, key=lambda entry: len(entry.parts), default=path.parent)
    path = path.relative_to(nearest)
    parts = [*path.parts[:-1], path.stem]
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def method_names(codes: Iterable[RecordedCode], import_path: Sequence[str]) -> dict[int, str]:
    """Name code objects, by number. Of several that have the same name the later ones in the file get an ordinal."""
    names: dict[int, str] = {}
    seen: Counter[str] = Counter()
    for code in sorted(codes, key=lambda code: (code.file, code.first_line, code.number)):
        name = f"{module_of(code.file, import_path)}:{code.name}"
        seen[name] += 1
        names[code.number] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    return names
