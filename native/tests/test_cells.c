/* The store of cells: growth, publishing, and every way of running out of room. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/base/cells.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define ROOM (UINT64_C(1) << 22) /* cells: 256 MiB reserved */

static int temporary_file(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    unlink(path);
    return file;
}

static void set_limit(int what, rlim_t soft) {
    struct rlimit limit;
    CHECK(!getrlimit(what, &limit));
    limit.rlim_cur = soft;
    CHECK(!setrlimit(what, &limit));
}

static void check_open(int file, bool open) { CHECK_EQUAL(fcntl(file, F_GETFD) >= 0, open); }

/* Take cells one by one, each zero when taken and marked with its number after. */
static void fill(sn_cells *cells, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *cell = sn_cells_take(cells, 1);
        CHECK(cell);
        for (unsigned word = 0; word < SN_CELL_BYTES / sizeof *cell; word++) CHECK(!cell[word]);
        cell[3] = i;
    }
}

static void check_filled(const uint8_t *cells, uint64_t from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        CHECK_EQUAL(((const uint64_t *)(cells + (from + i) * SN_CELL_BYTES))[3], i);
}

static void a_new_store_has_a_header_and_nothing_else(void) {
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, ROOM), SN_OK);
    const sn_header *header = sn_cells_header(&cells);
    CHECK(!memcmp(header->magic, SN_MAGIC, 8));
    CHECK_EQUAL(header->version, SN_VERSION);
    CHECK_EQUAL(header->cell_bytes, SN_CELL_BYTES);
    CHECK_EQUAL(header->base, (uintptr_t)cells.base);
    CHECK_EQUAL(header->used, SN_HEADER_CELLS);
    CHECK_EQUAL(header->pid, 0);
    sn_cells_destroy(&cells);
    CHECK(!cells.base && cells.file == -1);
}

static void growth_over_many_commits_keeps_addresses_and_contents(void) {
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, ROOM), SN_OK);
    const uint8_t *base = cells.base;
    fill(&cells, 700 * 1000); /* past the step of 16 MiB, twice */
    CHECK(cells.base == base);
    check_filled(cells.base, SN_HEADER_CELLS, 700 * 1000);
    sn_cells_destroy(&cells);
}

static void a_file_grows_with_its_store_and_holds_the_same(void) {
    sn_cells cells;
    int file = temporary_file(), again = dup(file);
    CHECK_EQUAL(sn_cells_create(&cells, file, ROOM), SN_OK);
    fill(&cells, 700 * 1000);
    sn_cells_publish(&cells);
    struct stat about;
    CHECK(!fstat(again, &about));
    CHECK_EQUAL(about.st_size, cells.committed * SN_CELL_BYTES);
    CHECK(cells.committed >= cells.used);
    sn_cells_destroy(&cells);
    check_open(file, false);
    const uint8_t *seen = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, again, 0);
    CHECK(seen != MAP_FAILED);
    CHECK_EQUAL(((const sn_header *)seen)->used, SN_HEADER_CELLS + 700 * 1000);
    check_filled(seen, SN_HEADER_CELLS, 700 * 1000);
}

static void readers_see_cells_when_they_are_published(void) {
    sn_cells cells;
    int file = temporary_file();
    CHECK_EQUAL(sn_cells_create(&cells, file, ROOM), SN_OK);
    const sn_header *seen = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    CHECK(seen != MAP_FAILED);
    fill(&cells, 5);
    CHECK_EQUAL(seen->used, SN_HEADER_CELLS);
    sn_cells_publish(&cells);
    CHECK_EQUAL(seen->used, SN_HEADER_CELLS + 5);
}

static void many_cells_are_taken_at_once_when_they_fit(void) {
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, ROOM), SN_OK);
    uint8_t *first = sn_cells_take(&cells, 1000 * 1000);
    CHECK(first);
    memset(first, 0xff, 1000 * 1000 * SN_CELL_BYTES);
    CHECK(!sn_cells_take(&cells, ROOM));
    uint8_t *next = sn_cells_take(&cells, 1);
    CHECK(next == first + 1000 * 1000 * SN_CELL_BYTES);
    sn_cells_destroy(&cells);
}

static void a_full_store_says_so_and_stays_as_it_is(void) {
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, 16384), SN_OK); /* the smallest there is */
    fill(&cells, 16384 - SN_HEADER_CELLS);
    for (int again = 0; again < 3; again++) CHECK(!sn_cells_take(&cells, 1));
    const char *text[4] = {"x", "", "", ""};
    uint32_t number[4] = {0}, length[4] = {1, 0, 0, 0};
    CHECK(!sn_cells_record(&cells, SN_RECORD_NOTE, number, text, length));
    check_filled(cells.base, SN_HEADER_CELLS, 16384 - SN_HEADER_CELLS);
    CHECK_EQUAL(cells.used, 16384);
    sn_cells_destroy(&cells);
}

