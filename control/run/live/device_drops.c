// SPDX-License-Identifier: BSD-3-Clause
#include "device_drops.h"

#include "control/base/memory.h"
#include "control/io/host/link.h"
#include "dataplane/device/interface.h"
#include "dataplane/device/quirks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What is kept of a device between two readings.
struct device_drops_state {
	struct device_drops before; // added: of devices that were closed
	struct device_drops base;   // subtracted: of the interface, before it was opened
	struct device_drops logged;
	struct device_drops notified;

	// In the list of ports whose device has been detached.
	uint32_t node;
	uint16_t port;
	struct device_drops_state *next;
};

const char *
device_drop_name(enum device_drop reason)
{
	static const char *const names[] = {
#define X(id, name, read, advice) [DEVICE_DROP_##id] = name,
		DEVICE_DROPS(X)
#undef X
	};

	return names[reason];
}

const char *
device_drop_advice(enum device_drop reason)
{
	static const char *const advices[] = {
#define X(id, name, read, advice) [DEVICE_DROP_##id] = advice,
		DEVICE_DROPS(X)
#undef X
	};

	return advices[reason];
}

struct link_query {
	const char *name;
	struct link_info *info;
};

static int
query_link(void *arg)
{
	const struct link_query *query = arg;

	return link_get(query->name, query->info);
}

// The counters of an interface; zeros if it is not there.
static void
read_link(int netns_fd, const char *name, struct link_info *info)
{
	struct link_query query = {name, info};

	if (netns_run(netns_fd, query_link, &query) != 0)
		*info = (struct link_info){0};
}

// A container that is gone is not looked for here.
static void
read_host_end(const struct live_fabric *live, const struct device_port *d, struct link_info *info)
{
	struct diag ignored = {0};
	int netns_fd = -1;

	*info = (struct link_info){0};
	if (d->own_veth && (d->attach->container.text == NULL || host_netns_has_process(d)))
		netns_fd = host_netns_open(live, d, &ignored);
	diag_free(&ignored);
	if (netns_fd < 0)
		return;
	read_link(netns_fd, topology_host_port(live->topology, d->host, d->host_port)->name, info);
	close(netns_fd);
}

static void
add_queue_drops(const char *name, uint64_t value, void *arg)
{
	if (strncmp(name, "rx_queue_", strlen("rx_queue_")) == 0 && strstr(name, "_drops") != NULL)
		*(uint64_t *)arg += value;
}

// So that each packet counts once, and for the side that lost it. What the near end of a veth
// refuses, as longer than its MTU, both ends count as dropped: what counts here is what its queue
// has dropped. What Linux cannot send into the interface that net_tap has made, the fabric has not
// read.
static void
separate(const struct device_port *d, const struct device *device, struct link_info *kernel,
	 struct link_info *host)
{
	if (d->own_veth && kernel->rx_dropped != 0) {
		kernel->rx_dropped = 0;
		(void)interface_counters(device->control_fd, device->interface, add_queue_drops,
					 &kernel->rx_dropped);
	}
	if (device->quirks->flags & QUIRK_MAKES_INTERFACE) {
		host->tx_dropped += kernel->tx_dropped + kernel->tx_errors;
		kernel->tx_dropped = kernel->tx_errors = 0;
	}
}

// As the device, its interface and the host's count.
static void
read_raw(const struct live_fabric *live, const struct device_port *d, struct device_drops *out)
{
	struct device *device = d->live.device;
	struct device_stats stats = {0};
	struct link_info kernel = {0}, host;
	const struct live_port *p = &d->live;
	const struct device_stats *s = &stats;
	const struct link_info *k = &kernel, *h = &host;

	if (device != NULL)
		(void)device_stats(device, &stats);
	if (device != NULL && device->interface[0] != '\0')
		read_link(device->netns_fd, device->interface, &kernel);
	// What the stack had no use for counts too, where frames reach the stack.
	if (device == NULL || device->xsk_fd < 0 || device->steering != NULL)
		kernel.rx_dropped = 0;
	read_host_end(live, d, &host);
	if (device != NULL)
		separate(d, device, &kernel, &host);
	*out = (struct device_drops){.of = {
#define X(id, name, read, advice) [DEVICE_DROP_##id] = read,
					     DEVICE_DROPS(X)
#undef X
				     }};
}

