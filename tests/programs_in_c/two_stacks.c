#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#define PHASE __attribute__((noinline)) static
static ucontext_t home, one, two;
static volatile int sink;
PHASE void steps(int n) { for (int i = 0; i < n; i++) sink = i; }
PHASE void yields(ucontext_t *own) { steps(10); swapcontext(own, &home); steps(20); }
PHASE void first(void) { yields(&one); printf("one\n"); }
PHASE void second(void) { yields(&two); printf("two\n"); }
static void make(ucontext_t *at, void (*run)(void)) {
    getcontext(at);
    at->uc_stack.ss_sp = malloc(1 << 16); at->uc_stack.ss_size = 1 << 16; at->uc_link = &home;
    makecontext(at, run, 0);
}
int main(void) {
    make(&one, first); make(&two, second);
    for (int i = 0; i < 2; i++) { swapcontext(&home, &one); swapcontext(&home, &two); }
    printf("end\n");
    return 0;
}
