// SPDX-License-Identifier: BSD-3-Clause
// A port speaks when its link comes up, every 30 s of real time, as soon as what it says has changed,
// and when somebody new is heard there, who then need not wait; but for the first no more than once a
// second. Neighbours are forgotten when their TTL ends or they say that they stop, and with the link.
//
// Frames come from the workers by a ring for each switch (dataplane/base/punt.h), and go to them as
// requests between two turns. Ports of `netdev:` leave LLDP to Linux.
#include "lldp_agent_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/fabric/lldp_pdu.h"
#include "dataplane/base/node.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>

#define LLDP_INTERVAL_MS 30000
#define LLDP_LEAST_MS 1000 // between two frames of a port

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

// ---- what workers do for it -----------------------------------------------------------------------

static void
set_punt(void *context, struct node *n, ps_t now)
{
	const struct lldp_agent *agent = context;

	(void)now;
	n->punt = agent->punts[n->index];
}

static bool
speaks(const struct live_fabric *live, uint32_t node)
{
	return live->fabric->switches[node].lldp;
}

// Whether an entry of the list is a device that may be spoken to; a port may have had others before.
static bool
is_meant(const struct device_port *d)
{
	return !d->detached && d->netdev == NULL;
}

// Gives the switches of devices a ring, and takes those that are to be silent theirs.
static void
sync_punts(struct live_fabric *live)
{
	struct lldp_agent *agent = live->lldp;
	struct punt **before = memory_copy(agent->punts, live->topology->first_host,
					   sizeof(struct punt *), "switches");
	bool changed = false;

	for (uint32_t i = 0; i < live->device_count; i++) {
		uint32_t node = live->devices[i].node;

		if (!is_meant(&live->devices[i]) || !speaks(live, node) ||
		    agent->punts[node] != NULL)
			continue;
		if (punt_create(&agent->punts[node]) != 0)
			memory_exhausted(1, sizeof(struct punt), "frames for the control plane");
		changed = true;
	}
	for (uint32_t n = 0; n < live->topology->first_host; n++)
		if (agent->punts[n] != NULL && !speaks(live, n)) {
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

// What a port could not take now is tried again with its next look.
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
		o->of->soon = false;
		free(o->of->last);
		o->of->last = memory_copy(o->frame, o->length, 1, "LLDP frame");
		o->of->last_length = o->length;
	}
	free(box->frames);
}

// ---- ports ---------------------------------------------------------------------------------------

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
fall_silent(struct lldp_port *p)
{
	while (p->count != 0)
		forget(p, 0);
	free(p->last);
	p->last = NULL;
	p->speaking = false;
}

// Of ports that nothing is behind any more.
static void
fall_silent_all(struct live_fabric *live)
{
	const struct lldp_agent *agent = live->lldp;

	for (uint32_t n = 0; n < live->topology->first_host; n++)
		for (uint16_t i = 0;
		     agent->ports[n] != NULL && i < live->topology->nodes[n].port_count; i++)
			if (agent->ports[n][i].poll != agent->polls)
				fall_silent(&agent->ports[n][i]);
}

static void
put_frame(const struct live_fabric *live, const struct device_port *d, struct lldp_port *p,
	  bool stops, struct outbox *box)
{
	const uint8_t *mac = live->topology->nodes[d->node].ports[d->port].mac;
	struct outgoing o = {.node = d->node, .port = d->port, .of = p};
	struct lldp_pdu pdu;

	fabric_lldp_pdu(live->fabric, d->node, d->port, &pdu);
	if (stops)
		pdu.ttl = 0;
	o.length = lldp_build(&pdu, mac, o.frame);
	box->frames = memory_grow(box->frames, box->count, sizeof(o), "LLDP frames");
	box->frames[box->count++] = o;
}

static bool
is_due(const struct lldp_port *p, const struct outgoing *o, int64_t now_ms)
{
	return p->last == NULL || p->soon || now_ms - p->sent_ms >= LLDP_INTERVAL_MS ||
	       o->length != p->last_length || memcmp(o->frame, p->last, o->length) != 0;
}

static void
look_at(struct live_fabric *live, const struct device_port *d, struct outbox *box, int64_t now_ms)
{
	struct lldp_port *p = port_of(live, d->node, d->port);

	p->poll = live->lldp->polls;
	for (unsigned i = p->count; i-- > 0;)
		if (p->neighbours[i]->expires_ms <= now_ms)
			forget(p, i);
	if (!d->up || !speaks(live, d->node)) {
		if (d->up && p->speaking)
			put_frame(live, d, p, true, box);
		fall_silent(p);
		return;
	}
	if (p->speaking && now_ms - p->looked_ms < LLDP_LEAST_MS)
		return;
	p->speaking = true;
	p->looked_ms = now_ms;
	put_frame(live, d, p, false, box);
	if (!is_due(p, &box->frames[box->count - 1], now_ms))
		box->count--;
}

// ---- what is heard -------------------------------------------------------------------------------

static void
hear(struct lldp_port *p, const struct lldp_pdu *pdu, int64_t now_ms)
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
		p->soon = true;
	}
	p->neighbours[i]->pdu = *pdu;
	p->neighbours[i]->expires_ms = now_ms + pdu->ttl * INT64_C(1000);
}

// One look at a ring: what comes meanwhile is for the next.
static void
take_frames(struct live_fabric *live, uint32_t node, int64_t now_ms)
{
	struct punt *punt = live->lldp->punts[node];
	const struct punt_frame *frame;

	for (unsigned i = 0; i < PUNT_FRAMES && (frame = punt_peek(punt)) != NULL; i++) {
		struct lldp_port *p = port_of(live, node, frame->port);
		struct lldp_pdu pdu;

		p->received++;
		if (lldp_parse(frame->data, frame->length, &pdu) != 0)
			p->malformed++;
		else if (p->speaking)
			hear(p, &pdu, now_ms);
		punt_release(punt);
	}
}

// ---- the agent -----------------------------------------------------------------------------------

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
			take_frames(live, n, now_ms);
	for (uint32_t i = 0; i < live->device_count; i++)
		if (is_meant(&live->devices[i]))
			look_at(live, &live->devices[i], &box, now_ms);
	fall_silent_all(live);
	send_all(live, &box, now_ms);
}

void
lldp_agent_close(struct live_fabric *live)
{
	struct lldp_agent *agent = live->lldp;

	if (agent == NULL)
		return;
	agent->polls++;
	fall_silent_all(live);
	for (uint32_t n = 0; n < live->topology->first_host; n++) {
		free(agent->ports[n]);
		punt_destroy(agent->punts[n]);
	}
	free(agent->ports);
	free(agent->punts);
	free(agent);
	live->lldp = NULL;
}
