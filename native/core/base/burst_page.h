/* The switch of a program that is looked at in bursts: a word in a page that another process writes.
 *
 * The page is a file that both have mapped (sonde.launch.burst_clock); the program begins the first burst, and after that
 * only reads it.
 */
#ifndef SONDE_BURST_PAGE_H
#define SONDE_BURST_PAGE_H

#include <stdint.h>

/* In the folder of the run. */
#define SN_BURSTS_FILE "bursts"

/* What both processes see: that file, mapped. Times are of CLOCK_MONOTONIC. */
typedef struct {
    uint32_t number;    /* the switch: of the burst that goes on, or 0 */
    uint32_t begun;     /* bursts that have begun */
    uint64_t first_ns;  /* when the first began, written by the program; 0: it has not begun */
    uint64_t start_ns;  /* when the one began that goes on */
    uint64_t looked_ns; /* how long those that have ended were */
    uint64_t end_ns;    /* up to when the three before are right */
} sn_bursts;

typedef union {
    sn_bursts bursts;
    char bytes[4096];
} sn_bursts_page;

/* A page below 2 GiB, for code that is compiled into this process; NULL: there is no room. The switch is off. */
sn_bursts_page *sn_burst_page_reserve(void);

/* Let an open file be a page; -1: as it is. Begin the first burst, if none has begun. 0, or what errno says. */
int sn_burst_page_begin(sn_bursts_page *page, int file);

#endif
