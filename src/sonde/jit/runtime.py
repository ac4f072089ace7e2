"""What an executable gets from the static part of the C library and from its start-up files, as a little IR.

A library of the JIT's is given its own copy, so that what it registers for its end can be told from others'.
"""

from functools import cache

from sonde.llvm import LlvmModule

START = "sonde.start"
"""`noreturn void (i32 argc, ptr argv, ptr envp, ptr constructors, ptr destructors, ptr main)`: a whole program. The
lists are of functions and end with null."""
RUN_ALL = "sonde.run_all"
"""`void (ptr list, i32 argc, ptr argv, ptr envp)`."""
THREAD_ADDRESS = "sonde.thread_address"
"""`ptr (ptr control_block)`: where the calling thread has a thread-local variable."""
OF_A_LIBRARY = -1
"""In the place of a variable's size: it belongs to a shared library, and what the dynamic linker calls it follows."""
HANDLE = "__dso_handle"
"""By its address, the C library knows whose exit functions are whose. LLVM's JIT defines one in every library, wherever
there is room: it is reached through a table, not as a neighbour."""

_TEXT = """
@__dso_handle = external global i8

declare i32 @__cxa_atexit(ptr, ptr, ptr)
declare i32 @__cxa_at_quick_exit(ptr, ptr)
declare i32 @__register_atfork(ptr, ptr, ptr, ptr)
declare ptr @__errno_location()
declare void @exit(i32) noreturn

define i32 @sonde.atexit(ptr %function) uwtable {
  %status = call i32 @__cxa_atexit(ptr %function, ptr null, ptr @__dso_handle)
  ret i32 %status
}

define i32 @at_quick_exit(ptr %function) uwtable {
  %status = call i32 @__cxa_at_quick_exit(ptr %function, ptr @__dso_handle)
  ret i32 %status
}

define i32 @pthread_atfork(ptr %prepare, ptr %parent, ptr %child) uwtable {
  %status = call i32 @__register_atfork(ptr %prepare, ptr %parent, ptr %child, ptr @__dso_handle)
  ret i32 %status
}

declare ptr @__emutls_get_address(ptr)
declare ptr @__tls_get_addr(ptr)

define ptr @sonde.thread_address(ptr %control) uwtable {
  %size = load i64, ptr %control
  %elsewhere = icmp eq i64 %size, -1
  br i1 %elsewhere, label %library, label %own, !prof !0
library:
  %index = getelementptr i64, ptr %control, i64 1
  %there = tail call ptr @__tls_get_addr(ptr %index)
  ret ptr %there
own:
  %here = tail call ptr @__emutls_get_address(ptr %control)
  ret ptr %here
}

define void @sonde.run_all(ptr %list, i32 %argc, ptr %argv, ptr %envp) uwtable {
entry:
  br label %next
next:
  %at = phi ptr [ %list, %entry ], [ %following, %call ]
  %function = load ptr, ptr %at
  %done = icmp eq ptr %function, null
  br i1 %done, label %end, label %call
call:
  call void %function(i32 %argc, ptr %argv, ptr %envp)
  %following = getelementptr ptr, ptr %at, i64 1
  br label %next
end:
  ret void
}

define void @sonde.run_at_exit(ptr %list) uwtable {
  call void @sonde.run_all(ptr %list, i32 0, ptr null, ptr null)
  ret void
}

define void @sonde.start(i32 %argc, ptr %argv, ptr %envp, ptr %constructors, ptr %destructors, ptr %main) uwtable {
  %registered = call i32 @__cxa_atexit(ptr @sonde.run_at_exit, ptr %destructors, ptr null)
  %errno = call ptr @__errno_location()
  store i32 0, ptr %errno
  call void @sonde.run_all(ptr %constructors, i32 %argc, ptr %argv, ptr %envp)
  %status = call i32 %main(i32 %argc, ptr %argv, ptr %envp)
  call void @exit(i32 %status)
  unreachable
}

!0 = !{!"branch_weights", i32 1, i32 1000}
"""


@cache
def runtime_object() -> bytes:
    """The object file to link with a program."""
    return runtime_module().object(1)


def runtime_module() -> LlvmModule:
    """What it is made of."""
    return LlvmModule.from_text(_TEXT, "run-time support")
