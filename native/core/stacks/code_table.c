#include "code_table.h"

#include "../base/hashes.h"
#include "../lines/python_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FILE_TEXT, NAME_TEXT };
enum { MOST_CHARACTER = 0x10ffff };

void sn_code_table_init(sn_code_table *table, const sn_python_layout *layout, uint64_t code_type) {
    *table = (sn_code_table){.layout = *layout, .code_type = code_type};
}

static void free_map(struct sn_word_map *map) {
    if (map->entries) munmap(map->entries, (map->mask + 1) * sizeof *map->entries);
    *map = (struct sn_word_map){0};
}

static void free_parts(sn_code *code) {
    free(code->text[FILE_TEXT]);
    free(code->text[NAME_TEXT]);
    free(code->lines);
}

void sn_code_table_free(sn_code_table *table) {
    for (uint32_t i = 0; i < table->code_count; i++) free_parts(&table->codes[i]);
    free(table->codes);
    free_map(&table->by_address);
    *table = (sn_code_table){0};
}

void sn_code_functions_free(sn_code_functions *functions) {
    for (uint32_t i = 0; i < functions->count; i++) {
        free(functions->functions[i].name);
        free(functions->functions[i].file);
    }
    free(functions->functions);
    free_map(&functions->by_hash);
    *functions = (sn_code_functions){0};
}

static uint32_t half_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

uint32_t sn_code_head_bytes(const sn_python_layout *l) {
    uint32_t bytes = l->object_type + 8;
    const uint32_t ends[] = {l->code_flags + 4, l->code_first_line + 4, l->code_file + 8, l->code_name + 8,
                             l->code_line_table + 8};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] > bytes) bytes = ends[i];
    return bytes < SN_CODE_HEAD ? bytes : SN_CODE_HEAD;
}

static bool take_head(const sn_code_table *table, const uint8_t *head, sn_code *code) {
    const sn_python_layout *l = &table->layout;
    if (sn_word_at(head + l->object_type) != table->code_type) return false;
    code->flags = half_at(head + l->code_flags);
    code->first_line = half_at(head + l->code_first_line);
    code->file = sn_word_at(head + l->code_file);
    code->name = sn_word_at(head + l->code_name);
    code->line_table = sn_word_at(head + l->code_line_table);
    return code->file && code->name && code->line_table;
}

uint32_t sn_code_before_text(const sn_python_layout *l, uint32_t state) {
    return (state >> 6 & 1 ? l->text_ascii : l->text_compact) - l->text_length;
}

/* Read a text object; false when it is none, or too long. */
static bool read_text(const sn_code_table *table, const sn_memory_reader *reader, sn_code *code, unsigned which,
                      uint64_t object) {
    const sn_python_layout *l = &table->layout;
    uint8_t head[64];
    uint32_t head_size = l->text_state + 4 - l->text_length;
    if (head_size > sizeof head || !sn_read_one(reader, object + l->text_length, head, head_size)) return false;
    uint64_t length = sn_word_at(head);
    uint32_t state = sn_text_state(l, half_at(head + l->text_state - l->text_length)), kind = state >> 2 & 7;
    bool is_compact = state >> 5 & 1;
    if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || length > SN_CODE_TEXT / kind) return false;
    uint32_t from = sn_code_before_text(l, state), bytes = (uint32_t)length * kind;
    uint8_t *text = malloc(from + bytes + kind);
    if (!text) return false;
    code->text[which] = text;
    code->text_from[which] = from;
    code->text_bytes[which] = bytes;
    if (!sn_read_one(reader, object + l->text_length, text, from + bytes + kind)) return false;
    return sn_word_at(text) == length && sn_text_state(l, half_at(text + l->text_state - l->text_length)) >> 2 == state >> 2;
}

static uint32_t text_kind(const sn_code_table *table, const uint8_t *text) {
    const sn_python_layout *l = &table->layout;
    return sn_text_state(l, half_at(text + l->text_state - l->text_length)) >> 2 & 7;
}

static uint32_t character_at(const sn_code *code, unsigned which, uint32_t kind, uint32_t at) {
    uint32_t character = 0;
    memcpy(&character, code->text[which] + code->text_from[which] + at, kind); /* little-endian */
    return character;
}

/* Whether a text is what names a function or a file: characters of no more bytes than the widest one needs, none of them
 * zero, and a zero after the last. If the place of one of its parts was told wrong, other bytes are seldom such a text. */
