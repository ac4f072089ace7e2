"""What does my server wait for? One loop answers all requests; one of its handlers computes for long.

    sonde contexts async_server.py

Known answer: for the loop, which `statistics` holds. Each request asks a database that answers in 4 ms, but one in ten
then computes for 30 ms, and all others wait until it is done: in a thread of its own, it would not hold the loop.
"""

import asyncio
import time

REQUESTS = 120
CLIENTS = 8


async def query(key: int) -> int:
    """Ask the database, on another machine."""
    await asyncio.sleep(0.004)
    return key * key


def statistics(value: int) -> int:
    """Compute, without ever giving the loop back."""
    until = time.monotonic() + 0.03
    while time.monotonic() < until:
        value = value * 31 % 1_000_003
    return value


async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of a connection, a line each."""
    while line := await reader.readline():
        value = await query(int(line))
        if int(line) % 10 == 0:
            value = statistics(value)
        writer.write(f"{value}\n".encode())
    writer.close()


async def client(port: int, first: int) -> int:
    """Ask for some values, one after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    total = 0
    for request in range(first, REQUESTS, CLIENTS):
        writer.write(f"{request}\n".encode())
        total += len(await reader.readline())
    writer.close()
    return total


async def main() -> None:
    """Serve clients of our own."""
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(sum(await asyncio.gather(*(client(port, first) for first in range(CLIENTS)))) > 0)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
