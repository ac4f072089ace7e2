"""Functions that Numba compiles, calling one another, called by Python and by threads; with NUMBA_DISABLE_JIT=1 it is the
same in Python."""

import os
import sys
import threading

from numba import njit


@njit
def leaf(x):
    return x + 1


@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@njit
def even(n):
    return True if n == 0 else odd(n - 1)


@njit
def odd(n):
    return False if n == 0 else even(n - 1)


@njit
def sums(n):
    total = 0
    for i in range(n):
        total += leaf(i)
    return total + twice(leaf, n)


@njit
def twice(function, n):
    return function(function(n))


@njit
def fails(n):
    if leaf(n) > 2:
        raise ValueError("too large")
    return n


@njit(nogil=True)
def without_lock(n):
    return sums(n)


@njit(cache=True)
def kept(n):
    return n * 3


def asks(n):
    return fib(n) + leaf(n)


def run_thread():
    for n in range(20):
        without_lock(n)


def run():
    print(sums(7), even(6), leaf(1.5), leaf(2), [asks(n) for n in range(6)])
    for n in range(5):
        try:
            print(fails(n))
        except ValueError as error:
            print(error)
    threads = [threading.Thread(target=run_thread) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(kept(3), kept(4))


def fork():
    child = os.fork()
    if not child:
        print(sums(9), flush=True)
        os._exit(0)
    os.waitpid(child, 0)


def look():
    print([name for name in sys.modules if name.split(".")[0] == "sonde"], sums.signatures)
    print(any("sn_probes" in text for text in sums.inspect_llvm().values()))


if __name__ == "__main__":
    run()
    if sys.argv[1:] == ["fork"]:
        fork()
    if sys.argv[1:] == ["look"]:
        look()
