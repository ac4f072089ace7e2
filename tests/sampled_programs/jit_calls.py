"""Python that calls code of a JIT that calls Python, beside a thread without Python, until its input ends."""

import ctypes
import sys
import threading

from llvmlite import binding

binding.initialize_native_target()
binding.initialize_native_asmprinter()
module = binding.parse_assembly("""
define i64 @spins(i64 %times, i64 (i64)* %back) {
entry:
  %kept = alloca i64
  store i64 0, i64* %kept
  br label %loop
loop:
  %turn = load volatile i64, i64* %kept
  %next = add i64 %turn, 1
  store volatile i64 %next, i64* %kept
  %is_over = icmp sge i64 %next, %times
  br i1 %is_over, label %out, label %loop
out:
  %answer = call i64 %back(i64 %next)
  ret i64 %answer
}
define i8* @forever(i8* %nothing) {
entry:
  %kept = alloca i64
  store i64 0, i64* %kept
  br label %loop
loop:
  %turn = load volatile i64, i64* %kept
  %next = add i64 %turn, 1
  store volatile i64 %next, i64* %kept
  br label %loop
}
""")
engine = binding.create_mcjit_compiler(module, binding.Target.from_default_triple().create_target_machine())
engine.finalize_object()
Back = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
spins = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, Back)(engine.get_function_address("spins"))


def called_back(turns):
    left = 0
    for each in range(20000):
        left += each
    return turns


def calls():
    spins(1_000_000, BACK)


BACK = Back(called_back)
thread, forever = ctypes.c_void_p(), ctypes.c_void_p(engine.get_function_address("forever"))
assert ctypes.CDLL(None).pthread_create(ctypes.byref(thread), None, forever, None) == 0
is_over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
print("ready", flush=True)
while not is_over.is_set():
    calls()
