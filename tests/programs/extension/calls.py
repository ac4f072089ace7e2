"""Calls functions of an extension module, from Python that they call in turn, too."""

import os
import sys
import threading

import walks


def asks():
    return walks.work(4)


def asks_again():
    return walks.call(asks, 2)


def fails():
    walks.work(2)
    raise ValueError("as it is meant")


def numbers():
    for each in range(3):
        yield walks.work(each)


def in_thread():
    walks.work(5)
    walks.call(asks, 1)


def main():
    found = [walks.work(6), walks.search(9), walks.call(asks_again, 3), sum(numbers())]
    try:
        walks.call(fails, 5)
    except ValueError as error:
        found.append(str(error))
    walks.alone(7)
    threads = [threading.Thread(target=in_thread) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    print(found)


main()
if sys.argv[1:] == ["fork"]:
    child = os.fork()
    if child == 0:
        asks()
        os._exit(0)
    os.waitpid(child, 0)
