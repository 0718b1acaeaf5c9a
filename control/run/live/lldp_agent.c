// SPDX-License-Identifier: BSD-3-Clause
// A port sends a frame when its link comes up, every 30 s of real time, when the contents of the
// frame change, and when a new neighbour appears, which then need not wait; at most one a second,
// except for the first. Before a port stops, it sends a frame with TTL 0. A neighbour is forgotten
// when its TTL expires, when it sends TTL 0, and when the link goes down.
//
// Workers pass received frames on by a ring for each switch (dataplane/base/punt.h), and get frames
// to send as requests between two turns. Ports of `netdev:` leave LLDP to Linux.
#include "lldp_agent_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/fabric/lldp_pdu.h"
#include "dataplane/base/node.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LLDP_INTERVAL_MS 30000
#define LLDP_LEAST_MS 1000              // between two frames of a port, but for the first
#define LLDP_LAST_MS 500                // to wait for the last frames of all ports
#define LLDP_QUEUED_PS (10 * PS_PER_US) // that they wait at transmitters

// A frame for a worker to send.
struct outgoing {
	uint32_t node;
	uint16_t port;
	struct lldp_port *of;
	size_t length;
	bool sent;
	uint8_t frame[LLDP_FRAME_MAX];
};

struct outbox {
	struct outgoing *frames;
	uint32_t count;
};

// ---- requests to workers ------------------------------------------------------------------------

static void
set_punt(void *context, struct node *n, ps_t now)
{
	const struct lldp_agent *agent = context;

	(void)now;
	n->punt = agent->punts[n->index];
}

static bool
lldp_enabled(const struct live_fabric *live, uint32_t node)
{
	return live->fabric->switches[node].lldp;
}

// Whether LLDP is for this entry of the list: a port may have had other devices before.
static bool
is_lldp_device(const struct device_port *d)
{
	return !d->detached && d->netdev == NULL;
}

// Gives switches with devices a ring, and takes it from switches whose LLDP has been turned off.
static void
sync_punts(struct live_fabric *live)
{
	struct lldp_agent *agent = live->lldp;
	struct punt **before = memory_copy(agent->punts, live->topology->first_host,
					   sizeof(struct punt *), "switches");
	bool changed = false;

	for (uint32_t i = 0; i < live->device_count; i++) {
		uint32_t node = live->devices[i].node;

		if (!is_lldp_device(&live->devices[i]) || !lldp_enabled(live, node) ||
		    agent->punts[node] != NULL)
			continue;
		if (punt_create(&agent->punts[node]) != 0)
			memory_exhausted(1, sizeof(struct punt), "frames for the control plane");
		changed = true;
	}
	for (uint32_t n = 0; n < live->topology->first_host; n++)
		if (agent->punts[n] != NULL && !lldp_enabled(live, n)) {
			agent->punts[n] = NULL;
			changed = true;
		}
	if (changed)
		live_call(&live->drive, set_punt, agent);
	for (uint32_t n = 0; n < live->topology->first_host; n++)
		if (before[n] != agent->punts[n])
			punt_destroy(before[n]);
	free(before);
}

static void
send_frames(void *context, struct node *n, ps_t now)
{
	struct outbox *box = context;

	for (uint32_t i = 0; i < box->count; i++) {
		struct outgoing *o = &box->frames[i];

		if (o->node == n->index)
			o->sent = node_send_control(n, &n->ports[o->port], o->frame,
						    (uint32_t)o->length, now) == 0;
	}
}

// A frame that a port could not take now is tried again at its next poll.
static void
send_all(struct live_fabric *live, struct outbox *box, int64_t now_ms)
{
	if (box->count != 0)
		live_call(&live->drive, send_frames, box);
	for (uint32_t i = 0; i < box->count; i++) {
		const struct outgoing *o = &box->frames[i];

		if (!o->sent)
			continue;
		o->of->sent++;
		o->of->sent_ms = now_ms;
		o->of->send_soon = false;
		free(o->of->last);
		o->of->last = memory_copy(o->frame, o->length, 1, "LLDP frame");
		o->of->last_length = o->length;
	}
	free(box->frames);
}

