/* What CPython does, read out of its memory: which line each thread is at, code objects, types.
 *
 * A thread's line is looked up again when it stores to one of three words: the thread's pointer to its stack of frames,
 * the pointer to the innermost frame, and that frame's instruction. No event is needed.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "python_memory.h"
#include "../core/lines/python_lines.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_vki.h"

enum { MOST_CODES = 1 << 20, LONGEST_NAME = 4096, INSTRUCTION_SIZE = 2 };
/* Between two frames of Python code there is at most one of C, at a call of the evaluation loop. But what is read out of
 * a _PyCFrame that is not filled in yet may be frames of long ago, which can lie in a ring. */
enum { MOST_FRAMES_WITHOUT_CODE = 8 };
static const uint64_t FLAG_IS_TYPE = 1UL << 31; /* of tp_flags */

struct code {
    Addr instructions; /* the first */
    Addr name, line_table; /* objects by which it is told from one that came to lie there later */
    UInt function, first_line, count;
    const UChar *table;
    UInt table_size;
    UInt *places; /* of each instruction, 0 while not asked for; last that of what comes before the first */
};

struct sn_python_layout python;
static struct code *codes;
static UInt code_count = 1;
static struct sn_word_map code_by_address, type_by_address;

void python_set_layout(const struct sn_python_layout *layout) {
    if (layout->version != SN_PYTHON_LAYOUT_VERSION) return;
    python = *layout;
    owners_set_layout();
    if (!codes) codes = need_pages(MOST_CODES * sizeof *codes);
}

const HChar *python_text(Addr string) {
    static HChar buffer[LONGEST_NAME + 4];
    UInt state = half(string + python.text_state);
    UInt unit = state >> 2 & 7, compact = state >> 5 & 1, ascii = state >> 6 & 1;
    uint64_t length = word(string + python.text_length);
    if (!compact || (unit != 1 && unit != 2 && unit != 4)) return "?";
    Addr data = string + (ascii ? python.text_ascii : python.text_compact);
    UInt used = 0;
    for (uint64_t i = 0; i < length && used < LONGEST_NAME; i++) {
        UInt c = unit == 1 ? ((UChar *)data)[i] : unit == 2 ? ((UShort *)data)[i] : ((UInt *)data)[i];
        if (c < 0x80) {
            buffer[used++] = c;
        } else if (c < 0x800) {
            buffer[used++] = 0xC0 | c >> 6, buffer[used++] = 0x80 | (c & 63);
        } else if (c < 0x10000) {
            buffer[used++] = 0xE0 | c >> 12, buffer[used++] = 0x80 | (c >> 6 & 63), buffer[used++] = 0x80 | (c & 63);
        } else {
            buffer[used++] = 0xF0 | c >> 18, buffer[used++] = 0x80 | (c >> 12 & 63);
            buffer[used++] = 0x80 | (c >> 6 & 63), buffer[used++] = 0x80 | (c & 63);
        }
    }
    buffer[used] = 0;
    return buffer;
}

static UInt read_code(Addr object) {
    if (code_count == MOST_CODES) return 0;
    HChar file[LONGEST_NAME + 4];
    VG_(strcpy)(file, python_text(word(object + python.code_filename)));
    Addr line_table = word(object + python.code_line_table);
    struct code code = {
        .instructions = object + python.code_instructions,
        .name = word(object + python.code_qualname),
        .line_table = line_table,
        .first_line = half(object + python.code_first_line),
        .count = word(object + python.object_type + sizeof(Addr)), /* ob_size: its instructions */
        .table_size = word(line_table + python.bytes_length),
    };
    UChar *table = sn_ledger_room(&ledger, code.table_size);
    code.places = sn_ledger_room(&ledger, (code.count + 1) * sizeof *code.places);
    if (!table || !code.places) return 0;
    VG_(memcpy)(table, (void *)(line_table + python.bytes_data), code.table_size);
    code.table = table;
    code.function = sn_function_of(&ledger, SN_IN_PYTHON, python_text(word(object + python.code_qualname)), file,
                                   code.first_line, "");
    codes[code_count] = code;
    if (!code.function || !sn_word_set(&code_by_address, object, code_count)) return 0;
    UInt method = code.function;
    struct sn_location nowhere;
    locate(&nowhere, current, 0, 0, object, 0);
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++)
        if (sn_advice.method_compile[when]) sn_advice.method_compile[when](&nowhere, method);
    return code_count++;
}

