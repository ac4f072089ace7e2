/* A program that runs until it is told to stop, calling one function all the time and checking each result. */
#include <stdint.h>

volatile int stop;
uint64_t wrong, calls;

uint64_t mix(uint64_t x, uint64_t y) {
    uint64_t state[4] = {x, y, x ^ y, x + y};
    for (int i = 0; i < 4; i++) state[i] = (state[i] << 7 | state[i] >> 57) * 0x9E3779B97F4A7C15u;
    return state[0] ^ state[1] ^ state[2] ^ state[3];
}

uint64_t expected(uint64_t x, uint64_t y) { return mix(x, y); }

int spin(uint64_t x, uint64_t times, uint64_t answer) {
    int differences = 0;
    for (uint64_t i = 0; i < times; i++) differences += mix(x, 17) != answer;
    return differences;
}

int main(void) {
    uint64_t answer = mix(1, 17);
    while (!stop) {
        wrong += mix(1, 17) != answer;
        calls++;
    }
    return wrong ? 1 : 0;
}
