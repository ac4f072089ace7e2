/* What a program that is made to log its values calls; see tests/real_value_oracle.py.

   The original keeps the values of each activation as they are made. The optimised program says before each call of
   `observe` what is claimed. Both write what they have at the 1st, 2nd, 4th, 8th ... call of each `observe`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t word;
enum { ARENA = 1 << 24, FRAMES = 1 << 16, DEEPEST = 4, PLACES = 1 << 16 };

struct frame {
  word function, number, address, size, begin;
};
static word *arena;
static struct frame *frames;
static word depth;
static word claims[1 << 16], n_claims, point;
static word counts[PLACES];
static FILE *file;

static void write_words(const word *words, word n) { fwrite(words, sizeof *words, n, file); }

static void pop_below(word address) {
  while (depth && frames[depth - 1].address < address) depth--;
}

void log_enter(word function_and_size, word address) {
  if (!arena) {
    arena = calloc(ARENA, sizeof *arena);
    frames = calloc(FRAMES, sizeof *frames);
  }
  pop_below(address + 1);
  word begin = depth ? frames[depth - 1].begin + frames[depth - 1].size : 0;
  word size = function_and_size & 0xffffffff;
  if (depth == FRAMES || begin + size > ARENA) abort();
  frames[depth++] = (struct frame){function_and_size >> 32, 0, address, size, begin};
  memset(arena + begin, 0, size * sizeof *arena);
}

/* The original: it is about to make a call. */
void log_point(word number, word address) {
  pop_below(address);
  frames[depth - 1].number = number;
}

/* The original is back from a call. */
void log_back(word unused, word address) {
  (void)unused;
  pop_below(address);
}

/* The original has made a value. */
void log_value(word number, word bits) { arena[frames[depth - 1].begin + number] = bits; }

void claim_point(word which, word unused) {
  (void)unused;
  point = which;
  n_claims = 0;
}

void claim_value(word key, word bits) {
  if (n_claims + 2 > sizeof claims / sizeof *claims) abort();
  claims[n_claims++] = key;
  claims[n_claims++] = bits;
}


void observe(word place) {
  word count = ++counts[place];
  if (count & (count - 1)) return;
  if (!file) {
    if (!(file = fopen(getenv("VALUE_LOG"), "wb"))) abort();
    write_words((word[]){(word)(uintptr_t)malloc(1)}, 1);
  }
  if (!frames) {
    write_words((word[]){place, point, n_claims}, 3);
    write_words(claims, n_claims);
  } else {
    word n = depth < DEEPEST ? depth : DEEPEST;
    write_words((word[]){place, n}, 2);
    for (word at = depth; at-- > depth - n;) {
      write_words((word[]){frames[at].function, frames[at].number, frames[at].size}, 3);
      write_words(arena + frames[at].begin, frames[at].size);
    }
  }
  fflush(file);
}
