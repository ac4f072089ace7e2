/* Crediting contexts of a spool, which another process has, with times that were found by looking at it.
 *
 * A context may be taken out meanwhile, and its cells be another's: it is known again by what was seen of it.
 */
#ifndef SONDE_CONTEXT_CREDIT_H
#define SONDE_CONTEXT_CREDIT_H

#include "../contexts/watched_spool.h"

/* `address` 0: nothing that counts. */
typedef struct {
    uint64_t address, parent;
    uint32_t function, line;
} sn_seen_context;

/* What a thread ran at the last look, at the one before it, and what was shared out between them. */
typedef struct {
    sn_seen_context last, older;
    uint64_t ns;
} sn_context_trail;

/* Of one spool. */
typedef struct {
    double *squares; /* the variances of the own times of functions, by their numbers */
    uint32_t room;
    uint64_t placed_ns, lost_ns; /* what contexts got, and what those should have got that were taken out */
} sn_context_credits;

sn_seen_context sn_context_seen(sn_watched_spool *spool, uint64_t address);

/* Two looks between which no time is shared out are one. */
static inline void sn_context_trail_add(sn_context_trail *trail, const sn_seen_context *now, uint64_t ns) {
    if (ns) *trail = (sn_context_trail){*now, trail->last, ns};
    else trail->last = *now;
}

/* Share out `ns` between what was seen last and what is seen now, by halves; see ../base/change_variance.h. */
void sn_context_credit(sn_watched_spool *spool, sn_context_credits *credits, const sn_context_trail *trail,
                       const sn_seen_context *now, uint64_t ns);

/* Give all of `ns` to what was seen at one of two looks. */
void sn_context_credit_one(sn_watched_spool *spool, sn_context_credits *credits, const sn_seen_context *to, uint64_t ns);

/* The same, where it is certain. */
void sn_context_credit_certain(sn_watched_spool *spool, sn_context_credits *credits, const sn_seen_context *to, uint64_t ns);

void sn_context_credits_free(sn_context_credits *credits);

#endif