static struct device_drops_state *
state_of(struct device_port *d)
{
	if (d->drops == NULL)
		d->drops = memory_new(sizeof(*d->drops), "drops of a device");
	return d->drops;
}

void
device_drops_read(const struct live_fabric *live, const struct device_port *d,
		  struct device_drops *out)
{
	const struct device_drops_state *state = d->drops;

	read_raw(live, d, out);
	for (unsigned int i = 0; state != NULL && i < DEVICE_DROP_COUNT; i++) {
		uint64_t base = state->base.of[i];

		out->of[i] = state->before.of[i] + (out->of[i] > base ? out->of[i] - base : 0);
	}
}

void
device_drops_start(const struct live_fabric *live, struct device_port *d)
{
	read_raw(live, d, &state_of(d)->base);
}

void
device_drops_keep(const struct live_fabric *live, struct device_port *d)
{
	struct device_drops now;

	device_drops_read(live, d, &now);
	state_of(d)->before = now;
}

static void
log_reason(struct live_fabric *live, const struct device_port *d, enum device_drop reason,
	   uint64_t packets)
{
	char *message = memory_format("%" PRIu64 " packet%s lost, %s: %s", packets,
				      packets == 1 ? "" : "s", device_drop_name(reason),
				      device_drop_advice(reason));

	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_port(live->log, live_clock(&live->drive), &live->topology->nodes[d->node],
			d->port, FABRIC_LOG_DEVICE_DROPS, message);
	free(message);
}

static void
log_new(struct live_fabric *live, struct device_port *d, const struct device_drops *now)
{
	struct device_drops *logged = &state_of(d)->logged;

	for (unsigned int i = 0; i < DEVICE_DROP_COUNT; i++)
		if (now->of[i] > logged->of[i])
			log_reason(live, d, i, now->of[i] - logged->of[i]);
	*logged = *now;
}

void
device_drops_log(struct live_fabric *live, struct device_port *d)
{
	struct device_drops now;

	device_drops_read(live, d, &now);
	log_new(live, d, &now);
}

void
device_drops_detach(struct live_fabric *live, struct device_port *d)
{
	struct device_drops_state *state = d->drops;

	if (state == NULL)
		return;
	log_new(live, d, &state->before);
	state->node = d->node;
	state->port = d->port;
	state->next = live->detached_drops;
	live->detached_drops = state;
	d->drops = NULL;
}

void
device_drops_attach(struct live_fabric *live, struct device_port *d)
{
	struct device_drops_state **at = &live->detached_drops;

	while (*at != NULL && ((*at)->node != d->node || (*at)->port != d->port))
		at = &(*at)->next;
	if (*at == NULL || d->drops != NULL)
		return;
	d->drops = *at;
	*at = d->drops->next;
}

void
device_drops_free(struct live_fabric *live)
{
	while (live->detached_drops != NULL) {
		struct device_drops_state *first = live->detached_drops;

		live->detached_drops = first->next;
		free(first);
	}
}

void
device_drops_each(const struct live_fabric *live, device_drops_fn fn, void *arg)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		struct device_port *d = &live->devices[i];
		struct device_drops_port lost = {.node = d->node, .port = d->port};

		if (d->detached)
			continue;
		device_drops_read(live, d, &lost.now);
		lost.notified = &state_of(d)->notified;
		fn(&lost, arg);
	}
	for (struct device_drops_state *s = live->detached_drops; s != NULL; s = s->next) {
		const struct device_drops_port lost = {s->node, s->port, s->before, &s->notified};

		fn(&lost, arg);
	}
}
