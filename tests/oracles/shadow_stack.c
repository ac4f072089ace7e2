// A shadow stack for each thread, and how often each call string was called: the oracle of probes at calls.
//
// Code calls shadow_enter at the entry of a function, and shadow_leave before it returns, with the address of the slot
// where the function's return address is. Frames that exceptions or longjmp skip are those below the slot of who catches
// or calls next. At the end of the process, and of each child, a line for each context goes to SHADOW_FOLDER/pid:
//   number of the caller's line, -1 for none; number of the function; calls
// After shadow_begin_bursts, with a file that begins with the word that switches probes for bursts, calls are counted that
// begin while it is on. It goes off and on after so many calls as numbers have it that follow from the seed; with 0, it stays
// on.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    int64_t parent, function, calls;
} context;

typedef struct {
    uintptr_t slot;
    int64_t context;
} frame;

typedef struct {
    frame *frames;
    size_t depth, room;
} stack;

static context *contexts;
static size_t count, context_room;
static int64_t *table; /* of contexts, 1 + number; 0: free */
static size_t table_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread stack here;
static uint32_t *bursts; /* the switch, and the last number that it had */
static uint64_t random_state, calls_left;

static uint64_t next_length(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return 1 + (random_state >> 40) % (random_state >> 62 ? 40 : 400);
}

/* Whether a call is counted that begins now; the next one may be otherwise. */
static int is_on(void) {
    int was_on = !bursts || *bursts;
    if (bursts && random_state && --calls_left == 0) {
        *bursts = *bursts ? 0 : __atomic_add_fetch(&bursts[1], 1, __ATOMIC_RELAXED);
        calls_left = next_length();
    }
    return was_on;
}

static size_t place_of(int64_t parent, int64_t function) {
    uint64_t mixed = (uint64_t)parent * 0x9E3779B97F4A7C15u ^ (uint64_t)function * 0xC2B2AE3D27D4EB4Fu;
    return (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u >> 17 & (table_room - 1);
}

static void put(int64_t number) {
    size_t at = place_of(contexts[number].parent, contexts[number].function);
    while (table[at]) at = (at + 1) & (table_room - 1);
    table[at] = number + 1;
}

static int64_t context_of(int64_t parent, int64_t function) {
    if (2 * (count + 1) > table_room) {
        free(table);
        table_room = table_room ? 2 * table_room : 1024;
        table = calloc(table_room, sizeof *table);
        for (size_t i = 0; i < count; i++) put((int64_t)i);
    }
    for (size_t at = place_of(parent, function); table[at]; at = (at + 1) & (table_room - 1)) {
        const context *found = &contexts[table[at] - 1];
        if (found->parent == parent && found->function == function) return table[at] - 1;
    }
    if (count == context_room) contexts = realloc(contexts, (context_room = 2 * context_room + 64) * sizeof *contexts);
    contexts[count] = (context){parent, function, 0};
    put((int64_t)count);
    return (int64_t)count++;
}

void shadow_leave(uintptr_t slot) {
    while (here.depth && here.frames[here.depth - 1].slot <= slot) here.depth--;
}

/* The frame has caught an exception: what is above it has gone. */
void shadow_catch(uintptr_t slot) {
    while (here.depth && here.frames[here.depth - 1].slot < slot) here.depth--;
}

void shadow_enter(int32_t function, uintptr_t slot) {
    shadow_leave(slot);
    pthread_mutex_lock(&lock);
    if (here.depth == here.room) here.frames = realloc(here.frames, (here.room = 2 * here.room + 64) * sizeof(frame));
    int64_t found = context_of(here.depth ? here.frames[here.depth - 1].context : -1, function);
    contexts[found].calls += is_on();
    here.frames[here.depth++] = (frame){slot, found};
    pthread_mutex_unlock(&lock);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
    for (size_t i = 0; i < count; i++) contexts[i].calls = 0;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(before_fork, in_parent, in_child); }

/* Called before the program. */
void shadow_begin_bursts(const char *path, uint64_t seed) {
    int file = open(path, O_RDWR);
    bursts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    random_state = seed;
    calls_left = 1 + seed % 50;
}

__attribute__((destructor)) static void end(void) {
    const char *folder = getenv("SHADOW_FOLDER");
    char path[4096];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%ld", folder, (long)getpid());
    FILE *file = fopen(path, "w");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%lld %lld %lld\n", (long long)contexts[i].parent, (long long)contexts[i].function,
                (long long)contexts[i].calls);
    fclose(file);
}
