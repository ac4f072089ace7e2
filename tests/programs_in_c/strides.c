/* Walks over memory that miss caches in several ways; prints a sum. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 96
#define NODES 4096

struct node {
    struct node *next;
    double weights[5];
};

static double product[SIDE][SIDE], left[SIDE][SIDE], right[SIDE][SIDE];

/* By rows of the one and columns of the other. */
static double multiply(void) {
    double sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j += 4) {
            double cell = 0;
            for (int k = 0; k < SIDE; k++) cell += left[i][k] * right[k][j];
            product[i][j] = cell;
            sum += cell;
        }
    return sum;
}

/* A list in an order that no stride foretells. */
static double chase(void) {
    struct node *nodes = malloc(NODES * sizeof *nodes), *at;
    double sum = 0;
    if (!nodes) return -1;
    for (unsigned i = 0; i < NODES; i++) {
        nodes[i].next = &nodes[(i * 1103u + 12345u) % NODES];
        for (int k = 0; k < 5; k++) nodes[i].weights[k] = i + k;
    }
    at = nodes;
    for (unsigned i = 0; i < 2 * NODES; i++, at = at->next) sum += at->weights[i % 5];
    free(nodes);
    return sum;
}

/* Numbers across the ends of lines, and copies. */
static double straddle(void) {
    static char bytes[40000], copy[40000];
    double sum = 0;
    for (size_t at = 5; at + 8 < sizeof bytes; at += 13) {
        double value = (double)at;
        memcpy(bytes + at, &value, sizeof value);
    }
    memcpy(copy, bytes, sizeof copy);
    for (size_t at = 5; at + 8 < sizeof copy; at += 52) {
        double value;
        memcpy(&value, copy + at, sizeof value);
        sum += value > 0;
    }
    return sum;
}

int main(void) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) left[i][j] = i + j, right[i][j] = i - j;
    printf("%.1f\n", multiply() + chase() + straddle());
    return 0;
}
