"""Put the sources of the Valgrind tool into one archive: `archive.py ARCHIVE FOLDER FILE...`, named from the folder.

Headers that the files include are put into it, too, if they lie beside them or in FOLDER/core; others are Valgrind's.
The same files make the same archive, whoever builds it, and when: names and times of the builder are not in it. A
Python without lzma does not compress it.
"""

import io
import os
import re
import sys
import tarfile
from pathlib import Path

try:
    import lzma
except ImportError:
    lzma = None  # type: ignore[assignment]


def main(archive: str, folder: str, *files: str) -> None:
    """Write it."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(_with_headers(Path(folder), files)):
            content = Path(folder, name).read_bytes()
            about = tarfile.TarInfo(name)  # of root, without a name; at the beginning of time
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    packed = written.getvalue()
    if lzma:
        text = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}
        packed = lzma.compress(packed, check=lzma.CHECK_CRC32, filters=[text])
    Path(archive).write_bytes(packed)


def _with_headers(folder: Path, files: tuple[str, ...]) -> set[str]:
    """The files, and what they include, by their names from the folder."""
    found, pending = set(files), list(files)
    while pending:
        file = pending.pop()
        for header in re.findall(r'^#include "(.+)"', (folder / file).read_text(encoding="utf-8"), re.M):
            for where in (Path(file).parent, Path("core")):
                name = os.path.normpath(where / header)
                if name not in found and (folder / name).exists():
                    found.add(name)
                    pending.append(name)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
