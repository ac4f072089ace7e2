/* Code objects of another process, read once and kept.
 *
 * A code object is known by its address. It may be freed, and another one come to stand there; so what a sample relies on is
 * read again with it, and compared: the type, the pointers, the first line, and the texts of name and file. Functions are
 * code objects with the same name, file, first line and flags; their numbers stay.
 */
#ifndef SONDE_CODE_TABLE_H
#define SONDE_CODE_TABLE_H

#include "../base/word_map.h"
#include "memory_reader.h"
#include "python_layout.h"

/* Code objects, and functions, that are told apart, at most. */
#define SN_MOST_CODE (1u << 16)

enum {
    SN_CODE_HEAD = 256,   /* bytes of a code object that are looked at, at most */
    SN_CODE_TEXT = 1024,  /* bytes of a name, or of a file's, at most */
    SN_CODE_LINES = 1 << 16, /* bytes of a table of lines that are read: some 20,000 instructions */
    SN_CHECK_PIECES = 3,  /* that are read again */
    SN_KNOWN_LINES = 8,
    SN_KNOWN_AROUND = 64,
};

typedef struct {
    uint64_t address;
    uint64_t file, name, line_table; /* objects there */
    uint32_t first_line, flags;
    uint32_t function; /* its number */
    bool runs_tasks;   /* a task was seen that had a coroutine of it */
    uint64_t checked;  /* number of the sample that has looked last whether it is still there */
    uint32_t text_from[2], text_bytes[2]; /* of file and name: characters, as they lie there */
    uint8_t *text[2];  /* from the text's length on, up to its last character */
    uint8_t *lines;
    uint32_t lines_length;
    uint32_t known_at[SN_KNOWN_LINES], known_line[SN_KNOWN_LINES]; /* instructions + 1, and their lines */
} sn_code;

/* A function: UTF-8, not terminated. */
typedef struct {
    char *name, *file;
    uint32_t name_bytes, file_bytes, first_line, flags;
    uint32_t same_hash; /* the next one whose texts have the same hash, + 1 */
} sn_code_function;

/* A frame of a stack. */
typedef struct {
    uint32_t code; /* index in the table */
    uint32_t line; /* that it is in; 0: none is known */
    uint32_t entry; /* number of the call from C that it runs in, from the outermost one on */
} sn_stack_frame;

typedef struct {
    sn_python_layout layout;
    uint64_t code_type;
    uint64_t text_type; /* of the name of a code object; 0: none was read yet */
    sn_code *codes;
    uint32_t code_count, code_room;
    struct sn_word_map by_address; /* index + 1 */
    struct {
        uint64_t instruction;
        uint32_t index;
    } around[SN_KNOWN_AROUND]; /* instructions that were looked for last */
    uint64_t replaced;             /* code objects that went, and others came to their place */
} sn_code_table;

/* Functions of all processes. */
typedef struct {
    sn_code_function *functions;
    uint32_t count, room;
    struct sn_word_map by_hash; /* index + 1 of the first */
} sn_code_functions;

typedef enum { SN_CODE_OK = 0, SN_CODE_NOT, SN_CODE_NO_ROOM } sn_code_result;

void sn_code_functions_free(sn_code_functions *functions);
void sn_code_table_init(sn_code_table *table, const sn_python_layout *layout, uint64_t code_type);
void sn_code_table_free(sn_code_table *table);

/* The index of the code object at `address`, which is read if it is not known. NOT: there is none. */
sn_code_result sn_code_table_find(sn_code_table *table, sn_code_functions *functions, const sn_memory_reader *reader,
                                  uint64_t address, uint32_t *index);

/* The number of a function that is known otherwise: that of an equal one, or a new one. False: there is no room. */
bool sn_code_functions_number(sn_code_functions *functions, const sn_code_function *wanted, uint32_t *number);

/* The index of the code object that an instruction is of, among those that are known; false: of none.
 * Cost: O(1) if it was looked for of late, as frames end at few instructions; else O(n) for n code objects. */
bool sn_code_table_around(sn_code_table *table, uint64_t instruction, uint32_t *index);

/* What is to be read to see whether a code object is still the one that is known: (SN_CHECK_PIECES,), into `room`, of
 * SN_CHECK_ROOM bytes. Returns the bytes of `room` that they fill. */
enum { SN_CHECK_ROOM = SN_CODE_HEAD + 2 * (SN_CODE_TEXT + 64) };
size_t sn_code_check_pieces(const sn_code_table *table, uint32_t index, uint8_t *room, sn_piece *pieces);

/* Whether it is, once they were read. If not, it is forgotten. */
bool sn_code_check(sn_code_table *table, uint32_t index, const sn_piece *pieces);

/* A text of the process as UTF-8, cut to `room` bytes; 0: it is no text, or cannot be read, or is empty. */
uint32_t sn_code_text(sn_code_table *table, const sn_memory_reader *reader, uint64_t object, char *to, uint32_t room);

/* Forget what is known of the code object. */
void sn_code_forget(sn_code_table *table, uint32_t index);

/* The state of a text: two bits whether it is interned, three for its kind, one each whether it is compact, and ASCII. */
static inline uint32_t sn_text_state(const sn_python_layout *layout, uint32_t word) { return word >> (layout->text_shift & 31); }

/* Bytes of a code object that are looked at; and from a text's length to where its characters begin. */
uint32_t sn_code_head_bytes(const sn_python_layout *layout);
uint32_t sn_code_before_text(const sn_python_layout *layout, uint32_t state);

/* The line of the instruction at this address; 0: it has none, or is not of this code object. */
uint32_t sn_code_line(sn_code_table *table, uint32_t index, uint64_t instruction);

/* Whether it stands for no function of the program: it is the interpreter's own, between a C function and another. */
bool sn_code_is_bridge(const sn_code_table *table, uint32_t index);

#endif
