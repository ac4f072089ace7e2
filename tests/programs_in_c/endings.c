// Ends in the way that its argument names, after leaving output in buffers and functions for the end.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void last(void) { puts("registered first, runs last"); }
static void first(void) { puts("registered last, runs first"); }
static void with_status(int status, void *text) { printf("on_exit %d %s\n", status, (char *)text); }
static void quick(void) { write(1, "quick\n", 6); }
__attribute__((constructor)) static void any(int argc, char **argv) { printf("constructor, %d arguments, %d\n", argc, argv[argc] == NULL); }
__attribute__((constructor(150))) static void early(void) { puts("constructor 150"); }
__attribute__((constructor(120))) static void earlier(void) { puts("constructor 120"); }
__attribute__((destructor)) static void any_end(void) { puts("destructor"); }
__attribute__((destructor(120))) static void last_of_all(void) { puts("destructor 120"); }
__attribute__((destructor(150))) static void nearly_last(void) { puts("destructor 150"); }

static volatile sig_atomic_t is_child_through;
static void *other_thread(void *how) {
  usleep(20000);
  while (!strcmp(how, "fork") && !is_child_through) usleep(1000);
  puts("from another thread");
  if (!strcmp(how, "thread-exit")) exit(9);
  return NULL;
}
static volatile sig_atomic_t caught;
static void on_signal(int number) { caught = number; }
static sigjmp_buf back;
static void jump_back(int number) { siglongjmp(back, number); }
static __attribute__((noinline)) int overflow(volatile char *above) { char here[4096]; here[0] = above ? *above : 1; return overflow(here) + here[0]; }

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  volatile int zero = 0;
  int *volatile nowhere = NULL;
  atexit(last); on_exit(with_status, "text"); atexit(first); at_quick_exit(quick);
  printf("%s, not flushed", how);
  if (!strcmp(how, "return")) return 7;
  if (!strcmp(how, "exit")) exit(300);
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "quick_exit")) quick_exit(4);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) *nowhere = 1;
  if (!strcmp(how, "overflow")) return overflow(NULL);
  if (!strcmp(how, "divide")) return argc / zero;
  if (!strcmp(how, "trap")) __builtin_trap();
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "pipe")) raise(SIGPIPE);
  if (!strcmp(how, "int")) raise(SIGINT);
  if (!strcmp(how, "handled")) { signal(SIGTERM, on_signal); raise(SIGTERM); return caught == SIGTERM ? 5 : 6; }
  if (!strcmp(how, "recovers")) {
    signal(SIGSEGV, jump_back);
    int number = sigsetjmp(back, 1);
    if (number == 0) *nowhere = 1;
    return number == SIGSEGV ? 8 : 1;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, other_thread, (void *)how);
  if (!strcmp(how, "pthread_exit")) pthread_exit(NULL);
  if (!strcmp(how, "thread-exit")) pause();
  if (!strcmp(how, "fork")) { fflush(stdout); if (fork() == 0) exit(1); wait(NULL); is_child_through = 1; pthread_join(thread, NULL); return 2; }
  pthread_join(thread, NULL);
  return 1;
}