void python_code_freed(Addr object) { sn_word_remove(&code_by_address, object); }

static UInt place_at(struct code *code, Addr instruction) {
    UInt index = (instruction - code->instructions) / INSTRUCTION_SIZE;
    if (instruction < code->instructions || index >= code->count) index = code->count; /* not begun yet */
    if (!code->places[index]) {
        struct sn_frame frame = {code->function, code->first_line};
        if (index < code->count) frame.line = sn_python_line(code->table, code->table_size, code->first_line, index);
        code->places[index] = sn_place_of(&ledger, &frame, 1);
    }
    return code->places[index];
}

/* Whether `bytes` at an address can be read. The interpreter publishes a _PyCFrame before it fills it in: until then
 * what is there may be anything. A helper that reads what is not there takes the program down. */
Bool is_readable(Addr address, SizeT bytes) {
    return !(address & 7) && VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ);
}

static Bool is_frame(struct thread *thread, Addr frame) {
    enum { FRAME_BYTES = 96 };
    if (frame - thread->chunk < thread->chunk_size && !(frame & 7)) return True;
    if (!is_readable(frame, FRAME_BYTES)) return False;
    /* Another piece of the stack of frames, or a generator's. */
    Addr chunk = word(thread->state + python.thread_chunk);
    if (chunk && frame - chunk < word(chunk + python.chunk_size)) {
        thread->chunk = chunk;
        thread->chunk_size = word(chunk + python.chunk_size) - FRAME_BYTES;
    }
    return True;
}

/* The code that a frame runs, NULL if it is not a frame of Python code. */
static struct code *code_of_frame(Addr frame) {
    enum { CODE_BYTES = 192 };
    if (python.owner_not_python != 255 && *(UChar *)(frame + python.frame_owner) == python.owner_not_python)
        return NULL;
    Addr object = word(frame + python.frame_code) & ~(Addr)3; /* from 3.14 on a reference with tags */
    UInt number = sn_word_get(&code_by_address, object);
    /* That it was freed is told only if it was known as an object by then. */
    if (number && codes[number].name == word(object + python.code_qualname) &&
        codes[number].line_table == word(object + python.code_line_table))
        return &codes[number];
    if (!object || !is_readable(object, CODE_BYTES) || word(object + python.object_type) != python.code_type)
        return NULL;
    /* Code of the interpreter's own has one string for both. */
    if (word(object + python.code_filename) == word(object + python.code_name)) return NULL;
    number = read_code(object);
    return number ? &codes[number] : NULL;
}

/* The innermost frame of Python code from `frame` on; else where the search ended, and no code. */
static Addr search(struct thread *thread, Addr frame, struct code **code) {
    *code = NULL;
    for (UInt steps = 0; frame && steps < MOST_FRAMES_WITHOUT_CODE && is_frame(thread, frame); steps++) {
        if ((*code = code_of_frame(frame))) break;
        frame = word(frame + python.frame_previous);
    }
    return frame;
}

Addr python_frame(struct thread *thread, Addr frame, UInt *function) {
    struct code *code;
    frame = search(thread, frame, &code);
    if (!code) return 0;
    *function = code->function;
    return frame;
}

Addr python_caller(struct thread *thread, Addr frame, UInt *function) {
    return python_frame(thread, word(frame + python.frame_previous), function);
}

