// SPDX-License-Identifier: BSD-3-Clause
// Where an attached host is: a network namespace, found by its own name, by a process in it or by a
// container.
#include "live_fabric.h"

#include "control/io/host/container.h"
#include "control/io/host/netns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

// A container's network namespace, by its name. Its programs see the network that the command was run
// in, as far as they need one.
struct container_search {
	const char *name;
	struct diag *diag;
};

static int
open_container(void *arg)
{
	const struct container_search *search = arg;

	return container_open_netns(search->name, search->diag);
}

static bool
is_same(int one, int other)
{
	struct stat a, b;

	return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

int
host_netns_open(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	struct container_search search = {attach->container.text, diag};
	char text[HOST_NETNS_TEXT];
	int fd;

	if (attach->netns.text != NULL) {
		fd = netns_open(attach->netns.text);
		if (fd < 0)
			return diag_fail(diag, -fd, "attach.%s: namespace %s: %s",
					 attach->host.text, attach->netns.text, strerror(-fd));
	} else if (attach->container.text != NULL) {
		fd = netns_run(live->outer_netns, open_container, &search);
	} else {
		fd = process_open_netns((int)attach->pid, diag);
	}
	if (fd < 0 || live->outer_netns < 0 || !is_same(fd, live->outer_netns))
		return fd;
	close(fd);
	return diag_fail(diag, EINVAL,
			 "attach.%s: the network namespace %s is this machine's own, in which "
			 "`roost up` was run: a host needs one of its own",
			 attach->host.text, host_netns_text(attach, text));
}
