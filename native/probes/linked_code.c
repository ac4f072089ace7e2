#include "linked_code.h"

#include "../core/base/word_map.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATH_ROOM 4096
#define MODULES 1024 /* programs and libraries that are ever loaded; places in further ones are not known */

/* Where a program or library lies. */
typedef struct {
    uint64_t start, bytes; /* of its code */
    uint64_t bias;         /* address in memory less the one in the file */
    uint32_t first;        /* number of its first place of calls */
    uint64_t number;       /* of its record */
} module;

/* What is unloaded stays, as its numbers do; of two with one address the later one is there. */
static module modules[MODULES];
static unsigned module_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char file_path[PATH_ROOM];
static uint32_t first_function, first_place;

typedef struct {
    uint64_t address; /* looked for */
    module found;
    char path[PATH_ROOM];
} search;

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    search *for_it = context;
    bool is_there = false;
    uint64_t low = UINT64_MAX, high = 0;
    for (int each = 0; each < info->dlpi_phnum; each++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[each];
        if (part->p_type != PT_LOAD) continue;
        uint64_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        is_there = is_there || (start <= for_it->address && for_it->address < end);
        if (!(part->p_flags & PF_X)) continue;
        low = start < low ? start : low;
        high = end > high ? end : high;
    }
    if (!is_there || low > high) return 0;
    for_it->found = (module){.start = low, .bytes = high - low, .bias = info->dlpi_addr};
    snprintf(for_it->path, sizeof for_it->path, "%s", info->dlpi_name);
    return 1;
}

/* The program or library that has something at an address. */
static bool find_module(const void *address, search *result) {
    *result = (search){.address = (uint64_t)(uintptr_t)address};
    if (!dl_iterate_phdr(look_at, result)) return false;
    ssize_t length = (ssize_t)strlen(result->path);
    if (!length) {
        length = readlink("/proc/self/exe", result->path, PATH_ROOM - 1);
        result->path[length > 0 ? length : 0] = 0;
    } else if (result->path[0] != '/') { /* as the program asked for it */
        char relative[PATH_ROOM];
        memcpy(relative, result->path, PATH_ROOM);
        if (!getcwd(result->path, PATH_ROOM)) return false;
        size_t folder = strlen(result->path);
        if (snprintf(result->path + folder, PATH_ROOM - folder, "/%s", relative) >= (int)(PATH_ROOM - folder)) return false;
    }
    return true;
}

static uint64_t padded(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/* The records, locked and mapped. */
typedef struct {
    int file;
    const uint8_t *base;
    uint64_t used; /* bytes of whole records */
    uint64_t mapped;
    uint32_t next_function, next_place;
    uint64_t modules;
} records;

static bool open_records(records *all) {
    *all = (records){.file = open(file_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600),
                     .next_function = first_function,
                     .next_place = first_place};
    if (all->file < 0) return false;
    struct stat about;
    int failed;
    while ((failed = flock(all->file, LOCK_EX)) && errno == EINTR) {}
    if (!failed && !fstat(all->file, &about)) {
        all->mapped = (uint64_t)about.st_size;
        void *base = all->mapped ? mmap(NULL, all->mapped, PROT_READ, MAP_SHARED, all->file, 0) : NULL;
        all->base = base;
        if (base != MAP_FAILED) return true;
    }
    close(all->file);
    return false;
}

static void close_records(records *all) {
    if (all->mapped) munmap((void *)(uintptr_t)all->base, all->mapped);
    close(all->file); /* and unlock */
}

static const sn_linked_record *next_record(records *all) {
    const sn_linked_record *record = (const void *)(all->base + all->used);
    if (all->mapped - all->used < sizeof *record) return NULL;
    uint64_t bytes = sizeof *record + padded(record->bytes);
    if (all->mapped - all->used < bytes) return NULL; /* its writer was killed */
    all->used += bytes;
    uint64_t end = (uint64_t)record->first + record->count;
    if (record->kind == SN_LINKED_MODULE) {
        all->modules++;
        all->next_place = (uint32_t)end;
    } else {
        all->next_function = (uint32_t)end;
    }
    return record;
}

/* Put a record at the end, all of which has been read. */
static bool append(records *all, sn_linked_record record, const char *text) {
    static const char nothing[8];
    struct rlimit most;
    uint64_t bytes = sizeof record + padded(record.bytes);
    if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY && all->used + bytes > most.rlim_cur) return false;
    struct iovec parts[3] = {{&record, sizeof record},
                             {(void *)(uintptr_t)text, record.bytes},
                             {(void *)(uintptr_t)nothing, padded(record.bytes) - record.bytes}};
    if (pwritev(all->file, parts, 3, (off_t)all->used) == (ssize_t)bytes) return true;
    return ftruncate(all->file, (off_t)all->used) && false;
}

