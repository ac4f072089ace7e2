// Templates, that is functions in sections of their own; constructors, lambdas, exceptions, static constructors.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes {

struct Shape {
    virtual ~Shape() {}
    virtual double area() const = 0;
};

template <typename T> struct Box : Shape {
    explicit Box(T side) : side(side) {
        if (side < T())
            throw std::invalid_argument("side");
    }
    double area() const override { return square(side); }
    static double square(T value) { return double(value) * double(value); }
    T side;
};

static std::string label = std::string("shapes") + std::to_string(sizeof(Box<int>));

} // namespace shapes

template <typename T> double total(const std::vector<T> &sides) {
    return std::accumulate(sides.begin(), sides.end(), 0.0, [](double sum, T side) {
        shapes::Box<T> box(side);
        return sum + box.area();
    });
}

extern "C" int count(int n) {
    std::vector<int> sides;
    std::vector<double> other;
    for (int i = 0; i < n; i++) {
        sides.push_back(n - i);
        other.push_back(i / 2.0);
    }
    std::sort(sides.begin(), sides.end());
    try {
        return int(total(sides) + total(other)) + int(shapes::label.size());
    } catch (const std::invalid_argument &error) {
        return -int(std::string(error.what()).size());
    }
}
