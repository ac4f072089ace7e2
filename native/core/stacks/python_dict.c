#include "python_dict.h"

#include <stdlib.h>
#include <string.h>

/* Before the entries of a dictionary: sizes in bits, what keys are, and how many entries there are. */
enum { KEYS_INDEX_BITS = 9, KEYS_KIND = 10, KEYS_COUNT = 24, MOST_INDEX_BITS = 30 };
enum { OF_ANYTHING, OF_TEXTS }; /* kinds; others keep values elsewhere */
enum { LONGEST_KEY = 24, PER_CALL = 256 };

uint32_t sn_dict_entries(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t dict, sn_dict_entry *entries,
                         uint32_t room) {
    uint8_t head[32];
    uint64_t keys = dict ? sn_read_word(memory, dict + l->dict_keys) : 0;
    if (!keys || l->keys_entries > sizeof head || !sn_read_one(memory, keys, head, l->keys_entries)) return 0;
    uint64_t count = sn_word_at(head + KEYS_COUNT);
    if (head[KEYS_KIND] > OF_TEXTS || head[KEYS_INDEX_BITS] > MOST_INDEX_BITS || count > INT32_MAX) return 0;
    uint32_t taken = count < room ? (uint32_t)count : room, words = head[KEYS_KIND] == OF_TEXTS ? 2 : 3, found = 0;
    uint64_t *all = malloc(((size_t)taken * words + 1) * sizeof *all);
    if (!all) return 0;
    if (taken && sn_read_one(memory, keys + l->keys_entries + (UINT64_C(1) << head[KEYS_INDEX_BITS]), all,
                             (size_t)taken * words * sizeof *all))
        for (uint32_t i = 0; i < taken; i++) {
            const uint64_t *at = all + (size_t)i * words + (words - 2);
            if (at[0] && at[1]) entries[found++] = (sn_dict_entry){at[0], at[1]};
        }
    free(all);
    return found;
}

uint64_t sn_dict_value(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t dict, const char *wanted,
                       uint32_t room) {
    sn_dict_entry *entries = malloc(room * sizeof *entries);
    uint8_t texts[PER_CALL][128];
    sn_piece pieces[PER_CALL];
    uint64_t length = strlen(wanted), value = 0;
    uint32_t from = l->text_ascii - l->text_length;
    if (!entries || length > LONGEST_KEY || from + length > sizeof texts[0]) {
        free(entries);
        return 0;
    }
    uint32_t count = sn_dict_entries(memory, l, dict, entries, room);
    for (uint32_t at = 0; at < count && !value;) {
        uint32_t part = count - at < PER_CALL ? count - at : PER_CALL;
        sn_read_result result;
        for (uint32_t i = 0; i < part; i++)
            pieces[i] = (sn_piece){entries[at + i].key + l->text_length, texts[i], from + length};
        uint32_t done = memory->read(memory->at, pieces, part, &result);
        for (uint32_t i = 0; i < done && !value; i++)
            if (sn_word_at(texts[i]) == length && !memcmp(texts[i] + from, wanted, length)) value = entries[at + i].value;
        at += done < part ? done + 1 : part;
    }
    free(entries);
    return value;
}
