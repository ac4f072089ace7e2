#define _GNU_SOURCE
#include "trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is being written is read while it changes: what does not fit is read again before it is called
 * damaged. */
#define ATTEMPTS 4

static uint64_t block_offset(const sn_trace_reader *reader, uint64_t block) {
    return reader->header.header_bytes + block * SN_TRACE_BLOCK_BYTES;
}

/* Bytes read, less than `size` at the end of the file; -1: errno tells. */
static ssize_t read_at(const sn_trace_reader *reader, void *to, size_t size, uint64_t offset) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(reader->file, (char *)to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (!got) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static sn_trace_result end_with(sn_trace_reader *reader, sn_trace_result result, uint64_t block, uint64_t offset,
                                const char *what) {
    reader->problem = (sn_trace_problem){.block = block, .offset = offset, .what = what};
    if (result == SN_TRACE_END || result == SN_TRACE_DAMAGED) reader->ended = result;
    return result;
}

static sn_trace_result damaged_block(sn_trace_reader *reader, uint32_t at, const char *what) {
    return end_with(reader, SN_TRACE_DAMAGED, reader->block, block_offset(reader, reader->block) + at, what);
}

static sn_trace_result damaged_header(sn_trace_reader *reader, size_t at, const char *what) {
    return end_with(reader, SN_TRACE_DAMAGED, SN_TRACE_NO_BLOCK, at, what);
}

/* ---- the header ---- */

static sn_trace_result read_header(sn_trace_reader *reader) {
    sn_trace_header *header = &reader->header;
    ssize_t got = read_at(reader, header, sizeof *header, 0);
    if (got < 0) return SN_TRACE_UNREADABLE;
    if ((size_t)got < sizeof header->magic || memcmp(header->magic, SN_TRACE_MAGIC, sizeof header->magic))
        return SN_TRACE_FOREIGN;
    if ((size_t)got < sizeof *header) return damaged_header(reader, (size_t)got, "the file ends within its header");
    if (header->version > SN_TRACE_VERSION) return SN_TRACE_NEWER;
    uint64_t text = (uint64_t)header->length[0] + header->length[1] + header->length[2];
    if (!header->version || header->header_bytes % SN_TRACE_HEADER_STEP ||
        header->header_bytes > SN_TRACE_HEADER_LIMIT || header->block_bytes != SN_TRACE_BLOCK_BYTES ||
        header->clock > SN_CLOCK_MONOTONIC || header->unit_shift > 62 || sizeof *header + text > header->header_bytes)
        return damaged_header(reader, sizeof header->magic, "the header has impossible sizes");
    char *texts = malloc(text + 1);
    if (!texts) return SN_TRACE_NO_MEMORY;
    reader->about[0] = texts;
    for (int i = 1; i < 3; i++) reader->about[i] = reader->about[i - 1] + header->length[i - 1];
    got = read_at(reader, texts, text, sizeof *header);
    if (got < 0) return SN_TRACE_UNREADABLE;
    if ((uint64_t)got < text)
        return damaged_header(reader, sizeof *header + (size_t)got, "the file ends within its header");
    uint64_t check = sn_trace_check(0, header, offsetof(sn_trace_header, check));
    if (header->check != sn_trace_check(check, texts, text))
        return damaged_header(reader, offsetof(sn_trace_header, check), "the header's checksum is wrong");
    return SN_TRACE_MORE;
}

/* Look at the parts of the header that change. MORE: they are valid. */
static sn_trace_result look_for_end(sn_trace_reader *reader) {
    sn_trace_header *header = &reader->header;
    const size_t from = offsetof(sn_trace_header, end_ticks);
    for (int attempt = 0;; attempt++) {
        ssize_t got = read_at(reader, &header->end_ticks, sizeof *header - from, from);
        if (got < 0) return SN_TRACE_UNREADABLE;
        if ((size_t)got < sizeof *header - from)
            return damaged_header(reader, from + (size_t)got, "the file ends within its header");
        uint64_t end = sn_trace_check(header->check, &header->end_ticks, offsetof(sn_trace_header, end_check) - from);
        uint64_t next = header->lost + 1;
        bool end_right = !header->end_check || header->end_check == (end ? end : 1);
        bool lost_right = true;
        if (header->lost_check == sn_trace_check(header->check, &next, sizeof next))
            header->lost = next;
        else
            lost_right = header->lost_check == sn_trace_check(header->check, &header->lost, sizeof header->lost);
        if (end_right && lost_right) return SN_TRACE_MORE;
        if (attempt < ATTEMPTS) continue;
        if (!end_right)
            return damaged_header(reader, offsetof(sn_trace_header, end_check), "the checksum of its end is wrong");
        return damaged_header(reader, offsetof(sn_trace_header, lost_check), "the checksum of its losses is wrong");
    }
}

/* ---- blocks ---- */

/* There are no more events at present: is this the end? MORE: no, look again. */
static sn_trace_result at_end(sn_trace_reader *reader, bool file_ends) {
    bool finished = reader->finished;
    sn_trace_result result = look_for_end(reader);
    if (result != SN_TRACE_MORE) return result;
    uint64_t here = block_offset(reader, reader->block);
    if (!reader->header.end_check) {
        /* Until now there was an end. */
        if (finished) return damaged_header(reader, offsetof(sn_trace_header, end_check), "its end has vanished");
        return end_with(reader, SN_TRACE_CUT, reader->block, here + (reader->begun ? reader->verified : 0), NULL);
    }
    reader->finished = true;
    if (!finished) return SN_TRACE_MORE; /* it ended since the block was looked at */
    if (reader->block == reader->header.blocks && !reader->verified) {
        if (reader->events == reader->header.events) return end_with(reader, SN_TRACE_END, reader->block, here, NULL);
        return damaged_header(reader, offsetof(sn_trace_header, events), "it counts other events than there are");
    }
    if (reader->begun || reader->block >= reader->header.blocks)
        return damaged_block(reader, offsetof(sn_trace_block, seal), "it is not sealed, although the recording ended");
    if (file_ends) return end_with(reader, SN_TRACE_CUT, reader->block, here, "the file ends before it");
    return damaged_block(reader, 0, "it is empty");
}

/* Verify what was published of the block since the last look. MORE: it was (or there is a next block to look at);
 * CUT: nothing was. */
static sn_trace_result look_at_block(sn_trace_reader *reader, const sn_trace_block *head) {
    const uint32_t used = (uint32_t)(head->state & SN_TRACE_USED_MASK);
    if (used > SN_TRACE_ROOM || used < reader->verified)
        return damaged_block(reader, offsetof(sn_trace_block, state), "its length is impossible");
    uint64_t check = reader->begun ? reader->check : sn_trace_block_check(reader->header.check, head);
    if (used > reader->verified) {
        uint64_t from = block_offset(reader, reader->block) + sizeof *head + reader->verified;
        size_t size = used - reader->verified;
        ssize_t got = read_at(reader, reader->bytes + reader->verified, size, from);
        if (got < 0) return SN_TRACE_UNREADABLE;
        if ((size_t)got < size) {
            end_with(reader, SN_TRACE_CUT, reader->block, from + (uint64_t)got, "the file ends within it");
            reader->problem.unreadable = (uint64_t)got;
            return SN_TRACE_CUT;
        }
        check = sn_trace_check(check, reader->bytes + reader->verified, size);
    }
    if (sn_trace_state(check, used) != head->state)
        return damaged_block(reader, offsetof(sn_trace_block, state), "its checksum is wrong");
    if (head->seal && head->seal != sn_trace_seal(check, head))
        return damaged_block(reader, offsetof(sn_trace_block, seal), "the checksum of its seal is wrong");
    /* What it says of itself is now known to be what was written: does it fit to what went before? */
    if (head->magic != SN_TRACE_BLOCK_MAGIC || head->index != (uint32_t)reader->block)
        return damaged_block(reader, 0, "it is another block");
    if (!reader->begun && (head->first_event != reader->events || head->units != reader->units))
        return damaged_block(reader, 0, "it does not continue the block before");
    bool more = used > reader->verified;
    reader->begun = true;
    reader->check = check;
    reader->verified = used;
    if (more) return SN_TRACE_MORE;
    if (!head->seal) return SN_TRACE_CUT;
    if (head->events != reader->events - head->first_event)
        return damaged_block(reader, offsetof(sn_trace_block, events), "it counts other events than it has");
    reader->block++;
    reader->begun = false;
    reader->verified = reader->at = 0;
    return SN_TRACE_MORE;
}

/* Everything that is verified was decoded: find more. */
static sn_trace_result advance(sn_trace_reader *reader) {
    sn_trace_block head;
    for (int attempt = 0;; attempt++) {
        ssize_t got = read_at(reader, &head, sizeof head, block_offset(reader, reader->block));
        if (got < 0) return SN_TRACE_UNREADABLE;
        bool there = (size_t)got == sizeof head && head.state;
        sn_trace_result result = SN_TRACE_CUT;
        if (there) {
            reader->problem = (sn_trace_problem){0};
            result = look_at_block(reader, &head);
            if (result == SN_TRACE_DAMAGED && attempt < ATTEMPTS) {
                reader->ended = SN_TRACE_MORE;
                continue;
            }
            if (result != SN_TRACE_CUT || reader->problem.what) return result;
        }
        result = at_end(reader, (size_t)got < sizeof head);
        if (result != SN_TRACE_MORE) {
            if (result == SN_TRACE_CUT && !there && got > 0 && (size_t)got < sizeof head)
                reader->problem.unreadable = (uint64_t)got;
            return result;
        }
    }
}

/* ---- events ---- */

typedef struct {
    const uint8_t *at, *end;
    bool wrong; /* the bytes ended, or a number did not fit */
} cursor;

static uint64_t get_varint(cursor *c, uint64_t most) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint64_t byte = *c->at++, part = byte & 0x7F;
        if (part << shift >> shift != part) break;
        value |= part << shift;
        if (byte < 0x80) {
            c->wrong |= value > most;
            return value;
        }
    }
    c->wrong = true;
    return 0;
}

