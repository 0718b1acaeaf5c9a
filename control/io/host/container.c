// SPDX-License-Identifier: BSD-3-Clause
// Docker's and Podman's programs say which process a container is. They get exact arguments and no
// shell: their libraries and sockets differ, their command lines do not.
#include "container.h"

#include "control/base/clock.h"
#include "netns.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MAX 256
#define ANSWER_MS 10000

extern char **environ;

// Starts `program inspect ...` with its output in *from. Returns 0 or -errno: -ENOENT if it is not
// installed.
static int
start_inspect(const char *program, const char *name, pid_t *pid, int *from)
{
	char *const words[] = {(char *)(uintptr_t)program,     (char *)(uintptr_t) "inspect",
			       (char *)(uintptr_t) "--format", (char *)(uintptr_t) "{{.State.Pid}}",
			       (char *)(uintptr_t)name,        NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(pid, program, &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(ends[1]);
	if (rc != 0)
		close(ends[0]);
	else
		*from = ends[0];
	return -rc;
}

// Reads what the program writes until it ends, the beginning of it as one text. Returns 0, or
// -ETIMEDOUT.
static int
read_answer(int from, char answer[static ANSWER_MAX])
{
	int64_t until = clock_ms() + ANSWER_MS, left;
	size_t length = 0;
	char rest[ANSWER_MAX];

	while ((left = until - clock_ms()) > 0) {
		struct pollfd readable = {.fd = from, .events = POLLIN};
		bool room = length < ANSWER_MAX - 1;
		ssize_t bytes;

		if (poll(&readable, 1, (int)left) <= 0)
			continue;
		bytes = read(from, room ? answer + length : rest,
			     room ? ANSWER_MAX - 1 - length : sizeof(rest));
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0) {
			answer[length] = '\0';
			return 0;
		}
		length += room ? (size_t)bytes : 0;
	}
	return -ETIMEDOUT;
}

// The first line, without what a terminal would obey.
static void
keep_line(char *answer)
{
	answer[strcspn(answer, "\r\n")] = '\0';
	for (char *at = answer; *at != '\0'; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
}

// Asks one program for the container's process. Returns its id; -ENOENT if the program is not
// installed; or another -errno with an error in diag.
static int
inspect(const char *program, const char *name, struct diag *diag)
{
	char answer[ANSWER_MAX], *end;
	int from = -1, rc, status = 0;
	pid_t child;
	long pid;

	rc = start_inspect(program, name, &child, &from);
	if (rc != 0)
		return rc == -ENOENT ? rc
				     : diag_fail(diag, -rc, "container %s: %s: %s", name, program,
						 strerror(-rc));
	rc = read_answer(from, answer);
	close(from);
	if (rc != 0)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (rc != 0)
		return diag_fail(diag, -rc, "container %s: %s does not answer within %d s", name,
				 program, ANSWER_MS / 1000);
	keep_line(answer);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return diag_fail(diag, ENOENT, "container %s: %s inspect: %s", name, program,
				 answer[0] != '\0' ? answer : "it fails without a word");
	errno = 0;
	pid = strtol(answer, &end, 10);
	if (errno != 0 || end == answer || *end != '\0' || pid < 0 || pid > INT_MAX)
		return diag_fail(diag, EBADMSG, "container %s: %s names no process but \"%s\"",
				 name, program, answer);
	return pid > 0 ? (int)pid : diag_fail(diag, ESRCH, "container %s: it is not running", name);
}

int
process_open_netns(int pid, struct diag *diag)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT)
		return diag_fail(diag, ESRCH, "process %d: there is no such process", pid);
	return diag_fail(diag, errno, "process %d: its network namespace: %s", pid,
			 strerror(errno));
}

int
container_open_netns(const char *name, struct diag *diag)
{
	static const char *const programs[] = {"docker", "podman"};
	struct diag errors = {0};
	int pid = -ENOENT, rc;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]) && pid < 0; i++)
		pid = inspect(programs[i], name, &errors);
	rc = pid > 0 ? process_open_netns(pid, diag) : netns_open(name);
	if (pid < 0 && rc < 0 && errors.errors != 0)
		rc = diag_fail(diag, ENOENT, "%s", diag_first_error(&errors));
	else if (pid < 0 && rc < 0)
		rc = diag_fail(
			diag, ENOENT,
			"container %s: neither docker nor podman is installed, and there is "
			"no network namespace of that name: name a namespace with netns, or a "
			"process with pid",
			name);
	diag_free(&errors);
	return rc;
}
