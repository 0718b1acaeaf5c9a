// SPDX-License-Identifier: BSD-3-Clause
// The processes in a network namespace.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define PROCESS_COMMAND_MAX 32

struct process {
	pid_t pid;
	char command[PROCESS_COMMAND_MAX]; // as the kernel has it
	int fd;                            // stands for this process for ever
};

// Adds the processes whose network namespace is this one, but for this process, to a list that was
// empty (NULL, 0) once; processes_free() frees it. Returns 0 or -errno.
int processes_add(int netns_fd, struct process **list, unsigned *count);
// Sends a signal to the processes that still run.
void processes_signal(const struct process *list, unsigned count, int number);
bool processes_ended(const struct process *list, unsigned count); // all of them
// Asks them to end by SIGTERM, and kills any that still run after PROCESSES_END_MS (SIGKILL).
// Waits at most two seconds.
#define PROCESSES_END_MS 1000
void processes_end(const struct process *list, unsigned count);
void processes_free(struct process *list, unsigned count);
