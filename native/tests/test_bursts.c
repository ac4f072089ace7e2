/* Contexts of bursts where no code with probes is on the stack, and what is known of the ends of functions by their code. */
#define _GNU_SOURCE
#include "check.h"

#include "../probes/bursts.h"
#include "../probes/epilogue.h"
#include "../probes/thread_tree.h"

#include <fcntl.h>
#include <sys/mman.h>

static char folder[64];

/* Begin, with a switch that we hold, as another process would. */
static volatile sn_bursts *begin(void) {
    snprintf(folder, sizeof folder, "%s/bursts-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(folder));
    const sn_probes_plan plan = {.folder = folder, .command = "it", .mechanism = "probes", .code = 1 << 20, .code_bytes = 1 << 20,
                                 .plan = {SN_METRIC_CALLS, false, 100, 600}};
    CHECK_EQUAL(sn_probes_begin(&plan), 0);
    int file = memfd_create("bursts", 0);
    CHECK_EQUAL(ftruncate(file, sizeof(sn_bursts_page)), 0);
    void *page = mmap(NULL, sizeof(sn_bursts_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(page != MAP_FAILED);
    CHECK(sn_probes_switch() != NULL && (uintptr_t)sn_probes_switch() < UINT64_C(1) << 31);
    CHECK_EQUAL(*sn_probes_switch(), 0);
    CHECK_EQUAL(sn_probes_begin_bursts(file), 0);
    close(file);
    return page;
}

static void end(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQUAL(system(command), 0);
}

static const void *site(uint32_t number) { return (const void *)(uintptr_t)((1 << 20) + 16 * number); }

static sn_context *call(uint32_t function) {
    sn_probes_here.current = sn_probes_enter(sn_probes_here.current, function, site(function));
    sn_probes_here.current->calls++;
    return sn_probes_here.current;
}

static void the_switch_is_the_file_and_the_program_begins_the_first_burst(void) {
    volatile sn_bursts *bursts = begin();
    CHECK_EQUAL(bursts->number, 1);
    CHECK(bursts->first_ns > 0 && bursts->first_ns == bursts->start_ns);
    bursts->number = 7;
    CHECK_EQUAL(*sn_probes_switch(), 7);
    end();
}

static void a_stack_without_probes_is_outside_of_all(void) {
    volatile sn_bursts *bursts = begin();
    sn_probes_here.current = &sn_probes_outside;
    sn_probes_sync();
    CHECK(sn_probes_here.current == sn_thread_tree_own->hot.root);
    CHECK_EQUAL(sn_probes_here.burst, 1);
    call(3);
    bursts->number = bursts->begun = 2;
    sn_probes_sync();
    CHECK(sn_probes_here.current == sn_thread_tree_own->hot.root);
    CHECK_EQUAL(sn_probes_here.burst, 2);
    bursts->number = 0; /* it ended when its code had just seen it */
    sn_probes_here.burst = 0;
    sn_probes_sync();
    CHECK_EQUAL(sn_probes_here.burst, 2);
    end();
}

static void a_function_that_ends_goes_back_to_its_caller(void) {
    volatile sn_bursts *bursts = begin();
    sn_probes_sync();
    sn_context *first = call(3), *second = call(4);
    sn_probes_left(4);
    CHECK(sn_probes_here.current == first && sn_probes_here.burst == 1);
    sn_probes_left(4); /* what ends is not what was thought to run */
    CHECK_EQUAL(sn_probes_here.burst, 0);
    sn_probes_here.current = second;
    sn_probes_left(4); /* nothing is known */
    CHECK(sn_probes_here.current == second);
    sn_probes_here.burst = 1;
    bursts->number = 0;
    sn_probes_left(4);
    CHECK(sn_probes_here.current == second);
    end();
}

static void what_each_burst_brought_is_squared(void) {
    volatile sn_bursts *bursts = begin();
    sn_context *context = NULL;
    double squares = 0;
    for (uint32_t burst = 1; burst <= 5; burst++) {
        bursts->number = bursts->begun = burst;
        for (uint32_t again = 0; again < 3; again++) { /* more than once in a burst */
            sn_probes_sync();
            for (uint32_t calls = 0; calls < burst; calls++) {
                context = call(3);
                sn_probes_left(3);
            }
        }
        CHECK_EQUAL(sn_side_of(context)->calls_squares, squares); /* that of this burst comes with the next */
        squares += 9.0 * burst * burst;
    }
    CHECK_EQUAL(sn_thread_tree_own->hot.header->bursts, 5);
    CHECK_EQUAL(context->calls, 3 * (1 + 2 + 3 + 4 + 5));
    end();
}

/* What compilers write before a return, and what they do not. */
static void epilogues_are_known_by_their_code(void) {
#if defined(__x86_64__)
    static const struct {
        unsigned char code[24];
        bool is_epilogue;
    } known[] = {
        {{0xc3}, true},
        {{0x48, 0x83, 0xc4, 0x18, 0x5b, 0x41, 0x5e, 0xc3}, true},             /* add $24,%rsp; pop %rbx; pop %r14; ret */
        {{0x48, 0x81, 0xc4, 0, 1, 0, 0, 0x5d, 0xc2, 8, 0}, true},             /* add $256,%rsp; pop %rbp; ret $8 */
        {{0x48, 0x8d, 0x65, 0xf0, 0x41, 0x5f, 0x5d, 0xc3}, true},             /* lea -16(%rbp),%rsp; pop %r15; pop %rbp; ret */
        {{0x48, 0x89, 0xd8, 0x5b, 0xc3}, true},                               /* mov %rbx,%rax; pop %rbx; ret */
        {{0x4c, 0x89, 0xf0, 0x41, 0x5e, 0xc3}, true},                         /* mov %r14,%rax; pop %r14; ret */
        {{0x0f, 0xb6, 0xc0, 0x59, 0xc3}, true},                               /* movzbl %al,%eax; pop %rcx; ret */
        {{0xc5, 0xf8, 0x77, 0xc9, 0xc3}, true},                               /* vzeroupper; leave; ret */
        {{0xeb, 0x02, 0x0f, 0x0b, 0x58, 0xc3}, true},                         /* jmp over two bytes; pop %rax; ret */
        {{0x83, 0x3c, 0x25, 0, 0x10, 0, 0x40, 0, 0x75, 0x02, 0x5b, 0xc3}, false}, /* cmpl $0,0x40001000; jne; pop; ret */
        {{0x48, 0x8b, 0x0d, 0, 0, 0, 0, 0x83, 0x39, 0, 0x5b, 0xc3}, false},   /* mov place(%rip),%rcx; cmpl $0,(%rcx) */
        {{0x48, 0x8b, 0x05, 0, 0, 0, 0, 0x83, 0x38, 0, 0x5b, 0xc3}, false},   /* the same by %rax */
        {{0xe8, 0, 0, 0, 0, 0xc3}, false},                                    /* call; ret */
        {{0x49, 0x89, 0xc0, 0xc3}, false},                                    /* mov %rax,%r8; ret */
        {{0x89, 0xc3, 0xc3}, false},                                          /* mov %eax,%ebx */
        {{0xeb, 0xfe}, false},                                                /* jmp to itself */
    };
    for (size_t each = 0; each < sizeof known / sizeof *known; each++)
        CHECK_EQUAL(sn_is_epilogue(known[each].code) * 100 + each, known[each].is_epilogue * 100 + each);
#endif
}

CHECK_MAIN(TEST(the_switch_is_the_file_and_the_program_begins_the_first_burst),
           TEST(a_stack_without_probes_is_outside_of_all),
           TEST(a_function_that_ends_goes_back_to_its_caller),
           TEST(what_each_burst_brought_is_squared),
           TEST(epilogues_are_known_by_their_code))
