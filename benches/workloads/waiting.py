"""Many tasks of asyncio that wait, and one that works, which measures how long that takes it.

waiting.py TASKS SECONDS    prints the elapsed time and the processor time of the work, in seconds
"""

import asyncio
import random
import sys
import time

_SLICE = 20_000
"""Steps of the work between two awaits: about a millisecond."""


async def waits(draw: random.Random) -> None:
    """Wait for about half a minute each time, so that nearly all that the program runs is the work."""
    while True:
        await naps(20 + 20 * draw.random())


async def naps(seconds: float) -> None:
    """One level more in each chain."""
    await asyncio.sleep(seconds)


async def works(seconds: float) -> None:
    """Work for so much processor time of a quiet machine: the number of slices is found first."""
    began, slices = time.process_time(), 0
    while time.process_time() - began < seconds / 10:
        _ = sum(range(_SLICE))
        slices += 1
        await asyncio.sleep(0)
    elapsed, ran = time.perf_counter(), time.process_time()
    for _ in range(10 * slices):
        _ = sum(range(_SLICE))
        await asyncio.sleep(0)
    print(f"{time.perf_counter() - elapsed:.6f} {time.process_time() - ran:.6f} {10 * slices}", flush=True)


async def main(tasks: int, seconds: float) -> None:
    """Let all wait, and one work."""
    draw = random.Random(0)
    waiting = [asyncio.create_task(waits(draw)) for _ in range(tasks)]
    await asyncio.sleep(0.1)
    await works(seconds)
    for task in waiting:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
