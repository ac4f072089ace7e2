// The other file of language.c.
int counter_of_other_file = 5;
_Thread_local int thread_of_other_file = 100;
__attribute__((weak)) int shared_with_other_file(int x) { return x * counter_of_other_file++; }
