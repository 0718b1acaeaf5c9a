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
// after it was deleted. It is forked before EAL, so it is small; for the same reason one that ends
// is not started again, but the log says that it has.
//
// An interface that goes down forgets its IPv6 addresses unless `keep_addr_on_down` is set, which
// it is for just that moment. Opening the port brings it up again (QUIRK_INTERFACE_UP).
#include "watcher.h"

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
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCHER_PIPE 3
#define SETTING_MAX 16 // characters of a number, and the end of the line

struct watcher {
	pid_t pid;   // 0: it has ended by itself
	int pipe;    // the end to write to, which never waits
	bool missed; // it was full
	bool logged; // that it was
};

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

static void
watch(void)
{
	struct watcher_message *list = NULL, m;
	size_t count = 0;

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
	_exit(0);
}

int
watcher_start(struct watcher **out, struct diag *diag)
{
	struct watcher *w;
	int ends[2];
	pid_t pid;

	*out = NULL;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return diag_fail(diag, errno, "a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		leave(ends[0]);
		watch();
	}
	close(ends[0]);
	(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
	if (pid < 0) {
		close(ends[1]);
		return diag_fail(diag, errno, "a process: %s", strerror(errno));
	}
	w = memory_new(sizeof(*w), "watcher");
	*w = (struct watcher){.pid = pid, .pipe = ends[1]};
	*out = w;
	return 0;
}

// One that has ended reads nothing any more; watcher_poll() notices.
static void
send_message(struct watcher *w, const struct watcher_message *m)
{
	ssize_t sent;

	do
		sent = write(w->pipe, m, sizeof(*m));
	while (sent < 0 && errno == EINTR);
	w->missed |= sent < 0 && errno == EAGAIN;
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
tell(struct watcher *w, enum watcher_word word, const struct device_port *d)
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
	tell(w, WATCHER_ADD, d);
}

void
watcher_remove(struct watcher *w, const struct device_port *d)
{
	tell(w, WATCHER_REMOVE, d);
}

static void
log_note(struct live_fabric *live, const char *text)
{
	fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_WATCHER, text);
}

void
watcher_poll(struct live_fabric *live)
{
	struct watcher *w = live->watcher;

	if (w == NULL)
		return;
	if (w->pid != 0 && waitpid(w->pid, NULL, WNOHANG) == w->pid) {
		w->pid = 0;
		log_note(live, "roost-watcher has ended: if the process of the fabric dies, "
			       "attached interfaces and taps stay up; `roost down` and `roost up` "
			       "start the watcher again");
	}
	if (w->missed && !w->logged && w->pid != 0) {
		w->logged = true;
		log_note(live, "roost-watcher does not read: if the process of the fabric dies, "
			       "some interfaces stay up, or go down that are not attached any "
			       "more; let process roost-watcher run");
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
	free(w);
}
