/* Functions: from code objects, which come and go, to numbers and names, which stay.
 *
 * The number of a code object is kept in the code object itself (its "extra" slot, whose
 * destructor tells us when the object is freed). So no code object is kept alive for our
 * sake, and none whose memory is used again for another is mistaken for it: when a code
 * object is freed, its contexts get a key that no address can equal; when one with the same
 * names appears later, it takes over the number and the contexts.
 */
#include "agent.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if PY_VERSION_HEX >= 0x030C0000
#define request_extra PyUnstable_Eval_RequestCodeExtraIndex
#define get_extra PyUnstable_Code_GetExtra
#define set_extra PyUnstable_Code_SetExtra
#else
#define request_extra _PyEval_RequestCodeExtraIndex
#define get_extra _PyCode_GetExtra
#define set_extra _PyCode_SetExtra
#endif

enum { FLAG_BUILTIN = 1u << 31 };
#define LONGEST_NAME 4096u
#define NONE UINT32_MAX

typedef struct {
    char *identity;       /* name, module, file, first line: what makes two code objects the same */
    uint32_t identity_bytes;
    uint32_t hash;
    uint32_t units;       /* instructions of the code object that is alive */
    uint32_t contexts;    /* first of the chain of cells that run it, 0 when empty */
    uint32_t next_dead;   /* next in the bucket of functions whose code object was freed */
    bool alive, builtin;
} function;

typedef struct { uint64_t key; uint32_t function; } builtin_slot;

static function *functions;
static uint32_t function_count, function_room;
static uint32_t *chain;           /* by cell: next cell that runs the same function */
static Py_ssize_t extra_index = -1;
static uint32_t dead_buckets[1024];
static builtin_slot *builtins;
static uint32_t builtin_room, builtin_count;

static uint32_t cell_of(const sn_context *context) {
    return (uint32_t)(((uint8_t *)context - agent.cells.base) / SN_CELL_BYTES);
}

static sn_context *context_at(uint32_t cell) { return (sn_context *)(agent.cells.base + (uint64_t)cell * SN_CELL_BYTES); }

/* Called by the interpreter when a code object dies; at exit also without our being active. */
static void on_code_freed(void *extra) {
    uint32_t number = (uint32_t)(uintptr_t)extra - 1;
    if (number >= function_count) return;
    function *f = &functions[number];
    for (uint32_t cell = f->contexts, next; cell; cell = next) {
        next = chain[cell];
        chain[cell] = 0;
        sn_tree_rekey(&agent.tree, context_at(cell), sn_dead_key(number));
    }
    f->contexts = 0;
    f->alive = false;
    free(agent.lines_of[number]);
    agent.lines_of[number] = NULL;
    uint32_t *bucket = &dead_buckets[f->hash % 1024];
    f->next_dead = *bucket;
    *bucket = number;
}

int sn_functions_init(void) {
    size_t bytes = agent.cells.limit * sizeof *chain;
    chain = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chain == MAP_FAILED) {
        PyErr_NoMemory();
        return -1;
    }
    memset(dead_buckets, 0xff, sizeof dead_buckets);
    extra_index = request_extra(on_code_freed);
    if (extra_index < 0) {
        PyErr_SetString(PyExc_RuntimeError, "no slot left for extra data in code objects");
        return -1;
    }
    return 0;
}

static bool grow_functions(void) {
    uint32_t room = function_room ? function_room * 2 : 1024;
    function *grown = realloc(functions, room * sizeof *grown);
    if (!grown) return false;
    functions = grown;
    uint32_t **lines = realloc(agent.lines_of, room * sizeof *lines);
    if (!lines) return false;
    memset(lines + function_room, 0, (room - function_room) * sizeof *lines);
    agent.lines_of = lines;
    function_room = room;
    return true;
}

/* One function as the spool describes it. Text is UTF-8, surrogates escaped. */
typedef struct {
    const char *text[4];
    uint32_t length[4];
    uint32_t number[4];
    PyObject *owners[4];
} description;

