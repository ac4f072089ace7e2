"""The archive of the tool's sources: the same whoever builds it; and without lzma, another that can be read."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from interpreters import ROOT
from sonde.valgrind.tool_sources import installed_sources

_ARCHIVER = ROOT / "native" / "valgrind" / "archive.py"
_WITHOUT_LZMA = (
    "import runpy, sys; sys.modules['lzma'] = None; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


def archived(folder: Path, *names: str, has_lzma: bool = True) -> Path:
    start = [] if has_lzma else ["-c", _WITHOUT_LZMA]
    command = [sys.executable, *start, str(_ARCHIVER), str(folder / "made"), str(folder), *names]
    subprocess.run(command, check=True)
    return folder / "made"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for folder, mode in ((tmp_path / "one", 0o600), (tmp_path / "other", 0o755)):
        for name in ("core/a.c", "valgrind/main.c"):
            path = folder / name
            path.parent.mkdir(parents=True)
            path.write_text(f"/* {name} */\n" * 100)
            path.chmod(mode)
            os.utime(path, (mode, mode))
    return tmp_path / "one", tmp_path / "other"


def test_nothing_of_who_built_it_is_in_it(folders: tuple[Path, Path]) -> None:
    one, other = folders
    made = archived(one, "core/a.c", "valgrind/main.c")

    assert made.read_bytes() == archived(other, "valgrind/main.c", "core/a.c").read_bytes()
    with tarfile.open(made, "r:xz") as tar:
        assert {(each.uid, each.gid, each.uname, each.gname, each.mtime) for each in tar} == {(0, 0, "", "", 0)}


def test_headers_that_are_included_are_in_it_and_no_others(tmp_path: Path) -> None:
    for name, text in {
        "valgrind/main.c": '#include "tool.h"\n#include "pub_tool_basics.h"\n',
        "valgrind/tool.h": '#include "../core/base/pages.h"\n#include "lines/lines.h"\n',
        "core/base/pages.h": "",
        "core/lines/lines.h": '#include "../base/pages.h"\n',
        "core/lines/unused.h": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    with tarfile.open(archived(tmp_path, "valgrind/main.c")) as tar:
        assert tar.getnames() == ["core/base/pages.h", "core/lines/lines.h", "valgrind/main.c", "valgrind/tool.h"]


def test_what_a_python_without_lzma_made_is_read(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    made = archived(folders[0], "core/a.c", "valgrind/main.c", has_lzma=False)
    extension = SimpleNamespace(origin=str(made.with_name("_agent.so")))
    monkeypatch.setattr("sonde.valgrind.tool_sources.find_spec", lambda name: extension)
    monkeypatch.setattr("sonde.valgrind.tool_sources._ARCHIVE", made.name)
    monkeypatch.setitem(sys.modules, "lzma", None)

    with installed_sources() as sources:
        assert (sources.folder / "core" / "a.c").read_text() == "/* core/a.c */\n" * 100
