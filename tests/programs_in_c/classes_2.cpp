// The other file of classes.cpp.
#include "classes.h"
#include <iostream>
std::string early = "initialised";
Base::~Base() { std::cout << "base gone\n"; }
namespace {
struct Left : Base { std::string name() const override { return "left"; } };
struct Right : virtual Base { std::string name() const override { return "right " + per_thread; } };
struct Unwinding { int depth; ~Unwinding() { if (depth == 5) std::cout << "through 5\n"; } };
}
Base *make(int kind) { if (kind == 1) return new Left; return new Right; }
void fail(int depth) { Unwinding here{depth}; if (depth == 0) throw Failure("deep", 7); fail(depth - 1); }