static bool is_name(const sn_code_table *table, const sn_code *code, unsigned which) {
    const sn_python_layout *l = &table->layout;
    uint32_t kind = text_kind(table, code->text[which]), widest = 0, bytes = code->text_bytes[which];
    for (uint32_t at = 0; at < bytes; at += kind) {
        uint32_t character = character_at(code, which, kind, at);
        if (!character || character > MOST_CHARACTER) return false;
        if (character > widest) widest = character;
    }
    bool is_ascii = code->text_from[which] == l->text_ascii - l->text_length;
    uint32_t needed = widest > 0xffff ? 4 : widest > 0xff ? 2 : 1;
    return kind == needed && is_ascii == (widest < 0x80) && !character_at(code, which, kind, bytes);
}

static bool read_name(const sn_code_table *table, const sn_memory_reader *reader, sn_code *code, unsigned which, uint64_t object) {
    return read_text(table, reader, code, which, object) && is_name(table, code, which);
}

static bool read_lines(const sn_code_table *table, const sn_memory_reader *reader, sn_code *code) {
    const sn_python_layout *l = &table->layout;
    uint64_t length;
    if (!sn_read_one(reader, code->line_table + l->object_size, &length, sizeof length)) return false;
    if (length > SN_CODE_LINES) length = SN_CODE_LINES;
    code->lines = malloc(length + 1);
    code->lines_length = (uint32_t)length;
    return code->lines && (!length || sn_read_one(reader, code->line_table + l->bytes_data, code->lines, length));
}

