/* Functions: from code objects, which come and go, to numbers and names, which stay.
 *
 * No code object is kept alive for our sake, and none whose memory is used again for another
 * is mistaken for it: we are told when one dies (by a code watcher, or a weak reference on
 * 3.11). Its contexts then get a key that no address can equal; when a code object with the
 * same names appears later, it takes over the number and the contexts.
 *
 * The "extra" slots of code objects would tell us too, but a second user of them would have
 * its destructor called for every code object that we have looked at.
 */
#include "functions.h"

#include "monitoring.h"
#include "outer_context.h"
#include "unseen.h"

#include "../core/base/address_map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FLAG_BUILTIN = 1u << 31, FLAG_THREAD = 1u << 30 };
#define LONGEST_NAME 4096u
#define NONE SN_NO_FUNCTION

typedef struct {
    char *identity;       /* name, module, file, first line: what makes two code objects the same */
    uint32_t identity_bytes;
    uint32_t hash;
    uint32_t flags, length[3]; /* as described: co_flags, and the bytes of name, module and file */
    uint32_t units;       /* instructions of the code object that is alive */
    uint32_t contexts;    /* first of the chain of cells that run it, 0 when empty */
    uint32_t next_dead;   /* next in the bucket of functions whose code object was freed */
    bool builtin;         /* or a thread: no code of Python's */
#if PY_VERSION_HEX < 0x030C0000
    uintptr_t code;       /* address of the code object that is alive */
    PyObject *watch;      /* weak reference to it */
#endif
} function;

static function *functions;
static uint32_t function_count, function_room;
static uint32_t *chain, *chain_back; /* by cell: next cell that runs the same function, and the one before */
static uint32_t dead_buckets[1024];
static sn_address_map codes, builtins;

static uint32_t cell_of(const sn_context *context) {
    return (uint32_t)(((uint8_t *)context - agent.cells.base) / SN_CELL_BYTES);
}

static sn_context *context_at(uint32_t cell) { return (sn_context *)(agent.cells.base + (uint64_t)cell * SN_CELL_BYTES); }

static void retire(uint32_t number, uintptr_t code) {
    function *f = &functions[number];
    sn_address_remove(&codes, code);
    for (uint32_t cell = f->contexts, next; cell; cell = next) {
        next = chain[cell];
        chain[cell] = chain_back[cell] = 0;
        sn_tree_rekey(&agent.hot.tree, context_at(cell), sn_dead_key(number));
    }
    f->contexts = 0;
    free(agent.lines_of[number]);
    agent.lines_of[number] = NULL;
    uint32_t *bucket = &dead_buckets[f->hash % 1024];
    f->next_dead = *bucket;
    *bucket = number;
}

#if PY_VERSION_HEX >= 0x030C0000

static int on_code_event(PyCodeEvent event, PyCodeObject *code) {
    if (event != PY_CODE_EVENT_DESTROY) return 0;
    uint32_t number = sn_address_find(&codes, (uintptr_t)code);
    if (number != NONE) retire(number, (uintptr_t)code);
    return 0;
}

static int begin_watching(void) {
    static bool begun;
    if (begun) return 0;
    begun = true;
    return PyCode_AddWatcher(on_code_event) < 0 ? -1 : 0;
}

static void end_watch(function *f) { (void)f; }

static bool watch(uint32_t number, PyObject *code) {
    (void)number, (void)code;
    return true;
}

#else

static PyObject *on_code_freed(PyObject *number, PyObject *reference) {
    (void)reference;
    uint32_t n = (uint32_t)PyLong_AsUnsignedLong(number);
    retire(n, functions[n].code);
    Py_CLEAR(functions[n].watch);
    Py_RETURN_NONE;
}

static PyMethodDef on_code_freed_method = {"on_code_freed", on_code_freed, METH_O, NULL};

static int begin_watching(void) { return 0; }

static bool watch(uint32_t number, PyObject *code) {
    /* A collection now would run finalizers, and so calls, in the middle of ours. */
    int collecting = PyGC_Disable();
    PyObject *boxed = PyLong_FromUnsignedLong(number);
    PyObject *callback = boxed ? PyCFunction_New(&on_code_freed_method, boxed) : NULL;
    PyObject *reference = callback ? PyWeakref_NewRef(code, callback) : NULL;
    Py_XDECREF(callback);
    Py_XDECREF(boxed);
    if (collecting) PyGC_Enable();
    PyErr_Clear();
    functions[number].code = (uintptr_t)code;
    functions[number].watch = reference;
    return reference != NULL;
}

static void end_watch(function *f) { Py_CLEAR(f->watch); }

#endif

int sn_functions_init(void) {
    size_t bytes = agent.cells.limit * sizeof *chain;
    chain = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chain == MAP_FAILED) {
        chain = NULL;
        PyErr_NoMemory();
        return -1;
    }
    chain_back = chain + agent.cells.limit;
    agent.hot.tree.on_removal = sn_function_abandon;
    memset(dead_buckets, 0xff, sizeof dead_buckets);
    return begin_watching();
}

