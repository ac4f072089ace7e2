"""What `walks.c` does, in Python: the same calls of functions of the same names."""

import threading


def lowest(n):
    return n


def inlined(n):
    return lowest(n) + 1


def step(n):
    return inlined(n) if n < 2 else step(n - 1) + step(n - 2)


def differ(a, b):
    lowest(1)
    return a != b


def find(n):
    for each in range(64):
        if not differ(n, each):
            return each
    return -1


def work(number):
    return step(number)


def search(number):
    return find(number) + find(3)


def repeated(callable, times):
    result = None
    for each in range(times):
        lowest(each)
        try:
            result = callable()
        except Exception:
            step(1)
            raise
        step(1)
    return result


def call(callable, times):
    return repeated(callable, times)


def run_alone(n):
    step(n)


def alone(number):
    thread = threading.Thread(target=run_alone, args=(number,))
    thread.start()
    thread.join()
