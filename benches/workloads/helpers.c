/* Small functions that the optimiser inlines into a loop, and one that it cannot: what probes before it cost most. */
#include <stdio.h>
#include <stdlib.h>

static int squared(int x) { return x * x; }
static int clamped(int x, int most) { return x < 0 ? 0 : x > most ? most : x; }
static int mixed(int x, int y) { return clamped(squared(x) ^ (y >> 3), 1 << 20); }
static int stepped(int x, int y) { return mixed(x & 1023, y) + mixed(y & 511, x); }

__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1000, sum = 1;
  for (int each = 0; each < rounds; each++) sum = stepped(sum, each) & 0xfffff;
  printf("%d %d\n", sum, fib(30));
  return 0;
}
