"""Tasks that await in every way; when all of them wait, it prints what each awaits, as seen from inside.

One line of JSON for each time: the chain of each task by its name, and which tasks await it. Then it waits for the end of its input.
"""

import asyncio
import gc
import json
import sys
import threading
import types

LONG = 1000.0


async def leaf():
    await asyncio.sleep(LONG)


async def deep(levels):
    if levels:
        await deep(levels - 1)
    else:
        await leaf()


async def steps():
    for step in range(3):
        await leaf()
        yield step


async def uses_generator():
    async for _ in steps():
        pass


async def uses_anext():
    await anext(steps(), None)


class Awaitable:
    def __await__(self):
        a, b, c, d = 1, 2, 3, 4
        yield from (yield from self.inner()) or a + b + c + d

    def inner(self):
        yield from asyncio.sleep(LONG).__await__()


async def uses_awaitable():
    [one, two] = 1, 2
    return [one, two, await Awaitable()]


@types.coroutine
def old_coroutine():
    yield from leaf()


async def uses_old_coroutine():
    return max(1, 2, await old_coroutine())


async def group():
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(leaf(), name="in group 1")
        tasks.create_task(deep(2), name="in group 2")


async def in_context(lock):
    async with lock:
        await asyncio.Event().wait()


async def awaits(name):
    await asyncio.sleep(0.01)
    await TASKS[name]


async def gathers():
    await asyncio.gather(TASKS["gathered 1"], TASKS["gathered 2"])


async def waits():
    await asyncio.wait([TASKS["waited"]])


async def shields():
    await asyncio.shield(TASKS["shielded"])


async def times_another():
    await asyncio.wait_for(TASKS["timed"], LONG)


async def times_out():
    async with asyncio.timeout(LONG):
        await asyncio.Queue().get()


class OwnTask(asyncio.Task):
    pass


TASKS = {}
AWAITERS = {
    "in group 1": ["group"],
    "in group 2": ["group"],
    "gathered 1": ["gathers"],
    "gathered 2": ["gathers"],
    "waited": ["waits"],
    "shielded": ["shields"],
    "timed": ["times another"],
    "first": ["third"],
    "second": ["first"],
    "third": ["second"],
}


def chain_of(awaited):
    """What is awaited, as pairs of a qualified name and a line."""
    frames = []
    while awaited is not None:
        kind = type(awaited).__name__
        if kind in ("coroutine", "generator", "async_generator"):
            prefix = {"coroutine": "cr", "generator": "gi", "async_generator": "ag"}[kind]
            frame = getattr(awaited, f"{prefix}_frame")
            frames.append([frame.f_code.co_qualname, frame.f_lineno])
            awaited = getattr(awaited, "gi_yieldfrom" if prefix == "gi" else f"{prefix}_await")
        elif kind in ("coroutine_wrapper", "async_generator_asend", "anext_awaitable"):
            awaited = gc.get_referents(awaited)[0]
        else:
            return frames
    return frames


def tell(loop):
    chains = {task.get_name(): chain_of(task.get_coro()) for task in asyncio.all_tasks(loop)}
    print(json.dumps({"chains": chains, "awaiters": AWAITERS}), flush=True)


async def main():
    loop = asyncio.get_running_loop()
    lock = asyncio.Lock()
    coroutines = {
        "deep": deep(40),
        "generator": uses_generator(),
        "anext": uses_anext(),
        "awaitable": uses_awaitable(),
        "old": uses_old_coroutine(),
        "group": group(),
        "has the lock": in_context(lock),
        "wants the lock": in_context(lock),
        "times out": times_out(),
        **{name: leaf() for name in ("gathered 1", "gathered 2", "waited", "shielded", "timed")},
        **{"times another": times_another(), "gathers": gathers(), "waits": waits(), "shields": shields()},
        **{"first": awaits("second"), "second": awaits("third"), "third": awaits("first")},
    }
    for name, coroutine in coroutines.items():
        TASKS[name] = asyncio.create_task(coroutine, name=name)
    TASKS["own class"] = OwnTask(leaf(), loop=loop, name="own class")
    TASKS["not named"] = asyncio.create_task(leaf())
    loop.call_later(0.1, tell, loop)
    await asyncio.Event().wait()


threading.Thread(target=lambda: (sys.stdin.read(), sys.stdout.flush(), __import__("os")._exit(0)), daemon=True).start()
asyncio.run(main())
