// SPDX-License-Identifier: BSD-3-Clause
// The veth of an attached host goes with the process that has its other end, so the host sees its
// carrier go. Interfaces of `netdev:`, `dev:` and `tap:` are Linux's: they would stay up, a routing
// daemon would keep its sessions, and the neighbours would go on sending what nobody forwards. A
// real switch that loses its forwarding loses its ports.
//
// The watcher reads from a pipe whose other end only the fabric's process has: which interfaces
// there are. The end of the pipe means that the process has died: a fabric that is taken down ends
// the watcher first. The watcher has a session of its own, so that a signal to the fabric's process
// group does not reach it, and holds no descriptor but the pipe: an open namespace would live on
// after it was deleted. It executes the program anew, because a copy of a process with EAL would
// have workers copy each page of memory that they write to. One that ends is started again, unless
// it ends again and again. Messages that do not fit the pipe wait for the next poll.
//
// An interface that goes down forgets its IPv6 addresses unless `keep_addr_on_down` is set, which
// it is for just that moment. Opening the port brings it up again (QUIRK_INTERFACE_UP).
#include "watcher.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/io/host/link.h"
#include "control/io/host/netns.h"
#include "dataplane/device/quirks.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCHER_NAME "roost-watcher"
#define WATCHER_PIPE 3
#define WATCHER_RESTARTS 5      // in a row, of one that
#define WATCHER_STEADY_MS 60000 // has run for less
#define WATCHER_RETRY_MS 1000   // between two attempts to start it
#define WATCHER_STUCK_MS 1000   // a message may wait for so long without a line in the log
#define SETTING_MAX 16          // characters of a number, and the end of the line

enum watcher_word { WATCHER_ADD, WATCHER_REMOVE };

// What goes through the pipe, whole: it is shorter than PIPE_BUF.
struct watcher_message {
	enum watcher_word word;
	char interface[IFNAMSIZ];
	char netns[NAME_MAX + 1]; // empty: the watcher's own
	struct netns_id id;       // of netns
	bool spares_used;         // the interface stays up if Linux uses it too
	bool detaches_xdp;        // the driver's program would be in the way of the next
};

struct watcher {
	pid_t pid; // 0: it has ended by itself
	int pipe;  // the end to write to, which never waits
	int64_t started_ms;
	unsigned int restarts; // one after the other
	int64_t retry_ms;      // while pid is 0: when to start it again
	// Messages that did not fit the pipe, the oldest first, at most one for each interface.
	struct watcher_message *queue;
	size_t queued;
	int64_t queued_ms; // since when there has been one
	bool logged;       // that it does not read them
};

// Writes whether an interface that goes down keeps its IPv6 addresses. before: what it was, or NULL
// if nobody asks. Returns whether it could be written.
static bool
set_keep_addresses(const char *interface, const char *value, char *before)
{
	char path[128];
	bool done = true;
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/keep_addr_on_down", interface);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return false;
	if (before != NULL) {
		ssize_t got = pread(fd, before, SETTING_MAX - 1, 0);

		before[got > 0 ? got : 0] = '\0';
		done = got > 0;
	}
	done = done && pwrite(fd, value, strlen(value), 0) > 0;
	close(fd);
	return done;
}

static void
take_down(const char *interface)
{
	char kept[SETTING_MAX];
	bool changed = set_keep_addresses(interface, "1", kept);

	(void)link_set_down(interface);
	if (changed)
		(void)set_keep_addresses(interface, kept, NULL);
}

// Of an address, whose label may be "eth0:1".
static bool
is_on(const struct ifaddrs *address, const char *interface)
{
	size_t length = strcspn(address->ifa_name, ":");

	return strlen(interface) == length && strncmp(address->ifa_name, interface, length) == 0;
}

// Whether Linux has an address on it, but for what an interface gives itself.
static bool
has_address(const char *interface)
{
	struct ifaddrs *all;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return true;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
		if (a->ifa_addr == NULL || !is_on(a, interface))
			continue;
		found |= a->ifa_addr->sa_family == AF_INET;
		found |= a->ifa_addr->sa_family == AF_INET6 &&
			 !IN6_IS_ADDR_LINKLOCAL(
				 &((const struct sockaddr_in6 *)(const void *)a->ifa_addr)
					  ->sin6_addr);
	}
	freeifaddrs(all);
	return found;
}

