#pragma once
#include <stdexcept>
#include <string>
struct Failure : std::runtime_error { int code; Failure(const std::string &what, int code) : runtime_error(what), code(code) {} };
struct Base { virtual ~Base(); virtual std::string name() const = 0; };
Base *make(int kind);
void fail(int depth);
extern std::string early;
inline thread_local std::string per_thread = "fresh";
inline int &instances() { static int count = 0; return count; }
