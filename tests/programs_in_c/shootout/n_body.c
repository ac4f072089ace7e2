/* Planets that attract one another: structures of floating-point numbers. Argument: how many steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.141592653589793
#define DAYS 365.24

struct body {
    double place[3], speed[3], mass;
};

static struct body bodies[] = {
    {{0, 0, 0}, {0, 0, 0}, 4 * PI * PI},
    {{4.84143144246472090, -1.16032004402742839, -0.103622044471123109},
     {0.00166007664274403694 * DAYS, 0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS},
     0.000954791938424326609 * 4 * PI * PI},
    {{8.34336671824457987, 4.12479856412430479, -0.403523417114321381},
     {-0.00276742510726411 * DAYS, 0.00499852801234917 * DAYS, 0.0000230417297573763929 * DAYS},
     0.000285885980666130812 * 4 * PI * PI},
};
#define COUNT (int)(sizeof bodies / sizeof *bodies)

static __attribute__((noinline)) void advance(double step) {
    for (int one = 0; one < COUNT; one++) {
        struct body *a = &bodies[one];
        for (int other = one + 1; other < COUNT; other++) {
            struct body *b = &bodies[other];
            double apart[3], square = 0;
            for (int axis = 0; axis < 3; axis++) {
                apart[axis] = a->place[axis] - b->place[axis];
                square += apart[axis] * apart[axis];
            }
            double force = step / (square * sqrt(square));
            for (int axis = 0; axis < 3; axis++) {
                a->speed[axis] -= apart[axis] * b->mass * force;
                b->speed[axis] += apart[axis] * a->mass * force;
            }
        }
    }
    for (int one = 0; one < COUNT; one++)
        for (int axis = 0; axis < 3; axis++)
            bodies[one].place[axis] += step * bodies[one].speed[axis];
}

static double energy(void) {
    double sum = 0;
    for (int one = 0; one < COUNT; one++) {
        const struct body *a = &bodies[one];
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += a->speed[axis] * a->speed[axis];
        sum += 0.5 * a->mass * square;
        for (int other = one + 1; other < COUNT; other++) {
            double apart = 0;
            for (int axis = 0; axis < 3; axis++) {
                double distance = a->place[axis] - bodies[other].place[axis];
                apart += distance * distance;
            }
            sum -= a->mass * bodies[other].mass / sqrt(apart);
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 50;
    printf("%.9f\n", energy());
    for (long step = 0; step < steps; step++)
        advance(0.01);
    printf("%.9f\n", energy());
    return 0;
}
