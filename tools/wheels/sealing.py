"""Give a wheel the tag of its platform, and write it as small as its format lets it be."""

import base64
import csv
import hashlib
import io
import re
import stat
import zipfile
from pathlib import Path

from wheels.shipping import MANUAL, shipped
from wheels.zip_file import write_zip


def seal_wheel(made: Path, tag: str, folder: Path, manual: bytes = b"") -> Path:
    """Write it anew, with another tag, and with what is shipped of it.

    Args:
        made: with the tag of any Linux.
        tag: of a platform: `manylinux_2_28_x86_64`.
        manual: the page that `man sonde` shows; empty: it has none, or keeps its own.
    """
    stem, _, _ = made.stem.rpartition("-")
    sealed = folder / f"{stem}-{tag}.whl"
    partial = sealed.with_suffix(".partial")
    with zipfile.ZipFile(made) as wheel:
        files = {info.filename: (wheel.read(info), _is_program(info)) for info in wheel.infolist() if not info.is_dir()}
    files = dict(shipped(files))
    record = next(name for name in files if name.endswith(".dist-info/RECORD"))
    if manual:
        files[record.removesuffix(".dist-info/RECORD") + MANUAL] = (manual, False)
    about = record.replace("RECORD", "WHEEL")
    files[about] = (re.sub(rb"(?m)^(Tag: \S+)-\S+$", rb"\1-" + tag.encode(), files[about][0]), False)
    del files[record]
    lines = io.StringIO()
    written = csv.writer(lines, lineterminator="\n")
    for name, (content, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        written.writerow((name, f"sha256={digest}", len(content)))
    written.writerow((record, "", ""))
    contents = [(name, content, is_program) for name, (content, is_program) in sorted(files.items())]
    folder.mkdir(parents=True, exist_ok=True)
    write_zip(partial, [*contents, (record, lines.getvalue().encode(), False)])
    partial.replace(sealed)
    return sealed


def _is_program(info: zipfile.ZipInfo) -> bool:
    return bool(info.external_attr >> 16 & stat.S_IXUSR)
