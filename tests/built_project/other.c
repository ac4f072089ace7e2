__attribute__((noinline)) static int helper(int n) {
    __asm__ volatile("");
    return n * 2;
}

int of_other(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += helper(n + i);
    return sum;
}