static void set_text(description *d, int i, PyObject *string) {
    if (!string || !PyUnicode_Check(string)) return;
    PyObject *bytes = PyUnicode_AsEncodedString(string, "utf-8", "surrogateescape");
    if (!bytes) {
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(string, "utf-8", "backslashreplace");
    }
    if (!bytes) {
        PyErr_Clear();
        return;
    }
    Py_ssize_t size = PyBytes_GET_SIZE(bytes);
    d->owners[i] = bytes;
    d->text[i] = PyBytes_AS_STRING(bytes);
    d->length[i] = size > LONGEST_NAME ? LONGEST_NAME : (uint32_t)size;
}

static uint32_t hash_bytes(const char *bytes, uint32_t count, uint32_t hash) {
    for (uint32_t i = 0; i < count; i++) hash = (hash ^ (uint8_t)bytes[i]) * 16777619u; /* FNV-1a */
    return hash;
}

static uint32_t take_dead(uint32_t hash, const char *identity, uint32_t bytes) {
    for (uint32_t *link = &dead_buckets[hash % 1024]; *link != NONE; link = &functions[*link].next_dead) {
        uint32_t number = *link;
        const function *f = &functions[number];
        if (f->hash != hash || f->identity_bytes != bytes || memcmp(f->identity, identity, bytes)) continue;
        *link = f->next_dead;
        return number;
    }
    return NONE;
}

/* Number for the described function: that of a dead twin, or a new one. */
static uint32_t intern(description *d, bool builtin) {
    uint32_t bytes = sizeof d->number[0];
    for (int i = 0; i < 4; i++) bytes += d->length[i] + 1;
    char *identity = malloc(bytes);
    if (!identity) return NONE;
    char *at = identity;
    memcpy(at, &d->number[0], sizeof d->number[0]);
    at += sizeof d->number[0];
    for (int i = 0; i < 4; i++) {
        if (d->length[i]) memcpy(at, d->text[i], d->length[i]);
        at += d->length[i];
        *at++ = 0;
    }
    uint32_t hash = hash_bytes(identity, bytes, 2166136261u);
    uint32_t number = builtin ? NONE : take_dead(hash, identity, bytes);
    if (number != NONE) {
        free(identity);
    } else {
        if ((function_count == function_room && !grow_functions()) ||
            !sn_cells_record(&agent.cells, SN_RECORD_FUNCTION, d->number, d->text, d->length)) {
            free(identity);
            return NONE;
        }
        number = function_count++;
        functions[number] = (function){.identity = identity, .identity_bytes = bytes, .hash = hash, .builtin = builtin};
    }
    functions[number].alive = true;
    return number;
}

static void release(description *d) {
    for (int i = 0; i < 4; i++) Py_XDECREF(d->owners[i]);
}

static uint32_t describe_code(PyCodeObject *code, const sn_frame *frame) {
    description d = {0};
    d.number[0] = (uint32_t)code->co_firstlineno;
    d.number[1] = (uint32_t)code->co_flags & ~(uint32_t)FLAG_BUILTIN;
    set_text(&d, 0, code->co_qualname);
    PyObject *globals = frame ? frame->f_globals : NULL;
    if (globals && PyDict_CheckExact(globals)) set_text(&d, 1, PyDict_GetItemString(globals, "__name__"));
    set_text(&d, 2, code->co_filename);
    uint32_t number = intern(&d, false);
    release(&d);
    return number;
}

uint32_t sn_function_of_code(PyObject *code, const sn_frame *frame) {
    void *extra = NULL;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); /* a frame may be entered with an exception in flight */
    uint32_t number = NONE;
    if (!get_extra(code, extra_index, &extra) && extra) {
        number = (uint32_t)(uintptr_t)extra - 1;
    } else {
        PyErr_Clear();
        number = describe_code((PyCodeObject *)code, frame);
        if (number != NONE) {
            functions[number].units = (uint32_t)Py_SIZE(code);
            if (set_extra(code, extra_index, (void *)(uintptr_t)(number + 1))) PyErr_Clear();
        }
    }
    PyErr_Restore(type, value, trace);
    return number;
}

void sn_function_adopt(uint32_t number, sn_context *context) {
    uint32_t cell = cell_of(context);
    chain[cell] = functions[number].contexts;
    functions[number].contexts = cell;
}

bool sn_function_is_builtin(uint32_t number) { return number < function_count && functions[number].builtin; }

