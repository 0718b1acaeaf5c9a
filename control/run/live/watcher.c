// SPDX-License-Identifier: BSD-3-Clause
// The veth of an attached host goes with the process that has its other end, so the host sees its
// carrier go. Interfaces of `netdev:`, `dev:` and `tap:` are Linux's: they would stay up, a routing
// daemon would keep its sessions, and the neighbours would go on sending what nobody forwards. A
// real switch that loses its forwarding loses its ports.
//
// The watcher reads from a pipe whose other end only the fabric's process has: which interfaces
// there are, and at last that the fabric is taken down. The end of the pipe without that means that
// the process has died. The watcher has a session of its own, so that a signal to the fabric's
// process group does not reach it, and holds no descriptor but the pipe: an open namespace would
// live on after it was deleted. It is forked before EAL, so it is small.
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

struct watcher {
	pid_t pid;
	int pipe; // the end to write to
};

enum watcher_word { WATCHER_ADD, WATCHER_REMOVE, WATCHER_STOP };

// What goes through the pipe, whole: it is shorter than PIPE_BUF.
struct watcher_message {
	enum watcher_word word;
	char interface[IFNAMSIZ];
	char netns[NAME_MAX + 1]; // empty: the watcher's own
	struct netns_id id;       // of netns
	bool spares_addressed;    // the interface stays up if Linux has an address on it
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

// Whether Linux has an address on it, but for what an interface gives itself.
static bool
has_address(const char *interface)
{
	struct ifaddrs *all;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return true;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
		if (a->ifa_addr == NULL || strcmp(a->ifa_name, interface) != 0)
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

static int
take_down_here(void *arg)
{
	const struct watcher_message *m = arg;

	if (m->detaches_xdp)
		(void)link_detach_xdp(m->interface);
	if (!m->spares_addressed || !has_address(m->interface))
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

		if (m.word == WATCHER_STOP)
			_exit(0);
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
	if (pid < 0) {
		close(ends[1]);
		return diag_fail(diag, errno, "a process: %s", strerror(errno));
	}
	w = memory_new(sizeof(*w), "watcher");
	*w = (struct watcher){.pid = pid, .pipe = ends[1]};
	*out = w;
	return 0;
}

static void
send_message(const struct watcher *w, const struct watcher_message *m)
{
	while (write(w->pipe, m, sizeof(*m)) < 0 && errno == EINTR)
		;
}

// The interface of a device that stays when the process ends, or NULL. What the driver makes goes.
static const char *
interface_of(const struct device_port *d, char name[static IFNAMSIZ])
{
	const struct device_quirks *quirks = quirks_find(d->spec);
	const char *at = strstr(d->spec, ",iface=");

	if (d->own_veth || quirks == NULL || !(quirks->flags & QUIRK_INTERFACE_UP) || at == NULL)
		return NULL;
	at += strlen(",iface=");
	snprintf(name, IFNAMSIZ, "%.*s", (int)strcspn(at, ","), at);
	return name;
}

static void
tell(const struct watcher *w, enum watcher_word word, const struct device_port *d)
{
	struct watcher_message m;
	char name[IFNAMSIZ];

	if (w == NULL || interface_of(d, name) == NULL)
		return;
	memset(&m, 0, sizeof(m));
	m.word = word;
	m.spares_addressed = d->netdev == NULL && d->interface[0] == '\0';
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

void
watcher_stop(struct watcher *w)
{
	struct watcher_message m;

	if (w == NULL)
		return;
	memset(&m, 0, sizeof(m));
	m.word = WATCHER_STOP;
	send_message(w, &m);
	close(w->pipe);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(w);
}
