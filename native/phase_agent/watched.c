/* Which functions are watched, known by what their code says of them. Nothing is kept of code objects, which come and go.
 *
 * A bit for each first line tells most of the others apart: few lines begin a function that is watched.
 */
#include "agent.h"


enum { LINES = 4096, MOST_WATCHED = 4096 };

typedef struct {
    uint32_t number;
    int first_line;
    PyObject *file; /* NULL: any */
    PyObject *name;
} watched_function;

static watched_function watched[MOST_WATCHED];
static uint32_t watched_count;
static int16_t first_at[LINES]; /* + 1: the first that begins at such a line; 0: none does */
static int16_t next_at[MOST_WATCHED];

static void add_at(uint32_t place, uint32_t line) {
    next_at[place] = first_at[line];
    first_at[line] = (int16_t)(place + 1);
}

int sn_watched_add(uint32_t number, int first_line, PyObject *file, PyObject *name) {
    if (watched_count == MOST_WATCHED) {
        PyErr_SetString(PyExc_ValueError, "too many functions to watch");
        return -1;
    }
    uint32_t place = watched_count++;
    watched[place] = (watched_function){number, first_line, PyUnicode_GET_LENGTH(file) ? Py_NewRef(file) : NULL,
                                        Py_NewRef(name)};
    add_at(place, (uint32_t)first_line % LINES);
    return 0;
}

static bool same(PyObject *a, PyObject *b) {
    return a == b || (PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && !PyUnicode_Compare(a, b));
}

int64_t sn_watched_number(const PyCodeObject *code) {
    for (int16_t at = first_at[(uint32_t)code->co_firstlineno % LINES]; unlikely(at); at = next_at[at - 1]) {
        const watched_function *each = &watched[at - 1];
        if (each->first_line != code->co_firstlineno || !same(each->name, code->co_qualname)) continue;
        if (!each->file || same(each->file, code->co_filename)) return each->number;
    }
    return -1;
}
