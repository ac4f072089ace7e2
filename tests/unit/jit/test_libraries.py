"""Shared libraries: what `-l` means, and where symbols are."""

import ctypes
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.jit import Libraries


def test_the_c_library_is_always_there() -> None:
    libraries = Libraries()
    for name in ("printf", "sin", "pthread_create", "dlopen", "_Unwind_Resume"):
        assert libraries.address(name) is not None, name


def test_variables_of_the_c_library_are_the_processs_own() -> None:
    process = ctypes.CDLL(None)
    for name in ("environ", "stdout", "optind"):
        assert Libraries().address(name) == ctypes.addressof(ctypes.c_char.in_dll(process, name))


def test_what_only_python_has_is_not_found() -> None:
    assert Libraries().address("Py_Initialize") is None


@pytest.mark.parametrize("name", ["m", "c", "pthread", "dl", "rt"])
def test_parts_of_the_c_library_need_no_file(name: str) -> None:
    assert Libraries().add(name).startswith("lib")


def test_the_newest_version_is_taken_where_there_is_no_plain_name(tmp_path: Path) -> None:
    for name in ("libthing.so.2", "libthing.so.10.1", "libthing.so.old", "libthing.so"):
        (tmp_path / name).write_bytes(b"/* a script for the linker */")
    with pytest.raises(InputError, match=r"libthing\.so\.10\.1'"):  # it is taken, though no library
        Libraries().add("thing", [tmp_path])


def test_a_library_that_is_nowhere_is_named_with_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        Libraries().add("no_such_thing", [tmp_path])
    assert refusal.value.slug == "no-such-library"
    assert f"there is no libno_such_thing.so in {tmp_path} or the system's folders" in refusal.value.message