uint32_t sn_function_call_line(uint32_t number, const sn_frame *caller, PyObject *code) {
    uint32_t unit = sn_frame_instruction(caller, code);
    if (unit >= functions[number].units) return 0;
    if (!agent.lines_of[number]) agent.lines_of[number] = calloc(functions[number].units, sizeof(uint32_t));
    if (agent.lines_of[number] && agent.lines_of[number][unit]) return agent.lines_of[number][unit] - 1;
    int line = PyCode_Addr2Line((PyCodeObject *)code, (int)(unit * sizeof(_Py_CODEUNIT)));
    uint32_t stored = line > 0 ? (uint32_t)line & SN_LINE_MASK : 0;
    if (agent.lines_of[number]) agent.lines_of[number][unit] = stored + 1;
    return stored;
}

/* The type that defines a C method, `list` for `[].append` even on a subclass of list. */
static PyTypeObject *defining_type(PyTypeObject *type, const PyMethodDef *method) {
    PyObject *mro = type->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (!base->tp_methods) continue;
        for (const PyMethodDef *m = base->tp_methods; m->ml_name; m++)
            if (m == method) return base;
    }
    return type;
}

static const char *short_name(const PyTypeObject *type) {
    const char *dot = strrchr(type->tp_name, '.');
    return dot ? dot + 1 : type->tp_name;
}

static uint32_t describe_builtin(PyObject *callable, const PyMethodDef *method) {
    description d = {0};
    char name[256];
    PyObject *module = NULL;
    if (PyCFunction_Check(callable)) {
        PyObject *self = PyCFunction_GET_SELF(callable);
        module = ((PyCFunctionObject *)callable)->m_module;
        if (module && PyModule_Check(module)) module = PyModule_GetNameObject(module);
        else Py_XINCREF(module);
        if (self && !PyModule_Check(self)) {
            PyTypeObject *type = PyType_Check(self) ? (PyTypeObject *)self : defining_type(Py_TYPE(self), method);
            snprintf(name, sizeof name, "%s.%s", short_name(type), method->ml_name);
        } else {
            snprintf(name, sizeof name, "%s", method->ml_name);
        }
    } else {
        snprintf(name, sizeof name, "%s.%s", short_name(((PyMethodDescrObject *)callable)->d_common.d_type), method->ml_name);
    }
    d.number[1] = FLAG_BUILTIN;
    d.text[0] = name;
    d.length[0] = (uint32_t)strlen(name);
    if (module) set_text(&d, 1, module);
    PyErr_Clear();
    uint32_t number = intern(&d, true);
    release(&d);
    Py_XDECREF(module);
    return number;
}

static bool grow_builtins(void) {
    uint32_t room = builtin_room ? builtin_room * 2 : 512;
    builtin_slot *grown = calloc(room, sizeof *grown);
    if (!grown) return false;
    for (uint32_t i = 0; i < builtin_room; i++) {
        if (!builtins[i].key) continue;
        uint32_t at = (uint32_t)(builtins[i].key >> 4) & (room - 1);
        while (grown[at].key) at = (at + 1) & (room - 1);
        grown[at] = builtins[i];
    }
    free(builtins);
    builtins = grown;
    builtin_room = room;
    return true;
}

/* C functions are known by their method definition, which is static in nearly all modules. */
uint32_t sn_function_of_builtin(PyObject *callable, uint64_t *key) {
    const PyMethodDef *method;
    if (PyCFunction_Check(callable)) method = ((PyCFunctionObject *)callable)->m_ml;
    else if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) method = ((PyMethodDescrObject *)callable)->d_method;
    else return NONE;
    *key = (uint64_t)(uintptr_t)method;
    if ((builtin_count + 1) * 2 > builtin_room && !grow_builtins()) return NONE;
    uint32_t at = (uint32_t)(*key >> 4) & (builtin_room - 1);
    while (builtins[at].key && builtins[at].key != *key) at = (at + 1) & (builtin_room - 1);
    if (!builtins[at].key) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        uint32_t number = describe_builtin(callable, method);
        PyErr_Restore(type, value, trace);
        if (number == NONE) return NONE;
        builtins[at] = (builtin_slot){*key, number};
        builtin_count++;
    }
    return builtins[at].function;
}
