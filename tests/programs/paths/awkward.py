"""Functions whose paths are awkward to follow; prints what they compute."""

import asyncio
import contextlib
import dis
import inspect
import io
import marshal
import sys
import threading
import traceback


def loops(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += 1
        if i % 5 == 0:
            total += 2
        else:
            total -= 1
        while total > 4:
            total -= 3
            if total == 2:
                break
        else:
            total += 1
    else:
        total *= 2
    return total


def caught(n):
    found = []
    for i in range(n):
        try:
            if i % 4 == 0:
                raise ValueError(i)
            found.append(10 // (i % 3))
        except ZeroDivisionError:
            found.append("zero")
            continue
        except ValueError as error:
            found.append(error.args[0])
        else:
            found.append("else")
        finally:
            found.append(i)
    return found


def nested(n):
    try:
        try:
            return 1 // n
        finally:
            if n == 0:
                n = 5
    except ZeroDivisionError:
        with contextlib.suppress(KeyError):
            raise KeyError(n) from None
        return n


def deep(n):
    if n == 0:
        raise LookupError("deep")
    try:
        return deep(n - 1)
    except LookupError:
        if n % 3 == 0:
            return n
        raise


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def numbers(n):
    for i in range(n):
        sent = yield i
        if sent:
            yield -sent


def cleaned(log):
    try:
        while True:
            log.append((yield len(log)))
    except GeneratorExit:
        log.append("closed")
        raise
    finally:
        log.append("finally")


def delegated(n):
    got = []
    try:
        got.append((yield from numbers(n)))
    except KeyError:
        got.append("key")
        yield "caught"
    return got


def together():
    one, two = numbers(3), numbers(5)
    seen = []
    for pair in zip(one, two, strict=False):
        seen.append(pair)
        if pair[0] == 1:
            seen.append(two.send(7))
    half = delegated(3)
    seen.append(next(half))
    seen.append(half.throw(KeyError("x")))
    half.close()
    never = numbers(3)
    never.close()
    log = []
    endless = cleaned(log)
    next(endless)
    endless.send(1)
    endless.close()
    thrown = numbers(4)
    next(thrown)
    try:
        thrown.throw(OSError("thrown"))
    except OSError as error:
        log.append(str(error))
    unstarted = numbers(2)
    try:
        unstarted.throw(OSError("not begun"))
    except OSError as error:
        log.append(str(error))
    return seen, log


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if not self.n:
            raise StopIteration
        self.n -= 1
        return self.n


def iterated(n):
    odd = [each for each in Countdown(n) if each % 2]
    pairs = {x: y for x in range(3) for y in range(x)}
    return odd, pairs, "".join(x for x in "123" if x == "3" or x < "2")


def not_iterated(value):
    """From 3.15 on the generator's own code asks for the iterator, before it begins."""
    try:
        return sum(x for x in value if x > 1)
    except TypeError:
        return None


def matched(value):
    match value:
        case 0 | 1:
            return "small"
        case int(x) if x > 100:
            return "large"
        case [first, *rest] if rest:
            return first, len(rest)
        case {"key": str(text), **others}:
            return text, others
        case Countdown(n=3):
            return "three"
        case _:
            return None


def conditions(a, b, c):
    while a and (b or not c) and a < b < 9:
        a += 1
        if a is None or (x := a * 2) is not None and x > 7:
            b = a if c else b + 1
            assert b < 50
    return a, b, [a or b and c for _ in range(2)]


def closure(a):
    b = a

    def inner(c, d=3):
        nonlocal b
        b += c
        return [a + x for x in range(b) if x > d]

    return inner


@contextlib.contextmanager
def guarded(log):
    log.append("in")
    try:
        yield log
    except RuntimeError:
        log.append("runtime")
    finally:
        log.append("out")


def entered(n):
    log = []
    for i in range(n):
        with guarded(log) as inner, contextlib.suppress(IndexError):
            if i == 1:
                raise RuntimeError
            if i == 2:
                [][0]
            if i == 3:
                continue
            if i == 4:
                return log
            inner.append(i)
    return log


async def slow(i):
    await asyncio.sleep(0)
    if i == 2:
        raise RuntimeError("two")
    return i


async def counted(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


class Opened:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return 3

    async def __aexit__(self, kind, error, trace):
        await asyncio.sleep(0)
        return kind is RuntimeError


async def awaited():
    total = 0
    async for i in counted(4):
        try:
            total += await slow(i)
        except RuntimeError:
            total += 100
    async with Opened() as opened:
        total += opened
        raise RuntimeError
    listed = [i async for i in counted(3) if i]
    task = asyncio.ensure_future(slow(5))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        total += 1000
    return total, listed, await asyncio.gather(*(slow(i) for i in (1, 3)))


def threaded():
    results = [None] * 4

    def work(at):
        results[at] = (loops(40 + at), fibonacci(9), list(numbers(at)))

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def many(x):
    total = 0
    for i in range(3):
        if x & 1: total += 1
        if x & 2: total += 2
        if x & 4: total += 3
        if x & 8: total += 4
        if x & 16: total += 5
        if x & 32: total += 6
        if x & 64: total += 7
        if x & 128: total += 8
        x = x * 5 + i
    return total


def endless(steps):
    """No branch but the exception."""
    while True:
        next(steps)


def flat(a, b=2, *rest, c, **named):
    return locals()


def raising(n):
    if n > 2: raise ValueError(n)
    return raising(n + 1) + 1


def looked_at():
    """What a program can see of its functions while they run."""
    frame, function, generator = sys._getframe(), looked_at, numbers(2)
    next(generator)
    code = frame.f_code
    seen = [code is function.__code__, code.co_names, code.co_stacksize, code.co_consts[0], frame.f_lasti]
    seen += [sorted(frame.f_locals), generator.gi_code is numbers.__code__, generator.gi_frame.f_lasti]
    seen += [generator.gi_frame.f_code is generator.gi_code, marshal.dumps(code) == marshal.dumps(function.__code__)]
    seen += [[each.offset for each in dis.get_instructions(loops)], inspect.getsource(matched), inspect.signature(flat)]
    seen += [len(code.co_code), list(code.co_positions())[frame.f_lasti // 2], code.co_exceptiontable]
    seen += [each for each in closure.__code__.co_consts if not inspect.iscode(each)]
    try:
        raising(0)
    except ValueError as error:
        trace = error.__traceback__
        seen += [(each.tb_lasti, each.tb_lineno, each.tb_frame.f_lasti) for each in (trace, trace.tb_next)]
        text = io.StringIO()
        traceback.print_exc(file=text)
        seen.append(text.getvalue())
    return seen


class Shape:
    def __repr__(self):
        return f"{super().__repr__()[:4]}{self.__class__.__name__}"


def waited(lock, left):
    with lock:
        while left:
            left.pop()


def main():
    print(loops(30), caught(9), nested(0), nested(1), fibonacci(12), together(), iterated(7))
    print(not_iterated([1, 2, 3]), not_iterated(3))
    for n in range(5):
        try:
            print(deep(n))
        except LookupError as error:
            print(error, error.__traceback__.tb_next.tb_lineno)
    for value in (0, 500, [1, 2], [1], {"key": "a", "b": 1}, Countdown(3), None):
        print(matched(value))
    print([conditions(a, b, c) for a in (0, 1, 4) for b in (3, 8) for c in (0, 1)])
    print(closure(3)(4), entered(3), entered(6), asyncio.run(awaited()), threaded())
    print([many(x) for x in range(0, 256, 7)])
    try:
        endless(iter(range(4)))
    except StopIteration:
        print("ended", sys.exc_info()[2].tb_next.tb_lineno)
    print(flat(1, 2, 3, c=4, d=5), repr(Shape()), sorted([3, 1, 2], key=lambda x: -x if x > 1 else x))
    print(looked_at(), waited(threading.Lock(), [1, 2, 3]))
    print(many.__code__.co_varnames, many.__code__.co_name, flat.__code__.co_flags, numbers(2).gi_code.co_name)


main()
