#include "own_memory.h"

#include <stdint.h>
#include <sys/mman.h>

/* Before each piece; what follows is aligned as it. */
typedef union head {
    struct {
        uint64_t power; /* the piece has 2^power bytes, this head among them */
        union head *next; /* of those that were given back */
    };
    max_align_t alignment;
} head;

enum { LEAST_POWER = 6, POWERS = 48, CHUNK_POWER = 16 };

static _Thread_local head *given_back[POWERS] __attribute__((tls_model("initial-exec")));
/* What is left of the chunk that small pieces are cut from. */
static _Thread_local char *rest __attribute__((tls_model("initial-exec")));
static _Thread_local size_t rest_bytes __attribute__((tls_model("initial-exec")));

static void *pages(size_t bytes) {
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return found == MAP_FAILED ? NULL : found;
}

static head *cut(unsigned power) {
    size_t bytes = (size_t)1 << power;
    if (power >= CHUNK_POWER) return pages(bytes);
    if (rest_bytes < bytes) { /* what was left is lost: less than a piece like this */
        rest = pages((size_t)1 << CHUNK_POWER);
        rest_bytes = rest ? (size_t)1 << CHUNK_POWER : 0;
        if (!rest) return NULL;
    }
    rest_bytes -= bytes;
    return (head *)(void *)(rest + rest_bytes); /* from its end, so that all stay aligned */
}

void *sn_own_malloc(size_t bytes) {
    unsigned power = LEAST_POWER;
    while (power < POWERS && ((size_t)1 << power) - sizeof(head) < bytes) power++;
    if (power == POWERS) return NULL;
    head *piece = given_back[power];
    if (piece) given_back[power] = piece->next;
    else if (!(piece = cut(power))) return NULL;
    piece->power = power;
    return piece + 1;
}

void *sn_own_calloc(size_t count, size_t bytes) {
    if (bytes && count > SIZE_MAX / bytes) return NULL;
    void *piece = sn_own_malloc(count * bytes);
    return piece ? memset(piece, 0, count * bytes) : NULL;
}

void sn_own_free(void *piece) {
    if (!piece) return;
    head *from = (head *)piece - 1;
    from->next = given_back[from->power];
    given_back[from->power] = from;
}

void *sn_own_realloc(void *piece, size_t bytes) {
    if (!piece) return sn_own_malloc(bytes);
    size_t room = ((size_t)1 << ((head *)piece - 1)->power) - sizeof(head);
    if (bytes <= room) return piece;
    void *grown = sn_own_malloc(bytes);
    if (!grown) return NULL;
    memcpy(grown, piece, room);
    sn_own_free(piece);
    return grown;
}

char *sn_own_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = sn_own_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}
