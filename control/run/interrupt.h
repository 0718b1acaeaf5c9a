// SPDX-License-Identifier: BSD-3-Clause
// SIGINT and SIGTERM during a run in virtual time. The first one stops the run, which then reports
// what it has; a second one ends the program at once.
#pragma once

#include <stdbool.h>

// Catches both signals from now on, unless they are ignored (a background job of a shell script).
void interrupt_catch(void);

// True once a signal has come. Fits struct run's `interrupted`.
bool interrupt_pending(void);

// The exit status that shells give a program which a signal ended: 128 + its number. 0: none came.
int interrupt_status(void);

// Limits how long the process may still run after SIGTERM, for one that is killed soon after that
// signal, as by mpirun. When the time is over it calls `end`, in a signal handler, and ends with
// interrupt_status(). NULL: no limit, from now on.
void interrupt_limit(unsigned int after_ms, void (*end)(void *context), void *context);
