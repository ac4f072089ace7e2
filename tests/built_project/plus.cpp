#include <stdexcept>

template <class Number> __attribute__((noinline)) Number sum_of(Number one, Number other) {
    if (one > 5) throw std::runtime_error("more than 5");
    return one + other;
}

extern "C" int plus(int n) {
    try {
        return sum_of(n, 1);
    } catch (std::exception &) {
        return 0;
    }
}