// ---- ports --------------------------------------------------------------------------------------

static struct lldp_port *
port_of(struct live_fabric *live, uint32_t node, uint16_t port)
{
	struct lldp_agent *agent = live->lldp;

	if (agent->ports[node] == NULL)
		agent->ports[node] = memory_array(live->topology->nodes[node].port_count,
						  sizeof(struct lldp_port), "LLDP ports");
	return &agent->ports[node][port];
}

static void
forget(struct lldp_port *p, unsigned i)
{
	free(p->neighbours[i]);
	p->neighbours[i] = p->neighbours[--p->count];
}

static void
stop_port(struct lldp_port *p)
{
	while (p->count != 0)
		forget(p, 0);
	free(p->last);
	p->last = NULL;
	p->active = false;
}

// Ports that no longer have a device behind them.
static void
stop_unused_ports(struct live_fabric *live)
{
	const struct lldp_agent *agent = live->lldp;

	for (uint32_t n = 0; n < live->topology->first_host; n++)
		for (uint16_t i = 0;
		     agent->ports[n] != NULL && i < live->topology->nodes[n].port_count; i++)
			if (agent->ports[n][i].poll != agent->polls)
				stop_port(&agent->ports[n][i]);
}

static void
put_frame(const struct live_fabric *live, const struct device_port *d, struct lldp_port *p,
	  bool shutdown, struct outbox *box)
{
	const uint8_t *mac = live->topology->nodes[d->node].ports[d->port].mac;
	struct outgoing o = {.node = d->node, .port = d->port, .of = p};
	struct lldp_pdu pdu;

	fabric_lldp_pdu(live->fabric, d->node, d->port, &pdu);
	if (shutdown)
		pdu.ttl = 0;
	o.length = lldp_build(&pdu, mac, o.frame);
	box->frames = memory_grow(box->frames, box->count, sizeof(o), "LLDP frames");
	box->frames[box->count++] = o;
}

static bool
is_due(const struct lldp_port *p, const struct outgoing *o, int64_t now_ms)
{
	return p->last == NULL || p->send_soon || now_ms - p->sent_ms >= LLDP_INTERVAL_MS ||
	       o->length != p->last_length || memcmp(o->frame, p->last, o->length) != 0;
}

static void
poll_port(struct live_fabric *live, const struct device_port *d, struct outbox *box, int64_t now_ms)
{
	struct lldp_port *p = port_of(live, d->node, d->port);

	p->poll = live->lldp->polls;
	for (unsigned i = p->count; i-- > 0;)
		if (p->neighbours[i]->expires_ms <= now_ms)
			forget(p, i);
	if (!d->up || !lldp_enabled(live, d->node)) {
		if (d->up && p->active)
			put_frame(live, d, p, true, box);
		stop_port(p);
		return;
	}
	if (p->active && now_ms - p->built_ms < LLDP_LEAST_MS)
		return;
	p->active = true;
	p->built_ms = now_ms;
	put_frame(live, d, p, false, box);
	if (!is_due(p, &box->frames[box->count - 1], now_ms))
		box->count--;
}

// ---- received frames ----------------------------------------------------------------------------

static void
update_neighbour(struct lldp_port *p, const struct lldp_pdu *pdu, int64_t now_ms)
{
	unsigned i = 0;

	while (i < p->count && !lldp_same_sender(&p->neighbours[i]->pdu, pdu))
		i++;
	if (pdu->ttl == 0) {
		if (i < p->count)
			forget(p, i);
		return;
	}
	if (i == LLDP_NEIGHBOURS_MAX) {
		p->left_out++;
		return;
	}
	if (i == p->count) {
		p->neighbours[p->count++] =
			memory_new(sizeof(struct lldp_neighbour), "LLDP neighbour");
		p->send_soon = true;
	}
	p->neighbours[i]->pdu = *pdu;
	p->neighbours[i]->expires_ms = now_ms + pdu->ttl * INT64_C(1000);
}

