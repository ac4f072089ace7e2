/* Nothing but calls: the worst case for whoever watches them. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(int argc, char **argv) {
  printf("%d\n", fib(argc > 1 ? atoi(argv[1]) : 30));
  return 0;
}
