"""Code loaded into this process: symbols, constructors, unloading."""

import ctypes
import threading
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.jit import Engine, compile_file
from sonde.llvm import LlvmModule

_INT = ctypes.CFUNCTYPE(ctypes.c_int)


@pytest.fixture
def engine() -> Engine:
    return Engine()


def _object(text: str) -> bytes:
    return LlvmModule.from_text(text, "x.ll").object(1)


def _c(folder: Path, text: str, name: str = "x.c") -> bytes:
    path = folder / name
    path.write_text(text)
    return compile_file(path).object(1)


def _call(engine: Engine, name: str) -> int:
    address = engine.address(name)
    assert address is not None
    return int(_INT(address)())


def test_later_code_sees_earlier_code_and_the_first_definition_wins(engine: Engine, tmp_path: Path) -> None:
    engine.load("one", [_c(tmp_path, "int value = 5; int f(void) { return value; }")])
    engine.load("two", [_c(tmp_path, "extern int value; int f(void) { return 9; } int g(void) { return ++value; }")])
    assert _call(engine, "g") == 6 and _call(engine, "f") == 6


def test_imports_go_before_everything_else(engine: Engine, tmp_path: Path) -> None:
    engine.load("one", [_c(tmp_path, "int f(void) { return 5; }")])
    other = _INT(lambda: 8)
    address = ctypes.cast(other, ctypes.c_void_p).value or 0
    code = engine.load("two", [_c(tmp_path, "int f(void); int g(void) { return f(); }")], {"f": address})
    assert _INT(code.addresses["g"])() == 8


def test_what_nothing_defines_is_named_with_who_uses_it(engine: Engine, tmp_path: Path) -> None:
    image = _c(tmp_path, "int nowhere(void); int neither(void); int g(void) { return nowhere() + neither(); }")
    with pytest.raises(InputError) as refusal:
        engine.load("x.c", [image], users={"nowhere": "y.c"})
    assert refusal.value.slug == "missing-symbol"
    assert refusal.value.message == "cannot link 'x.c': nothing defines 'nowhere' (used in y.c), 'neither'"


def test_python_is_not_a_library_of_the_program(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing defines 'Py_Initialize'"):
        engine.load("x.c", [_c(tmp_path, "void Py_Initialize(void); void g(void) { Py_Initialize(); }")])


def test_a_missing_weak_symbol_is_null(engine: Engine, tmp_path: Path) -> None:
    engine.load("x.c", [_c(tmp_path, "int w(void) __attribute__((weak)); int g(void) { return w ? w() : 3; }")])
    assert _call(engine, "g") == 3


def test_constructors_run_when_told_and_in_order(engine: Engine, tmp_path: Path) -> None:
    text = """
        int order;
        __attribute__((constructor)) static void last(void) { order = order * 10 + 3; }
        __attribute__((constructor(300))) static void second(void) { order = order * 10 + 2; }
        __attribute__((constructor(200))) static void first(void) { order = order * 10 + 1; }
        int seen(void) { return order; }"""
    code = engine.load("x.c", [_c(tmp_path, text)])
    assert _call(engine, "seen") == 0
    code.run_constructors()
    assert _call(engine, "seen") == 123


def test_unloading_runs_what_was_left_for_the_end(engine: Engine, tmp_path: Path) -> None:
    text = """
        int atexit(void (*)(void));
        extern int *log_of_test;
        static void at_exit(void) { *log_of_test = *log_of_test * 10 + 1; }
        __attribute__((destructor)) static void destructor(void) { *log_of_test = *log_of_test * 10 + 2; }
        void begin(void) { atexit(at_exit); }"""
    log = ctypes.c_int(0)
    pointer = ctypes.pointer(log)
    code = engine.load("x.c", [_c(tmp_path, text)], {"log_of_test": ctypes.addressof(pointer)})
    ctypes.CFUNCTYPE(None)(code.addresses["begin"])()
    assert log.value == 0
    engine.unload(code)
    assert log.value == 12
    assert engine.address("begin") is None


def test_static_objects_of_cxx_are_destroyed_when_unloaded(engine: Engine, tmp_path: Path) -> None:
    text = """
        extern int *log_of_test;
        struct S { S() { *log_of_test = 1; } ~S() { *log_of_test = 2; } } s;
        extern "C" int caught() { try { throw 5; } catch (int number) { return number; } }"""
    log = ctypes.c_int(0)
    pointer = ctypes.pointer(log)
    code = engine.load("x.cpp", [_c(tmp_path, text, "x.cpp")], {"log_of_test": ctypes.addressof(pointer)})
    code.run_constructors()
    assert log.value == 1
    assert _INT(code.addresses["caught"])() == 5
    engine.unload(code)
    assert log.value == 2


def test_thread_locals_of_a_library_are_the_librarys(engine: Engine, tmp_path: Path) -> None:
    text = """
        namespace std { extern __thread void *__once_callable; }
        extern "C" void *where() { return &std::__once_callable; }"""
    code = engine.load("x.cpp", [_c(tmp_path, text, "x.cpp")])
    where = ctypes.CFUNCTYPE(ctypes.c_void_p)(code.addresses["where"])
    library = ctypes.CDLL("libstdc++.so.6")

    def of_this_thread() -> int | None:  # the dynamic linker's word
        return ctypes.addressof(ctypes.c_void_p.in_dll(library, "_ZSt15__once_callable"))

    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(where() == of_this_thread()))
    thread.start()
    thread.join()
    assert seen == [True]
    assert where() == of_this_thread()


def test_a_long_list_of_missing_symbols_is_cut(engine: Engine) -> None:
    names = [f"missing_{k}" for k in range(20)]
    text = "".join(f"declare void @{name}()\n" for name in names)
    text += "define void @f() {\n" + "".join(f"  call void @{name}()\n" for name in names) + "  ret void\n}"
    with pytest.raises(InputError, match="'missing_5' and 14 more"):
        engine.load("x.ll", [_object(text)])
