#define _GNU_SOURCE
#include "online.h"

#include "../core/base/cells.h"
#include "../core/base/hashes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUCKETS = 1 << 14, MOST_METHODS = 1 << 16 };

/* Calls after which a method is judged. One may be slow by chance, as the first often is. */
enum { PATIENCE = 3 };

static sn_method *buckets[BUCKETS];
static uint32_t method_count;

sn_seen_code sn_seen[SN_SEEN];

/* Names of methods for the reader: number, first line, lengths, file, name, in a file that is mapped piece by piece. */
enum { NAMES_STEP = 256 << 10 };
static struct {
    char *at;
    size_t left;
    uint64_t mapped;
} names;

static bool grow_names(void) {
    char path[sizeof agent.plan.folder + 64];
    snprintf(path, sizeof path, "%s/%d.names", agent.plan.folder, (int)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return false;
    void *mapped = MAP_FAILED;
    if (sn_cells_reserve(file, names.mapped, NAMES_STEP))
        mapped = mmap(NULL, NAMES_STEP, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)names.mapped);
    close(file);
    if (mapped == MAP_FAILED) return false;
    names.at = mapped;
    names.left = NAMES_STEP;
    names.mapped += NAMES_STEP;
    return true;
}

typedef struct {
    uint32_t number, first_line, file_bytes, name_bytes;
} name_head;

/* What is left of a piece stays empty: a record that begins with 0 ends it. */
static bool write_name(const sn_method *method) {
    PyObject *file = PyUnicode_EncodeFSDefault(method->file), *name = PyUnicode_EncodeFSDefault(method->name);
    bool is_written = false;
    if (file && name) {
        name_head head = {method->number, (uint32_t)method->first_line, (uint32_t)PyBytes_GET_SIZE(file),
                          (uint32_t)PyBytes_GET_SIZE(name)};
        size_t size = (sizeof head + head.file_bytes + head.name_bytes + 7) & ~(size_t)7;
        if (size <= NAMES_STEP / 4 && (size + sizeof head <= names.left || grow_names())) {
            memcpy(names.at + sizeof head, PyBytes_AS_STRING(file), head.file_bytes);
            memcpy(names.at + sizeof head + head.file_bytes, PyBytes_AS_STRING(name), head.name_bytes);
            memcpy(names.at, &head, sizeof head);
            names.at += size;
            names.left -= size;
            is_written = true;
        }
    }
    if (!is_written) PyErr_Clear();
    Py_XDECREF(file);
    Py_XDECREF(name);
    return is_written;
}

static bool is_of(const sn_method *method, const PyCodeObject *code) {
    if (method->first_line != code->co_firstlineno) return false;
    bool same_name = method->name == code->co_qualname || !PyUnicode_Compare(method->name, code->co_qualname);
    return same_name && (method->file == code->co_filename || !PyUnicode_Compare(method->file, code->co_filename));
}

/* Comprehensions and the like run in their callers from 3.12 on. */
static bool can_be_watched(const PyCodeObject *code) {
    if (!PyUnicode_GET_LENGTH(code->co_name) || PyUnicode_READ_CHAR(code->co_name, 0) != '<') return true;
    return !PyUnicode_CompareWithASCIIString(code->co_name, "<module>") ||
           !PyUnicode_CompareWithASCIIString(code->co_name, "<lambda>");
}

static sn_method *new_method(const PyCodeObject *code) {
    if (method_count == MOST_METHODS || !can_be_watched(code)) return NULL;
    sn_method *method = calloc(1, sizeof *method);
    if (!method) return NULL;
    method->file = Py_NewRef(code->co_filename);
    method->name = Py_NewRef(code->co_qualname);
    method->first_line = code->co_firstlineno;
    method->number = SN_FIRST_FOUND + method_count++;
    method->is_given_up = !write_name(method);
    return method;
}

sn_method *sn_online_method_slow(const PyCodeObject *code) {
    uint64_t hash = sn_hash_word(SN_HASH_START, (uint64_t)PyObject_Hash(code->co_qualname)) + (uint64_t)code->co_firstlineno;
    sn_method **bucket = &buckets[hash % BUCKETS], *method = *bucket;
    while (method && !is_of(method, code)) method = method->next;
    if (!method) {
        method = new_method(code);
        if (!method) return NULL;
        method->next = *bucket;
        *bucket = method;
    }
    *sn_seen_place(code) = (sn_seen_code){code, method};
    return method;
}

static inline uint64_t passed(void) { return sn_phase_now(&agent.plan) - agent.start_ticks; }

bool sn_online_ended(sn_method *method, uint64_t ticks) {
    method->pieces++;
    method->ticks += ticks;
    if (method->is_given_up || method->pieces < PATIENCE) return false;
    double least = agent.grain * (double)passed(), worth = agent.least_ns / agent.plan.ns_per_tick;
    if (least < worth) least = worth;
    method->is_given_up = (double)method->ticks < least * method->pieces;
    return method->is_given_up;
}

bool sn_online_is_due(void) {
    static double next_ns = SN_FIRST_LOOK_NS;
    if (likely((double)passed() * agent.plan.ns_per_tick < next_ns)) return false;
    next_ns *= 2;
    return true;
}

void sn_online_begin_anew(void) {
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (sn_method *method = buckets[i]; method; method = method->next) {
            method->pieces = 0;
            method->ticks = 0;
            method->is_given_up = false;
        }
}
