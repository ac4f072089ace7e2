"""Functions that Numba compiles, as units: with loops that are inlined, recursion, exceptions, threads, a parallel loop, a
fork. The last line is of the machine code that Numba shows."""

import hashlib
import os
import re
import sys
import threading

import numpy as np
from numba import njit, objmode, prange, vectorize


@njit
def most(s, n):
    for i in range(n):
        s = s / 3 + i
    return s


@njit
def least(s, n):
    for i in range(n):
        s = s / 3 + i
    return s


@njit(nogil=True)
def work(s, n):
    return least(most(s, 9 * n), n)


@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@njit
def fails(n):
    if fib(n) > 2:
        raise ValueError("too large")
    return n


@vectorize(["int64(int64)"])
def raised(x):
    return x * 3 + 1


@njit(parallel=True, cache=True)
def in_parallel(values):
    out = np.zeros_like(values)
    for i in prange(len(values)):
        out[i] = fib(values[i])
    return out


@njit
def asks_python(n):
    with objmode(found="int64"):
        found = len(str(n))
    return found


@njit
def numbers(n):
    for i in range(n):
        yield fib(i)


def run_thread():
    for n in range(100):
        work(1.0, n)


def main():
    threads = [threading.Thread(target=run_thread) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(work(2.0, 10_000), fib(12), raised(np.arange(9)).sum(), in_parallel(np.arange(9)).sum())
    print(asks_python(12345), list(numbers(4)))
    for n in range(6):
        try:
            print(fails(n))
        except ValueError as error:
            print(error)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        print(fib(5), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print([name for name in sys.modules if name.split(".")[0] == "sonde"], work.signatures)


def machine_code():
    """A hash of it, without addresses and without the lines that debuggers show."""
    texts = [text for function in (work, fib, fails) for text in function.inspect_asm().values()]
    lines = [re.sub(r"\d{9,}", "", line.split("#")[0].strip()) for line in "\n".join(texts).split("\n")]
    plain = [line for line in lines if line and (line[0] != "." or line.endswith(":")) and ".Ltmp" not in line]
    return hashlib.sha256("\n".join(each for each in plain if not each.startswith(".L")).encode()).hexdigest()


if __name__ == "__main__":
    main()
    print(machine_code())
