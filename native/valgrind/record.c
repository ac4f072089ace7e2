/* The record: all that was found out, as lines of text. docs/memory-profile.md says what they mean.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "block_trace.h"
#include "tool.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_vki.h"

static VgFile *out;
static ULong said; /* bytes */

static void say(const HChar *format, ...) {
    va_list values;
    va_start(values, format);
    said += VG_(vfprintf)(out, format, values);
    va_end(values);
}

/* A field of text: what separates fields and lines is written in hexadecimal. */
static void field(const HChar *text) {
    HChar buffer[256];
    UInt used = 0;
    say("\t");
    for (; *text; text++) {
        if (*text == '%' || *text == '\t' || *text == '\n' || *text == '\r')
            used += VG_(sprintf)(buffer + used, "%%%02X", (UInt)(UChar)*text);
        else
            buffer[used++] = *text;
        if (used > sizeof buffer - 8 || !text[1]) {
            buffer[used] = 0;
            say("%s", buffer);
            used = 0;
        }
    }
}

static void numbers(const uint64_t *each, UInt count) {
    for (UInt i = 0; i < count; i++) say("\t%lu", each[i]);
}

static void cache_line(const HChar *name, const struct sn_cache_level *level) {
    uint64_t line = 1ULL << level->line_bits;
    say("cache\t%s\t%lu\t%u\t%lu\n", name, (uint64_t)level->ways * line * (level->set_mask + 1), level->ways, line);
}

static void total(const HChar *key, uint64_t value) { say("total\t%s\t%lu\n", key, value); }

static void totals_of_levels(const HChar *key, const uint64_t *values, UInt count) {
    for (UInt i = 0; i < count; i++) say("total\t%s%u\t%lu\n", key, i + 1, values[i]);
}

/* Loads, stores and instructions of native code are counted by how often blocks were left where. */
static void add_up_blocks(void) {
    totals.instructions = totals.loads = totals.modifies = totals.stores = 0;
    for (UInt i = 1; i < ledger.place_count; i++) {
        struct sn_place *place = &ledger.places[i];
        if (ledger.functions[ledger.frames[place->first_frame].function].language != SN_IN_PYTHON)
            place->loads = place->stores = place->instructions = 0;
    }
    for (const struct block *block = blocks; block; block = block->next) {
        uint64_t runs = 0; /* of what comes before the way out: those of this one and all behind it */
        uint64_t entered = block->way_count ? *block->ways[block->way_count - 1].runs : 0, sides = 0;
        for (UInt i = 0; i + 1 < block->way_count; i++) sides += *block->ways[i].runs;
        if (options.mode == SN_COUNT) entered -= sides; /* it counts entries there */
        for (UInt i = block->way_count; i-- > 0;) {
            const struct way_out *way = &block->ways[i];
            UInt slot = i ? way[-1].slots : 0, stretch = i ? way[-1].stretches : 0;
            runs += i + 1 == block->way_count ? entered : *way->runs;
            totals.instructions += runs * (way->instructions - (i ? way[-1].instructions : 0));
            for (; slot < way->slots; slot++) {
                const struct slot *each = &block->slots[slot];
                uint64_t times = runs - (each->guarded ? block->not_taken[slot] : 0);
                struct sn_place *place = &ledger.places[each->place];
                if (each->kind == SLOT_STORE)
                    place->stores += times, totals.stores += times;
                else
                    place->loads += times, totals.loads += times;
                if (each->kind == SLOT_MODIFY) totals.modifies += times;
            }
            /* A stretch may go on over a way out: the part before it was run more often. */
            UInt before = i ? way[-1].last_instructions : 0;
            if (i && stretch) {
                const struct stretch *each = &block->stretches[stretch - 1];
                UInt upto = stretch == way->stretches ? way->last_instructions : each->instructions;
                ledger.places[each->place].instructions += runs * (upto - before);
            }
            for (; stretch < way->stretches; stretch++) {
                const struct stretch *each = &block->stretches[stretch];
                UInt upto = stretch + 1 == way->stretches ? way->last_instructions : each->instructions;
                ledger.places[each->place].instructions += runs * upto;
            }
        }
    }
}

