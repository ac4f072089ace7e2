#include "advice_runtime.h"

#include "../base/pages.h"

/* Rows are taken from pieces of this size; a first, small one suffices most tables. */
#define FIRST_ROOM (UINT64_C(1) << 16)
#define LATER_ROOM (UINT64_C(1) << 20)
#define FIRST_PLACES 256u
#define LONGEST_RESULT 8192u

void sn_fault(struct sn_faults *faults, uint32_t line, enum sn_fault what) {
    if (faults->what) return;
    faults->what = what;
    faults->line = line;
}

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static uint64_t row_bytes(const struct sn_table *table) { return (SN_KEYS + (uint64_t)table->cells) * sizeof(int64_t); }

bool sn_table_start(struct sn_table *table) {
    table->index = sn_pages(FIRST_PLACES * sizeof *table->index);
    table->room = sn_pages(FIRST_ROOM);
    table->overflow = sn_pages((size_t)row_bytes(table));
    if (!table->index || !table->room || !table->overflow) return false;
    table->mask = FIRST_PLACES - 1;
    table->room_end = table->room + FIRST_ROOM / sizeof(int64_t);
    return true;
}

/* Multiplication by an odd number with as many ones as zeros (2^64 / golden ratio), the high half mixed in. */
static uint64_t mix(uint64_t value) {
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 32;
}

static uint64_t hash(int64_t first, int64_t second, int64_t third) {
    return mix(mix(mix((uint64_t)first) ^ (uint64_t)second) ^ (uint64_t)third);
}

/* The place of a row, or the free one where it would go. */
static int64_t **place_of(int64_t **index, uint64_t mask, int64_t first, int64_t second, int64_t third) {
    uint64_t at = hash(first, second, third) & mask;
    while (index[at] && !sn_row_is(index[at], first, second, third)) at = (at + 1) & mask;
    return &index[at];
}

static bool grow_index(struct sn_table *table) {
    uint64_t places = 2 * (table->mask + 1);
    int64_t **index = sn_pages((size_t)(places * sizeof *index));
    if (!index) return false;
    for (uint64_t i = 0; i <= table->mask; i++) {
        int64_t *row = table->index[i];
        if (row) *place_of(index, places - 1, row[0], row[1], row[2]) = row;
    }
    table->index = index;
    table->mask = places - 1;
    return true;
}

static int64_t *new_row(struct sn_table *table) {
    uint64_t words = row_bytes(table) / sizeof(int64_t);
    if ((uint64_t)(table->room_end - table->room) < words) {
        int64_t *room = sn_pages(LATER_ROOM);
        if (!room) return NULL;
        table->room = room;
        table->room_end = room + LATER_ROOM / sizeof(int64_t);
    }
    int64_t *row = table->room;
    table->room += words;
    return row;
}

static int64_t *refuse(struct sn_table *table) {
    table->refused++;
    __builtin_memset(table->overflow, 0, (size_t)row_bytes(table));
    return table->overflow + SN_KEYS;
}

bool sn_table_has(const struct sn_table *table, int64_t first, int64_t second, int64_t third) {
    if (table->last && sn_row_is(table->last, first, second, third)) return true;
    return *place_of(table->index, table->mask, first, second, third) != NULL;
}

int64_t *sn_table_find(struct sn_table *table, int64_t first, int64_t second, int64_t third) {
    int64_t **place = place_of(table->index, table->mask, first, second, third);
    if (!*place) {
        if (table->rows >= table->limit) return refuse(table);
        if (2 * ((uint64_t)table->rows + 1) > table->mask) {
            if (!grow_index(table)) return refuse(table);
            place = place_of(table->index, table->mask, first, second, third);
        }
        int64_t *row = new_row(table);
        if (!row) return refuse(table);
        row[0] = first;
        row[1] = second;
        row[2] = third;
        *place = row;
        table->rows++;
    }
    table->last = *place;
    return *place + SN_KEYS;
}

/* ---- objects --------------------------------------------------------------------------------------------------- */

struct sn_table *sn_objects_told;

