"""Threads that overlap, and threads one after another."""
import threading


def work(n):
    return sum(square(i) for i in range(n))


def square(i):
    return i * i


threads = [threading.Thread(target=work, args=(50 + i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for i in range(5):
    one = threading.Thread(target=work, args=(10,))
    one.start()
    one.join()
print(work(3))
