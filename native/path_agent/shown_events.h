/* CPython 3.12 and 3.13: what the program is told by sys.monitoring of rewritten code is told of the code that it had.
 *
 * Callbacks of the program get the original and its offsets, and no events of probes; events that it asks for in an original
 * are those of what runs in its place. The functions of sys.monitoring stay what they are, but for what they do.
 */
#ifndef SONDE_PATHS_SHOWN_EVENTS_H
#define SONDE_PATHS_SHOWN_EVENTS_H

/* Until the process ends. -1 with an exception. */
int sn_shown_events_begin(void);

#endif
