// SPDX-License-Identifier: BSD-3-Clause
// The control thread looks at every device a few times a second. Of a device on a Linux interface
// the state is the interface's. The veth of an attached host loses its carrier when the host takes
// its end down, and is gone when the host's namespace is.
//
// Linux forgets the routes of an interface that goes down, so they are set again when it is back,
// also if it was down between two polls: the kernel counts how often a carrier was lost, and
// reports each change of an interface.
//
// A namespace is known by its name. If the name goes, but the namespace lives (a process is in it),
// the host stays attached. If the name comes to stand for another namespace, that one is the host
// from then on. Roost waits for a namespace, it does not make it again. A container that has
// restarted is found by its name or its ID.
#include "device_drops.h"
#include "part_links.h"
#include "watcher.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/io/host/link.h"
#include "control/io/host/request.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINKS_INTERVAL_MS 200
#define LINKS_RECONNECT_POLLS 5 // a connection that is being made needs time
#define LINKS_SEARCH_POLLS 25   // by the program of Docker, which takes its time
#define LINKS_DROPS_POLLS 5

struct device_links {
	int changes; // netlink socket of the process's own namespace
	int64_t polled_ms;
	uint32_t polls;
};

// "eth1 in namespace lab-h1", "netdev swp1", "net_memif0".
static char *
describe(const struct live_fabric *live, const struct device_port *d)
{
	char text[HOST_NETNS_TEXT];

	if (d->own_veth)
		return memory_format(
			"%s in namespace %s",
			topology_host_port(live->topology, d->host, d->host_port)->name,
			host_netns_text(d->attach, text));
	if (d->interface[0] != '\0')
		return memory_format("tap %s", d->interface);
	if (d->netdev != NULL)
		return memory_format("netdev %s", d->netdev);
	return memory_text_part(d->spec, strcspn(d->spec, ","));
}

static void
log_link(struct live_fabric *live, const struct device_port *d, bool up, char *message)
{
	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_port(live->log, live_clock(&live->drive), &live->topology->nodes[d->node],
			d->port, up ? FABRIC_LOG_LINK_UP : FABRIC_LOG_LINK_DOWN, message);
	free(message);
}

static void
log_state(struct live_fabric *live, const struct device_port *d, bool up, const char *how)
{
	char *what = describe(live, d);

	log_link(live, d, up, memory_format("%s: %s %s", up ? "up" : "down", what, how));
	free(what);
}

// How often the veth of a host has lost its carrier.
static uint32_t
count_downs(const struct device_port *d)
{
	struct link_info info;

	if (!d->own_veth || link_get(d->interface, &info) != 0)
		return d->carrier_downs;
	return info.carrier_downs;
}

static void
restore_host(struct live_fabric *live, struct device_port *d)
{
	struct diag diag = {0};

	if (devices_restore_host(live, d, &diag) != 0)
		log_link(
			live, d, true,
			memory_format("it lacks addresses or routes: %s", diag_first_error(&diag)));
	diag_free(&diag);
}

static void
link_down(struct live_fabric *live, struct device_port *d, const char *how)
{
	devices_set_link(live, d, false);
	log_state(live, d, false, how);
}

static void
link_up(struct live_fabric *live, struct device_port *d)
{
	d->carrier_downs = count_downs(d);
	restore_host(live, d);
	devices_set_link(live, d, true);
	log_state(live, d, true, "has a carrier again");
}

// A port shared with Linux has its interface's MAC address. That may change, and an interface that
// is made anew has another.
static void
follow_mac(struct live_fabric *live, struct device_port *d)
{
	uint8_t *mac = live->topology->nodes[d->node].ports[d->port].mac, now[6];
	struct diag diag = {0};

	if (d->netdev == NULL || device_mac(d->live.device, now) != 0 ||
	    memcmp(mac, now, sizeof(now)) == 0)
		return;
	memcpy(mac, now, sizeof(now));
	if (events_rebuild(live->events, d->node, &diag) != 0)
		log_link(live, d, d->up,
			 memory_format("its MAC address changed, but the switch keeps the old one: "
				       "%s",
				       diag_first_error(&diag)));
	diag_free(&diag);
}

// The host's interface may have been down and up between two polls.
static void
look_for_bounce(struct live_fabric *live, struct device_port *d)
{
	uint32_t downs = count_downs(d);

	if (downs == d->carrier_downs)
		return;
	d->carrier_downs = downs;
	restore_host(live, d);
	log_state(live, d, true, "was down for a moment");
}

// Whether there is something to open the device on. An interrupted removal leaves a plain file.
static bool
is_there(const struct device_port *d)
{
	int fd = d->netns != NULL ? netns_open(d->netns) : -1;

	if (fd >= 0)
		close(fd);
	return d->netns == NULL || fd >= 0;
}