static bool is_same(const sn_linked_record *record, uint32_t kind, uint64_t address, uint64_t number) {
    return record->kind == kind && record->address == address && record->module == number;
}

/* Give a program or library numbers, in all processes the same. */
static bool number_module(search *found) {
    records all;
    const sn_linked_record *record;
    if (!open_records(&all)) return false;
    uint32_t bytes = (uint32_t)strlen(found->path);
    uint64_t address = found->found.start - found->found.bias;
    bool is_numbered = false;
    while (!is_numbered && (record = next_record(&all))) {
        is_numbered = is_same(record, SN_LINKED_MODULE, address, 0) && record->count == found->found.bytes &&
                      record->bytes == bytes && !memcmp(record + 1, found->path, bytes);
        if (!is_numbered) continue;
        found->found.first = record->first;
        found->found.number = all.modules - 1;
    }
    if (!is_numbered && all.next_place + found->found.bytes < SN_LINE_MASK) {
        found->found.first = all.next_place;
        found->found.number = all.modules;
        is_numbered = append(&all,
                             (sn_linked_record){SN_LINKED_MODULE, bytes, all.next_place, (uint32_t)found->found.bytes,
                                                address, 0},
                             found->path);
    }
    close_records(&all);
    return is_numbered;
}

static module *known_module(const search *found) {
    for (unsigned each = module_count; each-- > 0;) {
        module *known = &modules[each];
        uint64_t beyond = found->found.start - known->start;
        if (known->start == found->found.start && known->number == found->found.number) return known;
        if (beyond < known->bytes || -beyond < found->found.bytes) return NULL; /* that one is there no more */
    }
    return NULL;
}

/* Numbers for `count` functions that are described at `address`. */
static uint32_t number_functions(const void *address, uint32_t kind, uint32_t count, const char *text, uint32_t bytes) {
    search found;
    if (!find_module(address, &found) || !number_module(&found)) return SN_PROBES_NO_NUMBERS;
    module *here = known_module(&found);
    if (!here) {
        if (module_count == MODULES) return SN_PROBES_NO_NUMBERS;
        here = &modules[module_count];
        *here = found.found;
        __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
    }
    records all;
    const sn_linked_record *record;
    if (!open_records(&all)) return SN_PROBES_NO_NUMBERS;
    uint32_t first = SN_PROBES_NO_NUMBERS;
    uint64_t in_file = (uint64_t)(uintptr_t)address - here->bias;
    while (first == SN_PROBES_NO_NUMBERS && (record = next_record(&all)))
        if (is_same(record, kind, in_file, here->number) && record->count == count) first = record->first;
    if (first == SN_PROBES_NO_NUMBERS && count < SN_PROBES_NO_NUMBERS - all.next_function &&
        append(&all, (sn_linked_record){kind, bytes, all.next_function, count, in_file, here->number}, text))
        first = all.next_function;
    close_records(&all);
    return first;
}

uint32_t sn_linked_first(sn_probes_object *object) {
    uint32_t first = __atomic_load_n(&object->first, __ATOMIC_ACQUIRE);
    if (__builtin_expect(first != SN_PROBES_NO_NUMBERS, 1) || !file_path[0]) return first;
    pthread_mutex_lock(&lock);
    first = object->first;
    if (first == SN_PROBES_NO_NUMBERS) {
        first = number_functions(object, SN_LINKED_OBJECT, object->count, object->names, (uint32_t)object->names_bytes);
        __atomic_store_n(&object->first, first, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return first;
}

uint32_t sn_linked_function(const void *address) {
    static struct sn_word_map known; /* address -> 1 + number */
    if (!file_path[0]) return SN_PROBES_NO_NUMBERS;
    pthread_mutex_lock(&lock);
    uint32_t number = sn_word_get(&known, (uint64_t)(uintptr_t)address) - 1;
    if (number + 1 == 0) {
        number = number_functions(address, SN_LINKED_FUNCTION, 1, "", 0);
        if (number != SN_PROBES_NO_NUMBERS && !sn_word_set(&known, (uint64_t)(uintptr_t)address, number + 1))
            number = SN_PROBES_NO_NUMBERS;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

uint32_t sn_linked_line(const void *return_address) {
    for (unsigned each = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE); each-- > 0;) {
        uint64_t distance = (uint64_t)(uintptr_t)return_address - modules[each].start;
        if (distance < modules[each].bytes) return modules[each].first + (uint32_t)distance + 1;
    }
    return 0;
}

static void forget_lock(void) { pthread_mutex_init(&lock, NULL); }

int sn_linked_begin(const char *folder, uint32_t function, uint32_t place) {
    first_function = function;
    first_place = place;
    if (snprintf(file_path, sizeof file_path, "%s/" SN_LINKED_FILE, folder) >= (int)sizeof file_path) {
        file_path[0] = 0;
        return ENAMETOOLONG;
    }
    return pthread_atfork(NULL, NULL, forget_lock);
}