// Whether the machine may be reached by it: with an address of its own, or of a VLAN, a bridge or
// a bond above it. Yes, if nobody knows.
static bool
is_used(const char *interface)
{
	return has_address(interface) || link_has_upper(interface) != 0;
}

static int
take_down_here(void *arg)
{
	const struct watcher_message *m = arg;

	if (m->detaches_xdp)
		(void)link_detach_xdp(m->interface);
	if (!m->spares_used || !is_used(m->interface))
		take_down(m->interface);
	return 0;
}

static void
take_down_of(struct watcher_message *m)
{
	int fd = -1;

	if (m->netns[0] != '\0') {
		fd = netns_has_moved(m->netns, &m->id) == 0 ? netns_open(m->netns) : -1;
		if (fd < 0)
			return;
	}
	(void)netns_run(fd, take_down_here, m);
	if (fd >= 0)
		close(fd);
}

// Returns false at the end of the pipe.
static bool
read_message(struct watcher_message *m)
{
	char *at = (char *)m;
	size_t left = sizeof(*m);

	while (left != 0) {
		ssize_t got = read(WATCHER_PIPE, at, left);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		left -= (size_t)got;
	}
	return true;
}

static bool
is_same(const struct watcher_message *a, const struct watcher_message *b)
{
	return strcmp(a->interface, b->interface) == 0 && strcmp(a->netns, b->netns) == 0;
}

bool
watcher_is_called(int argc, char **argv)
{
	return argc == 1 && strcmp(argv[0], WATCHER_NAME) == 0;
}

int
watcher_main(void)
{
	struct watcher_message *list = NULL, m;
	size_t count = 0;

	prctl(PR_SET_NAME, WATCHER_NAME);
	if (chdir("/") != 0)
		return 1;
	while (read_message(&m)) {
		size_t i = 0;

		while (i < count && !is_same(&list[i], &m))
			i++;
		if (m.word == WATCHER_REMOVE && i < count) {
			list[i] = list[--count];
		} else if (m.word == WATCHER_ADD) {
			if (i == count)
				list = memory_resize(list, ++count, sizeof(*list), "interfaces");
			list[i] = m;
		}
	}
	for (size_t i = 0; i < count; i++)
		take_down_of(&list[i]);
	free(list);
	return 0;
}

// Executes this program as the watcher, which reads from `pipe`, in a session of its own. Returns 0
// or an error number.
static int
spawn(pid_t *pid, int pipe)
{
	static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	char name[] = WATCHER_NAME, *const words[] = {name, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(blocked) / sizeof(blocked[0]); i++)
		sigaddset(&signals, blocked[i]);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe, WATCHER_PIPE);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&actions, WATCHER_PIPE + 1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	error = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

