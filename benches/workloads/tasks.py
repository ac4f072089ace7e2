"""Eight tasks of asyncio that pass numbers on through queues, and do next to nothing else: mostly steps of tasks."""

import asyncio
from itertools import pairwise

from timing import best_cpu_seconds

TASKS, NUMBERS = 8, 300


async def pass_on(incoming: "asyncio.Queue[int]", outgoing: "asyncio.Queue[int]") -> None:
    for _ in range(NUMBERS):
        await outgoing.put(1 + await incoming.get())
        await asyncio.sleep(0)


async def work() -> int:
    queues: list[asyncio.Queue[int]] = [asyncio.Queue(1) for _ in range(TASKS + 1)]
    tasks = [asyncio.create_task(pass_on(*pair)) for pair in pairwise(queues)]
    total = 0
    for number in range(NUMBERS):
        await queues[0].put(number)
        total += await queues[-1].get()
    await asyncio.gather(*tasks)
    return total


print(best_cpu_seconds(lambda: asyncio.run(work())))
