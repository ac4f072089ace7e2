/* The parts of sonde's Valgrind tool, and the state that they share.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SONDE_TOOL_H
#define SONDE_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "../core/advice/advice.h"
#include "../core/caches/cache_model.h"
#include "../core/objects/access_contexts.h"
#include "../core/objects/field_counts.h"
#include "../core/objects/ledger.h"
#include "../core/objects/line_sharing.h"
#include "../core/objects/lives.h"
#include "../core/requests/requests.h"

/* ---- what is measured, as the command line says (options.c) ---- */

enum sn_mode { SN_FULL, SN_COUNT };

struct options {
    const HChar *record, *spare, *caches, *trace; /* spare: for the record when its own place is full */
    Int mode;
    Int policy, inclusion;
    Bool write_allocate, classify;
    Bool objects;       /* what memory is, is told apart; else only code is */
    Bool branches;      /* conditional branches are foreseen, and what was not is counted */
    Bool sharing;       /* which lines of memory threads share */
    Bool whole_run;     /* else windows are opened by request */
    Bool sites_before;  /* places of birth are noted outside of windows, too */
    Int launcher;       /* the process that ends the run with itself, 0: none */
    uint64_t snapshot;     /* accesses from one partial record to the next, 0: none */
};
extern struct options options;
Bool options_read(const HChar *argument);
void options_usage(void);
void options_apply(void); /* checks them, makes the caches */

/* ---- code, as it is translated (instrument.c) ---- */

enum slot_kind { SLOT_LOAD = 1, SLOT_STORE = 2, SLOT_MODIFY = 3 };

/* One access that an instruction makes. */
struct slot {
    Addr ip;
    UInt place;
    UShort size;
    UChar kind;
    UChar guarded; /* may not take place: its address is 0 then */
    UInt crossing, fields; /* where its last miss was counted */
};

/* A reading of an instruction that may go to another line than the one before. */
struct fetch {
    Addr address;
    UInt place;
    UInt size;
};

/* The instructions of one place, in a row. */
struct stretch {
    UInt place, instructions;
};

/* A superblock up to one of its exits. */
struct way_out {
    struct block *block;
    uint64_t *runs; /* how often the block was left here; `counted` below, or its chunk's */
    uint64_t counted;
    UInt slots, fetches, stretches, last_instructions; /* how many of the block's it comes to */
    UInt segment; /* of the address trace */
    UInt instructions, loads, stores;
};

struct block {
    struct block *next;
    struct slot *slots;
    struct fetch *fetches;
    struct stretch *stretches;
    struct way_out *ways;
    UInt way_count;
    uint64_t *not_taken; /* for each slot, how often its guard was false; NULL when none has one */
};
extern struct block *blocks;

/* Where the code of a block leaves the addresses of its accesses, and the values of stores that may say something of objects. */
enum { MOST_SLOTS = 512 };
extern Addr addresses[MOST_SLOTS];
extern uint64_t values[MOST_SLOTS];
/* And, if advice looks at it, what lies there before and after: up to 8 bytes; `afters` of stores only. */
extern uint64_t befores[MOST_SLOTS], afters[MOST_SLOTS];

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                 const VexArchInfo *arch, IRType guest_word, IRType host_word);

/* Code of the agent's: what it does itself is not counted. */
void own_code_add(Addr start, Addr end);

/* ---- what has been found out so far (tables.c) ---- */

struct totals {
    uint64_t instructions, loads, modifies, stores, misses[SN_LEVELS], fetch_misses[SN_LEVELS];
    uint64_t requests;
    uint64_t sampled; /* accesses of the sample by line and type */
};
extern struct totals totals;

/* Garbage collections of a generation, and what they accessed. */
enum { GENERATIONS = 3 };
struct collections {
    uint64_t count, accesses;
};
extern struct collections collections[GENERATIONS];
extern struct sn_cache *cache;
extern struct sn_lives lives;
extern struct sn_ledger ledger;
extern struct sn_line_sharing sharing;
extern struct sn_field_counts field_counts;
extern uint64_t clock_; /* accesses so far: loads and stores */
extern uint64_t next_snapshot; /* by the clock */
extern uint64_t instructions_run; /* so far: of blocks that were left; not of calls that only count */
extern Bool window_open;

/* ---- accesses, as they are made (accesses.c) ---- */

enum { SAMPLE_DISTANCE = 1024 }; /* between two accesses of the sample, on average */
void accesses_start(void); /* once there are caches */
void accesses_renew(void); /* now and then */

/* A few accesses in a row, for one call of a helper. It is as small as can be, for it is looked at all the time: one
 * cache line for most. Behind it are, if it is a short one, what its helper needs. */
