/* One loop each that is compiled otherwise with -DSLOW, and what was changed. */
#ifdef SLOW
#define ALONE
#define EXTRA volatile
#define PACKED __attribute__((packed))
#define ORDER
int twice(int x);
int thrice(int x);
#else
#define ALONE restrict
#define EXTRA
#define PACKED
#define ORDER _Pragma("clang fp reassociate(on)")
static int twice(int x) { return x * 2 + (x >> 3); }
static int thrice(int x) { return x * 3 + (x >> 3); }
#endif

struct numbers { int count; int *at; };
struct box { int limit; EXTRA int bias; };
struct PACKED item {
#ifdef SLOW
    char tag;
#endif
    double v[4];
};

/* Pointers may overlap. */
void alias(int *ALONE to, const int *ALONE by, const int *ALONE from, int n) {
    for (int i = 0; i < n; i++)
        to[i] += *by * from[i];
}

/* A call cannot be inlined. */
int call(const int *from, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += twice(from[i]);
    return sum;
}

/* The end is read in each iteration. */
#ifdef SLOW
void trips(struct numbers *to, const int *from, int factor) {
    for (int i = 0; i < to->count; i++)
        to->at[i] += factor * from[i];
}
#else
void trips(struct numbers *to, const int *from, int factor) {
    int count = to->count;
    int *at = to->at;
    for (int i = 0; i < count; i++)
        at[i] += factor * from[i];
}
#endif

/* Sums may not be reordered. */
double sums(const double *from, int n) {
    ORDER
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i];
    return sum;
}

/* A field is volatile. */
int field(struct box *b, const int *from, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i] + b->bias;
    return sum;
}

/* Fields are not aligned, with a gap between rows. */
void align(struct item *to, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            to[i].v[j] *= 2;
}

/* How often the inner loop runs is not known. */
void inner(float *restrict to, const float *restrict from, const float *restrict by, int n, int width) {
#ifndef SLOW
    width = 4;
#endif
    for (int i = 0; i < n; i++) {
        float sum = 0;
        int j = 0;
        do
            sum += from[i + j] * by[j];
        while (++j < width);
        to[i] = sum;
    }
}

/* Two changes, in two loops. */
int two_loops(struct box *b, const int *from, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i] + b->bias;
    for (int i = 0; i < n; i++)
        sum += thrice(from[i]);
    return sum;
}

/* Two changes, in one loop. */
double one_loop(double *ALONE to, const double *ALONE by, const double *ALONE from, int n) {
    ORDER
    double sum = 0;
    for (int i = 0; i < n; i++) {
        to[i] = *by * from[i];
        sum += from[i];
    }
    return sum;
}
