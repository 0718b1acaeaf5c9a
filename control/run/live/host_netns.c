// SPDX-License-Identifier: BSD-3-Clause
// Where an attached host is: a network namespace, found by its own name, by a process in it or by a
// container.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/io/host/container.h"
#include "control/io/host/netns.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *
host_netns_text(const struct config_attach *attach, char text[static HOST_NETNS_TEXT])
{
	if (attach->netns.text != NULL)
		snprintf(text, HOST_NETNS_TEXT, "%s", attach->netns.text);
	else if (attach->container.text != NULL)
		snprintf(text, HOST_NETNS_TEXT, "of container %s", attach->container.text);
	else
		snprintf(text, HOST_NETNS_TEXT, "of process %u", attach->pid);
	return text;
}

const char *
host_netns_enter(const struct config_attach *attach, char text[static HOST_NETNS_TEXT])
{
	if (attach->netns.text != NULL)
		snprintf(text, HOST_NETNS_TEXT, "ip netns exec %s", attach->netns.text);
	else if (attach->container.text != NULL)
		snprintf(text, HOST_NETNS_TEXT, "nsenter -n -t (process of %s)",
			 attach->container.text);
	else
		snprintf(text, HOST_NETNS_TEXT, "nsenter -n -t %u", attach->pid);
	return text;
}

// ---- containers and processes -------------------------------------------------------------------
// Who asks Docker waits. So that is done when the fabric comes up, and when a user attaches the
// host. From then on the process that it has named is the container for as long as it lives, and
// the next one is looked for in the background.
//
// The number of a process may be another one's when it has ended: a descriptor stands for the
// process. None stands for the namespace, which would outlive its processes by that.

struct host_container {
	pid_t pid; // 0: not known, or no process but a namespace of that name
	int fd;    // stands for this process for ever; -1: none
	bool known;
	struct netns_id netns;           // of `pid:`
	struct container_search *search; // NULL: none
};

void
host_container_free(struct host_container *c)
{
	if (c == NULL)
		return;
	if (c->fd >= 0)
		close(c->fd);
	container_search_end(c->search);
	free(c);
}

bool
host_container_searched(const struct device_port *d)
{
	return d->container != NULL && d->container->search != NULL;
}

static bool
is_alive(const struct host_container *c)
{
	struct pollfd end = {.fd = c->fd, .events = POLLIN};

	return c->fd >= 0 && poll(&end, 1, 0) == 0;
}

// What takes the programs of Docker and Podman: they see the network that the command was run in,
// as far as they need one.
struct search {
	struct host_container *container;
	const char *name;
	bool wait;
	struct diag *diag;
};

static int
search(void *arg)
{
	const struct search *s = arg;
	const struct timespec moment = {.tv_nsec = 2000000};
	struct host_container *c = s->container;
	int pid;

	if (c->search == NULL)
		c->search = container_search_start(s->name);
	while ((pid = container_search_poll(c->search, s->diag)) == -EAGAIN && s->wait)
		nanosleep(&moment, NULL);
	if (pid == -EAGAIN)
		return diag_fail(s->diag, EAGAIN,
				 "container %s: docker and podman have not answered yet", s->name);
	container_search_end(c->search);
	c->search = NULL;
	return pid;
}

static void
keep_process(struct host_container *c, pid_t pid)
{
	if (c->fd >= 0)
		close(c->fd);
	c->pid = pid;
	c->fd = pid != 0 ? pidfd_open(pid, 0) : -1;
	c->known = true;
}

// The namespace of the process that is remembered.
static int
open_remembered(const struct host_container *c, struct diag *diag)
{
	int fd = process_open_netns(c->pid, diag);

	if (fd < 0 || is_alive(c))
		return fd;
	close(fd); // it may be that of another process
	return diag_fail(diag, ESRCH, "process %d has ended", (int)c->pid);
}

// The namespace that a process of `pid:` was in when it was attached is the host.
static bool
has_moved(const struct host_container *c)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)c->pid);
	return c->netns.inode != 0 && netns_has_moved(path, &c->netns) == 1;
}

static void
keep_own_process(struct host_container *c, uint32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	keep_process(c, (pid_t)pid);
	c->known = c->fd >= 0 && netns_identify(path, &c->netns) == 0;
}

static int
open_process(const struct device_port *d, struct diag *diag)
{
	struct host_container *c = d->container;
	const uint32_t pid = d->attach->pid;

	if (c != NULL && !c->known)
		keep_own_process(c, pid);
	if (c == NULL || !c->known)
		return process_open_netns((int)pid, diag); // says why
	if (!is_alive(c))
		return diag_fail(diag, ESRCH, "process %u has ended", pid);
	if (has_moved(c))
		return diag_fail(diag, ESRCH, "process %u is in another network namespace now",
				 pid);
	return open_remembered(c, diag);
}

bool
host_netns_has_process(const struct device_port *d)
{
	return d->container != NULL && is_alive(d->container) && !has_moved(d->container);
}

static int
open_container(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	struct host_container *c = d->container;
	struct diag errors = {0};
	struct search s = {c, d->attach->container.text, c != NULL && !c->known, &errors};
	int rc;

	if (c == NULL)
		return diag_fail(diag, ENOENT, "container %s: nobody has looked for it", s.name);
	if (is_alive(c))
		return open_remembered(c, diag);
	// As containerlab links it.
	rc = c->known && c->pid == 0 ? netns_open(s.name) : -ENOENT;
	if (rc >= 0)
		return rc;
	rc = netns_run(live->outer_netns, search, &s);
	if (rc > 0) {
		keep_process(c, rc);
		rc = process_open_netns(rc, diag);
	} else if (rc != -EAGAIN && (rc = netns_open(s.name)) >= 0) {
		keep_process(c, 0);
	} else {
		rc = diag_fail(diag, rc == -EAGAIN ? EAGAIN : ENOENT, "%s",
			       diag_first_error(&errors));
	}
	diag_free(&errors);
	return rc;
}

void
host_container_prepare(struct device_port *d)
{
	if (d->attach == NULL || d->container != NULL ||
	    (d->attach->container.text == NULL && d->attach->pid == 0))
		return;
	d->container = memory_new(sizeof(*d->container), "process of a host");
	d->container->fd = -1;
}

int
host_netns_open(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	char text[HOST_NETNS_TEXT];
	int fd;

	if (attach->netns.text != NULL) {
		fd = netns_open(attach->netns.text);
		if (fd < 0)
			return diag_fail(diag, -fd, "attach.%s: namespace %s: %s",
					 attach->host.text, attach->netns.text, strerror(-fd));
	} else if (attach->container.text != NULL) {
		fd = open_container(live, d, diag);
	} else {
		fd = open_process(d, diag);
	}
	if (fd < 0 || live->outer_netns < 0 || !netns_is_same(fd, live->outer_netns))
		return fd;
	close(fd);
	return diag_fail(diag, EINVAL,
			 "attach.%s: the network namespace %s is this machine's own, in which "
			 "`roost up` was run: a host needs one of its own",
			 attach->host.text, host_netns_text(attach, text));
}

struct device_port *
host_netns_other(const struct live_fabric *live, const struct device_port *d)
{
	for (uint32_t i = 0; i < live->device_count && d->netns != NULL; i++) {
		struct device_port *other = &live->devices[i];

		if (!other->detached && other->attach != d->attach && other->netns != NULL &&
		    netns_same(&other->id, &d->id))
			return other;
	}
	return NULL;
}
