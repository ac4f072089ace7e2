"""Twenty-two phases, of each of which one thing changes: `planted.py before`, `planted.py after`.

The name of a phase says what it should be found to have more of.
"""

import gc
import mmap
import random
import sys
import time
from array import array

AFTER = sys.argv[1] == "after"
PAGE = 4096
SMALL, LARGE = bytes(8 << 10), b"1" * (1 << 20)
BUFFER = bytearray(1 << 20)
NUMBERS = array("q", range(1 << 16))
FEW, MANY = list(range(1000, 1256)), random.Random(1).sample(range(1000, 1 << 17), 1 << 15)
FEW_KEYS, MANY_KEYS = dict.fromkeys(FEW), dict.fromkeys(MANY)
FEW_MEMBERS, MANY_MEMBERS = set(FEW), set(MANY)
SHUFFLED = random.Random(2).choices(range(257), k=6000)
ASCENDING = sorted(SHUFFLED)
USED = mmap.mmap(-1, 256 * PAGE)
USED.write(bytes(256 * PAGE))
OWN = mmap.mmap(-1, 256 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
OWN.write(bytes(256 * PAGE))
KEPT = [0] * 2000
gc.disable()
gc.freeze()


class Point:
    def __init__(self, x):
        self.x = x


def misses_of_a_scan():
    data, times = (LARGE, 4) if AFTER else (SMALL, 512)
    for _ in range(times):
        data.count(b"x")


def misses_of_a_search():
    data, times = (LARGE, 2) if AFTER else (SMALL, 256)
    for _ in range(times):
        data.find(b"no")


def misses_of_a_copy():
    size, times = (1 << 19, 4) if AFTER else (1 << 12, 512)
    view, into = memoryview(LARGE)[:size], memoryview(BUFFER)[:size]
    for _ in range(times):
        into[:] = view


def misses_of_a_list():
    for each in (MANY,) if AFTER else (FEW,) * 128:
        max(each)


def misses_of_a_dictionary():
    known = MANY_KEYS if AFTER else FEW_KEYS
    for _ in range(1 if AFTER else 128):
        for key in known:
            known.get(key)


def misses_of_a_set():
    for _ in range(1 if AFTER else 128):
        MANY_MEMBERS.issuperset(MANY) if AFTER else FEW_MEMBERS.issuperset(FEW)


def misses_of_strides():
    step = 509 if AFTER else 1
    at = 0
    for _ in range(4000):
        NUMBERS[at]
        at = (at + step) & 0xFFFF


def branches_of_a_filter():
    found = 0
    for each in SHUFFLED if AFTER else ASCENDING:
        if each > 128:
            found += 1


def instructions_of_a_loop():
    n = 0
    for _ in range(9000 if AFTER else 3000):
        n ^= 1


def instructions_of_calls():
    for _ in range(6000 if AFTER else 1500):
        abs(-1)


def instructions_of_a_power():
    pow(3, 65537 if AFTER else 8191, (1 << 1279) - 1)
    pow(5, (1 << 400) - 1 if AFTER else (1 << 60) - 1, (1 << 521) - 1)


def instructions_of_a_quadratic_search():
    for n in range(200 if AFTER else 20):
        FEW.index(1000 + n)


def allocations_of_lists():
    for _ in KEPT:
        [1, 2, 3] if AFTER else KEPT


def allocations_of_points():
    for _ in KEPT:
        Point(0) if AFTER else None


def allocations_of_texts():
    for each in FEW * 8:
        f"{each} items" if AFTER else "no items"


def allocations_of_bytes():
    for each in FEW * 8:
        bytes(16) if AFTER else each


def bytes_of_buffers():
    size = 4000 if AFTER else 400
    for _ in range(200):
        bytearray(size)


def faults_of_new_memory():
    memory = mmap.mmap(-1, 256 * PAGE) if AFTER else USED
    for at in range(0, 256 * PAGE, PAGE):
        memory[at] = 1


def faults_of_a_table():
    memory = mmap.mmap(-1, 256 * PAGE) if AFTER else USED
    memory.seek(0)
    memory.write(LARGE)


def faults_of_memory_given_back():
    OWN.madvise(mmap.MADV_DONTNEED if AFTER else mmap.MADV_NORMAL)
    for at in range(0, 256 * PAGE, PAGE):
        OWN[at] = 1


def switches_of_pauses():
    for _ in range(50):
        time.sleep(1e-4) if AFTER else time.monotonic()


def collections_of_the_young():
    for _ in range(40):
        gc.collect(0) if AFTER else gc.isenabled()


CASES = [each for name, each in list(globals().items()) if name.partition("_")[2].startswith("of_")]


def main():
    for case in CASES:
        for _ in range(3):
            case()


main()
