/* No tool: no advice. Linked where a tool's generated file is not. */
#include "advice.h"

const struct sn_advice sn_advice = {.version = SN_ADVICE_VERSION};