/* What every life comes to if it ended now. */
static struct sn_group *settled;
static struct sn_top_object top[SN_TOP_OBJECTS];
static UInt top_count;

static void write_totals(void) {
    uint64_t on_objects = 0;
    for (UInt i = 1; i < lives.group_count; i++)
        if (types[settled[i].type].kind <= KIND_BLOCK) on_objects += settled[i].accesses;
    const uint64_t *kinds = cache->data_kinds.counts;
    uint64_t writebacks[SN_LEVELS] = {0};
    for (UInt i = 0; i < cache->levels; i++) writebacks[i] = cache->level[i].write_backs;
    uint64_t with_python = 0;
    for (UInt i = 1; i < ledger.place_count; i++) {
        const struct sn_place *place = &ledger.places[i];
        if (ledger.functions[ledger.frames[place->first_frame].function].language == SN_IN_PYTHON)
            with_python += place->loads + place->stores;
    }
    total("instructions", totals.instructions);
    total("loads", totals.loads);
    total("modifies", totals.modifies);
    total("stores", totals.stores);
    totals_of_levels("misses", totals.misses, cache->levels);
    totals_of_levels("fetch_misses", totals.fetch_misses, cache->levels);
    totals_of_levels("writebacks", writebacks, cache->levels);
    if (options.classify) {
        total("cold", kinds[SN_MISS_COLD]);
        total("capacity", kinds[SN_MISS_CAPACITY]);
        total("conflict", kinds[SN_MISS_CONFLICT]);
    }
    total("accesses_with_python_place", with_python);
    total("accesses_on_objects", on_objects);
    total("clock", clock_);
    total("window_accesses", clock_);
    total("requests", totals.requests);
    total("sampled", totals.sampled);
    total("objects_born", lives.born);
    total("objects_alive", lives.alive);
}

static void write_code(void) {
    static const HChar *const languages[] = {"python", "native", "jit"};
    for (UInt i = 1; i < ledger.function_count; i++) {
        const struct sn_function *f = &ledger.functions[i];
        say("F\t%u\t%s", i, languages[f->language]);
        field(f->name);
        field(f->file);
        say("\t%u", f->first_line);
        field(f->object);
        say("\n");
    }
    for (UInt i = 1; i < ledger.place_count; i++) {
        const struct sn_place *place = &ledger.places[i];
        const struct sn_frame *frames = &ledger.frames[place->first_frame];
        say("P\t%u", i);
        for (UInt j = 0; j < place->frame_count; j++)
            say("%c%u:%u", j ? ',' : '\t', frames[j].function, frames[j].line);
        say("\n");
        Bool is_python = ledger.functions[frames[0].function].language == SN_IN_PYTHON;
        if (!place->loads && !place->stores && !place->instructions && !place->misses[0]) continue;
        say("%c\t%u\t%lu\t%lu", is_python ? 'Y' : 'N', i, place->loads, place->stores);
        numbers(place->misses, SN_LEVELS);
        if (!is_python) {
            say("\t%lu", place->instructions);
            numbers(place->fetch_misses, SN_LEVELS);
        }
        say("\n");
    }
}

static void write_contexts(void) {
    if (contexts.count == SN_NO_FUNCTION_RUNS + 1) return; /* none of Python */
    sn_access_contexts_find_used(&contexts);
    for (UInt i = SN_NO_FUNCTION_RUNS; i < contexts.count; i++) {
        const struct sn_access_context *context = &contexts.contexts[i];
        if (!context->is_used) continue;
        say("K\t%u\t%d\t%d\t%lu", i, context->parent ? (Int)context->parent : -1,
            context->function ? (Int)context->function : -1, context->accesses);
        numbers(context->misses, SN_LEVELS);
        say("\n");
    }
}

static void write_types(void) {
    for (UInt i = 1; i < type_count; i++) {
        say("T\t%u\t%s", i, type_kind(types[i].kind));
        field(types[i].name ? types[i].name : "a class without instances");
        say("\n");
    }
    for (UInt i = 1; i < ledger.crossing_count; i++) {
        say("X\t%u\t%u", ledger.crossings[i].place, ledger.crossings[i].type);
        numbers(ledger.crossings[i].misses, SN_LEVELS);
        say("\t%lu\t%lu\n", ledger.crossings[i].sampled_loads, ledger.crossings[i].sampled_stores);
    }
}

