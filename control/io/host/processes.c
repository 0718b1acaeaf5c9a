// SPDX-License-Identifier: BSD-3-Clause
// A process is held by a descriptor before its namespace is read, so that the number of one that
// ends cannot come to mean another. Only the namespace that is meant counts, by device and inode:
// its name may be another's by now.
#include "processes.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_in(pid_t pid, const struct stat *netns)
{
	struct stat own;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return stat(path, &own) == 0 && own.st_dev == netns->st_dev && own.st_ino == netns->st_ino;
}

static void
read_command(struct process *p)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)p->pid);
	file = fopen(path, "re");
	if (file == NULL || fgets(p->command, sizeof(p->command), file) == NULL)
		snprintf(p->command, sizeof(p->command), "?");
	if (file != NULL)
		fclose(file);
	p->command[strcspn(p->command, "\n")] = '\0';
	for (char *at = p->command; *at != '\0'; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
}

int
processes_add(int netns_fd, struct process **list, unsigned *count)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	struct stat netns;

	if (directory == NULL || fstat(netns_fd, &netns) != 0) {
		int error = -errno;

		if (directory != NULL)
			closedir(directory);
		return error;
	}
	while ((entry = readdir(directory)) != NULL) {
		struct process p = {.pid = (pid_t)atoi(entry->d_name)};

		if (p.pid <= 0 || p.pid == getpid() || !is_in(p.pid, &netns))
			continue;
		p.fd = pidfd_open(p.pid, 0);
		// It may have ended, and its number be another's, before it was held.
		if (p.fd >= 0 && !is_in(p.pid, &netns))
			close(p.fd);
		else if (p.fd >= 0) {
			read_command(&p);
			*list = memory_grow(*list, *count, sizeof(p), "processes");
			(*list)[(*count)++] = p;
		}
	}
	closedir(directory);
	return 0;
}

static bool
has_ended(const struct process *p, int64_t wait_ms)
{
	struct pollfd end = {.fd = p->fd, .events = POLLIN};

	return poll(&end, 1, wait_ms > 0 ? (int)wait_ms : 0) > 0;
}

void
processes_signal(const struct process *list, unsigned count, int number)
{
	for (unsigned i = 0; i < count; i++)
		if (!has_ended(&list[i], 0))
			(void)pidfd_send_signal(list[i].fd, number, NULL, 0);
}

bool
processes_ended(const struct process *list, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!has_ended(&list[i], 0))
			return false;
	return true;
}

static void
signal_and_wait(const struct process *list, unsigned count, int number)
{
	int64_t until = clock_ms() + PROCESSES_END_MS;

	processes_signal(list, count, number);
	for (unsigned i = 0; i < count; i++)
		(void)has_ended(&list[i], until - clock_ms());
}

void
processes_end(const struct process *list, unsigned count)
{
	signal_and_wait(list, count, SIGTERM);
	signal_and_wait(list, count, SIGKILL);
}

void
processes_free(struct process *list, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		close(list[i].fd);
	free(list);
}
