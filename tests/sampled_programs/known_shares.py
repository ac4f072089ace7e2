"""Three functions that take turns; how long each had a processor is measured inside, and printed as JSON at the end.

    known_shares.py SECONDS         of processor time, once a line has come
    known_shares.py SECONDS wall    of elapsed time, and so it is measured
"""

import json
import sys
import time


def short(rounds):
    total = 0
    for number in range(rounds):
        total += number * number
    return total


def middling(rounds):
    return sum([number * number for number in range(rounds)])


def long(rounds):
    text = ""
    for number in range(rounds):
        text += str(number)
    return len(text)


def main():
    print("here", flush=True)
    sys.stdin.readline()
    ran = dict.fromkeys(("short", "middling", "long"), 0.0)
    clock = time.perf_counter if sys.argv[2:] == ["wall"] else time.thread_time
    cost = sorted(-(clock() - clock()) for _ in range(2001))[1000]  # of the clock: it is nobody's time
    end = clock() + float(sys.argv[1])
    while clock() < end:
        for function, rounds in ((short, 400), (middling, 4000), (long, 3000)):
            before = clock()
            function(rounds)
            after = clock()
            ran[function.__name__] += after - before - cost  # our own work is in no function's time
    whole = sum(ran.values())
    print(json.dumps({name: each / whole for name, each in ran.items()}), flush=True)


main()
