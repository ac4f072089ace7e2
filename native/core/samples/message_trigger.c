#define _GNU_SOURCE
#include "message_trigger.h"

#include "../base/look_loop.h"
#include "../base/thread_schedule.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads of a process that are sent to, at most. */
enum { MOST_THREADS = 256 };
/* How often we look which threads there are. */
#define LIST_NS 5000000u
/* Who asks for more than 1,000 signals a second gets up to half of a processor for them. */
#define OFTEN_NS 900000u
#define PART_WHEN_OFTEN 2u

typedef struct {
    sn_ring_header *ring; /* the header only; NULL: the process has ended */
    pid_t pid;
    int signal;
    uint64_t listed; /* when */
    sn_thread_schedule threads[MOST_THREADS];
    unsigned count;
} receiver;

struct sn_message_trigger {
    sn_look_loop loop;
    receiver **receivers;
    uint32_t count, room;
    uint64_t sent;
};

sn_message_trigger *sn_message_trigger_create(uint64_t period_ns) {
    sn_message_trigger *trigger = calloc(1, sizeof *trigger);
    if (!trigger) return NULL;
    sn_look_loop_init(&trigger->loop, period_ns);
    if (period_ns < OFTEN_NS) trigger->loop.part_of_time = PART_WHEN_OFTEN;
    return trigger;
}

static void let_go(receiver *r) {
    for (unsigned i = 0; i < r->count; i++) sn_thread_schedule_close(&r->threads[i]);
    r->count = 0;
    if (r->ring) munmap(r->ring, SN_RING_HEADER);
    r->ring = NULL;
}

void sn_message_trigger_destroy(sn_message_trigger *trigger) {
    if (!trigger) return;
    for (uint32_t i = 0; i < trigger->count; i++) {
        let_go(trigger->receivers[i]);
        free(trigger->receivers[i]);
    }
    free(trigger->receivers);
    free(trigger);
}

bool sn_message_trigger_add(sn_message_trigger *trigger, const char *path) {
    if (trigger->count == trigger->room) {
        uint32_t room = trigger->room ? 2 * trigger->room : 4;
        receiver **grown = realloc(trigger->receivers, room * sizeof *grown);
        if (!grown) return false;
        trigger->receivers = grown;
        trigger->room = room;
    }
    receiver *r = calloc(1, sizeof *r);
    int file = r ? open(path, O_RDWR | O_CLOEXEC) : -1;
    sn_ring_header *ring = file < 0 ? MAP_FAILED : mmap(NULL, SN_RING_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (ring == MAP_FAILED) {
        free(r);
        return false;
    }
    r->ring = ring;
    r->pid = (pid_t)ring->pid;
    r->signal = (int)ring->signal;
    trigger->receivers[trigger->count++] = r;
    return true;
}

/* See which threads there are; files of those that stay are kept open. */
static void list_threads(receiver *r) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)r->pid);
    DIR *folder = opendir(path);
    if (!folder) {
        let_go(r);
        return;
    }
    bool is_there[MOST_THREADS] = {false};
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        unsigned i = 0;
        if (thread <= 0) continue;
        while (i < r->count && r->threads[i].thread != thread) i++;
        if (i == MOST_THREADS) break;
        if (i == r->count) r->threads[r->count++] = sn_thread_schedule_of(r->pid, thread, true);
        is_there[i] = true;
    }
    closedir(folder);
    unsigned kept = 0;
    for (unsigned i = 0; i < r->count; i++) {
        if (is_there[i]) r->threads[kept++] = r->threads[i];
        else sn_thread_schedule_close(&r->threads[i]);
    }
    r->count = kept;
}

/* The order matters: who ends the sampling says so before it looks whether we are sending. */
static bool send(receiver *r, pid_t thread) {
    __atomic_store_n(&r->ring->sending, 1, __ATOMIC_SEQ_CST);
    bool is_there = __atomic_load_n(&r->ring->state, __ATOMIC_SEQ_CST) == SN_RING_RUNS;
    bool is_sent = is_there && !syscall(SYS_tgkill, r->pid, thread, r->signal);
    __atomic_store_n(&r->ring->sending, 0, __ATOMIC_SEQ_CST);
    return is_sent;
}

static void look(void *at, uint64_t now) {
    sn_message_trigger *trigger = at;
    for (uint32_t i = 0; i < trigger->count; i++) {
        receiver *r = trigger->receivers[i];
        if (r->ring && now - r->listed >= LIST_NS) {
            r->listed = now;
            list_threads(r);
        }
        for (unsigned t = 0; r->ring && t < r->count; t++)
            if (sn_thread_schedule_is_ready(&r->threads[t])) trigger->sent += send(r, r->threads[t].thread);
    }
}

void sn_message_trigger_run(sn_message_trigger *trigger, uint64_t ns) { sn_look_loop_run(&trigger->loop, ns, look, trigger); }
void sn_message_trigger_stop(sn_message_trigger *trigger) { sn_look_loop_stop(&trigger->loop); }
uint64_t sn_message_trigger_sent(const sn_message_trigger *trigger) { return trigger->sent; }
