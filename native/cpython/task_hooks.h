/* Being told of the tasks of asyncio, whatever runs them. */
#ifndef SONDE_TASK_HOOKS_H
#define SONDE_TASK_HOOKS_H

/* Tasks are watched from the moment that the module `_asyncio` is loaded; nothing is changed in a program that does not. */
void sn_task_hooks_init(void);

#endif
