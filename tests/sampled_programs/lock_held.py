"""One thread has the interpreter's lock for good, one wants it, one waits for something else."""

import re
import threading


def wants_the_lock() -> None:
    while True:
        pass


def wants_something_else(lock: threading.Lock) -> None:
    lock.acquire()


def has_the_lock() -> None:
    re.match(r"(a+)+b", "a" * 200)  # takes longer than anybody waits, and never lets go


taken = threading.Lock()
taken.acquire()
for work, given in ((wants_the_lock, ()), (wants_something_else, (taken,))):
    threading.Thread(target=work, args=given, daemon=True).start()
print("ready", flush=True)
has_the_lock()
