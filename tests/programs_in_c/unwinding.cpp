// Exceptions through frames with and without something to clean up, caught, rethrown, nested, and out of callbacks;
// virtual calls, constructors of static objects, threads' own objects. Nothing here is a template of the library's.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static volatile int one = 1;
NOINLINE static int leaf(int x) { return x * one + 1; }

struct Traced {
    int number;
    NOINLINE explicit Traced(int n) : number(n) { leaf(n); }
    NOINLINE ~Traced() { printf("~%d\n", leaf(number)); }
};

static Traced at_start(100);

struct Shape {
    virtual ~Shape() {}
    virtual int area(int scale) = 0;
};
struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    NOINLINE int area(int scale) override {
        if (side * scale > 20) throw side;
        return leaf(side * side * scale);
    }
};
struct Pair : Shape {
    Square first, second;
    Pair(int a, int b) : first(a), second(b) {}
    NOINLINE int area(int scale) override {
        Traced here(scale);
        return first.area(scale) + second.area(scale);
    }
};

NOINLINE static int passes_through(Shape &shape, int scale) { return shape.area(scale) + leaf(scale); }
NOINLINE static int rethrows(Shape &shape, int scale) {
    try {
        return passes_through(shape, scale);
    } catch (int side) {
        leaf(side);
        if (side % 2) throw;
        leaf(side + 1);
        return side;
    }
}
NOINLINE static int catches(Shape &shape, int scale) {
    int sum = 0;
    try {
        sum += rethrows(shape, scale);
    } catch (...) {
        sum += leaf(-1);
        try {
            throw 'x';
        } catch (char c) {
            sum += leaf(c);
        }
    }
    return sum + leaf(scale);
}

NOINLINE static int compare(const void *a, const void *b) {
    int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);
    return leaf(x) < leaf(y) ? -1 : x > y;
}

NOINLINE static void deep(int n) {
    if (n == 0) throw 1.5;
    Traced here(n);
    deep(n - 1);
    leaf(n);
}
NOINLINE static int from_deep(int n) {
    try {
        deep(n);
    } catch (double value) {
        return leaf(static_cast<int>(value));
    }
    return 0;
}

static thread_local Traced of_thread(7);
NOINLINE static void *in_thread(void *argument) {
    Pair pair(3, *static_cast<int *>(argument));
    of_thread.number = catches(pair, 4);
    return nullptr;
}

int main() {
    int sum = 0;
    for (int i = 0; i < 12; i++) {
        Pair pair(i, 12 - i);
        Square square(i);
        sum += catches(pair, i % 4) + catches(square, 3) + from_deep(i % 5);
    }
    int values[9] = {5, 2, 8, 1, 9, 3, 7, 4, 6};
    qsort(values, 9, sizeof *values, compare);
    for (int i = 5; i < 7; i++) {
        pthread_t thread;
        pthread_create(&thread, nullptr, in_thread, &i);
        pthread_join(thread, nullptr);
    }
    printf("%d %d\n", sum, values[4]);
    return sum % 7;
}