// Starts the process in the network namespace that the caller is in. Returns 0 or -errno.
static int
start(void *arg)
{
	struct watcher *w = arg;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	error = spawn(&w->pid, ends[0]);
	close(ends[0]);
	if (error != 0) {
		w->pid = 0;
		close(ends[1]);
		return -error;
	}
	(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
	if (w->pipe >= 0)
		close(w->pipe);
	w->pipe = ends[1];
	w->queued = 0;
	w->logged = false;
	w->started_ms = clock_ms();
	return 0;
}

int
watcher_start(struct watcher **out, struct diag *diag)
{
	struct watcher *w = memory_new(sizeof(*w), "watcher");
	int error;

	*out = NULL;
	w->pipe = -1;
	error = start(w);
	if (error != 0) {
		free(w);
		return diag_fail(diag, -error, WATCHER_NAME ": %s", strerror(-error));
	}
	*out = w;
	return 0;
}

// Returns false if the pipe is full. One that has ended reads nothing any more; watcher_poll()
// notices.
static bool
write_message(struct watcher *w, const struct watcher_message *m)
{
	ssize_t sent;

	do
		sent = write(w->pipe, m, sizeof(*m));
	while (sent < 0 && errno == EINTR);
	return sent >= 0 || errno != EAGAIN;
}

static void
flush(struct watcher *w)
{
	size_t sent = 0;

	while (sent < w->queued && write_message(w, &w->queue[sent]))
		sent++;
	w->queued -= sent;
	if (sent != 0)
		memmove(w->queue, w->queue + sent, w->queued * sizeof(*w->queue));
}

// The last message about an interface is the one that counts.
static void
send_message(struct watcher *w, const struct watcher_message *m)
{
	size_t i = 0;

	flush(w);
	if (w->queued == 0 && write_message(w, m))
		return;
	while (i < w->queued && !is_same(&w->queue[i], m))
		i++;
	if (i == w->queued) {
		w->queue = memory_resize(w->queue, w->queued + 1, sizeof(*w->queue), "interfaces");
		if (w->queued++ == 0)
			w->queued_ms = clock_ms();
	}
	w->queue[i] = *m;
}

// Whether the device has an interface that stays when the process ends. What the driver makes goes.
static bool
outlives(const struct device_port *d, char interface[static IFNAMSIZ])
{
	const struct device_quirks *quirks = quirks_find(d->spec);

	return !d->own_veth && quirks != NULL && (quirks->flags & QUIRK_INTERFACE_UP) &&
	       device_port_interface(d->spec, interface) != NULL;
}

static void
notify(struct watcher *w, enum watcher_word word, const struct device_port *d)
{
	struct watcher_message m;
	char name[IFNAMSIZ];

	if (w == NULL || !outlives(d, name))
		return;
	memset(&m, 0, sizeof(m));
	m.word = word;
	m.spares_used = d->netdev == NULL && d->interface[0] == '\0';
	m.detaches_xdp = d->netdev == NULL && quirks_find(d->spec)->flags & QUIRK_XDP;
	memcpy(m.interface, name, sizeof(name));
	if (d->netns != NULL) {
		snprintf(m.netns, sizeof(m.netns), "%s", d->netns);
		m.id = d->id;
	}
	send_message(w, &m);
}

void
watcher_add(struct watcher *w, const struct device_port *d)
{
	notify(w, WATCHER_ADD, d);
}

void
watcher_remove(struct watcher *w, const struct device_port *d)
{
	notify(w, WATCHER_REMOVE, d);
}

static void
log_note(struct live_fabric *live, const char *text)
{
	fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_WATCHER, text);
}

#define UNWATCHED "if the process of the fabric dies, attached interfaces and taps stay up; "

static void
log_failure(struct live_fabric *live, int error)
{
	char *text = error == -ELOOP
			     ? memory_format(WATCHER_NAME
					     " has ended again and again: " UNWATCHED
					     "`roost down` and `roost up` start the watcher again")
			     : memory_format(WATCHER_NAME " has ended and cannot be started: "
							  "%s: " UNWATCHED "Roost tries again",
					     strerror(-error));

	log_note(live, text);
	free(text);
}

// Starts one that has ended again, with the interfaces of all devices that are open.
static void
restart(struct live_fabric *live, struct watcher *w)
{
	const bool gives_up = w->restarts == WATCHER_RESTARTS;
	int error = gives_up ? -ELOOP : netns_run(live->outer_netns, start, w);

	w->restarts += !gives_up;
	w->retry_ms = gives_up ? INT64_MAX : clock_ms() + WATCHER_RETRY_MS;
	if (error != 0) {
		log_failure(live, error);
		return;
	}
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].live.device != NULL)
			watcher_add(w, &live->devices[i]);
	log_note(live, WATCHER_NAME " has ended and was started again");
}

void
watcher_poll(struct live_fabric *live)
{
	struct watcher *w = live->watcher;

	if (w == NULL)
		return;
	if (w->pid != 0 && waitpid(w->pid, NULL, WNOHANG) == w->pid) {
		w->pid = 0;
		w->retry_ms = 0;
		if (clock_ms() - w->started_ms >= WATCHER_STEADY_MS)
			w->restarts = 0;
	}
	if (w->pid == 0 && clock_ms() >= w->retry_ms)
		restart(live, w);
	if (w->pid == 0)
		return;
	flush(w);
	if (w->queued == 0 && w->logged) {
		w->logged = false;
		log_note(live, WATCHER_NAME " reads again");
	}
	if (w->queued != 0 && !w->logged && clock_ms() - w->queued_ms >= WATCHER_STUCK_MS) {
		w->logged = true;
		log_note(live, WATCHER_NAME " does not read: if the process of the fabric dies, "
					    "some interfaces stay up, or go down that are not "
					    "attached any more; let process " WATCHER_NAME " run");
	}
}

void
watcher_stop(struct watcher *w)
{
	if (w == NULL)
		return;
	if (w->pid != 0) {
		kill(w->pid, SIGKILL); // before the pipe ends
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(w->pipe);
	free(w->queue);
	free(w);
}