static void a_record_holds_its_strings_one_after_the_other(void) {
    char text_of_64[65] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const uint32_t lengths[] = {0, 1, 63, 64};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        sn_cells cells;
        CHECK_EQUAL(sn_cells_create(&cells, -1, ROOM), SN_OK);
        const char *text[4] = {"ab", NULL, text_of_64, "c"};
        uint32_t number[4] = {1, 2, 3, 4}, length[4] = {2, 0, lengths[i], 1}, bytes = lengths[i] + 3;
        CHECK(sn_cells_record(&cells, SN_RECORD_FUNCTION, number, text, length));
        const sn_record *head = (const sn_record *)(cells.base + SN_HEADER_CELLS * SN_CELL_BYTES);
        CHECK_EQUAL(head->tag, SN_TAG_RECORD);
        CHECK_EQUAL(head->kind, SN_RECORD_FUNCTION);
        CHECK_EQUAL(head->bytes, bytes);
        CHECK(!memcmp(head->number, number, sizeof number) && !memcmp(head->length, length, sizeof length));
        const char *payload = (const char *)(head + 1);
        CHECK(!memcmp(payload, "ab", 2) && !memcmp(payload + 2, text_of_64, lengths[i]) && payload[bytes - 1] == 'c');
        CHECK_EQUAL(cells.used, SN_HEADER_CELLS + sn_record_cells(bytes));
        CHECK_EQUAL(sn_cells_header(&cells)->used, cells.used);
        sn_cells_destroy(&cells);
    }
}

static void a_record_larger_than_its_size_can_say_is_refused(void) {
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, ROOM), SN_OK);
    const char *text[4] = {"", "", "", ""};
    uint32_t number[4] = {0}, length[4] = {UINT32_MAX, 1, 0, 0};
    CHECK(!sn_cells_record(&cells, SN_RECORD_NOTE, number, text, length));
    CHECK_EQUAL(cells.used, SN_HEADER_CELLS);
    sn_cells_destroy(&cells);
}

/* Fill `cells`, whose file cannot grow to 4 MiB, until it says no; nothing may be lost by it. */
static uint64_t fill_until_full(sn_cells *cells) {
    uint64_t taken = 0;
    for (uint64_t *cell; (cell = sn_cells_take(cells, 1)); taken++) {
        CHECK(taken < 65536);
        cell[3] = taken;
    }
    CHECK(!sn_cells_take(cells, 1));
    check_filled(cells->base, SN_HEADER_CELLS, taken);
    sn_cells_publish(cells);
    return taken;
}

static void a_limit_on_file_sizes_is_a_full_disk(void) {
    signal(SIGXFSZ, SIG_IGN);
    sn_cells cells;
    int file = temporary_file();
    set_limit(RLIMIT_FSIZE, 1u << 20);
    CHECK_EQUAL(sn_cells_create(&cells, file, ROOM), SN_OK);
    uint64_t taken = fill_until_full(&cells);
    CHECK(taken > 1000);
    set_limit(RLIMIT_FSIZE, 8u << 20);
    uint64_t *cell = NULL; /* room again: it goes on where it stopped, when it next asks */
    for (unsigned i = 0; i <= SN_ASK_AGAIN && !cell; i++) cell = sn_cells_take(&cells, 1);
    CHECK(cell && !cell[3]);
    CHECK_EQUAL(cells.used, SN_HEADER_CELLS + taken + 1);
    sn_cells_destroy(&cells);
}

static void a_full_disk_is_never_written_to(void) {
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", "/tmp", "tmpfs", 0, "size=1m"))
        SKIP("no permission to mount a small file system");
    sn_cells cells;
    int file = temporary_file();
    CHECK_EQUAL(sn_cells_create(&cells, file, ROOM), SN_OK);
    CHECK(fill_until_full(&cells) > 1000);
    int second = temporary_file();
    uint8_t block[4096] = {1};
    while (write(second, block, sizeof block) > 0) continue;
    int third = temporary_file();
    sn_cells none;
    CHECK_EQUAL(sn_cells_create(&none, third, ROOM), SN_NO_SPACE);
    check_open(third, false);
}

static void a_store_without_any_room_is_not_created(void) {
    signal(SIGXFSZ, SIG_IGN);
    set_limit(RLIMIT_FSIZE, 1000);
    sn_cells cells;
    int file = temporary_file();
    CHECK_EQUAL(sn_cells_create(&cells, file, ROOM), SN_NO_SPACE);
    check_open(file, false);
}

static void a_limited_address_space_makes_a_smaller_store(void) {
    if (CHECK_SANITIZED) SKIP("the sanitizer itself needs more address space than the limit leaves");
    set_limit(RLIMIT_AS, 512u << 20);
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, UINT64_C(1) << 30), SN_OK);
    CHECK(cells.limit * SN_CELL_BYTES <= 512u << 20);
    CHECK(cells.limit * SN_CELL_BYTES >= 128u << 20);
    fill(&cells, 1000 * 1000);
    sn_cells_destroy(&cells);
}

static void an_exhausted_address_space_is_no_memory(void) {
    if (CHECK_SANITIZED) SKIP("the sanitizer itself needs more address space than the limit leaves");
    int file = temporary_file();
    set_limit(RLIMIT_AS, 1u << 20);
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, file, ROOM), SN_NO_MEMORY);
    check_open(file, false);
}

CHECK_MAIN(TEST(a_new_store_has_a_header_and_nothing_else), TEST(growth_over_many_commits_keeps_addresses_and_contents),
           TEST(a_file_grows_with_its_store_and_holds_the_same), TEST(readers_see_cells_when_they_are_published),
           TEST(many_cells_are_taken_at_once_when_they_fit), TEST(a_full_store_says_so_and_stays_as_it_is),
           TEST(a_record_holds_its_strings_one_after_the_other), TEST(a_record_larger_than_its_size_can_say_is_refused),
           TEST(a_limit_on_file_sizes_is_a_full_disk), TEST(a_full_disk_is_never_written_to),
           TEST(a_store_without_any_room_is_not_created), TEST(a_limited_address_space_makes_a_smaller_store),
           TEST(an_exhausted_address_space_is_no_memory))
