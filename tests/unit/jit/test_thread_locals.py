"""Thread-local variables, lowered: each thread has its own, with the values that the program gave."""

import ctypes
import re
import threading

import pytest

from sonde.base.errors import InputError
from sonde.jit import Engine
from sonde.jit.thread_locals import lower_thread_locals
from sonde.llvm import LlvmModule

_TEXT = """
%pair = type { i32, ptr }
$shared = comdat any
@counter = internal thread_local global i32 5, align 4
@"odd name" = thread_local global %pair { i32 7, ptr @anchor }, align 8
@shared = linkonce_odr thread_local(initialexec) global [4 x i64] zeroinitializer, comdat, align 32
@anchor = global i32 9
@elsewhere = external thread_local global i64, align 8
declare ptr @llvm.threadlocal.address.p0(ptr)

define i32 @next() {
  %p = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @counter)
  %v = load i32, ptr %p
  %n = add i32 %v, 1
  store i32 %n, ptr %p
  ret i32 %n
}

define i32 @odd() {
  %v = load i32, ptr @"odd name"
  %p = call ptr @llvm.threadlocal.address.p0(ptr @"odd name")
  %q = getelementptr %pair, ptr %p, i32 0, i32 1
  %a = load ptr, ptr %q
  %w = load i32, ptr %a
  %s = add i32 %v, %w
  ret i32 %s
}

define i64 @aligned() {
  %p = call align 32 ptr @llvm.threadlocal.address.p0(ptr align 32 @shared)
  %i = ptrtoint ptr %p to i64
  %r = urem i64 %i, 32
  %v = load i64, ptr %p
  %s = add i64 %r, %v
  ret i64 %s
}
"""


def test_each_thread_counts_for_itself() -> None:
    module = lower_thread_locals(LlvmModule.from_text(_TEXT, "t.ll"))
    module.verify()
    assert not module.has_thread_locals()
    code = Engine().load("t.ll", [module.object(2)])
    follow = ctypes.CFUNCTYPE(ctypes.c_int)(code.addresses["next"])
    seen: list[list[int]] = []
    threads = [threading.Thread(target=lambda: seen.append([follow() for _ in range(3)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[6, 7, 8]] * 4
    assert follow() == 6


def test_initial_values_alignment_and_odd_names_are_kept() -> None:
    module = lower_thread_locals(LlvmModule.from_text(_TEXT, "t.ll"))
    code = Engine().load("t.ll", [module.object(0)])
    assert ctypes.CFUNCTYPE(ctypes.c_int)(code.addresses["odd"])() == 16
    assert ctypes.CFUNCTYPE(ctypes.c_long)(code.addresses["aligned"])() == 0


def test_linkage_and_groups_are_kept() -> None:
    text = lower_thread_locals(LlvmModule.from_text(_TEXT, "t.ll")).text()
    assert re.search(r"^@__emutls_v.counter = internal global ", text, re.MULTILINE)
    assert re.search(r"^@__emutls_v.shared = linkonce_odr global .*comdat\(\$shared\), align 8$", text, re.MULTILINE)
    assert re.search(r"^@__emutls_v.elsewhere = external global ", text, re.MULTILINE)


def test_what_cannot_be_followed_is_refused() -> None:
    text = "@t = thread_local global i32 0\n@u = global ptr @t\n"
    with pytest.raises(InputError, match=r"cannot run 't\.ll'") as refusal:
        lower_thread_locals(LlvmModule.from_text(text, "t.ll"))
    assert refusal.value.slug == "thread-local"
