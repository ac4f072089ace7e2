#!/bin/sh
# Build and run the tests of the core, plainly and under the sanitizers; the fuzzers only under these.
#   sh native/tests/run.sh [build folder [plain|sanitized [inputs for each fuzzer]]]
# Needs a C compiler; CMake is used when there is one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build/native-tests}
kinds=${2:-plain sanitized}
runs=${3:-4000}

with_cmake() { # name, options
    name=$1
    shift
    cmake -S "$here" -B "$build/$name" "$@" >"$build/$name.log" 2>&1 || { cat "$build/$name.log"; return 1; }
    cmake --build "$build/$name" --parallel >>"$build/$name.log" 2>&1 || { cat "$build/$name.log"; return 1; }
    ctest --test-dir "$build/$name" --output-on-failure
}

without_cmake() { # name, flags
    name=$1
    shift
    mkdir -p "$build/$name"
    launcher=$(ls "$here"/../launcher/*.c | grep -v main.c)
    # An archive gives each test what it asks for: some of the core needs a platform, which only some tests have.
    for source in "$here"/../core/*/*.c; do
        "${CC:-cc}" -std=gnu17 -O2 -g1 -Wall -Wextra -Werror "$@" -c "$source" -o "$build/$name/$(basename "$source" .c).o"
    done
    ar rcs "$build/$name/core.a" "$build/$name"/*.o
    # The probes have memory of their own, and the core that they need is compiled for them.
    mkdir -p "$build/$name/probes"
    probes=$(sed -n '/^set(SONDE_[A-Z_]*PROBES_SOURCES/,/)/p' "$here/../sources.cmake" | grep -o 'native/[^ )]*' | sort -u)
    for source in $probes; do
        "${CC:-cc}" -std=gnu17 -O2 -g1 -Wall -Wextra -Werror "$@" -include "$here/../probes/own_memory.h" \
            -c "$here/../../$source" -o "$build/$name/probes/$(basename "$source" .c).o"
    done
    if [ "$name" = plain ]; then fuzzers=; else fuzzers=$(ls "$here"/../fuzz/fuzz_*.c); fi
    for test in "$here"/test_*.c $fuzzers; do
        program=$build/$name/$(basename "$test" .c)
        case $test in
        */fuzz_*) driver=$here/../fuzz/mutate.c ;;
        */test_unit_cycles.c) driver=$(ls "$build/$name"/probes/*.o | grep -v unit_cycles.o) ;; # it has its own clock
        */test_bursts.c | */test_probes.c | */test_own_memory.c | */test_path_counts.c | */test_path_forests.c | */test_phase_calls.c) driver=$(ls "$build/$name"/probes/*.o) ;;
        *) driver= ;;
        esac
        # shellcheck disable=SC2086
        "${CC:-cc}" -std=gnu17 -O2 -g1 -Wall -Wextra -Werror "$@" "$test" $driver $launcher "$build/$name/core.a" -o "$program" -lm -ldl
        case $test in
        */fuzz_*) "$program" "-runs=$runs" ;;
        *) "$program" ;;
        esac
    done
}

# The core of the package, as it is shipped, if it was built since the last change: it need not be compiled again.
built_core() {
    newest=$(ls -t "$here"/../../build/*/libsonde_core.a 2>/dev/null | head -n 1)
    if [ -n "$newest" ] && [ -z "$(find "$here/../core" "$here/../../CMakeLists.txt" -newer "$newest" -type f)" ]; then
        realpath "$newest"
    fi
}

mkdir -p "$build"
sanitizers='-O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all'
for kind in $kinds; do
    if command -v cmake >/dev/null 2>&1 && command -v ctest >/dev/null 2>&1; then
        if [ "$kind" = plain ]; then with_cmake plain "-DSONDE_CORE=$(built_core)"; else with_cmake sanitized -DSONDE_SANITIZE=ON "-DSONDE_FUZZ_RUNS=$runs"; fi
    else
        # shellcheck disable=SC2086
        if [ "$kind" = plain ]; then without_cmake plain; else without_cmake sanitized $sanitizers; fi
    fi
done
