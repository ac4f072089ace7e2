/* Pancakes flipped, in all permutations: indexed access to small arrays. Argument: how many. */
#include <stdio.h>
#include <stdlib.h>

static int most_flips, checksum;

static __attribute__((noinline)) int flips_of(const int *order, int *work, int size) {
    for (int at = 0; at < size; at++)
        work[at] = order[at];
    int flips = 0;
    while (work[0] != 0) {
        for (int low = 0, high = work[0]; low < high; low++, high--) {
            int kept = work[low];
            work[low] = work[high];
            work[high] = kept;
        }
        flips++;
    }
    return flips;
}

static void all_permutations(int size) {
    int order[16], work[16], counts[16];
    for (int at = 0; at < size; at++)
        order[at] = at;
    int rank = size, sign = 1;
    for (;;) {
        for (; rank != 1; rank--)
            counts[rank - 1] = rank;
        int flips = flips_of(order, work, size);
        if (flips > most_flips)
            most_flips = flips;
        checksum += sign * flips;
        sign = -sign;
        for (;;) {
            if (rank == size)
                return;
            int first = order[0];
            for (int at = 0; at < rank; at++)
                order[at] = order[at + 1];
            order[rank] = first;
            if (--counts[rank] > 0)
                break;
            rank++;
        }
    }
}

int main(int argc, char **argv) {
    int size = argc > 1 ? atoi(argv[1]) : 6;
    all_permutations(size);
    printf("%d\nPfannkuchen(%d) = %d\n", checksum, size, most_flips);
    return 0;
}
