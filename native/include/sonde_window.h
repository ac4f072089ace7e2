/* Where `sonde memory --window manual` counts, said by the program itself.
 *
 *     SONDE_OPEN_WINDOW();
 *     what is to be measured
 *     SONDE_CLOSE_WINDOW();
 *
 * Opening twice is opening once. Without sonde's tool around the program these do nothing, in a few instructions;
 * on other processors than x86-64, in none. There is nothing to link. For C and C++.
 *
 * MIT License. Copyright (c) 2026 the sonde authors. May be copied into any program; see the LICENSE of sonde.
 */
#ifndef SONDE_WINDOW_H
#define SONDE_WINDOW_H

#define SONDE_OPEN_WINDOW() sonde_window_request(0x534e0000ul)
#define SONDE_CLOSE_WINDOW() sonde_window_request(0x534e0001ul)

/* A request of Valgrind: four rotations of a register that cancel out, and an exchange of another with itself. */
static inline void sonde_window_request(unsigned long number) {
#if defined(__x86_64__) && defined(__LP64__)
    unsigned long request[6] = {number, 0, 0, 0, 0, 0};
    unsigned long answer = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&request[0])
                     : "cc", "memory");
#else
    (void)number;
#endif
}

#endif
