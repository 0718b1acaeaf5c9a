// SPDX-License-Identifier: BSD-3-Clause
// Processes that are still in the namespaces of a fabric that goes down: those that `up` made, as
// long as they are the same ones.
#include "live_fabric.h"

#include "control/io/host/netns.h"
#include "control/io/host/processes.h"

#include <string.h>
#include <unistd.h>

// Adds those of one namespace. Its name may stand for another one by now.
static void
add(const struct live_fabric *live, const struct device_port *d, const char *host,
    struct process **list, unsigned *count)
{
	int fd = -1;

	if (host != NULL && (d->attach == NULL || strcmp(d->attach->host.text, host) != 0 ||
			     host_netns_other(live, d) != NULL))
		return;
	if (d->netns_created && netns_has_moved(d->netns, &d->id) == 0)
		fd = netns_open(d->netns);
	if (fd < 0)
		return;
	(void)processes_add(fd, list, count);
	close(fd);
}

json_t *
host_processes_list(const struct live_fabric *live, const char *host)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < live->device_count; i++) {
		struct process *list = NULL;
		unsigned count = 0;

		add(live, &live->devices[i], host, &list, &count);
		for (unsigned k = 0; k < count; k++)
			json_array_append_new(out,
					      json_pack("{s:i, s:s, s:s}", "pid", (int)list[k].pid,
							"command", list[k].command, "netns",
							live->devices[i].netns));
		processes_free(list, count);
	}
	return out;
}

void
host_processes_end(const struct live_fabric *live, const char *host)
{
	struct process *list = NULL;
	unsigned count = 0;

	for (uint32_t i = 0; i < live->device_count; i++)
		add(live, &live->devices[i], host, &list, &count);
	for (unsigned i = 0; i < count; i++)
		fprintf(stderr, "roost: ending process %d (%s), which is in a host\n",
			(int)list[i].pid, list[i].command);
	processes_end(list, count);
	processes_free(list, count);
}