static bool get_function(sn_trace_reader *reader, cursor *c) {
    sn_trace_definition definition = {.text = reader->text_used};
    definition.first_line = (uint32_t)get_varint(c, UINT32_MAX);
    definition.flags = (uint32_t)get_varint(c, UINT32_MAX);
    size_t size = 0;
    for (int i = 0; i < 3; i++) size += definition.length[i] = (uint32_t)get_varint(c, SN_TRACE_TEXT_BYTES);
    if (c->wrong || size > (size_t)(c->end - c->at)) {
        c->wrong = true;
        return true;
    }
    if (reader->function_count == reader->function_room) {
        size_t room = reader->function_room ? 2 * reader->function_room : 256;
        void *grown = realloc(reader->functions, room * sizeof *reader->functions);
        if (!grown) return false;
        reader->functions = grown;
        reader->function_room = room;
    }
    if (size > reader->text_room - reader->text_used) {
        size_t room = 2 * (reader->text_room + size) + 4096;
        char *grown = realloc(reader->text, room);
        if (!grown) return false;
        reader->text = grown;
        reader->text_room = room;
    }
    if (size) memcpy(reader->text + reader->text_used, c->at, size);
    reader->text_used += size;
    c->at += size;
    reader->functions[reader->function_count++] = definition;
    return true;
}

