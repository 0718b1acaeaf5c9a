// SPDX-License-Identifier: BSD-3-Clause
// Processes that still run in the namespaces of a fabric that goes down. Only namespaces that `up`
// has made count: a name may stand for another namespace by now.
#include "live_fabric.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/io/host/netns.h"
#include "control/io/host/processes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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

// ---- ending them --------------------------------------------------------------------------------
// Those of a host that is detached have a second to end by themselves, which the control thread
// does not wait for.

struct host_ending {
	struct process *list;
	unsigned count;
	int64_t until_ms;
	bool killed;
};

void
host_processes_end(struct live_fabric *live, const char *host)
{
	struct host_ending ending = {.until_ms = clock_ms() + PROCESSES_END_MS};

	for (uint32_t i = 0; i < live->device_count; i++)
		add(live, &live->devices[i], host, &ending.list, &ending.count);
	if (ending.count == 0)
		return;
	for (unsigned i = 0; i < ending.count; i++)
		fprintf(stderr, "roost: ending process %d (%s) in a host's namespace\n",
			(int)ending.list[i].pid, ending.list[i].command);
	processes_signal(ending.list, ending.count, SIGTERM);
	live->endings = memory_grow(live->endings, live->ending_count, sizeof(ending), "processes");
	live->endings[live->ending_count++] = ending;
}

// Whether nothing is left to be done for it.
static bool
go_on(struct host_ending *e)
{
	if (processes_ended(e->list, e->count))
		return true;
	if (clock_ms() < e->until_ms)
		return false;
	if (e->killed)
		return true; // the kernel does not let go of it
	processes_signal(e->list, e->count, SIGKILL);
	e->killed = true;
	e->until_ms = clock_ms() + PROCESSES_END_MS;
	return false;
}

void
host_processes_poll(struct live_fabric *live)
{
	for (uint32_t i = live->ending_count; i-- > 0;) {
		struct host_ending *e = &live->endings[i];

		if (!go_on(e))
			continue;
		processes_free(e->list, e->count);
		*e = live->endings[--live->ending_count];
	}
}

void
host_processes_finish(struct live_fabric *live)
{
	const struct timespec moment = {.tv_nsec = 5000000};

	for (host_processes_poll(live); live->ending_count != 0; host_processes_poll(live))
		nanosleep(&moment, NULL);
	free(live->endings);
	live->endings = NULL;
}