void sn_functions_forget(void) {
    for (uint32_t number = 0; number < function_count; number++) {
        end_watch(&functions[number]);
        free(functions[number].identity);
        free(agent.lines_of[number]);
        agent.lines_of[number] = NULL;
    }
    function_count = 0;
    sn_address_clear(&codes);
    sn_address_clear(&builtins);
    if (chain) munmap(chain, 2 * agent.cells.limit * sizeof *chain);
    chain = NULL;
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

/* Define a function in the trace. Without the definition, the numbers of later functions would be wrong. */
static void record_function(uint32_t first_line, uint32_t flags, const char *const text[3], const uint32_t length[3]) {
    if (!sn_trace_function(&agent.trace, first_line, flags, text, length)) sn_trace_stop(&agent.trace);
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
        if (agent.trace_path) record_function(d->number[0], d->number[1], d->text, d->length);
        number = function_count++;
        functions[number] = (function){
            .identity = identity, .identity_bytes = bytes, .hash = hash, .flags = d->number[1],
            .length = {d->length[0], d->length[1], d->length[2]}, .builtin = builtin};
    }
    return number;
}

static void release(description *d) {
    for (int i = 0; i < 4; i++) Py_XDECREF(d->owners[i]);
}

static uint32_t describe_code(PyCodeObject *code, const sn_frame *frame) {
    description d = {0};
    d.number[0] = (uint32_t)code->co_firstlineno;
    d.number[1] = (uint32_t)code->co_flags & ~(uint32_t)(FLAG_BUILTIN | FLAG_THREAD);
    set_text(&d, 0, code->co_qualname);
    PyObject *globals = frame ? frame->f_globals : NULL;
    if (globals && PyDict_CheckExact(globals)) set_text(&d, 1, PyDict_GetItemString(globals, "__name__"));
    set_text(&d, 2, code->co_filename);
    uint32_t number = intern(&d, false);
    release(&d);
    sn_first_call_look(code);
#if PY_VERSION_HEX >= 0x030C0000
    sn_monitoring_look_for_tracer();
#endif
    return number;
}

uint32_t sn_function_of_code(PyObject *code, const sn_frame *frame) {
    uint32_t number = sn_address_find(&codes, (uintptr_t)code);
    if (number != NONE) return number;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); /* a frame may be entered with an exception in flight */
    number = describe_code((PyCodeObject *)code, frame);
    if (number != NONE && (!watch(number, code) || !sn_address_add(&codes, (uintptr_t)code, number))) {
        /* Better never to be told of its death than to mistake another for it. */
        Py_INCREF(code);
    }
    if (number != NONE) functions[number].units = (uint32_t)Py_SIZE(code);
    PyErr_Restore(type, value, trace);
    return number;
}

void sn_functions_record(void) {
    for (uint32_t number = 0; number < function_count; number++) {
        const function *f = &functions[number];
        const char *text[3], *at = f->identity + sizeof(uint32_t);
        uint32_t length[3], first_line;
        memcpy(&first_line, f->identity, sizeof first_line);
        for (int i = 0; i < 3; i++) {
            text[i] = at;
            length[i] = f->length[i];
            at += length[i] + 1;
        }
        record_function(first_line, f->flags, text, length);
    }
}

void sn_function_adopt(uint32_t number, sn_context *context) {
    uint32_t cell = cell_of(context), first = functions[number].contexts;
    chain[cell] = first;
    chain_back[cell] = 0;
    if (first) chain_back[first] = cell;
    functions[number].contexts = cell;
}

void sn_function_abandon(sn_context *context) {
    sn_outer_abandon(context);
    uint32_t cell = cell_of(context), next = chain[cell], back = chain_back[cell];
    function *f = &functions[context->function];
    if (back) chain[back] = next;
    else if (f->contexts == cell) f->contexts = next;
    if (next) chain_back[next] = back;
    chain[cell] = chain_back[cell] = 0;
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

/* C functions are known by their method definition, which is static in nearly all modules. */
uint32_t sn_function_of_builtin(PyObject *callable, uint64_t *key) {
    const PyMethodDef *method;
    if (PyCFunction_Check(callable)) method = ((PyCFunctionObject *)callable)->m_ml;
    else if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) method = ((PyMethodDescrObject *)callable)->d_method;
    else return NONE;
    *key = (uint64_t)(uintptr_t)method;
    uint32_t number = sn_address_find(&builtins, (uintptr_t)method);
    if (number != NONE) return number;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    number = describe_builtin(callable, method);
    PyErr_Restore(type, value, trace);
    return number != NONE && sn_address_add(&builtins, (uintptr_t)method, number) ? number : NONE;
}

uint32_t sn_function_of_thread(PyObject *name, uint32_t thread) {
    description d = {.number = {thread, FLAG_THREAD}};
    set_text(&d, 0, name);
    uint32_t number = intern(&d, true);
    release(&d);
    return number;
}