void sn_object_take(struct sn_table *met, int64_t *number, const int64_t *object, uint32_t type) {
    uint32_t place;
    int64_t key = (int64_t)sn_object_about(object, &place);
    int64_t *cells = sn_table_row(met, key, 0, 0);
    cells[SN_OBJECT_TYPE] = (int64_t)type + 1;
    cells[SN_OBJECT_PLACE] = place ? (int64_t)place + 1 : 0;
    *number = key + 1;
}

/* ---- types by name --------------------------------------------------------------------------------------------- */

bool sn_type_names_start(struct sn_type_names *asked) {
    asked->answers = sn_pages(SN_ASKED_TYPES * sizeof *asked->answers);
    return asked->answers != NULL;
}

static bool same(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* By its whole name, by what stands behind a dot, by what stands before or behind the first ": ". */
static bool name_is(const char *name, const char *asked) {
    size_t length = length_of(name), wanted = length_of(asked);
    if (wanted > length) return false;
    const char *tail = name + length - wanted;
    if (same(tail, asked, wanted) && (tail == name || tail[-1] == '.')) return true;
    for (const char *at = name; *at; at++) {
        if (at[0] != ':' || at[1] != ' ') continue;
        return (at - name == (ptrdiff_t)wanted && same(name, asked, wanted)) ||
               (tail == at + 2 && same(tail, asked, wanted));
    }
    return false;
}

uint64_t sn_type_ask(struct sn_type_names *asked, uint32_t type) {
    enum { ROOM = 1100 }; /* names of classes have at most 1023 bytes */
    char name[ROOM];
    if (!sn_type_name(type, name, sizeof name)) return 0;
    uint64_t answer = UINT64_C(1) << SN_TYPE_NAMES;
    for (uint32_t i = 0; i < asked->count; i++) answer |= (uint64_t)name_is(name, asked->names[i]) << i;
    if (type < SN_ASKED_TYPES) asked->answers[type] = answer;
    return answer;
}

/* ---- caches ---------------------------------------------------------------------------------------------------- */

bool sn_tool_cache_start(struct sn_tool_cache *cache) {
    struct sn_cache_settings settings = {.levels = cache->levels,
                                         .policy = SN_CACHE_LRU,
                                         .inclusion = SN_CACHE_NEITHER,
                                         .write_allocate = 1};
    for (uint32_t level = 0; level < cache->levels; level++) settings.level[level] = cache->level[level];
    settings.instruction = cache->level[0]; /* there must be one; it is not used */
    size_t bytes = sn_cache_bytes(&settings);
    void *memory = bytes ? sn_pages(bytes) : NULL;
    cache->cache = memory ? sn_cache_place(memory, &settings) : NULL;
    return cache->cache != NULL;
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

void sn_output_start(struct sn_output *output) {
    output->room = output->name ? SN_OUTPUT_BUFFER : SN_PRINTED_BYTES;
    output->text = sn_pages(output->room);
    output->handle = output->name ? sn_output_open(output->file) : -1;
    output->failed = !output->text || (output->name && output->handle < 0);
}

/* All lines that wait go to the file, or are lost. */
static void write_waiting(struct sn_output *output) {
    uint32_t written = 0;
    while (written < output->used && !output->failed) {
        long now = sn_output_write(output->handle, output->text + written, output->used - written);
        if (now <= 0) output->failed = true;
        else written += (uint32_t)now;
    }
    *(output->failed ? &output->lost : &output->lines) += output->waiting;
    output->waiting = 0;
    output->used = 0;
}

void sn_print_text(struct sn_output *output, const char *text, size_t bytes) {
    if (output->failed || bytes > output->room - output->used) return; /* never so: sn_print_end leaves room */
    __builtin_memcpy(output->text + output->used, text, bytes);
    output->used += (uint32_t)bytes;
}

/* Digits of a number, right-aligned before `end`; both return the first. */
static char *decimal(char *end, uint64_t value) {
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return end;
}

static char *hexadecimal(char *end, uint64_t value, const char *alphabet) {
    do {
        *--end = alphabet[value & 15];
        value >>= 4;
    } while (value);
    return end;
}

void sn_print_number(struct sn_output *output, int64_t value, char base, bool prefixed, char fill, unsigned width) {
    char buffer[24], head[3];
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const char *alphabet = base == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char *first = base == 'd' ? decimal(buffer + sizeof buffer, size) : hexadecimal(buffer + sizeof buffer, size, alphabet);
    size_t count = (size_t)(buffer + sizeof buffer - first), heads = 0;
    if (value < 0) head[heads++] = '-';
    if (prefixed && base != 'd') {
        head[heads++] = '0';
        head[heads++] = base;
    }
    if (fill == '0') sn_print_text(output, head, heads);
    for (size_t i = heads + count; i < width; i++) sn_print_text(output, &fill, 1);
    if (fill != '0') sn_print_text(output, head, heads);
    sn_print_text(output, first, count);
}

void sn_print_truth(struct sn_output *output, bool value) {
    sn_print_text(output, value ? "True" : "False", value ? 4 : 5);
}

void sn_print_end(struct sn_output *output) {
    if (output->failed) {
        output->lost++;
        return;
    }
    sn_print_text(output, "\n", 1);
    output->waiting++;
    if (output->room - output->used > SN_PRINTED_LINE) return;
    if (output->name) write_waiting(output);
    else output->failed = true; /* no more fits; what is there stays */
}

/* ---- results --------------------------------------------------------------------------------------------------- */

struct line {
    char text[LONGEST_RESULT];
    size_t used;
};

static void put(struct line *line, const char *text, size_t bytes) {
    if (bytes >= sizeof line->text - line->used) return; /* never so: names and lines are shorter */
    __builtin_memcpy(line->text + line->used, text, bytes);
    line->used += bytes;
}

static void put_word(struct line *line, const char *word) {
    put(line, word, length_of(word));
}

/* What separates fields and lines is written as % and its code. */
static void put_text(struct line *line, const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        const char *code = text[i] == '%' ? "%25" : text[i] == '\t' ? "%09" : text[i] == '\n' ? "%0A" : text[i] == '\r' ? "%0D" : NULL;
        if (code) put(line, code, 3);
        else put(line, text + i, 1);
    }
}

static void put_count(struct line *line, uint64_t value) {
    char buffer[24], *first = decimal(buffer + sizeof buffer, value);
    put(line, first, (size_t)(buffer + sizeof buffer - first));
}

static void put_number(struct line *line, int64_t value) {
    if (value < 0) put(line, "-", 1);
    put_count(line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void end(struct line *line) {
    line->text[line->used] = 0;
    sn_result_line(line->text);
}

static void begin(struct line *line, const char *what, const char *name) {
    line->used = 0;
    put_word(line, what);
    put(line, "\t", 1);
    put_word(line, name);
    put(line, "\t", 1);
}

void sn_result_tool(const char *name) {
    struct line line;
    line.used = 0;
    put_word(&line, "tool\t");
    put_word(&line, name);
    end(&line);
}

static bool is_plain_kind(const char *kind) { return kind[0] == 'i' || kind[0] == 'b' || kind[0] == 'f'; }

/* A handle is its number, or "-" where there is none. */
static void put_value(struct line *line, const char *kind, int64_t value) {
    if (is_plain_kind(kind)) put_number(line, value);
    else if (value == 0) put(line, "-", 1);
    else put_number(line, value - 1);
    if (kind[0] == 'o' && value && sn_table_has(sn_objects_told, value - 1, 0, 0))
        sn_table_row(sn_objects_told, value - 1, 0, 0)[SN_OBJECT_TOLD] = 1;
}

void sn_result_field(const char *name, const char *kind, int64_t value) {
    struct line line;
    begin(&line, "field", name);
    put_word(&line, kind);
    put(&line, "\t", 1);
    put_value(&line, kind, value);
    end(&line);
}

static void put_keys(struct line *line, const struct sn_table *table, const int64_t *row) {
    if (table->kinds[0] == '-') {
        put(line, "-", 1);
        return;
    }
    const char *kind = table->kinds;
    for (uint32_t i = 0; i < SN_KEYS && *kind; i++) {
        if (i) put(line, ",", 1);
        put_value(line, kind, row[i]);
        while (*kind && *kind++ != ',') continue;
    }
}

static void put_cells(struct line *line, const int64_t *cells, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(line, ",", 1);
        put_number(line, cells[i]);
    }
}

static void put_bins(struct line *line, const int64_t *bins) {
    bool any = false;
    for (uint32_t bin = 0; bin < SN_BINS; bin++) {
        if (!bins[bin]) continue;
        if (any) put(line, ",", 1);
        any = true;
        put_count(line, bin);
        put(line, ":", 1);
        put_number(line, bins[bin]);
    }
    if (!any) put(line, "-", 1);
}

void sn_result_table(const struct sn_table *table) {
    struct line line;
    bool is_set = table->columns && !table->columns[0];
    begin(&line, is_set ? "set" : table->columns ? "counts" : "histogram", table->name);
    put_word(&line, table->kinds);
    put(&line, "\t", 1);
    if (!is_set) {
        put_word(&line, table->columns ? table->columns : "-");
        put(&line, "\t", 1);
    }
    put_count(&line, table->refused);
    end(&line);
    if (!table->index) return; /* there was no memory for it */
    for (uint64_t i = 0; i <= table->mask; i++) {
        const int64_t *row = table->index[i];
        if (!row) continue;
        const int64_t *cells = row + SN_KEYS;
        begin(&line, is_set ? "member" : table->columns ? "row" : "bins", table->name);
        put_keys(&line, table, row);
        if (!is_set) {
            put(&line, "\t", 1);
            put_cells(&line, cells, table->columns ? table->cells : 4);
        }
        if (!table->columns) {
            put(&line, "\t", 1);
            put_bins(&line, cells + 4);
        }
        end(&line);
    }
}

void sn_result_objects(struct sn_table *met) {
    struct line line;
    if (!met->index) return; /* there was no memory for it */
    for (uint64_t i = 0; i <= met->mask; i++) {
        int64_t *cells = met->index[i] ? met->index[i] + SN_KEYS : NULL;
        if (!cells || !cells[SN_OBJECT_TOLD]) continue;
        cells[SN_OBJECT_TOLD] = 0;
        line.used = 0;
        put_word(&line, "object\t");
        put_number(&line, met->index[i][0]);
        put(&line, "\t", 1);
        put_value(&line, "type", cells[SN_OBJECT_TYPE]);
        put(&line, "\t", 1);
        put_value(&line, "place", cells[SN_OBJECT_PLACE]);
        end(&line);
    }
}

void sn_result_cache(const struct sn_tool_cache *cache) {
    struct line line;
    begin(&line, "cache", cache->name);
    put_number(&line, cache->accesses);
    put(&line, "\t", 1);
    put_cells(&line, cache->misses, cache->levels);
    end(&line);
}

/* What was printed becomes a result line for each line. */
static void result_printed(const struct sn_output *output) {
    struct line line;
    uint32_t first = 0;
    for (uint32_t i = 0; i < output->used; i++) {
        if (output->text[i] != '\n') continue;
        line.used = 0;
        put_word(&line, "print\t");
        put_text(&line, output->text + first, i - first);
        end(&line);
        first = i + 1;
    }
    line.used = 0;
    put_word(&line, "unprinted\t");
    put_count(&line, output->lost);
    end(&line);
}

void sn_result_output(struct sn_output *output) {
    if (!output->name) {
        result_printed(output);
        return;
    }
    write_waiting(output);
    struct line line;
    begin(&line, "output", output->name);
    put_text(&line, output->file, length_of(output->file));
    put(&line, "\t", 1);
    put_count(&line, output->lines);
    put(&line, "\t", 1);
    put_count(&line, output->lost);
    end(&line);
}

void sn_result_fault(const struct sn_faults *faults) {
    static const char *const words[] = {"-",
                                        "division-by-zero",
                                        "negative-shift",
                                        "no-such-integer",
                                        "range-without-step",
                                        "endless-loop",
                                        "no-memory"};
    if (!faults->what) return;
    struct line line;
    begin(&line, "fault", words[faults->what]);
    put_count(&line, faults->line);
    end(&line);
}
