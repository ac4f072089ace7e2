"""Kernels in the style of Numba's documentation: prints the processor time of one, when it is compiled, in nanoseconds."""

import sys
import time

import numpy as np
from numba import njit, vectorize


@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@njit
def escape(x, y, limit):
    a = b = 0.0
    for i in range(limit):
        a, b = a * a - b * b + x, 2 * a * b + y
        if a * a + b * b > 4:
            return i
    return limit


@njit
def mandelbrot(n, limit):
    out = np.zeros((n, n), np.int64)
    for i in range(n):
        for j in range(n):
            out[i, j] = escape(-2 + 3 * i / n, -1.5 + 3 * j / n, limit)
    return out.sum()


@njit
def monte_carlo(n):
    inside = 0
    for _ in range(n):
        inside += np.random.random() ** 2 + np.random.random() ** 2 < 1
    return 4 * inside / n


@njit
def partition(values, low, high):
    pivot, at = values[high], low
    for i in range(low, high):
        if values[i] < pivot:
            values[i], values[at] = values[at], values[i]
            at += 1
    values[at], values[high] = values[high], values[at]
    return at


@njit
def sort(values, low, high):
    if low < high:
        at = partition(values, low, high)
        sort(values, low, at - 1)
        sort(values, at + 1, high)


def quicksort(n):
    values = (np.arange(n) * 7919 % n).astype(np.int64)
    sort(values, 0, n - 1)


@vectorize(["float64(float64, float64)"])
def distance(x, y):
    return (x * x + y * y) ** 0.5


def loops(n):
    values = np.arange(1000.0)
    for _ in range(n):
        distance(values, values)


@njit
def add(a, b):
    return a + b


def from_python(n):
    for i in range(n):
        add(i, 1)


KERNELS = {
    "fib": (fib, (5,), (36,)),
    "mandelbrot": (mandelbrot, (5, 5), (500, 300)),
    "monte_carlo": (monte_carlo, (5,), (10_000_000,)),
    "quicksort": (quicksort, (5,), (1_000_000,)),
    "loops": (loops, (5,), (30_000,)),
    "from_python": (from_python, (5,), (300_000,)),
}

if __name__ == "__main__":
    kernel, small, large = KERNELS[sys.argv[1]]
    kernel(*small)
    began = time.process_time_ns()
    kernel(*large)
    print(time.process_time_ns() - began)
