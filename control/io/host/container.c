// SPDX-License-Identifier: BSD-3-Clause
// Docker's and Podman's programs say which process a container is. They get exact arguments and no
// shell: their libraries and sockets differ, their command lines do not. They run in children of
// this process, one after the other, because one that hangs must not hold up a fabric.
#include "container.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "netns.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MAX 256
#define ANSWER_MS 10000 // of all programs together
#define ANSWER_READS 16 // at a time: one that writes without end does not hold up a fabric
#define ANSWER_POLL_MS 2

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
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
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

// The first line, without what a terminal would obey.
static void
keep_line(char *answer)
{
	answer[strcspn(answer, "\r\n")] = '\0';
	for (char *at = answer; *at != '\0'; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
}

static const char *const programs[] = {"docker", "podman"};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

struct container_search {
	char *name;
	size_t program;     // that is asked now
	pid_t child;        // 0: none runs
	int from;           // what it writes
	int64_t until;      // of clock_ms(): how long they may take
	size_t length;      // of the answer
	struct diag errors; // of the programs that were asked
	char answer[ANSWER_MAX];
};

struct container_search *
container_search_start(const char *name)
{
	struct container_search *s = memory_new(sizeof(*s), "search for a container");

	s->name = memory_text(name);
	s->until = clock_ms() + ANSWER_MS;
	return s;
}

// Ends the program that runs.
static void
stop(struct container_search *s)
{
	if (s->child == 0)
		return;
	close(s->from);
	kill(s->child, SIGKILL);
	while (waitpid(s->child, NULL, 0) < 0 && errno == EINTR)
		;
	s->child = 0;
}

void
container_search_end(struct container_search *s)
{
	if (s == NULL)
		return;
	stop(s);
	diag_free(&s->errors);
	free(s->name);
	free(s);
}

// What the program has written so far, the beginning of it as one text. Returns true at its end,
// and false if there may be more to come.
static bool
read_answer(struct container_search *s)
{
	char rest[ANSWER_MAX];

	for (unsigned i = 0; i < ANSWER_READS; i++) {
		bool room = s->length < ANSWER_MAX - 1;
		ssize_t bytes = read(s->from, room ? s->answer + s->length : rest,
				     room ? ANSWER_MAX - 1 - s->length : sizeof(rest));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return bytes == 0 || errno != EAGAIN;
		s->length += room ? (size_t)bytes : 0;
	}
	return false;
}

// The process that a program which has ended names, or -errno.
static int
read_pid(struct container_search *s, int status)
{
	const char *program = programs[s->program];
	char *end;
	long pid;

	s->answer[s->length] = '\0';
	keep_line(s->answer);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return diag_fail(&s->errors, ENOENT, "container %s: %s inspect: %s", s->name,
				 program,
				 s->answer[0] != '\0' ? s->answer : "it fails without a message");
	errno = 0;
	pid = strtol(s->answer, &end, 10);
	if (errno != 0 || end == s->answer || *end != '\0' || pid < 0 || pid > INT_MAX)
		return diag_fail(&s->errors, EBADMSG,
				 "container %s: %s names no process but \"%s\"", s->name, program,
				 s->answer);
	return pid > 0 ? (int)pid
		       : diag_fail(&s->errors, ESRCH, "container %s: it is not running", s->name);
}

// Asks one program, without waiting. Returns the process; -EAGAIN while it has not answered;
// -ENOENT if it is not installed; or another -errno with an error in s->errors.
static int
ask(struct container_search *s)
{
	const char *program = programs[s->program];
	int status, rc;

	if (s->child == 0) {
		rc = start_inspect(program, s->name, &s->child, &s->from);
		if (rc != 0) {
			s->child = 0;
			return rc == -ENOENT ? rc
					     : diag_fail(&s->errors, -rc, "container %s: %s: %s",
							 s->name, program, strerror(-rc));
		}
		s->length = 0;
	}
	// It may end later than what it writes does.
	if (read_answer(s) && waitpid(s->child, &status, WNOHANG) == s->child) {
		close(s->from);
		s->child = 0;
		return read_pid(s, status);
	}
	if (clock_ms() < s->until)
		return -EAGAIN;
	stop(s);
	s->program = PROGRAMS - 1; // no time is left for another
	return diag_fail(&s->errors, ETIMEDOUT, "container %s: %s does not answer within %d s",
			 s->name, program, ANSWER_MS / 1000);
}

int
container_search_poll(struct container_search *s, struct diag *diag)
{
	for (; s->program < PROGRAMS; s->program++) {
		int pid = ask(s);

		if (pid > 0 || pid == -EAGAIN)
			return pid;
	}
	if (s->errors.errors != 0)
		return diag_fail(diag, ENOENT, "%s", diag_first_error(&s->errors));
	return diag_fail(diag, ENOENT,
			 "container %s: neither docker nor podman is installed, and there is "
			 "no network namespace of that name: name a namespace with netns, or a "
			 "process with pid",
			 s->name);
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
	const struct timespec moment = {.tv_nsec = ANSWER_POLL_MS * 1000000};
	struct container_search *s = container_search_start(name);
	struct diag errors = {0};
	int rc = container_search_poll(s, &errors);

	for (; rc == -EAGAIN; rc = container_search_poll(s, &errors))
		nanosleep(&moment, NULL);
	container_search_end(s);
	rc = rc > 0 ? process_open_netns(rc, diag) : netns_open(name);
	if (rc < 0 && errors.errors != 0)
		rc = diag_fail(diag, ENOENT, "%s", diag_first_error(&errors));
	diag_free(&errors);
	return rc;
}