/* An edge's number, or a new edge. */
static uint32_t get_edge(const sn_trace_reader *reader, cursor *c) {
    sn_trace_model *model = reader->model;
    uint32_t edge = (uint32_t)get_varint(c, model->edges);
    if (edge || c->wrong) return c->wrong ? 0 : edge;
    uint32_t function = (uint32_t)get_varint(c, UINT32_MAX), line = (uint32_t)get_varint(c, UINT32_MAX);
    c->wrong |= function >= reader->function_count || model->edges == SN_TRACE_EDGES - 1;
    if (c->wrong) return 0;
    model->edge[++model->edges] = (sn_trace_edge){function, line};
    return model->edges;
}

static uint64_t get_time(const sn_trace_reader *reader, cursor *c) { /* that passed, in units */
    return get_varint(c, reader->latest - reader->units);
}

/* Decode verified bytes until `room` events are there or the bytes end. */
static sn_trace_result decode(sn_trace_reader *reader, const sn_trace_columns *columns, size_t room, size_t *count) {
    sn_trace_model *model = reader->model;
    /* A copy: the compiler cannot know that the columns do not overlap it. */
    const sn_trace_columns out = *columns;
    const unsigned shift = reader->header.clock == SN_CLOCK_NONE ? 0 : reader->header.unit_shift;
    cursor c = {reader->bytes + reader->at, reader->bytes + reader->verified, false};
    size_t done = 0;
    const char *what = NULL;
    bool memory = true;
    while (done < room && c.at < c.end) {
        const uint8_t *start = c.at;
        uint8_t byte = *c.at++;
        uint32_t operation = byte & 3, kind, edge = 0;
        uint64_t pause = byte >> 2;
        if (__builtin_expect(operation != SN_TRACE_OP_ESCAPE, 1)) {
            if (__builtin_expect(pause == SN_TRACE_LONG_TIME, 0)) {
                pause += get_varint(&c, UINT64_MAX - SN_TRACE_LONG_TIME);
                c.wrong |= pause > reader->latest - reader->units;
            }
            if (operation == SN_TRACE_OP_LEAVE) {
                kind = SN_TRACE_LEAVE;
                sn_trace_model_left(model);
            } else {
                kind = SN_TRACE_ENTER;
                uint32_t last = model->now.last;
                if (operation == SN_TRACE_OP_SAME) {
                    edge = model->next[last];
                } else {
                    edge = get_edge(reader, &c);
                    model->next[last] = (uint16_t)edge;
                }
                c.wrong |= !edge;
                sn_trace_model_entered(model, edge);
            }
        } else {
            uint32_t code = (uint32_t)pause;
            if (code == SN_TRACE_ESCAPE_THREAD) {
                sn_trace_model_switch(model, (uint32_t)get_varint(&c, UINT32_MAX));
                kind = 0;
            } else if (code == SN_TRACE_ESCAPE_FORGET) {
                sn_trace_model_forget(model);
                kind = 0;
            } else if (code == SN_TRACE_ESCAPE_FUNCTION) {
                memory = get_function(reader, &c);
                kind = 0;
            } else if (code == SN_TRACE_ESCAPE_UNWIND) {
                kind = SN_TRACE_UNWIND;
                pause = get_time(reader, &c);
                sn_trace_model_left(model);
            } else if (code == SN_TRACE_ESCAPE_FOUND) {
                kind = SN_TRACE_FOUND;
                pause = get_time(reader, &c);
                edge = get_edge(reader, &c);
                sn_trace_model_entered(model, edge);
            } else if (code == SN_TRACE_ESCAPE_LOST) {
                kind = SN_TRACE_LOST;
                pause = get_time(reader, &c);
                sn_trace_model_lost(model);
            } else {
                c.wrong = true;
                kind = 0;
            }
            if (!memory) { /* nothing was taken: try again */
                c.at = start;
                break;
            }
            if (!kind && !c.wrong) continue;
        }
        uint64_t units = reader->units + pause;
        if (__builtin_expect(c.wrong || units < pause || units > reader->latest, 0)) {
            what = "it has an event that cannot be";
            c.at = start;
            break;
        }
        reader->units = units;
        sn_trace_edge of = model->edge[edge];
        out.kind[done] = (uint8_t)kind;
        out.thread[done] = model->now.thread;
        out.function[done] = of.function;
        out.line[done] = of.line;
        out.ticks[done] = units << shift;
        done++;
    }
    reader->at = (uint32_t)(c.at - reader->bytes);
    reader->events += done;
    *count += done;
    if (what) return damaged_block(reader, (uint32_t)sizeof(sn_trace_block) + reader->at, what);
    return memory ? SN_TRACE_MORE : SN_TRACE_NO_MEMORY;
}

