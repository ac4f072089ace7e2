/* A frame evaluator (PEP 523) that does what CPython's own does, and nothing else.
 *
 * Since 3.11 CPython runs a function that Python code calls in the loop that runs its caller, unless there is an evaluator
 * of somebody else's. So this one turns that off: `sonde audit` compares profiles of a program with and without.
 *
 * No Python.h: a Python of any version loads it, and says where its own evaluator is. */

typedef void *frame_evaluator(void *thread, void *frame, int is_thrown);

#define SEEN __attribute__((visibility("default")))

SEEN frame_evaluator *sonde_own_evaluator;

SEEN void *sonde_plain_frame(void *thread, void *frame, int is_thrown);

void *sonde_plain_frame(void *thread, void *frame, int is_thrown) {
    return sonde_own_evaluator(thread, frame, is_thrown);
}