static size_t put_utf8(char *to, uint32_t character) {
    if (character < 0x80) {
        to[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        to[0] = (char)(0xc0 | character >> 6);
        to[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character >= 0xd800 && character < 0xe000) character = 0xfffd; /* lone surrogates have no UTF-8 form */
    if (character > MOST_CHARACTER) character = 0xfffd;
    if (character < 0x10000) {
        to[0] = (char)(0xe0 | character >> 12);
        to[1] = (char)(0x80 | (character >> 6 & 0x3f));
        to[2] = (char)(0x80 | (character & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | character >> 18);
    to[1] = (char)(0x80 | (character >> 12 & 0x3f));
    to[2] = (char)(0x80 | (character >> 6 & 0x3f));
    to[3] = (char)(0x80 | (character & 0x3f));
    return 4;
}

/* A text as UTF-8: (4 * characters,) at most. */
static uint32_t text_in_utf8(const sn_code_table *table, const sn_code *code, unsigned which, char *to) {
    uint32_t kind = text_kind(table, code->text[which]);
    size_t written = 0;
    for (uint32_t at = 0; at < code->text_bytes[which]; at += kind)
        written += put_utf8(to + written, character_at(code, which, kind, at));
    return (uint32_t)written;
}

uint32_t sn_code_text(sn_code_table *table, const sn_memory_reader *reader, uint64_t object, char *to, uint32_t room) {
    char whole[4 * SN_CODE_TEXT];
    uint64_t type = 0;
    sn_code holder = {0};
    uint32_t bytes = 0;
    for (uint32_t i = 0; !table->text_type && i < table->code_count; i++)
        if (table->codes[i].address)
            sn_read_one(reader, table->codes[i].name + table->layout.object_type, &table->text_type, sizeof type);
    if (!sn_read_one(reader, object + table->layout.object_type, &type, sizeof type) || type != table->text_type) return 0;
    if (read_text(table, reader, &holder, NAME_TEXT, object)) bytes = text_in_utf8(table, &holder, NAME_TEXT, whole);
    free_parts(&holder);
    if (bytes > room)
        for (bytes = room; bytes && ((uint8_t)whole[bytes] & 0xc0) == 0x80;) bytes--; /* not within a character */
    memcpy(to, whole, bytes);
    return bytes;
}

static bool is_same(const sn_code_function *a, const sn_code_function *b) {
    return a->first_line == b->first_line && a->flags == b->flags && a->name_bytes == b->name_bytes &&
           a->file_bytes == b->file_bytes && !memcmp(a->name, b->name, a->name_bytes) &&
           !memcmp(a->file, b->file, a->file_bytes);
}

static uint64_t hash_of(const sn_code_function *f) {
    uint64_t hash = sn_hash_word(SN_HASH_START, (uint64_t)f->first_line << 32 | f->flags);
    for (uint32_t i = 0; i < f->name_bytes; i++) hash = (hash ^ (uint8_t)f->name[i]) * SN_HASH_FACTOR;
    hash = sn_hash_word(hash, f->name_bytes);
    for (uint32_t i = 0; i < f->file_bytes; i++) hash = (hash ^ (uint8_t)f->file[i]) * SN_HASH_FACTOR;
    return hash;
}

static bool copy_of(const char *text, uint32_t bytes, char **copy) {
    *copy = malloc(bytes + 1u);
    if (*copy) memcpy(*copy, text, bytes);
    return *copy != NULL;
}

static bool add_function(sn_code_functions *all, const sn_code_function *wanted, uint64_t hash, uint32_t first) {
    if (all->count == SN_MOST_CODE) return false;
    if (all->count == all->room) {
        uint32_t room = all->room ? 2 * all->room : 64;
        sn_code_function *grown = realloc(all->functions, room * sizeof *grown);
        if (!grown) return false;
        all->functions = grown;
        all->room = room;
    }
    sn_code_function kept = *wanted;
    kept.same_hash = first;
    kept.file = NULL;
    if (!copy_of(wanted->name, wanted->name_bytes, &kept.name) || !copy_of(wanted->file, wanted->file_bytes, &kept.file) ||
        !sn_word_set(&all->by_hash, hash, all->count + 1)) {
        free(kept.name);
        free(kept.file);
        return false;
    }
    all->functions[all->count++] = kept;
    return true;
}

bool sn_code_functions_number(sn_code_functions *all, const sn_code_function *wanted, uint32_t *number) {
    uint64_t hash = hash_of(wanted);
    uint32_t first = sn_word_get(&all->by_hash, hash);
    for (uint32_t at = first; at; at = all->functions[at - 1].same_hash)
        if (is_same(&all->functions[at - 1], wanted)) {
            *number = at - 1;
            return true;
        }
    *number = all->count;
    return add_function(all, wanted, hash, first);
}

static bool number_function(const sn_code_table *table, sn_code_functions *all, sn_code *code) {
    char name[4 * SN_CODE_TEXT], file[4 * SN_CODE_TEXT];
    sn_code_function wanted = {.name = name, .file = file, .first_line = code->first_line, .flags = code->flags};
    wanted.name_bytes = text_in_utf8(table, code, NAME_TEXT, name);
    wanted.file_bytes = text_in_utf8(table, code, FILE_TEXT, file);
    return sn_code_functions_number(all, &wanted, &code->function);
}

static sn_code_result read_code(const sn_code_table *table, sn_code_functions *functions, const sn_memory_reader *reader,
                                uint64_t address, sn_code *code) {
    uint8_t head[SN_CODE_HEAD], again[SN_CODE_HEAD];
    uint32_t bytes = sn_code_head_bytes(&table->layout);
    sn_code now = {0};
    *code = (sn_code){.address = address};
    if (!sn_read_one(reader, address, head, bytes) || !take_head(table, head, code)) return SN_CODE_NOT;
    if (!read_name(table, reader, code, FILE_TEXT, code->file) || !read_name(table, reader, code, NAME_TEXT, code->name) ||
        !read_lines(table, reader, code) || !sn_read_one(reader, address, again, bytes) || !take_head(table, again, &now))
        return SN_CODE_NOT;
    bool is_steady = now.file == code->file && now.name == code->name && now.line_table == code->line_table &&
                     now.first_line == code->first_line && now.flags == code->flags;
    if (!is_steady) return SN_CODE_NOT;
    return number_function(table, functions, code) ? SN_CODE_OK : SN_CODE_NO_ROOM;
}

/* Room for one more code object: one that was forgotten, or a new one; 0: there is none. */
static uint32_t place_for(sn_code_table *table, uint64_t address) {
    uint32_t known = sn_word_get(&table->by_address, address);
    if (known) return known;
    if (table->code_count == SN_MOST_CODE) return 0;
    if (table->code_count == table->code_room) {
        uint32_t room = table->code_room ? 2 * table->code_room : 64;
        sn_code *grown = realloc(table->codes, room * sizeof *grown);
        if (!grown) return 0;
        table->codes = grown;
        table->code_room = room;
    }
    if (!sn_word_set(&table->by_address, address, table->code_count + 1)) return 0;
    table->codes[table->code_count++] = (sn_code){0};
    return table->code_count;
}

sn_code_result sn_code_table_find(sn_code_table *table, sn_code_functions *functions, const sn_memory_reader *reader,
                                  uint64_t address, uint32_t *index) {
    uint32_t known = sn_word_get(&table->by_address, address);
    if (known && table->codes[known - 1].address) {
        *index = known - 1;
        return SN_CODE_OK;
    }
    if (address % 8) return SN_CODE_NOT;
    sn_code code;
    sn_code_result result = read_code(table, functions, reader, address, &code);
    uint32_t place = result == SN_CODE_OK ? place_for(table, address) : 0;
    if (!place) {
        free_parts(&code);
        return result == SN_CODE_OK ? SN_CODE_NO_ROOM : result;
    }
    *index = place - 1;
    table->codes[*index] = code;
    return SN_CODE_OK;
}

bool sn_code_table_around(sn_code_table *table, uint64_t instruction, uint32_t *index) {
    uint32_t slot = (uint32_t)(instruction / 2 % SN_KNOWN_AROUND);
    *index = table->around[slot].index;
    if (table->around[slot].instruction == instruction && table->codes[*index].address && sn_code_line(table, *index, instruction)) return true;
    uint64_t nearest = 0;
    for (uint32_t i = 0; i < table->code_count; i++) {
        uint64_t address = table->codes[i].address;
        if (address <= nearest || address > instruction) continue;
        nearest = address;
        *index = i;
    }
    if (!nearest || !sn_code_line(table, *index, instruction)) return false;
    table->around[slot].instruction = instruction;
    table->around[slot].index = *index;
    return true;
}

size_t sn_code_check_pieces(const sn_code_table *table, uint32_t index, uint8_t *room, sn_piece *pieces) {
    const sn_code *code = &table->codes[index];
    const sn_python_layout *l = &table->layout;
    size_t used = sn_code_head_bytes(l);
    pieces[0] = (sn_piece){code->address, room, used};
    const uint64_t objects[] = {code->file, code->name};
    for (unsigned which = 0; which < 2; which++) {
        size_t bytes = code->text_from[which] + code->text_bytes[which];
        pieces[1 + which] = (sn_piece){objects[which] + l->text_length, room + used, bytes};
        used += bytes;
    }
    return used;
}

void sn_code_forget(sn_code_table *table, uint32_t index) {
    sn_code *code = &table->codes[index];
    if (!code->address) return;
    free_parts(code);
    *code = (sn_code){0};
    table->replaced++;
}

bool sn_code_check(sn_code_table *table, uint32_t index, const sn_piece *pieces) {
    const sn_code *code = &table->codes[index];
    const sn_python_layout *l = &table->layout;
    sn_code now = {0};
    bool is_same = code->address && take_head(table, pieces[0].to, &now) && now.file == code->file &&
                   now.name == code->name && now.line_table == code->line_table && now.first_line == code->first_line &&
                   now.flags == code->flags;
    for (unsigned which = 0; which < 2 && is_same; which++) {
        const uint8_t *text = pieces[1 + which].to;
        uint32_t state = l->text_state - l->text_length, from = code->text_from[which];
        is_same = sn_word_at(text) == sn_word_at(code->text[which]) &&
                  sn_text_state(l, half_at(text + state)) >> 2 == sn_text_state(l, half_at(code->text[which] + state)) >> 2 &&
                  !memcmp(text + from, code->text[which] + from, code->text_bytes[which]);
    }
    if (!is_same) sn_code_forget(table, index);
    return is_same;
}

uint32_t sn_code_line(sn_code_table *table, uint32_t index, uint64_t instruction) {
    sn_code *code = &table->codes[index];
    uint64_t begin = code->address + table->layout.code_instructions, offset = instruction - begin;
    if (instruction + 2 == begin) return code->first_line; /* it has not begun */
    if (offset % 2 || offset / 2 >= UINT32_MAX) return 0;
    uint32_t unit = (uint32_t)(offset / 2), slot = unit % SN_KNOWN_LINES;
    if (code->known_at[slot] != unit + 1) {
        code->known_line[slot] = sn_python_line(code->lines, code->lines_length, code->first_line, unit);
        code->known_at[slot] = unit + 1;
    }
    return code->known_line[slot];
}

bool sn_code_is_bridge(const sn_code_table *table, uint32_t index) {
    return table->codes[index].file == table->codes[index].name;
}
