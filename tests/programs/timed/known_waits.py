"""Tasks whose waits are known; a task says itself how long it ran and was suspended, and in how many steps."""

import asyncio
import sys
import threading
import time
import types

HELD_S = 0.06
REPORT = []


@types.coroutine
def watched(coroutine):
    """The slow twin: what a coroutine's own steps take, measured around each."""
    run = suspended = steps = 0
    value, error = None, None
    while True:
        began = time.monotonic_ns()
        try:
            yielded = coroutine.throw(error) if error else coroutine.send(value)
        except StopIteration as end:
            REPORT.append((coroutine.__name__, run + time.monotonic_ns() - began, suspended, steps + 1))
            return end.value
        run, steps, error = run + time.monotonic_ns() - began, steps + 1, None
        began = time.monotonic_ns()
        try:
            value = yield yielded
        except BaseException as thrown:
            error = thrown
        suspended += time.monotonic_ns() - began


async def twin(coroutine):
    return await watched(coroutine)


def parse():
    until = time.monotonic() + HELD_S
    while time.monotonic() < until:
        pass


async def holder(queue):
    for _ in range(3):
        await queue.get()
        parse()


async def ticker(queue):
    for number in range(3):
        await asyncio.sleep(0.005)
        queue.put_nowait(number)
        await asyncio.sleep(0)


async def sleeper():
    await asyncio.sleep(0.02)
    await asyncio.sleep(0.03)


async def endless():
    await asyncio.Event().wait()


async def numbers():
    for number in range(3):
        await asyncio.sleep(0.002)
        yield number


async def consumer():
    return [number async for number in numbers()]


async def failing():
    await asyncio.sleep(0)
    raise ValueError("on purpose")


async def limited():
    try:
        await asyncio.wait_for(endless(), 0.01)
    except (TimeoutError, asyncio.TimeoutError):
        return "late"


async def locker(lock):
    async with lock:
        await asyncio.sleep(0.004)


class Task(asyncio.Task):
    """The program's own kind, as its own factory makes it."""


async def main():
    queue, lock = asyncio.Queue(), asyncio.Lock()
    async with asyncio.TaskGroup() as group:
        group.create_task(twin(holder(queue)), name="the holder")
        group.create_task(twin(ticker(queue)))
        group.create_task(sleeper())
        print(await group.create_task(consumer()))
    print(await asyncio.gather(failing(), limited(), locker(lock), locker(lock), return_exceptions=True))
    never = asyncio.create_task(endless())
    await asyncio.sleep(0)
    never.cancel()
    print(await asyncio.gather(never, return_exceptions=True))
    loop = asyncio.get_running_loop()
    loop.set_task_factory(lambda loop, coroutine, **more: Task(coroutine, loop=loop, **more))
    own = asyncio.create_task(sleeper())
    print(type(own).__mro__, loop.get_task_factory() is not None, await own)


asyncio.run(main())
asyncio.run(limited())
threads = [threading.Thread(target=lambda: asyncio.run(sleeper())) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(asyncio.Task.__init__, asyncio.Task.get_name, asyncio.Future.set_result, type(sleeper).__name__)
print(*REPORT, sep="\n", file=sys.stderr)
