// SPDX-License-Identifier: BSD-3-Clause
// Changes of links and entries of the fabric's log are sent when the control thread sees them.
// Pauses and drops are counters: at intervals the counters of all nodes are compared with their
// last values, so that many drops at one port for one reason become one event with their number,
// and a pause becomes one event with its share of the time since the last poll. Counters miss
// nothing between two polls. Nothing is sent of the time before the first subscription.
#include "notify.h"

#include "device_drops.h"
#include "control/api/api.h"
#include "control/base/memory.h"
#include "control/base/clock.h"

#include <stdlib.h>
#include <string.h>

#define NOTIFY_INTERVAL_MS 200

// The link to a device at the last poll. What was attached may be detached since.
struct notify_link {
	uint32_t node;
	uint16_t port;
	uint32_t host; // that it was of; TOPOLOGY_NONE: none
	bool down;
	const struct device_port *device; // NULL: none any more
};

// The counters of a port at the last poll.
struct notify_port {
	ps_t rx_paused[PRIORITIES]; // total
	ps_t tx_paused[PRIORITIES];
	uint64_t drops[DROP_COUNT];
};

struct notifier {
	struct live_fabric *live;
	struct node_snapshot *copy;
	struct api_server *server;
	struct notify_port **ports; // by node of the topology; NULL where there is none
	uint32_t *swaps;            // by host: of its node whose counters those are
	bool *link_down;            // by link
	struct notify_link *links;  // of devices
	uint32_t links_count;
	uint64_t log_seen;
	ps_t counted_at;    // fabric time of `ports`
	int64_t counted_ms; // wall time
	bool links_primed;  // the last state is that of the last poll
	bool counters_primed;
	bool silent; // the state is noted, but nothing is sent
};

const char *const *
notify_kinds(size_t *count)
{
	static const char *const kinds[] = {"link", "pause", "watchdog", "drops", "apply"};

	*count = NOTIFY_KINDS;
	return kinds;
}

// A host that is attached while the fabric runs gets a port behind each.
static size_t
ports_most(const struct fabric *f, uint32_t node)
{
	size_t count = f->nodes[node]->port_count;

	return node < f->topology->first_host || fabric_has_edge(f, node) ? count : 2 * count;
}

struct notifier *
notify_create(struct live_fabric *live, struct node_snapshot *copy, struct api_server *server)
{
	const struct topology *topology = live->topology;
	struct notifier *t = memory_new(sizeof(*t), "notifier");

	*t = (struct notifier){.live = live, .copy = copy, .server = server};
	t->ports = memory_array(topology->node_count, sizeof(*t->ports), "nodes");
	t->link_down = memory_array(topology->link_count, sizeof(*t->link_down), "links");
	for (uint32_t i = 0; i < topology->node_count; i++)
		if (live->fabric->nodes[i] != NULL)
			t->ports[i] = memory_array(ports_most(live->fabric, i), sizeof(**t->ports),
						   "ports");
	t->swaps =
		memory_copy(live->fabric->swaps, topology->host_count, sizeof(*t->swaps), "hosts");
	return t;
}

void
notify_destroy(struct notifier *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; i < t->live->topology->node_count; i++)
		free(t->ports[i]);
	free(t->ports);
	free(t->swaps);
	free(t->links);
	free(t->link_down);
	free(t);
}

// Sends an event, unless the notifier is silent, and frees it.
static void
send_event(struct notifier *t, enum notify_kind kind, uint64_t size, json_t *event)
{
	if (!t->silent)
		api_server_notify(t->server, kind, size, event);
	json_decref(event);
}

static void
notify_links(struct notifier *t)
{
	const struct topology *topology = t->live->topology;
	json_int_t at = (json_int_t)(live_clock(&t->live->drive) / PS_PER_NS);

	for (uint32_t i = 0; i < topology->link_count; i++) {
		bool down = t->live->fabric->link_down[i];
		char name[TOPOLOGY_NAME_MAX];

		if (down != t->link_down[i])
			send_event(t, NOTIFY_LINK, UINT64_MAX,
				   json_pack("{s:s,s:I,s:s,s:s}", "kind", "link", "at_ns", at,
					     "link", topology_link_name(topology, i, name), "state",
					     down ? "down" : "up"));
		t->link_down[i] = down;
	}
}

