// Control flow of all kinds, one kind for each argument, with results that show which way it went.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned one = 1;
static unsigned random_state = 12345;
static unsigned dice(void) { return random_state = random_state * 1664525u + 1013904223u, random_state >> 16; }
NOINLINE static unsigned leaf(unsigned x) { return x * one + 1; }

// Several values of a switch lead to one block, and it is left to the head of a loop at once.
NOINLINE static unsigned switches(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        switch (dice() % 12) {
        case 0: case 5: case 7: sum += leaf(i); break;
        case 1: continue;
        case 2: case 3: sum ^= leaf(sum); continue;
        case 4: if (sum & 1) break; sum += 3; // falls through
        case 6: sum += leaf(2); break;
        case 9: if (i > 900) return sum; break;
        default: sum++;
        }
        if (sum % 3 == 0) sum = leaf(sum);
    }
    return sum;
}

// A loop with two ways in.
NOINLINE static unsigned irreducible(unsigned n) {
    unsigned sum = 0, i = 0;
    if (n & 1) goto second;
first:
    sum += leaf(i);
    if (dice() & 1) sum ^= 5;
second:
    sum = leaf(sum);
    if (sum % 5 == 0) goto first;
    if (++i < n) { if (dice() % 3) goto second; goto first; }
    return sum;
}

// Jumps to addresses, out of several blocks.
NOINLINE static unsigned interprets(const unsigned char *code) {
    static const void *const targets[] = {&&add, &&twice, &&skip, &&stop};
    unsigned value = 1;
    goto *targets[*code++];
add:
    value += leaf(value);
    if (value & 1) value++;
    goto *targets[*code++];
twice:
    value *= 2;
    while (value > 1000) value /= leaf(2);
    goto *targets[*code++];
skip:
    if (value % 3) code++;
    goto *targets[*code++];
stop:
    return value;
}

static jmp_buf buffer;
NOINLINE static void jumps_back(unsigned depth) {
    if (dice() % 4 == 0) leaf(depth);
    if (depth == 0) longjmp(buffer, (int)(dice() % 3) + 1);
    jumps_back(depth - 1);
    leaf(depth);
}
NOINLINE static unsigned catches(unsigned n) {
    volatile unsigned sum = 0, left = n;
    if (n > 3) sum = leaf(n);
    switch (setjmp(buffer)) {
    case 1: sum += 10; break;
    case 2: sum += leaf(100); // falls through
    case 3: sum += 1000;
    }
    for (unsigned i = 0; i < 3; i++) if (dice() & 1) sum++;
    if (left-- > 0) jumps_back(left);
    return sum;
}

NOINLINE static unsigned recurses(unsigned n) {
    if (n < 2) return leaf(n);
    unsigned sum = recurses(n - 1);
    if (sum & 4) sum += recurses(n - 2);
    for (unsigned i = 0; i < n % 3; i++) sum = leaf(sum);
    return sum;
}

static void *in_thread(void *argument) {
    unsigned state = (unsigned)(size_t)argument, sum = 0;
    for (unsigned i = 0; i < 20000; i++) {
        state = state * 1664525u + 1013904223u;
        if (state & 0x10000) sum += leaf(i);
        if (state & 0x20000) sum ^= i;
        else if (state & 0x40000) sum += 3;
    }
    return (void *)(size_t)sum;
}

// 2^26 paths, of which some are taken often.
NOINLINE static unsigned wide(unsigned x) {
    unsigned sum = 0;
#define SIDE(bit) if (x >> bit & 1) sum += leaf(bit); else sum ^= leaf(x);
    SIDE(0) SIDE(1) SIDE(2) SIDE(3) SIDE(4) SIDE(5) SIDE(6) SIDE(7) SIDE(8) SIDE(9) SIDE(10) SIDE(11) SIDE(12)
    SIDE(13) SIDE(14) SIDE(15) SIDE(16) SIDE(17) SIDE(18) SIDE(19) SIDE(20) SIDE(21) SIDE(22) SIDE(23) SIDE(24) SIDE(25)
    return sum;
}

NOINLINE static unsigned sums_of(unsigned n) {
    unsigned found[n], sum = 0;
    for (unsigned i = 0; i < n; i++) found[i] = dice() % 7;
    for (unsigned i = 0; i < n; i++) { if (found[i] > 3) sum += leaf(found[i]); }
    return sum;
}

NOINLINE static unsigned ends_the_process(unsigned n) {
    for (unsigned i = 0;; i++) {
        if (i == n) { printf("left %u\n", i); exit(3); }
        if (dice() % 3 == 0) leaf(i);
    }
}

// The last thing it does is a jump, if LLVM likes.
NOINLINE static unsigned last(unsigned n) { return n % 2 ? leaf(n) : n ? last(n - one * 2) : leaf(7); }

static ucontext_t outside, inside;
static void on_its_stack(void) {
    for (unsigned i = 0; i < 5; i++) {
        if (dice() & 1) leaf(i);
        swapcontext(&inside, &outside);
    }
}

static volatile sig_atomic_t signals;
static void on_signal(int number) { signals += number > 0 && leaf(1) ? 1 : 2; }

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    unsigned sum = 0;
    if (!strcmp(kind, "switch")) sum = switches(500) + switches(2000);
    if (!strcmp(kind, "irreducible")) for (unsigned i = 0; i < 40; i++) sum += irreducible(i);
    if (!strcmp(kind, "addresses")) {
        unsigned char code[400];
        for (unsigned i = 0; i < 50; i++) {
            for (unsigned k = 0; k < sizeof code; k++) code[k] = k < 390 ? (unsigned char)(dice() % 3) : 3;
            sum += interprets(code);
        }
    }
    if (!strcmp(kind, "jumps")) for (unsigned i = 0; i < 12; i++) sum += catches(i);
    if (!strcmp(kind, "recursion")) sum = recurses(18) + last(30) + last(31);
    if (!strcmp(kind, "wide")) for (unsigned i = 0; i < 10000; i++) sum += wide(dice() % 4 ? dice() & 255 : dice() << 10 ^ dice());
    if (!strcmp(kind, "dynamic")) for (unsigned i = 1; i < 30; i++) sum += sums_of(i);
    if (!strcmp(kind, "exit")) return (int)ends_the_process(100);
    if (!strcmp(kind, "signals")) {
        signal(SIGUSR1, on_signal);
        for (unsigned i = 0; i < 200; i++) { raise(SIGUSR1); sum += leaf(i); }
        sum += (unsigned)signals;
    }
    if (!strcmp(kind, "stacks")) {
        static char stack[1 << 16];
        getcontext(&inside);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = sizeof stack;
        makecontext(&inside, on_its_stack, 0);
        for (unsigned i = 0; i < 4; i++) { swapcontext(&outside, &inside); sum = leaf(sum); }
    }
    if (!strcmp(kind, "threads")) {
        pthread_t threads[4];
        for (unsigned wave = 0; wave < 2; wave++) {
            for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, in_thread, (void *)(i + 4 * wave));
            for (size_t i = 0; i < 4; i++) { void *result; pthread_join(threads[i], &result); sum += (unsigned)(size_t)result; }
        }
    }
    printf("%s %u\n", kind, sum);
    return 0;
}
