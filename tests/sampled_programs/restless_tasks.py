"""Tasks that come, go and await one another as fast as they can. Each await says on its line what it awaits.

`# awaits NAME` is the function that stands below this line in a chain; nothing: it is the end of one.
"""

import asyncio
import random
import sys
import threading


async def ends(future):
    await future  # awaits nothing


async def naps():
    await asyncio.sleep(random.random() / 500)  # awaits sleep


async def yields():
    await asyncio.sleep(0)  # awaits sleep


async def one(future):
    await ends(future)  # awaits ends
    await naps()  # awaits naps
    await two(future)  # awaits two


async def two(future):
    await yields()  # awaits yields
    await ends(future)  # awaits ends
    async for _ in steps():  # awaits steps
        await naps()  # awaits naps


async def steps():
    await yields()  # awaits yields
    yield 1
    await naps()  # awaits naps
    yield 2


async def short():
    await naps()  # awaits naps


async def gathers():
    await asyncio.gather(short(), short())  # awaits nothing


async def group():
    async with asyncio.TaskGroup() as tasks:  # awaits TaskGroup.__aexit__
        for _ in range(3):
            tasks.create_task(short())


async def root(work):
    while True:
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(random.random() / 500, future.set_result, None)
        if work == 0:
            await one(future)  # awaits one
        elif work == 1:
            await gathers()  # awaits gathers
        else:
            await group()  # awaits group


async def main():
    print("ready", flush=True)
    await asyncio.gather(*(root(number % 3) for number in range(30)))  # awaits nothing


threading.Thread(target=lambda: (sys.stdin.read(), __import__("os")._exit(0)), daemon=True).start()
asyncio.run(main())