sn_trace_result sn_trace_read(sn_trace_reader *reader, const sn_trace_columns *columns, size_t room, size_t *count) {
    sn_trace_result result = reader->ended;
    *count = 0;
    while (result == SN_TRACE_MORE && *count < room) {
        sn_trace_columns rest = {columns->kind + *count, columns->thread + *count, columns->function + *count,
                                 columns->line + *count, columns->ticks + *count};
        result = reader->at < reader->verified ? decode(reader, &rest, room - *count, count) : advance(reader);
    }
    return *count ? SN_TRACE_MORE : result;
}

/* ---- opening, and other questions ---- */

sn_trace_result sn_trace_open_file(sn_trace_reader *reader, int file) {
    *reader = (sn_trace_reader){.file = file};
    sn_trace_result result = read_header(reader);
    if (result == SN_TRACE_MORE) {
        const sn_trace_header *header = &reader->header;
        reader->latest = header->clock == SN_CLOCK_NONE ? 0 : UINT64_MAX >> header->unit_shift;
        reader->units = header->clock == SN_CLOCK_NONE ? 0 : header->start_ticks >> header->unit_shift;
        reader->bytes = malloc(SN_TRACE_ROOM);
        reader->model = mmap(NULL, sizeof *reader->model, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (reader->model == MAP_FAILED) reader->model = NULL;
        if (reader->model) {
            sn_trace_model_begin(reader->model);
            reader->model->edge[0] = (sn_trace_edge){0, 0}; /* what events without one have */
        }
        if (!reader->bytes || !reader->model) result = SN_TRACE_NO_MEMORY;
    }
    /* The end is known beforehand where there is one. A wrong one is for the end of the reading to tell. */
    if (result == SN_TRACE_MORE && look_for_end(reader) != SN_TRACE_MORE) {
        memset(&reader->header.end_ticks, 0, sizeof reader->header - offsetof(sn_trace_header, end_ticks));
        reader->ended = SN_TRACE_MORE;
        reader->problem = (sn_trace_problem){0};
    }
    if (result != SN_TRACE_MORE) {
        sn_trace_problem problem = reader->problem;
        uint32_t version = reader->header.version;
        int error = errno;
        sn_trace_close(reader);
        reader->problem = problem;
        reader->header.version = version;
        errno = error;
    }
    return result;
}

sn_trace_result sn_trace_open(sn_trace_reader *reader, const char *path) {
    *reader = (sn_trace_reader){.file = -1};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return SN_TRACE_UNREADABLE;
    struct stat about;
    if (!fstat(file, &about) && S_ISDIR(about.st_mode)) {
        close(file);
        errno = EISDIR;
        return SN_TRACE_UNREADABLE;
    }
    posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
    sn_trace_result result = sn_trace_open_file(reader, file);
    if (result == SN_TRACE_MORE) reader->path = strdup(path); /* without it, nothing can be forgotten */
    return result;
}

void sn_trace_close(sn_trace_reader *reader) {
    if (reader->file >= 0) close(reader->file);
    if (reader->model) munmap(reader->model, sizeof *reader->model);
    free(reader->bytes);
    free(reader->about[0]);
    free(reader->functions);
    free(reader->text);
    free(reader->path);
    *reader = (sn_trace_reader){.file = -1};
}

bool sn_trace_forget(sn_trace_reader *reader) {
    if (!reader->path) return false;
    if (reader->block == reader->forgotten) return true;
    struct stat ours, theirs;
    int file = open(reader->path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool same = !fstat(reader->file, &ours) && !fstat(file, &theirs) && ours.st_dev == theirs.st_dev &&
                ours.st_ino == theirs.st_ino;
    uint64_t from = block_offset(reader, reader->forgotten), to = block_offset(reader, reader->block);
    bool done = same && !fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
    if (done) reader->forgotten = reader->block;
    close(file);
    return done;
}

bool sn_trace_last_pair(sn_trace_reader *reader, uint64_t *ticks, uint64_t *ns) {
    const sn_trace_header *header = &reader->header;
    if (header->end_check) {
        *ticks = header->end_ticks;
        *ns = header->end_ns;
        return true;
    }
    struct stat about;
    if (fstat(reader->file, &about)) return false;
    uint64_t size = (uint64_t)about.st_size, first = header->header_bytes;
    uint64_t blocks = size > first ? (size - first + SN_TRACE_BLOCK_BYTES - 1) / SN_TRACE_BLOCK_BYTES : 0;
    uint8_t *bytes = malloc(SN_TRACE_BLOCK_BYTES);
    bool found = false;
    while (bytes && !found && blocks-- > 0) {
        ssize_t got = read_at(reader, bytes, SN_TRACE_BLOCK_BYTES, block_offset(reader, blocks));
        sn_trace_block head;
        if (got < (ssize_t)sizeof head) continue;
        memcpy(&head, bytes, sizeof head);
        uint64_t used = head.state & SN_TRACE_USED_MASK;
        if (!head.state || sizeof head + used > (size_t)got) continue;
        uint64_t check = sn_trace_check(sn_trace_block_check(header->check, &head), bytes + sizeof head, used);
        if (sn_trace_state(check, (uint32_t)used) != head.state) continue;
        *ticks = head.ticks;
        *ns = head.ns;
        found = true;
    }
    free(bytes);
    return found;
}

void sn_trace_nanoseconds(const sn_trace_header *header, double ns_per_tick, uint64_t *ticks, size_t count) {
    if (header->clock != SN_CLOCK_TSC) return;
    const uint64_t start = header->start_ticks & ~((UINT64_C(1) << header->unit_shift) - 1);
    const double latest = 9e18; /* below 2^63, whatever the file says */
    for (size_t i = 0; i < count; i++) {
        double passed = (double)(ticks[i] - start) * ns_per_tick;
        if (!(passed >= 0)) passed = 0;
        if (passed > latest) passed = latest;
        uint64_t ns = header->start_ns + (uint64_t)passed;
        ticks[i] = ns >= header->start_ns && ns < UINT64_C(1) << 63 ? ns : (UINT64_C(1) << 63) - 1;
    }
}