// The link to a device, which the port is named for: an attached host's has no other end.
static struct notify_link *
link_of(struct notifier *t, const struct device_port *d)
{
	struct notify_link *l;

	for (uint32_t i = 0; i < t->links_count; i++)
		if (t->links[i].node == d->node && t->links[i].port == d->port)
			return &t->links[i];
	t->links = memory_grow(t->links, t->links_count, sizeof(*t->links), "links of devices");
	l = &t->links[t->links_count++];
	*l = (struct notify_link){.node = d->node, .port = d->port, .host = d->host};
	return l;
}

// Where a device was: up if a simulated NIC is back.
static bool
is_simulated(const struct notifier *t, uint32_t host)
{
	const struct fabric *f = t->live->fabric;
	uint32_t node = f->topology->first_host + host;

	return host != TOPOLOGY_NONE && f->nodes[node] != NULL && !fabric_has_edge(f, node);
}

// A port without a link that a user has taken down.
static bool
is_off(const struct notifier *t, const struct notify_link *l)
{
	const struct node *n = t->live->fabric->nodes[l->node];

	return t->live->topology->nodes[l->node].ports[l->port].link == TOPOLOGY_NONE &&
	       n != NULL && n->ports[l->port].link_off;
}

static void
notify_device_links(struct notifier *t)
{
	json_int_t at = (json_int_t)(live_clock(&t->live->drive) / PS_PER_NS);

	for (uint32_t i = 0; i < t->links_count; i++)
		t->links[i].device = NULL;
	for (uint32_t i = 0; i < t->live->device_count; i++)
		if (!t->live->devices[i].detached)
			link_of(t, &t->live->devices[i])->device = &t->live->devices[i];
	for (uint32_t i = 0; i < t->links_count; i++) {
		struct notify_link *l = &t->links[i];
		bool down = l->device != NULL ? !l->device->up || is_off(t, l)
					      : !is_simulated(t, l->host);
		char name[TOPOLOGY_NAME_MAX];

		if (down != l->down)
			send_event(t, NOTIFY_LINK, UINT64_MAX,
				   json_pack("{s:s,s:I,s:s,s:s}", "kind", "link", "at_ns", at,
					     "link",
					     topology_port_name(t->live->topology, l->node, l->port,
								name),
					     "state", down ? "down" : "up"));
		l->down = down;
	}
}

// Entries about devices are events of links and drops.
static bool
is_of_device(const char *what)
{
	return what != NULL &&
	       (strncmp(what, "link-", 5) == 0 || strcmp(what, "device-drops") == 0);
}

// No change that anybody made.
static bool
is_state(const char *what)
{
	return what != NULL && (strcmp(what, "routes") == 0 || strcmp(what, "watcher") == 0 ||
				strcmp(what, "bfd") == 0 || strcmp(what, "record") == 0);
}

static void
notify_log(struct notifier *t)
{
	const json_t *entries;
	uint64_t total;
	size_t size, i;

	fabric_log_poll(t->live->log, t->live->fabric);
	entries = fabric_log_entries(t->live->log);
	total = fabric_log_total(t->live->log);
	size = json_array_size(entries);
	i = total - t->log_seen < size ? size - (size_t)(total - t->log_seen) : 0;
	for (; i < size; i++) {
		json_t *event = json_copy(json_array_get(entries, i));
		const char *what = json_string_value(json_object_get(event, "what"));
		bool watchdog = what != NULL && strncmp(what, "watchdog", 8) == 0;

		if (is_state(what)) {
			json_decref(event);
			continue;
		}
		if (is_of_device(what)) {
			json_decref(event);
			continue;
		}
		json_object_set_new(event, "kind", json_string(watchdog ? "watchdog" : "apply"));
		send_event(t, watchdog ? NOTIFY_WATCHDOG : NOTIFY_APPLY, UINT64_MAX, event);
	}
	t->log_seen = total;
}

// Where and when a counter has moved.
struct place {
	struct notifier *t;
	const char *node, *port;
	ps_t now;
};

