/* A loop, with a client request of the tool in each turn or without: `requests 1000000 tell`, `requests 1000000`.
 *
 * The tool takes the program for a part of the agent, whose accesses are not counted: what is left is the request. */
#include "requests/client_request.h"
#include "requests/requests.h"

#include <stdio.h>
#include <stdlib.h>

extern char __executable_start, etext; /* of the linker */

int main(int count, char **words) {
    const long turns = count > 1 ? atol(words[1]) : 1000;
    const int tells = count > 2;
    sn_tell(SN_OWN_CODE, (uintptr_t)&__executable_start, (uintptr_t)&etext, 0, 0, 0);
    volatile uint64_t sum = 0; /* keeps the loop */
    for (long turn = 0; turn < turns; turn++) {
        sum += (uint64_t)turn;
        if (tells) sn_tell(SN_UNDER_TOOL, sum, 0, 0, 0, 0);
    }
    printf("%lu\n", (unsigned long)sum);
    return 0;
}
