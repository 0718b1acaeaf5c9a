// SPDX-License-Identifier: BSD-3-Clause
// Docker, Podman and containerlab take the network namespace of a container's first process for the
// container's: they move the ends of links into it, and `docker exec` enters it. A fabric has a
// namespace of its own instead, so another process than the first has to run it. The first one
// stays where it is, passes signals on, and reaps the processes that others leave behind, as nobody
// else in the container would. When it ends, Linux kills what is left: so it gives the watcher of a
// fabric that was killed the time to take interfaces down.
#include "first_process.h"

#include "control/base/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PROCESS_PID 1
#define KILLED_STATUS 128 // as shells have it: and the number of the signal
#define LINGER_S 5        // for the watcher, which needs a moment

static void
wait_for_others(const sigset_t *signals)
{
	const struct timespec second = {.tv_sec = 1};

	for (unsigned i = 0; i < LINGER_S; i++) {
		pid_t ended;

		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (ended < 0)
			return; // there are none
		(void)sigtimedwait(signals, NULL, &second);
	}
}

// Returns the status of the child.
static int
wait_for_child(pid_t child, const sigset_t *signals)
{
	int number, status;
	pid_t ended;

	for (;;) {
		if (sigwait(signals, &number) != 0)
			continue;
		if (number != SIGCHLD) {
			kill(child, number);
			continue;
		}
		do
			ended = waitpid(-1, &status, WNOHANG);
		while (ended > 0 && ended != child);
		if (ended != child)
			continue;
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		wait_for_others(signals);
		return KILLED_STATUS + WTERMSIG(status);
	}
}

bool
first_process_leave(int *status)
{
	static const int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	sigset_t signals, before;
	pid_t child;

	if (getpid() != FIRST_PROCESS_PID)
		return true;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (unsigned i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(&signals, passed_on[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	child = fork();
	if (child == 0) {
		setpgid(0, 0); // a terminal's Ctrl-C is passed on too: once is enough
		sigprocmask(SIG_SETMASK, &before, NULL);
		return true;
	}
	if (child < 0)
		fprintf(stderr, "roost run: %s\n", strerror(errno));
	*status = child < 0 ? EXIT_FAILED : wait_for_child(child, &signals);
	return false;
}
