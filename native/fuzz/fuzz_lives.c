/* Any bytes as the history of objects: the core and brute force come to the same. */
#include "fuzz.h"

#include "../tests/lives_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static struct model model;
    model_problem problem = model_run(&model, bytes, size, 100);
    if (problem) fprintf(stderr, "not true: %s\n", problem);
    PROMISE(!problem);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    size_t steps = 20 + *random % 300;
    if (steps > room / 4) steps = room / 4;
    /* Knuth's linear congruential generator, The Art of Computer Programming 2, 3.3.4. */
    uint64_t dice = *random | 1;
    for (size_t i = 0; i < steps; i++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        uint32_t step = (uint32_t)(dice >> 32);
        memcpy(bytes + 4 * i, &step, sizeof step);
    }
    return 4 * steps;
}
