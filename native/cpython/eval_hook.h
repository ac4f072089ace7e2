/* Python 3.11: calls seen by replacing the frame evaluator (PEP 523). */
#ifndef SONDE_EVAL_HOOK_H
#define SONDE_EVAL_HOOK_H

#include <stdbool.h>

/* Each as in sn_mechanism. */
int sn_eval_hook_start(void);
void sn_eval_hook_stop(void);
void sn_eval_hook_resume(void);
bool sn_eval_hook_intact(void);

#endif
