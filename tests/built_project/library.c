__attribute__((noinline)) static int helper(int n) {
    __asm__ volatile("");
    return n;
}

int twice(int n) {
    return helper(n) + helper(n + 1);
}
