"""What a call through a slot costs: the same loop over the same function, called directly and through its stub.

    python benches/bench_slots.py [--calls 20000000] [--rounds 15]

Each round times every alternative once, in changing order. Printed are the medians of the differences to the direct
call of the same round, with 95 % bootstrap intervals. To reach: at most 2 ns a call.
"""

import argparse
import ctypes
import random
import time
from collections.abc import Callable
from statistics import median

from ratios import median_interval
from sonde.jit.engine import Engine
from sonde.llvm import LlvmModule
from sonde.machine.versions import BASE
from sonde.machine.virtual_machine import VirtualMachine

PROGRAM = """
define i64 @callee(i64 %x) noinline {
  %y = mul i64 %x, 6364136223846793005
  %z = add i64 %y, 1442695040888963407
  ret i64 %z
}

define i64 @loop(i64 %times, ptr %unused) noinline {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %x = phi i64 [ 1, %entry ], [ %y, %again ]
  %y = call i64 @callee(i64 %x)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %end
end:
  ret i64 %y
}

define i64 @loop_by_pointer(i64 %times, ptr %callee) noinline {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %x = phi i64 [ 1, %entry ], [ %y, %again ]
  %y = call i64 %callee(i64 %x)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %end
end:
  ret i64 %y
}
"""

Loop = Callable[[int, int], int]


def alternatives() -> dict[str, tuple[Loop, int]]:
    """Name -> a loop, and the address of the function that it may need."""
    direct = Engine().load("direct", [LlvmModule.from_text(PROGRAM, "direct").object(2)])
    machine = VirtualMachine()
    machine.load(LlvmModule.from_text(PROGRAM, "slots"), "slots", level=2)
    machine.link()
    callee = machine.functions["@callee"]
    base = callee.versions[BASE].code
    assert base is not None
    return {
        "direct": (_loop(direct.addresses["loop"]), 0),
        "through a pointer": (_loop(direct.addresses["loop_by_pointer"]), direct.addresses["callee"]),
        "through its stub, as loaded": (_loop(machine.functions["@loop"].stub), 0),
        "through its stub, from another module": (_loop(direct.addresses["loop_by_pointer"]), callee.stub),
    }


def _loop(address: int) -> Loop:
    return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)(address)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    known = alternatives()
    times: dict[str, list[float]] = {name: [] for name in known}
    for _ in range(arguments.rounds):
        for name in random.sample(list(known), len(known)):
            loop, callee = known[name]
            began = time.process_time_ns()
            loop(arguments.calls, callee)
            times[name].append((time.process_time_ns() - began) / arguments.calls)
    print(f"direct: {median(times['direct']):.2f} ns a call and iteration")
    for name in list(known)[1:]:
        more = [there - direct for there, direct in zip(times[name], times["direct"], strict=True)]
        low, high = median_interval(more)
        print(f"{name}: {median(more):+.2f} ns [{low:+.2f}, {high:+.2f}]")


if __name__ == "__main__":
    main()
