"""Generators: exhausted, abandoned, closed, thrown into, delegating, expressions, recursive."""
import gc


def count(n):
    for i in range(n):
        yield i


def relay(n):
    received = yield from count(n)
    yield received


def tree(depth):
    if depth:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


def patient():
    try:
        while True:
            try:
                yield step()
            except ValueError:
                step()
    finally:
        step()


def step():
    return 1


def consume(iterable):
    return sum(iterable)


print(consume(count(10)), list(relay(3)), sum(tree(5)))
one = patient()
next(one)
one.throw(ValueError)
one.send(None)
one.close()
two = patient()
next(two)
del two
gc.collect()
three = count(5)
for value in three:
    if value == 2:
        break
print(next(three), consume(i * i for i in range(6)), any(i > 2 for i in count(10)))
try:
    count(1).throw(KeyError("unstarted"))
except KeyError as error:
    print(error)
print(sum(consume(count(j)) for j in range(4)))
pair = zip(count(3), count(4))
print(list(pair))
