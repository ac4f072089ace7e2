/* Where an interpreter's agent says where counts go of what is loaded later. */
#include "linked_code.h"

int sn_probes_expect(const char *folder, const char *command, bool follow, const sn_outer *outer) {
    const sn_probes_plan plan = {.folder = folder,
                                 .command = command,
                                 .mechanism = "extension-late-probes",
                                 .follow = follow,
                                 .outer = *outer,
                                 .later = true};
    int error = sn_linked_begin(folder, SN_PROBES_OUTERS, SN_PROBES_OUTER_PLACES);
    return error ? error : sn_probes_begin(&plan);
}
