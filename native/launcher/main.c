/* The launcher: sonde starts one for each invocation of a command. See launch.h. */
#include "launch.h"

int main(int argc, char **argv) {
    sn_launch_options options;
    if (!sn_read_options(&options, argc, argv)) return SN_LAUNCHER_USAGE;
    return sn_launch(&options);
}
