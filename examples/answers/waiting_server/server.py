"""What does my server wait for? Eight threads answer requests; each needs the one connection to the database.

    sonde contexts server.py

Known answer: for the connection, in `Database.query`. It is lent by a semaphore that has one, so that threads wait for
one another; with eight connections they would not.
"""

import queue
import threading
from collections.abc import Callable

REQUESTS = 160
WORKERS = 8


class Database:
    """A database that takes its time for an answer, over a connection that one thread can use at a time."""

    def __init__(self) -> None:
        self._connection = threading.Semaphore(1)
        self._never = threading.Event()

    def query(self, key: int) -> int:
        """Ask for a value."""
        with self._connection:
            return self._answer(key)

    def _answer(self, key: int) -> int:
        self._never.wait(0.004)  # another machine works
        return key * key


class Server:
    """Threads that take requests from a queue and put answers into another."""

    def __init__(self, handle: Callable[[int], str]) -> None:
        self._handle = handle
        self._requests: queue.Queue[int | None] = queue.Queue()
        self.answers: queue.Queue[str] = queue.Queue()
        self._threads = [threading.Thread(target=self._serve) for _ in range(WORKERS)]
        for thread in self._threads:
            thread.start()

    def ask(self, request: int) -> None:
        """Put a request into the queue."""
        self._requests.put(request)

    def close(self) -> None:
        """Let the threads end."""
        for _ in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (request := self._requests.get()) is not None:
            self.answers.put(self._handle(request))


def page(value: int) -> str:
    """A page with a value: the work of the server."""
    return "".join(f"<li>{value + i}</li>" for i in range(50))


def client(server: Server) -> None:
    """Ask everything at once, then read the answers."""
    for request in range(REQUESTS):
        server.ask(request)
    print(sum(len(server.answers.get()) for _ in range(REQUESTS)))


def main() -> None:
    """Serve a client of our own."""
    database = Database()
    server = Server(lambda request: page(database.query(request)))
    asking = threading.Thread(target=client, args=(server,))
    asking.start()
    asking.join()
    server.close()


main()