// Reads at most one ring full of frames: frames that arrive meanwhile wait for the next poll.
static void
read_frames(struct live_fabric *live, uint32_t node, int64_t now_ms)
{
	struct punt *punt = live->lldp->punts[node];
	const struct punt_frame *frame;

	for (unsigned i = 0; i < PUNT_FRAMES && (frame = punt_peek(punt)) != NULL; i++) {
		struct lldp_port *p = port_of(live, node, frame->port);
		struct lldp_pdu pdu;

		p->received++;
		if (lldp_parse(frame->data, frame->length, &pdu) != 0)
			p->malformed++;
		else if (p->active)
			update_neighbour(p, &pdu, now_ms);
		punt_release(punt);
	}
}

// ---- the agent ----------------------------------------------------------------------------------

void
lldp_agent_open(struct live_fabric *live)
{
	uint32_t switches = live->topology->first_host;

	live->lldp = memory_new(sizeof(*live->lldp), "LLDP");
	live->lldp->punts = memory_array(switches, sizeof(struct punt *), "switches");
	live->lldp->ports = memory_array(switches, sizeof(struct lldp_port *), "switches");
	lldp_agent_poll(live);
}

void
lldp_agent_poll(struct live_fabric *live)
{
	int64_t now_ms = clock_ms();
	struct outbox box = {0};

	live->lldp->polls++;
	sync_punts(live);
	for (uint32_t n = 0; n < live->topology->first_host; n++)
		if (live->lldp->punts[n] != NULL)
			read_frames(live, n, now_ms);
	for (uint32_t i = 0; i < live->device_count; i++)
		if (is_lldp_device(&live->devices[i]))
			poll_port(live, &live->devices[i], &box, now_ms);
	stop_unused_ports(live);
	send_all(live, &box, now_ms);
}

static void
note_time(void *context, struct node *n, ps_t now)
{
	ps_t *least = context;

	(void)n;
	*least = time_min(*least, now);
}

// Waits until the workers have reached `until`, and had a turn since in which devices send.
static void
await_workers(struct live_fabric *live, ps_t until)
{
	const struct timespec moment = {.tv_nsec = 200000};
	const int64_t deadline_ms = clock_ms() + LLDP_LAST_MS;
	ps_t now = 0;

	while (now < until && clock_ms() < deadline_ms) {
		if (now != 0)
			nanosleep(&moment, NULL);
		now = PS_NEVER;
		live_call(&live->drive, note_time, &now);
	}
	now = PS_NEVER;
	live_call(&live->drive, note_time, &now);
}

void
lldp_agent_shut_down(struct live_fabric *live, const struct device_port *d)
{
	int64_t now_ms = clock_ms();
	struct outbox box = {0};
	ps_t longest = 0;

	for (uint32_t i = 0; live->lldp != NULL && i < live->device_count; i++) {
		const struct device_port *one = &live->devices[i];
		const struct topo_port *port;
		struct lldp_port *p;

		if ((d != NULL && one != d) || !is_lldp_device(one) || !one->up)
			continue;
		p = port_of(live, one->node, one->port);
		if (!p->active)
			continue;
		put_frame(live, one, p, true, &box);
		stop_port(p);
		port = &live->topology->nodes[one->node].ports[one->port];
		longest = port->delay_ps > longest ? port->delay_ps : longest;
	}
	if (box.count == 0)
		return;
	send_all(live, &box, now_ms);
	await_workers(live, live_clock(&live->drive) + 2 * longest + LLDP_QUEUED_PS);
}

void
lldp_agent_close(struct live_fabric *live)
{
	struct lldp_agent *agent = live->lldp;

	if (agent == NULL)
		return;
	agent->polls++;
	stop_unused_ports(live);
	for (uint32_t n = 0; n < live->topology->first_host; n++) {
		free(agent->ports[n]);
		punt_destroy(agent->punts[n]);
	}
	free(agent->ports);
	free(agent->punts);
	free(agent);
	live->lldp = NULL;
}
