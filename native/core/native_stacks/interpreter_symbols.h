/* Functions of CPython that say nothing of the program which it runs. */
#ifndef SONDE_INTERPRETER_SYMBOLS_H
#define SONDE_INTERPRETER_SYMBOLS_H

#include "merged_stack.h"

/* What a function of the interpreter's library is, by its symbol, whatever the compiler has added to that. */
sn_frame_role sn_interpreter_role(const char *symbol);

#endif
