"""Tasks that wait in two functions, and run in a third, for times that they measure themselves; all are told at the end of the input."""

import asyncio
import json
import sys
import threading
import time

WAITED = {"waits_long": 0.0, "waits_briefly": 0.0}


async def waits_long():
    await asyncio.sleep(0.03)


async def waits_briefly():
    await asyncio.sleep(0.01)


async def worker(is_over):
    while not is_over.is_set():
        for wait in (waits_long, waits_briefly):
            began = time.monotonic()
            await wait()
            WAITED[wait.__name__] += time.monotonic() - began


async def main():
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
    print("ready", flush=True)
    await asyncio.gather(*(worker(is_over) for _ in range(20)))
    print(json.dumps(WAITED), flush=True)


asyncio.run(main())
