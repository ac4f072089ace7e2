// Exceptions through several frames, destructors, virtual calls, static constructors and destructors, iostreams.
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Noise {
    std::string name;
    explicit Noise(std::string given) : name(std::move(given)) { std::cout << "+" << name << "\n"; }
    ~Noise() { std::cout << "-" << name << "\n"; }
};

static Noise global("global");
static const std::map<std::string, int> prices = {{"apple", 3}, {"pear", 5}};

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square : Shape {
    double side;
    explicit Square(double given) : side(given) {
        if (side < 0) throw std::invalid_argument("a square has no negative side");
    }
    double area() const override { return side * side; }
};

int price(const std::string &name) { return prices.at(name); }

template <typename T> T total(const std::vector<T> &values) {
    T sum{};
    for (const T &value : values) sum += value;
    return sum;
}

int guarded(const char *name) {
    Noise noise(name);
    try {
        return price(name);
    } catch (const std::out_of_range &) {
        return -1;
    }
}

int main(int argc, char **argv) {
    std::cout << guarded("apple") << " " << guarded("plum") << "\n";
    try {
        Noise inner("inner");
        Square wrong(argc > 1 ? std::stod(argv[1]) : -1);
        std::cout << wrong.area() << "\n";
    } catch (const std::exception &error) {
        std::cout << "caught: " << error.what() << "\n";
    }
    std::cout << total<double>({1.5, 2.5}) << std::endl;
    return 3;
}
