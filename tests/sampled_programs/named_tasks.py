"""Two tasks of asyncio that take turns: one has a name, one only its coroutine's; each runs a function of its own,
and the first one another task, within its own step."""

import asyncio
import sys


def of_first() -> None:
    sum(range(2000))


def of_second() -> None:
    sum(range(2000))


async def goes_on() -> None:
    of_second()


def of_eager() -> None:
    sum(range(2000))


async def eager() -> None:
    of_eager()


async def named() -> None:
    while True:
        of_first()
        if sys.version_info >= (3, 12):
            asyncio.Task(eager(), loop=asyncio.get_running_loop(), eager_start=True)
        await asyncio.sleep(0)


async def numbered() -> None:
    while True:
        await goes_on()
        await asyncio.sleep(0)


async def main() -> None:
    tasks = [asyncio.create_task(named(), name="fetches für alle"), asyncio.create_task(numbered())]
    print("ready", flush=True)
    await asyncio.gather(*tasks)


asyncio.run(main())