static Int site(UInt place) { return place == SN_NO_PLACE ? -1 : (Int)place; }

static void write_fields(void) {
    for (UInt i = 1; i < field_counts.count; i++) {
        const struct sn_fields *row = &field_counts.rows[i];
        for (UInt index = 0; index < SN_FIELDS; index++) {
            const struct sn_field *each = &row->fields[index];
            if (!each->misses[0] && !each->sampled_loads && !each->sampled_stores) continue;
            say("W\t%u\t%d\t%d\t%d", row->type, site(row->place), sn_field_offset(row, index),
                index == SN_FIELD_REST ? 0 : SN_WORD_BYTES);
            field(field_name(i, index));
            numbers(each->misses, SN_LEVELS);
            say("\t%lu\t%lu\n", each->sampled_loads, each->sampled_stores);
        }
    }
}

static void write_objects(void) {
    for (UInt i = 1; i < lives.group_count; i++) {
        const struct sn_group *group = &settled[i];
        if (!group->born && !group->accesses) continue;
        say("C\t%u\t%d\t%lu\t%lu\t%lu\t%lu", group->type, site(group->place), group->born, group->freed,
            group->bytes, group->accesses);
        numbers(group->misses, SN_LEVELS);
        Bool any = False;
        for (UInt bin = 0; bin < SN_LIFE_BINS; bin++)
            if (group->lives[bin]) {
                say("%c%u:%lu", any ? ',' : '\t', bin, group->lives[bin]);
                any = True;
            }
        say(any ? "\n" : "\t-\n");
        if (group->lifetimes) say("S\t%u\t%d\t%lu\n", group->type, site(group->place), group->lifetimes);
    }
    for (UInt i = 0; i < top_count; i++) {
        const struct sn_object *object = &top[i].object;
        const struct sn_group *group = &settled[object->group];
        say("O\t%u\t%d\t%u\t%lu\t%lu\t%lu\t%lu", group->type, site(group->place), object->number,
            object->birth, (uint64_t)top[i].use.last, (uint64_t)object->largest, top[i].use.accesses);
        numbers(object->misses, SN_LEVELS);
        say("\t%u\n", top[i].alive);
    }
}

/* Those that could be passed on most often. */
enum { TOLD_LINES = 200 };
static struct { uint64_t most; UInt line; } told_lines[TOLD_LINES];

static UInt choose_lines(uint64_t *shared, uint64_t *transfers) {
    UInt count = 0;
    for (UInt i = 1; i < sharing.line_count; i++) {
        uint64_t most = sn_line_most_transfers(&sharing, &sharing.lines[i], False);
        if (!most) continue;
        ++*shared, *transfers += sharing.lines[i].transfers;
        if (count == TOLD_LINES && told_lines[count - 1].most >= most) continue;
        UInt at = count < TOLD_LINES ? count++ : count - 1;
        for (; at && told_lines[at - 1].most < most; at--) told_lines[at] = told_lines[at - 1];
        told_lines[at].most = most, told_lines[at].line = i;
    }
    return count;
}

static void write_sharing(void) {
    uint64_t shared = 0, transfers = 0;
    UInt count = choose_lines(&shared, &transfers);
    total("shared_lines", shared);
    total("shared_line_transfers", transfers);
    for (UInt i = 0; i < count; i++) {
        const struct sn_used_line *line = &sharing.lines[told_lines[i].line];
        const Addr start = line->line << SN_SHARED_LINE_BITS;
        say("L\t%u\t%lu\t%lu\t%lu\n", i, line->transfers, told_lines[i].most,
            sn_line_most_transfers(&sharing, line, True));
        for (UInt at = line->accesses; at; at = sharing.accesses[at].next) {
            const struct sn_line_access *each = &sharing.accesses[at];
            const struct sn_group *group = &settled[each->group];
            Bool is_region = types[group->type].kind > KIND_BLOCK;
            say("M\t%u\t%u\t%u\t%u\t%d\t", i, each->thread, each->place, group->type, site(group->place));
            say(is_region ? "-" : "%ld", (Long)(start - each->base));
            say("\t%lu\t%lu\t%016lx\t%016lx\n", each->loads, each->stores, each->loaded, each->stored);
        }
    }
}

