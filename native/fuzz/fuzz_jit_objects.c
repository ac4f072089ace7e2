/* Any bytes as what a JIT has announced, and as its map: an example, damaged. */
#include "fuzz.h"

#include "../tests/example_jit_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static jit_memory memory;
    const sn_memory_reader reader = {jit_read, &memory};
    sn_jit_objects objects = {.descriptor = JIT_BASE};
    sn_jit_map map = {0};
    uint8_t *copy = malloc(size + 1); /* of the right size: a byte too far is seen by the sanitizer */
    PROMISE(copy);
    memcpy(copy, bytes, size);
    memset(&memory, 0, sizeof memory);
    memcpy(memory.bytes, bytes, size < JIT_BYTES ? size : JIT_BYTES);
    sn_jit_objects_take(&objects, &map, &reader, 1, copy, size);
    if (size > 1024) sn_jit_objects_take(&objects, &map, &reader, 2, copy + 1024, size - 1024);
    sn_jit_objects_read(&objects, &map, &reader);
    sn_jit_objects_read(&objects, &map, &reader);
    PROMISE(sn_jit_map_take(&map, (const char *)copy, size) <= size);
    for (uint32_t i = 0; i < map.count && i < 100; i++) {
        const sn_jit_code *code = sn_jit_map_find(&map, map.codes[i].begin);
        PROMISE(code && code->begin <= map.codes[i].begin && code->end > map.codes[i].begin);
    }
    for (uint32_t i = 0; i < objects.count; i++) PROMISE(objects.sections[i].begin < objects.sections[i].end);
    sn_jit_objects_free(&objects);
    sn_jit_map_free(&map);
    free(copy);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    static jit_memory memory;
    memset(&memory, 0, sizeof memory);
    jit_announce(&memory, 1 + *random % 3);
    size_t size = room < 6000 ? room : 6000;
    memcpy(bytes, memory.bytes, size);
    return size;
}
