/* Small programs of the kind that compilers are compared with; the argument chooses one. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int permutations(int n) {  /* the most flips of a prefix that any order of n numbers needs */
  int order[16], count[16], flipped[16], most = 0, level = n;
  for (int i = 0; i < n; i++) order[i] = i;
  for (;;) {
    for (; level > 1; level--) count[level - 1] = level;
    memcpy(flipped, order, sizeof order);
    int flips = 0;
    for (int first; (first = flipped[0]) != 0; flips++)
      for (int i = 0, j = first; i < j; i++, j--) { int t = flipped[i]; flipped[i] = flipped[j]; flipped[j] = t; }
    if (flips > most) most = flips;
    for (;; level++) {
      if (level == n) return most;
      int head = order[0];
      memmove(order, order + 1, level * sizeof *order);
      order[level] = head;
      if (--count[level] > 0) break;
    }
  }
}

struct body { double x[3], v[3], mass; };
static double planets(int steps) {
  struct body bodies[5];
  for (int i = 0; i < 5; i++)
    bodies[i] = (struct body){{i * 4.1, i * i - 1.7, 0.3 * i}, {0.2 - 0.1 * i, 0.05 * i, 0.01 * i}, i ? 0.03 / i : 39.5};
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < 5; i++)
      for (int j = i + 1; j < 5; j++) {
        double d[3], square = 0.01;
        for (int k = 0; k < 3; k++) { d[k] = bodies[i].x[k] - bodies[j].x[k]; square += d[k] * d[k]; }
        double pull = 0.001 / (square * sqrt(square));
        for (int k = 0; k < 3; k++) {
          bodies[i].v[k] -= d[k] * bodies[j].mass * pull;
          bodies[j].v[k] += d[k] * bodies[i].mass * pull;
        }
      }
    for (int i = 0; i < 5; i++)
      for (int k = 0; k < 3; k++) bodies[i].x[k] += 0.001 * bodies[i].v[k];
  }
  return bodies[0].x[0] + bodies[4].v[2];
}

static double matrices(int n) {
  double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = calloc(n * n, sizeof *c), trace = 0;
  for (int i = 0; i < n * n; i++) { a[i] = i % 7; b[i] = i % 5; }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  for (int i = 0; i < n; i++) trace += c[i * n + i];
  free(a); free(b); free(c);
  return trace;
}

struct tree { struct tree *left, *right; };
static struct tree *grown(int depth) {
  struct tree *tree = malloc(sizeof *tree);
  tree->left = depth ? grown(depth - 1) : NULL;
  tree->right = depth ? grown(depth - 1) : NULL;
  return tree;
}
static int felled(struct tree *tree) {
  if (!tree) return 0;
  int count = 1 + felled(tree->left) + felled(tree->right);
  free(tree);
  return count;
}

static int primes(int n) {
  char *crossed = calloc(n, 1);
  int count = 0;
  for (int i = 2; i < n; i++) {
    if (crossed[i]) continue;
    count++;
    for (long j = (long)i * i; j < n; j += i) crossed[j] = 1;
  }
  free(crossed);
  return count;
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == n) return 1;
  int count = 0;
  for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
    unsigned place = free & -free;
    count += queens(n, row + 1, columns | place, (left | place) << 1, (right | place) >> 1);
  }
  return count;
}

static uint64_t hashes(int n) {
  uint64_t sum = 0;
  char text[32];
  for (int i = 0; i < n; i++) {
    uint64_t hash = 14695981039346656037u;
    int length = snprintf(text, sizeof text, "key-%d", i);
    for (int k = 0; k < length; k++) hash = (hash ^ (unsigned char)text[k]) * 1099511628211u;
    sum += hash >> 7;
  }
  return sum;
}

static int by_value(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}
static unsigned sorted(int n) {
  unsigned *numbers = malloc(n * sizeof *numbers), state = 1, middle;
  for (int i = 0; i < n; i++) numbers[i] = state = state * 1664525u + 1013904223u;
  qsort(numbers, n, sizeof *numbers, by_value);
  middle = numbers[n / 2];
  free(numbers);
  return middle;
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  if (!strcmp(which, "permutations")) printf("%d\n", permutations(11));
  else if (!strcmp(which, "planets")) printf("%.9f\n", planets(15000000));
  else if (!strcmp(which, "matrices")) printf("%.1f\n", matrices(1600));
  else if (!strcmp(which, "trees")) { int count = 0; for (int i = 0; i < 40; i++) count += felled(grown(18)); printf("%d\n", count); }
  else if (!strcmp(which, "primes")) printf("%d\n", primes(100000000));
  else if (!strcmp(which, "queens")) printf("%d\n", queens(15, 0, 0, 0, 0));
  else if (!strcmp(which, "hashes")) printf("%llu\n", (unsigned long long)hashes(15000000));
  else if (!strcmp(which, "sorted")) printf("%u\n", sorted(6000000));
  else return 2;
  return 0;
}