static void lost(const HChar *kind, uint64_t amount, const HChar *detail) {
    if (amount) say("lost\t%s\t%lu\t%s\n", kind, amount, detail);
}

/* Advice says what it found out while its results are asked for, or, if something is wrong with it, at any time. */
enum { MOST_FAULTS = 16 };
static const HChar *faults[MOST_FAULTS];
static UInt fault_count;

void sn_result_line(const char *fields) {
    if (out)
        say("A\t%s\n", fields);
    else if (fault_count < MOST_FAULTS)
        faults[fault_count++] = sn_ledger_text(&ledger, fields);
}

/* Valgrind's functions do not tell when a disk is full. */
static Bool is_whole(const HChar *file) {
    struct vg_stat about;
    return !sr_isError(VG_(stat)(file, &about)) && (ULong)about.size == said;
}

/* Under that name once it is whole; what had the name before stays there else. */
static Bool write_as(const HChar *name, const struct sn_address_trace_counts *traced, Bool ended) {
    static const HChar *const policies[] = {"lru", "plru", "random"};
    static const HChar *const inclusions[] = {"neither", "inclusive", "exclusive"};
    static const HChar *const names[] = {"D1", "L2", "L3"};
    HChar part[VG_(strlen)(name) + 8];
    VG_(sprintf)(part, "%s.part", name);
    out = VG_(fopen)(part, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC, 0644);
    if (!out) return False;
    said = 0;
    SizeT bytes = lives.group_count * sizeof *settled;
    settled = need_pages(bytes);
    sn_lives_settled(&lives, settled, top, &top_count);
    add_up_blocks();
    context_add(current, clock_);
    say("sonde-memory\t1\n");
    cache_line("I1", &cache->instruction);
    for (UInt i = 0; i < cache->levels; i++) cache_line(names[i], &cache->level[i]);
    say("policy\t%s\t%s\twrite-allocate\t%d\tclassified\t%d\n", policies[options.policy],
        inclusions[options.inclusion], options.write_allocate, options.classify);
    write_totals();
    write_code();
    write_contexts();
    write_types();
    write_fields();
    write_objects();
    if (options.sharing) write_sharing();
    for (UInt i = 0; i < GENERATIONS; i++)
        if (collections[i].count) say("G\t%u\t%lu\t%lu\n", i, collections[i].count, collections[i].accesses);
    lost("objects-not-tracked", lives.untracked, "objects that there was no space for");
    lost("misses-not-classified", cache->data_kinds.counts[SN_MISS_UNKNOWN], "misses that are cold or for want of capacity");
    lost("crossings-not-kept", ledger.crossings_lost, "misses of lines on types that there was no space for");
    lost("fields-not-kept", field_counts.lost, "misses of types whose fields there was no space for");
    lost("contexts-not-kept", contexts.folded, "accesses of calling contexts that there was no space for");
    lost("sharing-not-kept", sharing.lost, "accesses to lines of memory that there was no space for");
    lost("accesses-not-traced", traced->dropped, "accesses that the address trace has not: writing it failed");
    lost("segments-not-traced", traced->unknown_runs, "runs of code that there was no space for in the address trace");
    for (UInt i = 0; i < fault_count; i++) say("A\t%s\n", faults[i]);
    if (sn_advice.finish) sn_advice.finish();
    if (ended) say("end\n");
    give_pages_back(settled, bytes);
    VG_(fclose)(out);
    out = NULL;
    if (is_whole(part) && VG_(rename)(part, name) == 0) return True;
    VG_(unlink)(part);
    return False;
}

void record_write(Bool ended) {
    if (!options.record) return;
    struct sn_address_trace_counts traced = ended ? block_trace_finish() : (struct sn_address_trace_counts){0};
    if (write_as(options.record, &traced, ended) || !ended) return;
    if (!options.spare || !write_as(options.spare, &traced, ended)) VG_(umsg)("sonde: cannot write '%s'\n", options.record);
}

void finish_run(void) {
    if (advised) advise_of_deaths();
    record_write(True);
}
