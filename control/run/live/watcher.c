// SPDX-License-Identifier: BSD-3-Clause
// The veth of an attached host goes with the process that has its other end, so the host sees its
// carrier go. An interface of `netdev:` is Linux's: it would stay up, the routing daemon on it would
// keep its sessions, and the neighbours would go on sending what nobody forwards. A real switch that
// loses its forwarding loses its ports.
//
// The watcher waits at a pipe whose other end only the fabric's process has. A byte means that the
// fabric is taken down; the end of the pipe without it, that the process has died. It has a session of
// its own, so that a signal to the fabric's process group does not reach it, and holds no descriptor
// but the pipe. It is forked before EAL, so it is small.
//
// An interface that goes down forgets its IPv6 addresses unless `keep_addr_on_down` is set, which it is
// for just that moment. Opening the port brings it up again (QUIRK_INTERFACE_UP).
#include "watcher.h"

#include "control/base/memory.h"
#include "control/io/host/link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCHER_PIPE 3

struct watcher {
	pid_t pid;
	int pipe; // the end to write to
};

static void
redirect(int fd, int flags)
{
	int null = open("/dev/null", flags);

	if (null >= 0 && null != fd) {
		dup2(null, fd);
		close(null);
	}
}

// Leaves everything of the fabric's process but the pipe.
static void
leave(int pipe)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, "roost-watcher");
	if (chdir("/") != 0)
		_exit(1);
	redirect(STDIN_FILENO, O_RDONLY);
	redirect(STDOUT_FILENO, O_WRONLY);
	redirect(STDERR_FILENO, O_WRONLY);
	if (pipe != WATCHER_PIPE)
		dup2(pipe, WATCHER_PIPE);
	close_range(WATCHER_PIPE + 1, ~0U, 0);
}

// Writes one character to a setting of an interface. Returns what it was before, or -1.
static int
set_keep_addresses(const char *interface, char value)
{
	char path[128], before;
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/keep_addr_on_down", interface);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return -1;
	if (read(fd, &before, 1) != 1 || pwrite(fd, &value, 1, 0) != 1) {
		close(fd);
		return -1;
	}
	close(fd);
	return before;
}

static void
take_down(const char *interface)
{
	int kept = set_keep_addresses(interface, '1');

	(void)link_set_down(interface);
	if (kept >= 0)
		(void)set_keep_addresses(interface, (char)kept);
}

static void
watch(const struct live_fabric *live)
{
	char byte;
	ssize_t got;

	do
		got = read(WATCHER_PIPE, &byte, 1);
	while (got < 0 && errno == EINTR);
	for (uint32_t i = 0; got == 0 && i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			take_down(live->devices[i].netdev);
	_exit(0);
}

static bool
is_wanted(const struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			return true;
	return false;
}

int
watcher_start(struct watcher **out, const struct live_fabric *live, struct diag *diag)
{
	struct watcher *w;
	int ends[2];
	pid_t pid;

	*out = NULL;
	if (!is_wanted(live))
		return 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return diag_fail(diag, errno, "a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		leave(ends[0]);
		watch(live);
	}
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return diag_fail(diag, errno, "a process: %s", strerror(errno));
	}
	w = memory_new(sizeof(*w), "watcher");
	*w = (struct watcher){.pid = pid, .pipe = ends[1]};
	*out = w;
	return 0;
}

void
watcher_stop(struct watcher *w)
{
	if (w == NULL)
		return;
	while (write(w->pipe, "", 1) < 0 && errno == EINTR)
		;
	close(w->pipe);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(w);
}
