"""Python that calls C that calls Python, until its input ends; what is below what is known."""

import ctypes
import sys
import threading
import zlib

DATA = bytes(range(256)) * 400
UNSORTED = [each * 7919 % 200 for each in range(200)]
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
libc = ctypes.CDLL(None)


def compress():
    return zlib.compress(DATA, 9)


def key(number):
    left = 0
    for each in range(50):
        left += each
    return -number


def sorts():
    return sorted(range(1000), key=key)


def compare(one, other):
    return (one[0] > other[0]) - (one[0] < other[0])


def calls_back():
    numbers = (ctypes.c_int * 200)(*UNSORTED)
    libc.qsort(numbers, 200, ctypes.sizeof(ctypes.c_int), COMPARE)


def counts(least):
    return sum(each for each in range(least, least + 3000))


def works():
    compress()
    sorts()
    calls_back()
    counts(7)


COMPARE = Compare(compare)
is_over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
print("ready", flush=True)
while not is_over.is_set():
    works()
