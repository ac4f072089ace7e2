/* Any bytes as an address trace: as they are, and as the content of blocks whose checksums are right. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "../tests/example_address_trace.h"

static void read_all(const uint8_t *bytes, size_t size, size_t room) {
    static struct sn_address_reader reader;
    static example_table table;
    struct sn_address_columns columns = example_columns(&table);
    if (sn_address_open_file(&reader, example_descriptor(bytes, size)) != SN_ADDRESS_MORE) return;
    enum sn_address_result result;
    uint64_t accesses = 0;
    size_t count;
    /* A few bytes can stand for very many accesses: not all of them are asked for. */
    while ((result = sn_address_read(&reader, &columns, room, &count)) == SN_ADDRESS_MORE && accesses < 100000) {
        PROMISE(count > 0 && count <= room);
        for (size_t i = 0; i < count; i++) {
            PROMISE(table.kind[i] <= SN_ADDRESS_FETCH);
            PROMISE(table.kind[i] != SN_ADDRESS_FETCH ? table.address[i] : table.address[i] == table.ip[i]);
        }
        accesses += count;
        PROMISE(reader.accesses == accesses);
    }
    PROMISE(result == SN_ADDRESS_MORE || result == SN_ADDRESS_END || result == SN_ADDRESS_CUT ||
            result == SN_ADDRESS_DAMAGED);
    PROMISE((result == SN_ADDRESS_DAMAGED) == (reader.problem != NULL));
    sn_address_close(&reader);
}

/* Damaged contents never come through the checksums: so these are made right, block by block. */
static void repair(uint8_t *bytes, size_t size) {
    struct sn_address_header header;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    uint64_t check = header.check;
    size_t at = sizeof header;
    for (uint32_t index = 0; size - at >= sizeof(struct sn_address_block); index++) {
        struct sn_address_block head;
        memcpy(&head, bytes + at, sizeof head);
        size_t padded = ((size_t)head.bytes + 7) / 8 * 8, left = size - at - sizeof head;
        if (padded > left || 8 * (size_t)head.words > left - padded) return;
        size_t content = padded + 8 * (size_t)head.words;
        head.magic = SN_ADDRESS_BLOCK_MAGIC;
        head.index = index;
        memcpy(bytes + at, &head, sizeof head);
        check = sn_address_check(check, bytes + at, offsetof(struct sn_address_block, check) / 8);
        check = sn_address_check(check, bytes + at + sizeof head, content / 8);
        memcpy(bytes + at + offsetof(struct sn_address_block, check), &check, 8);
        at += sizeof head + content;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    read_all(bytes, size, 16);
    uint8_t *copy = malloc(size ? size : 1);
    PROMISE(copy);
    memcpy(copy, bytes, size);
    repair(copy, size);
    read_all(copy, size, 7);
    free(copy);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    static example_file example[4]; /* made once */
    uint32_t which = (uint32_t)(example_draw(random) % 4);
    example_file *file = &example[which];
    if (!file->size) {
        file->most = room;
        example_write(file, which + 3, 50 + 30 * which, 10 + 20 * which);
        PROMISE(file->size > 100);
    }
    memcpy(bytes, file->bytes, file->size);
    return file->size;
}