// A reason is logged once.
static void
log_waiting(struct live_fabric *live, struct device_port *d, const char *why)
{
	if (d->waiting != NULL && strcmp(d->waiting, why) == 0)
		return;
	free(d->waiting);
	d->waiting = memory_text(why);
	log_link(live, d, false, memory_format("stays down: %s", why));
}

static void
reopen(struct live_fabric *live, struct device_port *d)
{
	struct diag diag = {0};

	int rc;

	// A container is looked for less often: that takes longer.
	if (d->own_veth && d->attach->container.text != NULL && !host_container_searched(d) &&
	    live->links->polls % LINKS_SEARCH_POLLS != 0)
		return;
	if (!is_there(d))
		return;
	rc = devices_open_one(live, d, &diag);
	if (rc == -EAGAIN) {
		// A container that is being looked for.
	} else if (rc != 0) {
		log_waiting(live, d, diag_first_error(&diag));
	} else {
		free(d->waiting);
		d->waiting = NULL;
		d->carrier_downs = count_downs(d);
		follow_mac(live, d);
		local_addresses_refresh(live);
		log_state(live, d, true, "is back");
	}
	diag_free(&diag);
}

// The name of its namespace stands for another one. While one is removed it is a plain file.
static bool
has_moved(const struct device_port *d)
{
	return d->netns != NULL && netns_has_moved(d->netns, &d->id) == 1 && is_there(d);
}

static void
poll_device(struct live_fabric *live, struct device_port *d, bool changed)
{
	enum device_link link;

	if (d->live.device == NULL) {
		reopen(live, d);
		return;
	}
	link = has_moved(d) ? DEVICE_LINK_GONE : device_link(d->live.device);
	if (link != DEVICE_LINK_GONE)
		follow_mac(live, d);
	if (link == DEVICE_LINK_GONE) {
		devices_close_one(live, d);
		log_state(live, d, false, "is gone");
	} else if (d->up && link == DEVICE_LINK_DOWN) {
		link_down(live, d, "has no carrier");
	} else if (!d->up && link == DEVICE_LINK_UP) {
		link_up(live, d);
	} else if (d->up && changed) {
		look_for_bounce(live, d);
	} else if (!d->up && live->links->polls % LINKS_RECONNECT_POLLS == 0) {
		(void)device_reconnect(d->live.device);
	}
}

// A link to another part is down where either end has taken it down or hears nothing: both ends
// then have the same links to compute routes from.
static void
agree_with_far_end(struct live_fabric *live, struct device_port *d)
{
	const uint32_t link = live->topology->nodes[d->node].ports[d->port].link;
	struct diag diag = {0};

	device_hold(d->live.device,
		    fabric_link_values(live->fabric, link).changes & CONFIG_LINK_STATE);
	if (events_note_carrier(live->events, link, d->up, &diag) != 0)
		log_link(live, d, d->up,
			 memory_format("routes stay as they were: %s", diag_first_error(&diag)));
	diag_free(&diag);
}

int
device_links_open(struct live_fabric *live, struct diag *diag)
{
	const struct sockaddr_nl groups = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	struct device_links *links;

	if (live->device_count == 0 && live->topology->host_count == 0)
		return 0;
	links = memory_new(sizeof(*links), "links of devices");
	live->links = links;
	links->changes = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (links->changes < 0 ||
	    bind(links->changes, (const struct sockaddr *)&groups, sizeof(groups)) != 0)
		return diag_fail(diag, errno, "changes of interfaces: %s", strerror(errno));
	for (uint32_t i = 0; i < live->device_count; i++)
		live->devices[i].carrier_downs = count_downs(&live->devices[i]);
	device_links_poll(live);
	return 0;
}

void
device_links_poll(struct live_fabric *live)
{
	struct device_links *links = live->links;
	bool changed;

	if (links == NULL || clock_ms() - links->polled_ms < LINKS_INTERVAL_MS)
		return;
	changed = request_drain(links->changes);
	watcher_poll(live);
	links->polls++;
	for (uint32_t i = 0; i < live->device_count; i++) {
		if (live->devices[i].detached)
			continue;
		poll_device(live, &live->devices[i], changed);
		if (live->devices[i].far != NULL)
			agree_with_far_end(live, &live->devices[i]);
		if (links->polls % LINKS_DROPS_POLLS == 0)
			device_drops_log(live, &live->devices[i]);
	}
	part_links_poll(live);
	links->polled_ms = clock_ms();
}

void
device_links_close(struct device_links *links)
{
	if (links == NULL)
		return;
	if (links->changes >= 0)
		close(links->changes);
	free(links);
}
