"""What the tools for wheels promise: an archive that others read, one tag all over, and that faults are told."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from wheels.checking import faults_of_content
from wheels.platforms import PLATFORMS
from wheels.pythons import BuildPython, headers_for
from wheels.sealing import seal_wheel

_TAG = "manylinux_2_28_x86_64"
_FILES = {
    "sonde/__init__.py": b"",
    "sonde/text.py": b"a line\n" * 1000,
    "sonde/_launcher": b"#!/bin/sh\n",
    "sonde-0.1.0.dist-info/METADATA": b"Name: sonde\nRequires-Dist: numpy; extra == 'bench'\nRequires-Dist: rich\n",
    "sonde-0.1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: cp313-cp313-linux_x86_64\n",
    "sonde-0.1.0.dist-info/RECORD": b"old\n",
}


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    made = tmp_path / "made" / "sonde-0.1.0-cp313-cp313-linux_x86_64.whl"
    made.parent.mkdir()
    with zipfile.ZipFile(made, "w") as wheel:
        for name, content in _FILES.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o755 if name.endswith("_launcher") else 0o644) << 16
            wheel.writestr(info, content)
    return seal_wheel(made, _TAG, tmp_path)


def test_a_sealed_wheel_has_the_same_files_and_one_tag(sealed: Path) -> None:
    with zipfile.ZipFile(sealed) as wheel:
        assert wheel.testzip() is None
        assert wheel.namelist()[-1] == "sonde-0.1.0.dist-info/RECORD"
        read = {name: wheel.read(name) for name in wheel.namelist()}
        programs = [info.filename for info in wheel.infolist() if info.external_attr >> 16 & 0o100]
    assert sealed.name == f"sonde-0.1.0-cp313-cp313-{_TAG}.whl"
    assert read.keys() == _FILES.keys()
    assert f"Tag: cp313-cp313-{_TAG}".encode() in read["sonde-0.1.0.dist-info/WHEEL"]
    assert b"sonde/text.py,sha256=" in read["sonde-0.1.0.dist-info/RECORD"]
    assert all(read[name] == _FILES[name] for name in _FILES if not name.endswith(("/WHEEL", "/RECORD")))
    assert programs == ["sonde/_launcher"]


def test_the_same_files_make_the_same_wheel(sealed: Path, tmp_path: Path) -> None:
    again = seal_wheel(sealed, _TAG, tmp_path / "again")

    assert again.read_bytes() == sealed.read_bytes()


def test_who_built_it_is_told(tmp_path: Path) -> None:
    sources = io.BytesIO()
    with tarfile.open(fileobj=sources, mode="w:xz") as tar:
        about = tarfile.TarInfo("valgrind/main.c")
        about.uname = "somebody"
        tar.addfile(about)
    wheel = tmp_path / f"sonde-0.1.0-cp313-cp313-{_TAG}.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        for name, content in {**_FILES, "sonde/valgrind_tool.tar.xz": sources.getvalue()}.items():
            files.writestr(name, content)

    assert any("who has built it" in fault for fault in faults_of_content(wheel, PLATFORMS[0]))


def test_what_is_missing_and_what_is_needed_is_told(sealed: Path) -> None:
    faults = faults_of_content(sealed, PLATFORMS[0])

    assert "it needs another package: Requires-Dist: rich" in faults
    assert "sonde/_agent.cpython-313-x86_64-linux-gnu.so is not in it" in faults
    assert not [fault for fault in faults if "numpy" in fault or "tag" in fault or "executed" in fault]


def test_other_platforms_have_other_macros_and_the_rest_of_the_headers(tmp_path: Path) -> None:
    include = tmp_path / "include"
    include.mkdir()
    (include / "Python.h").write_text("#include <pyconfig.h>\n")
    (include / "pyconfig.h").write_text(
        "#define HAVE_GCC_ASM_FOR_X64 1\n#define PY_HAVE_PERF_TRAMPOLINE 1\n/* #undef HAVE_USABLE_WCHAR_T */\n"
    )
    python = BuildPython(tmp_path / "python", (3, 13), include)
    glibc, musl, aarch64 = (headers_for(python, platform, tmp_path / platform.name) for platform in PLATFORMS)

    assert glibc == include
    assert (musl / "Python.h").read_text() == (include / "Python.h").read_text()
    assert "#define HAVE_GCC_ASM_FOR_X64 1\n/* #undef PY_HAVE_PERF_TRAMPOLINE */\n" in (musl / "pyconfig.h").read_text()
    assert (aarch64 / "pyconfig.h").read_text() == (
        "/* #undef HAVE_GCC_ASM_FOR_X64 */\n#define PY_HAVE_PERF_TRAMPOLINE 1\n#define HAVE_USABLE_WCHAR_T 1\n"
    )
