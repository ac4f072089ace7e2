/* Which lines run, sampled from another process.
 *
 * Every so often we look at each thread of the measured processes: its cursor, in the spool, says what it runs; the
 * frame on top of its stack, which is read out of its memory, says at which instruction it is. Both must agree, before
 * and after, or the sample is dropped: while calls are seen to begin and end they do not. So what it costs to watch
 * calls is no line's time, and the lines of a function share what the agent counts as the function's own time.
 *
 *   cursor -> context -> function, code object     in the spool, which is mapped here
 *   thread state -> frame -> code object, instruction; code object -> table of lines     process_vm_readv
 *
 * Nothing runs in the measured process. Nothing that is read is trusted.
 */
#ifndef SONDE_LINE_SAMPLER_H
#define SONDE_LINE_SAMPLER_H

#include "../base/cells.h"

/* Lines of a process that are told apart, at most. */
#define SN_MOST_SAMPLED_LINES (1u << 16)

typedef struct sn_line_sampler sn_line_sampler;

/* Samples of one line; line 0 is none that is known. */
typedef struct {
    uint32_t process; /* in order of their addition */
    uint32_t function; /* number of the FUNCTION record of its spool */
    uint32_t line;
    uint32_t samples;
} sn_sampled_line;

typedef struct {
    uint64_t samples; /* that have a line */
    uint64_t dropped; /* that had to be: calls were being watched, or the thread went on */
    uint64_t without_room; /* of lines beyond the most */
    uint32_t forbidden; /* processes whose memory the system does not let us read */
} sn_sampling;

/* NULL when memory is short. `period_ns`: mean time from one look to the next, 1 or more; each is drawn from half of it
 * to half more, so that it cannot keep step with the program. */
sn_line_sampler *sn_line_sampler_create(uint64_t period_ns);
void sn_line_sampler_destroy(sn_line_sampler *sampler);

/* Look at another process, too. SN_BAD_INPUT: the file at `path` is no spool with a layout of frames, or not yet. */
sn_status sn_line_sampler_add(sn_line_sampler *sampler, const char *path);

/* Look at all processes over and over, for `ns`, or until another thread stops it for good. At most a tenth of that time is
 * spent on looking. */
void sn_line_sampler_run(sn_line_sampler *sampler, uint64_t ns);
void sn_line_sampler_stop(sn_line_sampler *sampler);

/* Look at each thread once. */
void sn_line_sampler_look(sn_line_sampler *sampler);

sn_sampling sn_line_sampler_sums(const sn_line_sampler *sampler);
/* Put up to `room` lines into `lines`; returns how many there are. */
size_t sn_line_sampler_lines(const sn_line_sampler *sampler, sn_sampled_line *lines, size_t room);

#endif
