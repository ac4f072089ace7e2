// In place of the C++ library's own, which is an eighth of the extension: names of types as the compiler makes them, in
// messages for those who write bindings. Wheels have that library linked into them.
#include <cstdlib>
#include <cstring>

extern "C" char *__cxa_demangle(const char *mangled, char *, size_t *, int *status) {
    char *name = strdup(mangled);
    if (status) *status = name ? 0 : -1;
    return name;
}
