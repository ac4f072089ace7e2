/* Whether a function has only to give its frame back, and to return.
 *
 * Probes at a function's end stand before what it calls last, where LLVM may jump to that instead. Where it does not, as the
 * arguments take more of the stack than the function's own, the frame stays while the function has ended. What stands behind any
 * other call, up to the return, is at least the look at the switch.
 */
#ifndef SONDE_PROBES_EPILOGUE_H
#define SONDE_PROBES_EPILOGUE_H

#include <stdbool.h>

/* `code`: where a frame goes on. Instructions that no epilogue has mean no. */
bool sn_is_epilogue(const unsigned char *code);

#endif
