/* The words of the launcher's command line: VERSION name=value ... -- the command's words */
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, int64_t *number) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < 0) return false;
    *number = value;
    return true;
}

/* A number that is a descriptor, a processor or a process. */
static bool read_small(const char *text, int *number) {
    int64_t value;
    if (!read_number(text, &value) || value > 1 << 22) return false;
    *number = (int)value;
    return true;
}

static bool read_switch(const char *text, bool *on) {
    *on = strcmp(text, "1") == 0;
    return *on || strcmp(text, "0") == 0;
}

/* The value, when the word is `name=value`. */
static const char *value_of(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool read_option(sn_launch_options *options, const char *word) {
    const char *text;
    if ((text = value_of(word, "record"))) return read_small(text, &options->record);
    if ((text = value_of(word, "parent"))) return read_small(text, &options->parent);
    if ((text = value_of(word, "keep"))) return read_small(text, &options->keep);
    if ((text = value_of(word, "pin"))) return read_small(text, &options->pin);
    if ((text = value_of(word, "aslr"))) return read_switch(text, &options->randomise);
    if ((text = value_of(word, "count"))) return read_switch(text, &options->count);
    if ((text = value_of(word, "drain"))) return read_switch(text, &options->drain_output);
    if ((text = value_of(word, "tail"))) return read_switch(text, &options->keep_tail);
    if ((text = value_of(word, "timeout"))) return read_number(text, &options->timeout_ns);
    if ((text = value_of(word, "grace"))) return read_number(text, &options->grace_ns);
    if ((text = value_of(word, "folder"))) return options->folder = text, true;
    if ((text = value_of(word, "program"))) return options->program = text, true;
    return false;
}

bool sn_read_options(sn_launch_options *options, int argc, char **argv) {
    *options = (sn_launch_options){
        .record = -1, .parent = -1, .keep = -1, .pin = -1, .randomise = true, .timeout_ns = -1, .grace_ns = 1000000000};
    if (argc < 2 || atoi(argv[1]) != SN_LAUNCHER_VERSION) {
        fprintf(stderr, "sonde launcher: version %d, asked for %s\n", SN_LAUNCHER_VERSION, argc < 2 ? "none" : argv[1]);
        return false;
    }
    int next = 2;
    for (; next < argc && strcmp(argv[next], "--") != 0; next++) {
        if (!read_option(options, argv[next])) {
            fprintf(stderr, "sonde launcher: cannot read '%s'\n", argv[next]);
            return false;
        }
    }
    options->words = argv + next + 1;
    if (next + 1 >= argc || !options->program || options->record < 0) {
        fprintf(stderr, "sonde launcher: needs record=, program= and -- with words after it\n");
        return false;
    }
    return true;
}
