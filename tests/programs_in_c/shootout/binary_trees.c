/* Trees built and walked: allocation and recursion. Argument: the greatest depth. */
#include <stdio.h>
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
};

static __attribute__((noinline)) struct tree *bottom_up(int depth) {
    struct tree *made = malloc(sizeof *made);
    if (depth > 0) {
        made->left = bottom_up(depth - 1);
        made->right = bottom_up(depth - 1);
    } else {
        made->left = made->right = NULL;
    }
    return made;
}

static long count(const struct tree *tree) {
    if (tree->left == NULL)
        return 1;
    return 1 + count(tree->left) + count(tree->right);
}

static void release(struct tree *tree) {
    if (tree->left != NULL) {
        release(tree->left);
        release(tree->right);
    }
    free(tree);
}

int main(int argc, char **argv) {
    int most = argc > 1 ? atoi(argv[1]) : 6, least = 2;
    struct tree *kept = bottom_up(most);
    for (int depth = least; depth <= most; depth += 2) {
        long rounds = 1L << (most - depth + least), nodes = 0;
        for (long round = 0; round < rounds; round++) {
            struct tree *tree = bottom_up(depth);
            nodes += count(tree);
            release(tree);
        }
        printf("%ld\t trees of depth %d\t nodes: %ld\n", rounds, depth, nodes);
    }
    printf("kept tree of depth %d\t nodes: %ld\n", most, count(kept));
    release(kept);
    return 0;
}
