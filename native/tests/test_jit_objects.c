/* Code that a JIT has announced to debuggers. */
#include "check.h"
#include "example_jit_object.h"

typedef struct {
    jit_memory memory;
    sn_memory_reader reader;
    sn_jit_objects objects;
    sn_jit_map map;
} announced;

static announced *begin(unsigned count) {
    announced *a = calloc(1, sizeof *a);
    CHECK(a);
    a->reader = (sn_memory_reader){jit_read, &a->memory};
    a->objects.descriptor = JIT_BASE;
    jit_announce(&a->memory, count);
    return a;
}

static void end(announced *a) {
    sn_jit_objects_free(&a->objects);
    sn_jit_map_free(&a->map);
    free(a);
}

static sn_jit_objects_change read_list(announced *a) { return sn_jit_objects_read(&a->objects, &a->map, &a->reader); }

static const char *at(announced *a, uint64_t address) {
    const sn_jit_code *code = sn_jit_map_find(&a->map, address);
    return code ? code->name : "";
}

static void functions_are_named_where_they_were_loaded(void) {
    announced *a = begin(2);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_MORE);
    CHECK(!strcmp(at(a, jit_part(0, 1200 + 16)), "function 0"));
    CHECK(!strcmp(at(a, jit_part(1, 1200 + 47)), "function 1"));
    CHECK(!strcmp(at(a, jit_part(1, 1200 + 48)), ""));
    CHECK_EQUAL(a->objects.count, 2);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_SAME);
    end(a);
}

static void code_gets_a_file_with_the_frames_that_the_process_has(void) {
    announced *a = begin(1);
    read_list(a);
    const sn_jit_section *section = sn_jit_objects_at(&a->objects, jit_part(0, 1200));
    CHECK(section && section->image && section->end == section->begin + JIT_CODE);
    Elf64_Ehdr head;
    Elf64_Phdr part;
    Elf64_Shdr frames;
    memcpy(&head, section->image, sizeof head);
    memcpy(&part, section->image + head.e_phoff, sizeof part);
    memcpy(&frames, section->image + head.e_shoff + 2 * sizeof frames, sizeof frames);
    CHECK_EQUAL(head.e_type, ET_EXEC);
    CHECK(part.p_vaddr == section->begin && part.p_memsz == JIT_CODE);
    CHECK(frames.sh_addr == jit_part(0, 1400) && frames.sh_size == JIT_FRAMES);
    CHECK_EQUAL(section->size, frames.sh_offset + JIT_FRAMES);
    for (unsigned i = 0; i < JIT_FRAMES; i++) CHECK_EQUAL(section->image[frames.sh_offset + i], 0x50);
    CHECK(!sn_jit_objects_at(&a->objects, jit_part(0, 1201)));
    end(a);
}

static void new_objects_are_added_and_that_some_are_gone_is_told(void) {
    announced *a = begin(1);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_MORE);
    jit_announce(&a->memory, 3);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_MORE);
    CHECK_EQUAL(a->objects.count, 3);
    jit_announce(&a->memory, 2);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_LESS);
    CHECK_EQUAL(a->objects.count, 3);
    sn_jit_objects_free(&a->objects);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_MORE);
    CHECK_EQUAL(a->objects.count, 2);
    end(a);
}

static void an_object_without_loaded_frames_has_names_only(void) {
    announced *a = begin(1);
    uint8_t object[1024];
    size_t size = jit_object(object, jit_part(0, 1200), JIT_BASE + JIT_BYTES, "lonely");
    sn_jit_objects_take(&a->objects, &a->map, &a->reader, 7, object, size);
    CHECK_EQUAL(a->objects.count, 1);
    CHECK(!a->objects.sections[0].image);
    CHECK(!strcmp(at(a, jit_part(0, 1216)), "lonely"));
    end(a);
}

static void a_list_that_goes_round_ends(void) {
    announced *a = begin(1);
    const uint64_t self = JIT_BASE + 64;
    memcpy(a->memory.bytes + 64, &self, sizeof self);
    CHECK_EQUAL(read_list(a), SN_JIT_OBJECTS_MORE);
    CHECK(a->objects.object_count <= SN_MOST_JIT_OBJECTS);
    end(a);
}

int main(void) {
    const check_test tests[] = {TEST(functions_are_named_where_they_were_loaded),
                                TEST(code_gets_a_file_with_the_frames_that_the_process_has),
                                TEST(new_objects_are_added_and_that_some_are_gone_is_told),
                                TEST(an_object_without_loaded_frames_has_names_only), TEST(a_list_that_goes_round_ends)};
    return check_all(tests, sizeof tests / sizeof *tests);
}