void python_look_again(struct thread *thread, uint64_t clock) {
    if (!thread->state || !python.version) return;
    thread->watched[0] = thread->state + python.thread_frame;
    Addr frame = word(thread->watched[0]);
    if (python.frame_by_cframe) {
        thread->watched[1] = frame + python.cframe_frame;
        frame = frame ? word(thread->watched[1]) : 0;
    }
    struct code *code = thread->code ? &codes[thread->code] : NULL;
    if (!code || frame != thread->frame || word(frame + python.frame_code) != thread->code_object) {
        frame = search(thread, frame, &code);
        thread->code = code ? code - codes : 0;
        thread->code_object = code ? word(frame + python.frame_code) : 0;
    } /* else it goes on in the frame where it was, as nearly always */
    if (frame != thread->frame)
        context_left(thread, code ? frame : 0, code ? code->function : 0, clock);
    else if (code && thread->is_between)
        context_entered(thread, frame, code->function);
    if (!frame) context_outside(thread);
    thread->place = 0;
    if (code) {
        thread->watched[2] = frame + python.frame_instruction;
        thread->place = place_at(code, word(thread->watched[2]));
        if (advised && frame != thread->frame) frame_changed(thread, frame, code->function);
    }
    thread->frame = frame;
    thread->line = &ledger.places[thread->place];
}

/* ---- types ---- */

UInt python_head_of(Addr type) {
    uint64_t flags = word(type + python.type_flags);
    return (flags & FLAG_HAS_GC ? python.sizeof_head : 0) + (flags & (FLAG_MANAGED_WEAK | FLAG_MANAGED_DICT) ? 2 * sizeof(Addr) : 0);
}

Bool python_has_attributes(Addr type) {
    const uint64_t needed = FLAG_MANAGED_DICT | FLAG_IS_HEAP;
    return (word(type + python.type_flags) & needed) == needed;
}

static void loaded(UInt number) {
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++)
        if (sn_advice.class_load[when]) sn_advice.class_load[when](number);
}

UInt python_type_named(Addr type, const HChar *name, UInt flags) {
    UInt number = sn_word_get(&type_by_address, type);
    if (number && types[number].name) {
        types[number].name = sn_ledger_text(&ledger, name);
        types[number].flags |= flags;
        owner_renamed(number);
        return number;
    }
    if (!number) {
        number = type_of(KIND_OBJECT, name);
        if (!number || !sn_word_set(&type_by_address, type, number)) return 0;
    }
    types[number].name = sn_ledger_text(&ledger, name);
    types[number].flags = flags;
    types[number].address = type;
    owner_type_named(number);
    loaded(number);
    return number;
}

UInt python_type_of(Addr type) {
    UInt number = sn_word_get(&type_by_address, type);
    if (number && !types[number].name) {
        /* Its first instance: by now the type is complete. */
        UInt flags = word(type + python.type_flags) & FLAG_IS_TYPE ? SN_TYPE_OF_TYPES : 0;
        python_type_named(type, (const HChar *)word(type + python.type_name), flags);
    }
    return number;
}

void python_type_born(Addr type) {
    UInt number = type_of(KIND_OBJECT, "a class");
    if (!number) return;
    types[number].name = NULL; /* not known yet: the object is being made */
    types[number].address = type;
    sn_word_set(&type_by_address, type, number);
}

UInt python_type_found(Addr type) {
    enum { TYPE_BYTES = 408 }; /* at least that of 3.11 */
    if (!is_readable(type, TYPE_BYTES)) return 0;
    UInt its_type = sn_word_get(&type_by_address, word(type + python.object_type));
    if (!its_type || !(types[its_type].flags & SN_TYPE_OF_TYPES)) return 0;
    python_type_born(type);
    return python_type_of(type);
}

void python_type_freed(Addr type) { sn_word_remove(&type_by_address, type); }

Bool python_type_lives(UInt number) { return sn_word_get(&type_by_address, types[number].address) == number; }
