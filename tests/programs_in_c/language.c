// What compilers need a run-time library or a clever linker for.
#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int shared_with_other_file(int);
extern int counter_of_other_file;
extern _Thread_local int thread_of_other_file;
int absent(void) __attribute__((weak));
int common_variable;
static _Thread_local int mine = 40;
static _Thread_local char buffer[100] = "template";
_Thread_local struct { int a; const char *name; } pair = {1, "named"};
static _Thread_local long zeroed[16] __attribute__((aligned(64)));
int original(int x) { return x + 1; }
int other_name(int x) __attribute__((alias("original")));
static atomic_int total;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void) { puts("once"); }

static int sum(int count, ...) {
  va_list list; va_start(list, count); double all = 0;
  for (int i = 0; i < count; i++) all += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list); return (int)all;
}
static void *work(void *number) {
  pthread_once(&once, initialise);
  for (int i = 0; i < 1000; i++) { mine++; zeroed[i % 16]++; total++; thread_of_other_file += 2; }
  snprintf(buffer, sizeof buffer, "%s %ld", pair.name, (long)number); errno = (int)(long)number;
  return (void *)(long)(mine + errno + thread_of_other_file + (((uintptr_t)zeroed) % 64 == 0) + (int)strlen(buffer) + pair.a);
}
static int interpret(const char *code) {
  static const void *const labels[] = {&&add, &&twice, &&stop};
  int value = 0;
  goto *labels[*code - '0'];
add: value += 3; goto *labels[*++code - '0'];
twice: value *= 2; goto *labels[*++code - '0'];
stop: return value;
}
static jmp_buf place;
static void unwind(int depth) { if (depth == 0) longjmp(place, 17); unwind(depth - 1); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
typedef int four __attribute__((vector_size(16)));

int main(int argc, char **argv) {
  int doubled = shared_with_other_file(2);
  printf("%d %d %d\n", doubled, counter_of_other_file, absent ? absent() : -1);
  pthread_t threads[4]; long results = 0;
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 4; i++) { void *result; pthread_join(threads[i], &result); results += (long)result; }
  printf("threads %ld %d mine %d %s %s %d\n", results, total, mine, buffer, pair.name, thread_of_other_file);
  printf("varargs %d, goto %d, alias %d, common %d\n", sum(4, 1, 2.5, 3, 4.5), interpret("00102"), other_name(argc), common_variable);
  volatile int kept = 1;
  int came = setjmp(place);
  if (came == 0) { kept = 2; unwind(30); }
  printf("longjmp %d %d\n", came, kept);
  __int128 big = (__int128)argc << 100; volatile __int128 divisor = 1000000007;
  printf("128 bits %llu %llu\n", (unsigned long long)(big / divisor), (unsigned long long)(big % divisor));
  double complex z = (1.5 + argc * I) * (2 - 3 * I) / (0.5 + I);
  long double wide = 1.0L / 3 + argc; volatile __float128 quad = 1; quad /= 3;
  printf("complex %.12g %.12g, long double %.18Lg, quad %.17g, fma %.17g\n", creal(z), cimag(z), wide, (double)quad, 0.1 * argc * 3.7 + 1e-17);
  int numbers[] = {5, 3, 9, 1}; qsort(numbers, 4, sizeof *numbers, compare);
  four v = {1, 2, 3, 4}; v = v * v + numbers[0]; int size = argc + 3; char variable[size]; memset(variable, 'x', size);
  printf("%d%d%d%d %d %.*s %s %ls\n", numbers[0], numbers[1], numbers[2], numbers[3], v[3], size, variable, strerror(ENOENT), L"wide");
  unsigned high; __asm__("bswap %0" : "=r"(high) : "0"(0x01020304u)); uint8_t byte; int over = __builtin_add_overflow(250, argc + 9, &byte);
  printf("%x %d %u %d %.6f\n", high, over, byte, __builtin_popcountll(0xffff0000ull + argc), pow(argc + 1, 0.5) + sin(argc));
  errno = 0; fopen("/no/such/file", "r"); printf("errno %d, main %s\n", errno, *argv ? "named" : "");
  return 0;
}
