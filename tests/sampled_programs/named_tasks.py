"""Two tasks of asyncio that take turns: one has a name, one only its coroutine's; each runs a function of its own."""

import asyncio


def of_first() -> None:
    sum(range(2000))


def of_second() -> None:
    sum(range(2000))


async def goes_on() -> None:
    of_second()


async def named() -> None:
    while True:
        of_first()
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
