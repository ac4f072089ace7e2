"""What NumPy, C and threads call of Numba's; what calls Python back."""

import ctypes

import numpy as np
from numba import cfunc, guvectorize, int64, njit, objmode, prange, vectorize


@njit
def leaf(x):
    return x + 1


@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def asked(n):
    return fib(n)


@njit
def asks_python(n):
    with objmode(found="int64"):
        found = asked(n)
    return leaf(found)


@cfunc("int64(int64)")
def callback(x):
    return leaf(x)


@vectorize([int64(int64)])
def raised(x):
    return leaf(x) + 1


@guvectorize(["void(int64[:], int64[:])"], "(n)->()")
def total(values, result):
    result[0] = 0
    for value in values:
        result[0] += leaf(value)


@njit(parallel=True)
def in_parallel(values):
    out = np.zeros_like(values)
    for i in prange(len(values)):
        out[i] = leaf(values[i])
    return out


def call_back(n):
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(callback.address)(n)


def main():
    print(asks_python(4), call_back(3))
    print(raised(np.arange(4)), raised(np.arange(6)))
    print(total(np.arange(6).reshape(2, 3)))
    print(in_parallel(np.arange(50)).sum())


if __name__ == "__main__":
    main()
