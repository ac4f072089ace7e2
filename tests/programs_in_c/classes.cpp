// Exceptions, RTTI, streams, static and thread-local objects, in two files.
#include "classes.h"
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

struct Announced {
  const char *name;
  Announced(const char *name) : name(name) { std::cout << "made " << name << '\n'; instances()++; }
  ~Announced() { std::cout << "gone " << name << '\n'; }
};
static Announced global("global");
static struct First { int before; First() : before(instances()++) {} } first __attribute__((init_priority(200)));
thread_local Announced of_thread("of thread");
struct Guard { ~Guard() { std::cout << "unwound\n"; } };
extern "C" int c_function(int (*callback)(int), int value) { Guard guard; return callback(value); }
static int throwing(int value) { if (value > 2) throw Failure("from a callback", value); return value; }

int main(int argc, char **argv) {
  std::ios::sync_with_stdio(argc > 2);
  std::cout << "main " << early << ' ' << instances() << first.before << std::endl;
  try { fail(20); } catch (const Failure &failure) { std::cout << failure.what() << ' ' << failure.code << '\n'; }
  try { try { fail(0); } catch (...) { std::throw_with_nested(std::logic_error("outer")); } }
  catch (const std::exception &outer) {
    try { std::rethrow_if_nested(outer); } catch (const std::exception &inner) { std::cout << outer.what() << " over " << inner.what() << '\n'; }
  }
  try { std::cout << c_function(throwing, 1) << '\n'; c_function(throwing, 9); } catch (Failure &failure) { std::cout << failure.code << '\n'; }
  try { std::vector<int>(3).at(7); } catch (std::out_of_range &) { std::cout << "out of range\n"; }
  try { std::stoi("none"); } catch (std::invalid_argument &error) { std::cout << error.what() << '\n'; }
  std::unique_ptr<Base> one(make(1)), two(make(2));
  try { throw 42; } catch (int number) { std::cout << number << '\n'; }
  std::cout << one->name() << ' ' << two->name() << ' ' << typeid(Base).name() << ' ' << (dynamic_cast<std::exception *>(one.get()) != nullptr) << '\n';
  std::mutex lock; std::vector<std::thread> threads; int total = 0;
  for (int i = 0; i < 4; i++) threads.emplace_back([&, i] { per_thread += std::to_string(i); std::lock_guard<std::mutex> held(lock); total += per_thread.size() + instances(); }), threads.back().join(); // one at a time: what they print is compared
  auto future = std::async(std::launch::async, [] { fail(1); return 1; });
  try { future.get(); } catch (Failure &failure) { std::cout << "future " << failure.code << ' ' << total << ' ' << per_thread << '\n'; }
  std::thread([] { std::cout << of_thread.name << '\n'; }).join();
  std::map<std::string, std::function<double(double)>> table{{"half", [](double x) { return x / 2; }}, {"square", [](double x) { return x * x; }}};
  std::ostringstream text; for (auto &[name, function] : table) text << name << '=' << function(3.5) << ' ';
  std::string word; while (std::cin >> word) text << word.size() << ' ';
  std::cout << text.str() << '\n';
  if (argc > 1 && std::string(argv[1]) == "uncaught") throw Failure("nobody catches this", 1);
  if (argc > 1 && std::string(argv[1]) == "noexcept") [] () noexcept { fail(3); }();
  if (argc > 1 && std::string(argv[1]) == "exit") { static Announced late("late"); std::exit(12); }
  return total % 256;
}