enum { CHUNK_SLOTS = 3, CHUNK_FETCHES = 2 };
enum { CROSSING = 3 }; /* instead of a number of fetches: one, from two lines */
struct chunk {
    uint64_t runs;
    struct block *block;
    UShort slot;                     /* the first of the block's; there are `loads` + `stores` of them */
    UShort fetch : 14, fetches : 2;  /* the first, and how many, or CROSSING */
    UShort way;                      /* number of the way out behind them + 1; 0: the block goes on */
    UChar loads, stores;
    UShort instructions;             /* that the block has up to a way out behind them; else 0 */
};
struct near_fetch {
    uint64_t entry; /* of the instruction cache: the line, twice */
    UInt hint;      /* where in the cache it was last */
};
struct near_slot {
    UShort size, room; /* of a line: from where on an access would go over its end */
    UInt kind;
};

/* Bytes of a chunk with so many slots and fetches. */
SizeT chunk_bytes(UInt slots, UInt fetches);

/* The helper for a chunk, called with its address. */
void *chunk_helper(struct chunk *chunk);

/* ---- threads and Python frames (threads.c, python.c) ---- */

/* A call of malloc or one of its kind that has not returned (allocators.h). */
struct allocator_call {
    UWord kind;    /* enum allocator */
    Addr returns;  /* the stack pointer then */
    Addr site;     /* where to */
    UWord argument, size;
    UWord alignment;
};

struct thread {
    UInt number;      /* from 1; 0: not known */
    UInt paused;
    Addr state;       /* its PyThreadState, 0: none */
    Addr watched[3];  /* words that say what Python code runs: on a store to one of them, look again */
    UInt place;       /* of the Python line, 0: none */
    struct sn_place *line; /* the same */
    Addr frame;       /* its innermost frame of Python code */
    UInt code; Addr code_object; /* what that runs; 0: no frame of Python code */
    Addr chunk; SizeT chunk_size; /* of its stack of frames: where they were found last */
    struct active { Addr frame; UInt method; } *frames; /* for advice at entry and exit; made when it is needed */
    UInt depth;
    struct active_call { Addr frame; UInt function, context; Bool is_folded; } *stack; /* Python frames (contexts.c) */
    UInt stack_depth, stack_room;
    UInt context;    /* what it does belongs to it; 0: no Python function runs */
    Bool is_folded;  /* that context stands for another one */
    Bool is_between; /* another frame is the innermost, which is not looked at yet */
    uint64_t counts[SN_COUNTS]; /* up to when it ran last (counts.c) */
    UInt open_calls;
    struct allocator_call calls[2]; /* of an operator new, and of what it calls */
};
extern struct thread *current;
extern Bool has_threads; /* more than one, so far */
extern Bool is_forked; /* this process is a child of the measured one */
void threads_start(void);
void thread_runs(ThreadId tid); /* from now on */
struct thread *thread_of(ThreadId tid);

extern struct sn_python_layout python; /* version 0: no Python */

/* From 3.14 on a count of references has 4 bytes, and where it was, a dead object that is kept has a pointer to the next. */
static inline Bool python_has_short_counts(void) { return python.version && python.python >= 0x030E0000; }
void python_set_layout(const struct sn_python_layout *layout);
void python_look_again(struct thread *thread, uint64_t clock); /* by the clock: what comes after it is of another line */
/* The innermost frame of Python code from `frame` on, and its function; 0: none. And the next one behind it. */
Addr python_frame(struct thread *thread, Addr frame, UInt *function);
Addr python_caller(struct thread *thread, Addr frame, UInt *function);
void python_code_freed(Addr code);
UInt python_type_of(Addr type);          /* its number, 0: no type */
UInt python_type_found(Addr type);       /* the same if an object whose type is a type of types lies there */
void python_type_born(Addr type); /* an object that is a type, being made */
UInt python_type_named(Addr type, const HChar *name, UInt flags);
void python_type_freed(Addr type);
Bool python_type_lives(UInt number);
const HChar *python_text(Addr string); /* a string object as UTF-8; what is too long is cut. Until the next call */
UInt python_head_of(Addr type); /* bytes of an instance's block before its reference count */
Bool python_has_attributes(Addr type); /* instances may have values of attributes, whose names their class has */
Bool is_readable(Addr address, SizeT bytes); /* aligned, and the program can read it */

/* ---- calling contexts (contexts.c) ---- */

extern struct sn_access_contexts contexts;
void context_add(struct thread *thread, uint64_t clock); /* what was done up to then belongs to its context */
/* Another frame is the innermost (0: none of Python code), by the clock. Its words may not all be set; */
void context_left(struct thread *thread, Addr frame, UInt function, uint64_t clock);
void context_entered(struct thread *thread, Addr frame, UInt function); /* they are by now */
void context_outside(struct thread *thread); /* no Python function runs */
void context_thread_ends(struct thread *thread);

/* ---- conditional branches (branches.c) ---- */

extern uint64_t branch_misses;
VG_REGPARM(2) void branch_runs(Addr ip, UWord is_taken);

/* ---- counts for the program (counts.c) ---- */

void counts_tell(uint64_t *answer); /* of the current thread */
void counts_thread_stops(void); /* it does not run any more */

/* ---- types, by number (types.c) ---- */

enum type_kind { KIND_OBJECT, KIND_BLOCK, KIND_STACK, KIND_FRAMES, KIND_GLOBAL, KIND_HEAP, KIND_MAPPING, KIND_CODE,
                 KIND_UNKNOWN };