static void
notify_pause(const struct place *p, unsigned int priority, const char *direction, ps_t *before,
	     ps_t total)
{
	ps_t paused = total - *before;

	*before = total;
	if (paused == 0)
		return;
	send_event(p->t, NOTIFY_PAUSE, paused / PS_PER_NS,
		   json_pack("{s:s,s:I,s:s,s:s,s:i,s:s,s:I,s:I}", "kind", "pause", "at_ns",
			     (json_int_t)(p->now / PS_PER_NS), "node", p->node, "port", p->port,
			     "priority", (int)priority, "direction", direction, "paused_ns",
			     (json_int_t)(paused / PS_PER_NS), "of_ns",
			     (json_int_t)((p->now - p->t->counted_at) / PS_PER_NS)));
}

static void
notify_drops(const struct place *p, const char *reason, const char *advice, uint64_t *before,
	     uint64_t total)
{
	uint64_t packets = total - *before;

	*before = total;
	if (packets == 0)
		return;
	send_event(p->t, NOTIFY_DROPS, UINT64_MAX,
		   json_pack("{s:s,s:I,s:s,s:s,s:s,s:I,s:s}", "kind", "drops", "at_ns",
			     (json_int_t)(p->now / PS_PER_NS), "node", p->node, "port", p->port,
			     "reason", reason, "packets", (json_int_t)packets, "advice", advice));
}

static void
notify_port(const struct place *p, const struct port *port, struct notify_port *before)
{
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		notify_pause(p, i, "rx", &before->rx_paused[i],
			     counters_rx_pause(port, i, p->now).total);
		notify_pause(p, i, "tx", &before->tx_paused[i],
			     counters_tx_pause(port, i, p->now).total);
	}
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		notify_drops(p, drop_name(i), drop_advice(i), &before->drops[i], port->drops[i]);
}

static void
notify_device(const struct device_drops_port *lost, void *arg)
{
	struct notifier *t = arg;
	const struct topo_node *node = &t->live->topology->nodes[lost->node];
	const struct place p = {t, node->name, node->ports[lost->port].name, t->copy->at};

	for (unsigned int r = 0; r < DEVICE_DROP_COUNT; r++)
		notify_drops(&p, device_drop_name(r), device_drop_advice(r), &lost->notified->of[r],
			     lost->now.of[r]);
}

// The counters of another node that has come to stand for a host are only noted.
static bool
is_swapped(struct notifier *t, uint32_t node)
{
	const struct topology *topology = t->live->topology;
	uint32_t *seen, now;

	if (node < topology->first_host)
		return false;
	seen = &t->swaps[topology_host_of(topology, node)];
	now = t->live->fabric->swaps[topology_host_of(topology, node)];
	if (*seen == now)
		return false;
	*seen = now;
	return true;
}

static void
notify_counters(struct notifier *t)
{
	const struct topology *topology = t->live->topology;
	const struct report_node *nodes;

	node_snapshot_take(t->copy, t->live);
	nodes = t->copy->reports;
	for (uint32_t i = 0; i < topology->node_count; i++) {
		const struct report_node *n = &nodes[i];
		bool silent = t->silent;

		t->silent |= is_swapped(t, i);
		for (uint16_t k = 0; t->ports[i] != NULL && k < n->node->port_count; k++)
			notify_port(&(struct place){t, n->name, n->ports[k].name, t->copy->at},
				    &n->node->ports[k], &t->ports[i][k]);
		t->silent = silent;
	}
	device_drops_each(t->live, notify_device, t);
	t->counted_at = t->copy->at;
}

void
notify_poll(struct notifier *t)
{
	uint32_t wanted = api_server_wanted(t->server);
	int64_t now;

	t->silent = !t->links_primed;
	if (wanted != 0) {
		notify_links(t);
		notify_device_links(t);
		notify_log(t);
	}
	t->links_primed = wanted != 0;
	if (!(wanted & (NOTIFY_PAUSE | NOTIFY_DROPS))) {
		t->counters_primed = false;
		return;
	}
	now = clock_ms();
	if (t->counters_primed && now - t->counted_ms < NOTIFY_INTERVAL_MS)
		return;
	t->silent = !t->counters_primed;
	notify_counters(t);
	t->counters_primed = true;
	t->counted_ms = now;
}
