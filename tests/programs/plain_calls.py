"""Recursion, several call sites, keyword calls, sorting by key, bound and static methods."""


def fib(n):
    if n < 2:
        return n
    left = fib(n - 1)
    return left + fib(n - 2)


def fact(n):
    return 1 if n == 0 else n * fact(n - 1)


class Shape:
    sides = [side for side in range(3)]

    def __init__(self, *sizes, scale=1):
        self.sizes = [size * scale for size in sizes]

    @property
    def perimeter(self):
        return sum(self.sizes)

    @staticmethod
    def unit():
        return Shape(1, 1, 1)

    @classmethod
    def of(cls, **sizes):
        return cls(*sizes.values(), scale=2)

    def __lt__(self, other):
        return self.perimeter < other.perimeter

    def __getitem__(self, index):
        return self.sizes[index]

    def __getattr__(self, name):
        return self.lookup(name)

    def lookup(self, name):
        return name


class Child(Shape):
    def __init__(self):
        super().__init__(1, 2)


def decorated(function):
    def wrapper(*args):
        return function(*args)

    return wrapper


@decorated
@decorated
def double(value):
    return value * 2


print(fib(9), fact(20), fact(3))
shapes = [Shape(3, 4, scale=2), Shape.unit(), Shape.of(a=1, b=2), Child()]
for _ in range(30):
    shapes.append(Child())
print(sorted(shapes)[0].perimeter, sorted("bca", key=lambda letter: ord(letter)), shapes[0][0], shapes[0].colour)
print([double(i) for i in range(3)], {i: double(i) for i in range(2)}, list(map(double, range(3))))
print(max(shapes, key=lambda shape: shape.perimeter).perimeter)
total = 0
for i in range(40): total += double(i); total += double(i) + double(i)
print(total)