struct type {
    const HChar *name;
    UInt kind;
    UInt flags; /* enum sn_type_flag */
    UInt next;  /* region or block with the same hash */
    UInt owns;  /* what memory its instances have besides their blocks (owners.c) */
    UInt values_of; /* the class whose instances have their attributes in such memory; 0: none */
    UInt parts[3]; /* types of that memory; 0: none yet */
    Addr address;
};
extern struct type *types;
extern UInt type_count;
void types_start(void);
UInt type_of(UInt kind, const HChar *name);
UInt type_new(UInt kind, const HChar *name); /* even if another one has that name */
UInt block_type(UInt domain); /* of enum sn_domain */
const HChar *type_kind(UInt kind); /* its name in records */
Bool is_block_type(UInt type); /* one of these */

/* ---- what objects own besides their blocks (owners.c) ---- */

void owners_set_layout(void);
void owner_type_named(UInt number); /* a type that instances have: `owns` is found out */
void owner_renamed(UInt type);
Bool owner_listens(UInt number, Addr address); /* an owner: whether stores to this granule are to be told of */
void owner_stored(UInt number, Addr address, SizeT size); /* into an owner: its memory has its name from now on */
void owner_found(UInt number); /* likewise, of all that it owns */
/* The words of a type's instances that point to such memory, from number 0 on: where, and to what. False: no more. */
Bool owner_pointer(UInt type, UInt number, Int *offset, const HChar **to);
Bool owner_has_length(UInt type); /* in the word behind the type */

/* ---- which part of objects is accessed (fields.c) ---- */

enum { MOST_FIELDED = 1 << 14 }; /* types, and of blocks of malloc and new, types by site */
void fields_start(void);
void field_missed(UInt number, Addr address, UInt depth, UInt *hint);
void field_sampled(UInt number, Addr address, Bool stores, UInt *hint);
const HChar *field_name(UInt row, UInt index); /* "": not known */

/* The type of an object, by its number. */
static inline UInt object_type(UInt number) { return lives.groups[lives.objects[number].group].type; }

/* Where the bytes of an object are numbered from. */
static inline Addr numbered_from(const struct sn_object *object) {
    return object->base + (object->count_offset == SN_NO_COUNT ? 0 : object->count_offset);
}

/* ---- memory that is no object (regions.c) ---- */

UInt region_at(Addr address); /* object number of the region, which is mapped from now on */
UInt region_behind(Addr address); /* what a block at that address leaves when it is freed; 0: not known */
void region_gone(Addr address, SizeT size);
void region_is_arena(Addr address);

/* ---- objects (objects.c) ---- */

void object_allocated(struct thread *thread, Addr address, SizeT size, UInt domain, Addr return_address);
void object_reallocated(struct thread *thread, Addr old, Addr address, SizeT size, UInt domain, Addr return_address);
void object_freed(Addr address);
void object_found(Addr address, SizeT size, Addr type, Bool sleeps);
void buffer_found(Addr address, SizeT size);
void block_named(UInt number, UInt type); /* a block turns out to be of this type */
void block_lent(UInt number, UInt type, UInt data_offset); /* an object is a part of another one: it is told of by this type */
void memory_gone(Addr address, SizeT size); /* objects there are gone, and the region */
Bool object_listens(UInt number, Addr address); /* whether stores to this granule are to be told of */
void object_stored(UInt number, Addr address, uint64_t value); /* an 8-byte store into a block */
void object_counted(UInt number, Addr address, uint64_t value); /* a 4-byte store into one, where counts are short */

/* ---- native code (places.c) ---- */

UInt native_place(Addr ip);
Bool code_loaded(Addr address, SizeT size, const HChar *name, UInt number);
Bool code_unloaded(Addr address);

/* ---- events for advice (events.c) ---- */

extern Bool advised; /* there is advice of any kind */
void advise_of_deaths(void); /* of what lives to the end */
void frame_changed(struct thread *thread, Addr frame, UInt method);
void locate(struct sn_location *location, struct thread *thread, UInt place, Addr ip, Addr address, SizeT size);

/* ---- the record (record.c) ---- */

void record_write(Bool ended);
void finish_run(void); /* all that is to be done at the end */

/* ---- the process that launched the program (launcher.c) ---- */

void launcher_watch(void);
void launcher_look(ULong blocks_so_far); /* now and then; does not return when it has gone */

/* ---- files (output.c) ---- */

/* A new file, by a number; < 0: cannot be made. Names are of the folder that the program was started in. */
Int output_open(const HChar *name);
Bool output_append(Int output, const void *bytes, SizeT size); /* False: not all of it */

/* ---- memory of the tool's own (pages.c) ---- */

void *need_pages(SizeT bytes); /* sn_pages, or the end */
void give_pages_back(void *memory, SizeT bytes); /* what one of the two gave */

/* ---- requests of the program (requests.c) ---- */

void window_set(Bool open);
Bool answer_request(ThreadId tid, UWord *arguments, UWord *answer);

#endif
