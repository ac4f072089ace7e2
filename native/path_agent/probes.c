#include "probes.h"

#include "counting.h"

/* What `~` makes an activation of. */
typedef struct {
    PyObject_HEAD
    uint32_t number;
    uint32_t node; /* in the forest, once there is one */
    int64_t start;
} routine_object;

typedef enum { ADD, EMIT, END, LOSE } probe_kind;

typedef struct {
    PyObject_HEAD
    probe_kind kind;
    int64_t value, start;
} probe_object;

/* Counts activations that take one path each. */
typedef struct {
    PyObject_HEAD
    uint32_t number;
    uint32_t node; /* in the forest, once there is one */
    int64_t value;
} whole_object;

/* One run of a function. It lies at the bottom of the frame's stack, so it goes when the frame does. */
typedef struct activation_object {
    PyObject_HEAD
    int64_t register_;
    sn_slab_activation forest;
    bool ended;
} activation_object;

static PyTypeObject activation_type;

/* Activations that are gone: they are made and freed all the time. */
#define MOST_SPARE 256
static activation_object *spare[MOST_SPARE];
static unsigned spares;

static PyObject *begin(PyObject *object) {
    routine_object *routine = (routine_object *)object;
    activation_object *new;
    if (likely(spares)) {
        new = spare[--spares];
        Py_SET_REFCNT((PyObject *)new, 1);
    } else if (!(new = PyObject_New(activation_object, &activation_type))) {
        return NULL;
    }
    new->register_ = routine->start;
    new->ended = false;
    new->forest = sn_count_activation(&routine->node, routine->number);
    return (PyObject *)new;
}

static void free_activation(PyObject *object) {
    activation_object *activation = (activation_object *)object;
    if (unlikely(!activation->ended)) counting.unended++;
    if (likely(spares < MOST_SPARE)) spare[spares++] = activation;
    else PyObject_Free(object);
}

/* `del activation[probe]` */
static int act(PyObject *object, PyObject *key, PyObject *value) {
    (void)value;
    activation_object *activation = (activation_object *)object;
    const probe_object *probe = (const probe_object *)key;
    switch (probe->kind) {
    case ADD:
        activation->register_ += probe->value;
        break;
    case EMIT:
        sn_count_path(&activation->forest, activation->register_ + probe->value);
        activation->register_ = probe->start;
        break;
    case END:
        sn_count_path(&activation->forest, activation->register_ + probe->value);
        activation->ended = true;
        break;
    case LOSE:
        counting.lost++;
        activation->register_ = probe->start;
        break;
    }
    return 0;
}

/* `del whole[register]` */
static int count_whole(PyObject *object, PyObject *key, PyObject *value) {
    (void)value;
    whole_object *whole = (whole_object *)object;
    sn_slab_activation activation = sn_count_activation(&whole->node, whole->number);
    sn_count_path(&activation, PyLong_AsLongLong(key) + whole->value);
    return 0;
}

static PyMappingMethods whole_items = {.mp_ass_subscript = count_whole};
static PyNumberMethods routine_operators = {.nb_invert = begin};
static PyMappingMethods activation_items = {.mp_ass_subscript = act};

static PyTypeObject routine_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.routine",
    .tp_basicsize = sizeof(routine_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_as_number = &routine_operators,
};
static PyTypeObject probe_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.probe",
    .tp_basicsize = sizeof(probe_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};
static PyTypeObject whole_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.whole",
    .tp_basicsize = sizeof(whole_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_as_mapping = &whole_items,
};
static PyTypeObject activation_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.activation",
    .tp_basicsize = sizeof(activation_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = free_activation,
    .tp_as_mapping = &activation_items,
};

int sn_probes_init(void) {
    return PyType_Ready(&whole_type) || PyType_Ready(&routine_type) || PyType_Ready(&probe_type) || PyType_Ready(&activation_type) ? -1 : 0;
}

PyObject *sn_routine(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned number;
    long long start;
    if (!PyArg_ParseTuple(arguments, "IL", &number, &start)) return NULL;
    routine_object *new = PyObject_New(routine_object, &routine_type);
    if (!new) return NULL;
    new->number = number;
    new->node = 0;
    new->start = start;
    return (PyObject *)new;
}

static PyObject *new_probe(probe_kind kind, long long value, long long start) {
    probe_object *new = PyObject_New(probe_object, &probe_type);
    if (!new) return NULL;
    new->kind = kind;
    new->value = value;
    new->start = start;
    return (PyObject *)new;
}

PyObject *sn_add(PyObject *module, PyObject *arguments) {
    (void)module;
    long long value;
    return PyArg_ParseTuple(arguments, "L", &value) ? new_probe(ADD, value, 0) : NULL;
}

PyObject *sn_emit(PyObject *module, PyObject *arguments) {
    (void)module;
    long long value, start;
    return PyArg_ParseTuple(arguments, "LL", &value, &start) ? new_probe(EMIT, value, start) : NULL;
}

PyObject *sn_end(PyObject *module, PyObject *arguments) {
    (void)module;
    long long value;
    return PyArg_ParseTuple(arguments, "L", &value) ? new_probe(END, value, 0) : NULL;
}

PyObject *sn_lose(PyObject *module, PyObject *arguments) {
    (void)module;
    long long start;
    return PyArg_ParseTuple(arguments, "L", &start) ? new_probe(LOSE, 0, start) : NULL;
}

PyObject *sn_whole(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned number;
    long long value;
    if (!PyArg_ParseTuple(arguments, "IL", &number, &value)) return NULL;
    whole_object *new = PyObject_New(whole_object, &whole_type);
    if (!new) return NULL;
    new->number = number;
    new->node = 0;
    new->value = value;
    return (PyObject *)new;
}
