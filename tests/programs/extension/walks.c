/* An extension module whose functions call one another in all ways; `twin/walks.py` has the same calls in Python. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <search.h>

#define CALLED __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

CALLED static long lowest(long n) {
  __asm__ volatile("");
  return n;
}

INLINED long inlined(long n) { return lowest(n) + 1; }

CALLED static long step(long n) { return n < 2 ? inlined(n) : step(n - 1) + step(n - 2); }

CALLED static int differ(const void *a, const void *b) {
  lowest(1);
  return *(const long *)a != *(const long *)b;
}

/* Code without probes calls back: as many times as there are numbers before the one that is looked for. */
CALLED static long find(long n) {
  long numbers[64], wanted = n;
  size_t count = 64;
  for (long each = 0; each < 64; each++) numbers[each] = each;
  const long *found = lfind(&wanted, numbers, &count, sizeof *numbers, differ);
  return found ? found - numbers : -1;
}

static PyObject *work(PyObject *module, PyObject *number) {
  (void)module;
  return PyLong_FromLong(step(PyLong_AsLong(number)));
}

static PyObject *search(PyObject *module, PyObject *number) {
  long found, n = PyLong_AsLong(number);
  (void)module;
  Py_BEGIN_ALLOW_THREADS
  found = find(n);
  Py_END_ALLOW_THREADS
  return PyLong_FromLong(found + find(3));
}

CALLED static PyObject *repeated(PyObject *callable, long times) {
  PyObject *result = Py_NewRef(Py_None);
  for (long each = 0; each < times && result; each++) {
    Py_DECREF(result);
    lowest(each);
    result = PyObject_CallNoArgs(callable);
    step(1);
  }
  return result;
}

static PyObject *call(PyObject *module, PyObject *arguments) {
  PyObject *callable;
  long times;
  (void)module;
  return PyArg_ParseTuple(arguments, "Ol", &callable, &times) ? repeated(callable, times) : NULL;
}

static void *run_alone(void *n) {
  step((long)(intptr_t)n);
  return NULL;
}

/* A thread that Python does not know. */
static PyObject *alone(PyObject *module, PyObject *number) {
  pthread_t thread;
  long n = PyLong_AsLong(number);
  (void)module;
  Py_BEGIN_ALLOW_THREADS
  if (!pthread_create(&thread, NULL, run_alone, (void *)(intptr_t)n)) pthread_join(thread, NULL);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"work", work, METH_O, NULL},
                                {"search", search, METH_O, NULL},
                                {"call", call, METH_VARARGS, NULL},
                                {"alone", alone, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "walks", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_walks(void) { return PyModule_Create(&module); }
