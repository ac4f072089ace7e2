"""Coroutines, asynchronous generators and context managers, tasks that interleave and are cancelled."""
import asyncio


async def leaf(value):
    await asyncio.sleep(0)
    return helper(value)


def helper(value):
    return value + 1


async def branch(n):
    return [await leaf(i) for i in range(n)]


async def numbers(n):
    for i in range(n):
        yield await leaf(i)


class Resource:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *exc):
        helper(0)


async def forever():
    try:
        while True:
            await asyncio.sleep(0)
            helper(1)
    except asyncio.CancelledError:
        helper(2)
        raise


async def main():
    results = await asyncio.gather(branch(3), branch(2), leaf(9))
    async with Resource():
        results.append([n async for n in numbers(4)])
    task = asyncio.create_task(forever())
    for _ in range(3):
        await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        helper(3)
    unstarted = leaf(1)
    unstarted.close()
    return results


print(asyncio.run(main()))
