"""Objects linked into this process."""

import ctypes

import pytest

from sonde.base.errors import InputError, InternalError
from sonde.llvm import LinkingJit, LlvmModule

_INT = ctypes.CFUNCTYPE(ctypes.c_int)


def _object(text: str) -> bytes:
    return LlvmModule.from_text(text, "x.ll").object(1)


def test_libraries_may_define_the_same_name() -> None:
    jit = LinkingJit()
    one, two = (
        jit.link(name, [_object(f"define i32 @f() {{\n  ret i32 {value}\n}}")], ["f"], {})
        for name, value in [("one", 1), ("two", 2)]
    )
    assert _INT(one.addresses["f"])() == 1 and _INT(two.addresses["f"])() == 2
    jit.close()


def test_objects_of_one_library_see_one_another() -> None:
    jit = LinkingJit()
    user = _object("declare i32 @g()\ndefine i32 @f() {\n  %r = call i32 @g()\n  ret i32 %r\n}")
    library = jit.link("both", [user, _object("define i32 @g() {\n  ret i32 5\n}")], ["f"], {})
    assert _INT(library.addresses["f"])() == 5
    jit.close()


def test_what_is_given_goes_before_what_the_process_has() -> None:
    jit = LinkingJit()
    user = _object("declare i32 @getpid()\ndefine i32 @f() {\n  %r = call i32 @getpid()\n  ret i32 %r\n}")
    other = _INT(lambda: -5)
    imports = {"getpid": ctypes.cast(other, ctypes.c_void_p).value or 0}
    assert _INT(jit.link("x", [user], ["f"], imports).addresses["f"])() == -5
    jit.close()


def test_what_is_nowhere_is_refused() -> None:
    jit = LinkingJit()
    user = _object("declare i32 @nowhere()\ndefine i32 @f() {\n  %r = call i32 @nowhere()\n  ret i32 %r\n}")
    with pytest.raises(InputError, match="cannot link 'x': ") as refusal:
        jit.link("x", [user], ["f"], {})
    assert refusal.value.slug == "cannot-link"
    jit.close()


def test_a_name_is_used_once() -> None:
    jit = LinkingJit()
    jit.link("x", [_object("define i32 @f() {\n  ret i32 1\n}")], ["f"], {}).unload()
    with pytest.raises(InternalError, match="there is one of that name"):
        jit.link("x", [], [], {})
    jit.close()


def test_missing_weak_symbols_are_null() -> None:
    jit = LinkingJit()
    text = (
        "declare extern_weak i32 @g()\n"
        "define i32 @f() {\n  %n = icmp eq ptr @g, null\n  %r = zext i1 %n to i32\n  ret i32 %r\n}"
    )
    assert _INT(jit.link("x", [_object(text)], ["f"], {"g": 0}).addresses["f"])() == 1
    jit.close()
