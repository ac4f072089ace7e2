// Exceptions through several frames, destructors on the way, rethrown and nested, virtual calls, static constructors.
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Traced {
    std::string name;
    explicit Traced(std::string n) : name(std::move(n)) {}
    ~Traced() { std::cout << "~" << name << '\n'; }
};

Traced first("first");

struct Shape {
    virtual ~Shape() = default;
    virtual int area(int scale) const = 0;
};

struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    int area(int scale) const override {
        Traced here("square " + std::to_string(side));
        if (side > 3) throw std::out_of_range("side " + std::to_string(side));
        return side * side * scale;
    }
};

struct Pair : Shape {
    std::unique_ptr<Shape> one, other;
    Pair(int a, int b) : one(new Square(a)), other(new Square(b)) {}
    int area(int scale) const override {
        Traced here("pair");
        try {
            return one->area(scale) + other->area(scale);
        } catch (const std::logic_error &error) {
            if (scale > 1) throw;
            std::cout << "caught " << error.what() << '\n';
            return -1;
        }
    }
};

int total(const std::vector<std::unique_ptr<Shape>> &shapes, int scale, std::map<std::string, int> &seen) {
    int sum = 0;
    for (const auto &shape : shapes) {
        try {
            sum += shape->area(scale);
            if (sum > 40) throw sum;
        } catch (const std::exception &error) {
            seen[error.what()]++;
        } catch (int big) {
            seen["big"] += big;
            sum = 0;
        }
    }
    return sum;
}

}  // namespace

int main(int argc, char **) {
    std::map<std::string, int> seen;
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 6 + argc; i++) {
        if (i % 2) shapes.emplace_back(new Square(i));
        else shapes.emplace_back(new Pair(i, i + 1));
    }
    int sum = 0;
    for (int scale = 1; scale < 4; scale++) sum += total(shapes, scale, seen);
    for (const auto &[what, count] : seen) std::cout << what << ": " << count << '\n';
    std::cout << sum << std::endl;
    return sum & 63;
}
