// SPDX-License-Identifier: BSD-3-Clause
// When tenants change, packets admitted under the old tables are still in flight. The new tables
// keep the routes that these need (in_flight_find.c), and the fabric is polled until no packet is
// older than the change, or until DRAIN_LIMIT of fabric time has passed and the remaining packets
// of moved hosts have been dropped (moved_hosts.c). Then the command of the change ends: from now
// on no packet of a moved host reaches the tenant that its host has left. Older packets of hosts
// that have not moved are never dropped; their routes stay until the last has gone.
//
// The age of a packet is the epoch of the tables that admitted it. A poll scans the queues of
// switches, the wires between switches and those to hosts; packets in a NIC or on a wire from a
// host have not been admitted. The dataplane does none of this.
//
// The times of polls follow only from the time of the change, so that in virtual time the outcome
// does not depend on windows.
#include "change_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/llr.h"
#include "dataplane/queueing/fair.h"
#include "dataplane/stages/stale_tenant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DRAIN_POLL TIME_WINDOW_MAX // between the first polls
#define DRAIN_BACK_OFF 8           // later polls wait 1/8 of the time that has passed

ps_t
drains_next(const struct fabric *f)
{
	ps_t next = PS_NEVER;

	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		next = time_min(next, d->next_poll);
	return next;
}

bool
drains_open(const struct fabric *f)
{
	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		if (!d->done)
			return true;
	return false;
}

// ---- scanning -----------------------------------------------------------------------------------

// What one scan has found of a drain.
struct found {
	uint64_t old;   // packets older than the change
	uint64_t moved; // of them those of hosts that have moved
};

struct scan {
	const struct fabric *f;
	struct found *found; // by drain, in the order of the list
	struct stale_hosts **moved;
	uint64_t dropped; // as `tenant-moved`
};

// Pauses and notices between switches belong to no tenant.
static bool
is_control(struct rte_mbuf *m)
{
	static const uint8_t reserved[5] = {0x01, 0x80, 0xc2, 0x00, 0x00};

	return packet_meta(m)->data_len >= 6 &&
	       memcmp(packet_data(m), reserved, sizeof(reserved)) == 0;
}

// t: the tables of the switch that sent it last.
static void
scan_packet(struct scan *scan, const struct tables *t, struct rte_mbuf *m)
{
	uint16_t epoch = packet_meta(m)->epoch;
	unsigned i = 0;

	for (const struct drain *d = scan->f->drains; d != NULL; d = d->next, i++) {
		if (epoch != 0 && (int16_t)(uint16_t)(epoch - d->epoch) >= 0)
			continue;
		if (is_control(m))
			return;
		scan->found[i].old++;
		scan->found[i].moved += scan->moved[i] != NULL &&
					stale_hosts_match(scan->moved[i], t, m);
	}
}

// A wire that this node's worker, or the driver of its device, takes packets from.
static void
scan_wire(struct scan *scan, const struct tables *t, const struct wire *w)
{
	uint32_t end = __atomic_load_n(w->visible, __ATOMIC_ACQUIRE);

	for (uint32_t i = w->head; i != end; i++)
		scan_packet(scan, t, w->slots[i & w->mask].packet);
}

// The tables of the switch behind a port.
static const struct tables *
tables_behind(const struct scan *scan, const struct node *n, unsigned port)
{
	const struct topo_node *place = &scan->f->topology->nodes[n->index];

	return scan->f->tables[place->ports[port].peer_node];
}

// The queues of a switch, the wires to it from other switches, and those from it to hosts: the
// owners of all of them are on this node's worker.
static void
scan_node(struct node *n, ps_t now, void *arg)
{
	struct scan *scan = arg;

	(void)now;
	if (n->role == NODE_NIC)
		return;
	for (unsigned p = 0; p < n->port_count; p++) {
		struct port *port = &n->ports[p];

		scan->dropped += port->drops[DROP_TENANT_MOVED];
		for (unsigned tc = 0; tc < PRIORITIES; tc++)
			for (struct rte_mbuf *m = port->queues[tc].head; m != NULL;
			     m = fair_next(port, tc, m))
				scan_packet(scan, n->current, m);
		if (port->partial != NULL)
			scan_packet(scan, n->current, port->partial);
		for (uint32_t i = 0; i < llr_held(port); i++)
			scan_packet(scan, n->current,
				    port->llr->frames[(port->llr->accepted + i) & port->llr->mask]
					    .held);
		if (n->current->ports[p].inner && port->in != NULL)
			scan_wire(scan, tables_behind(scan, n, p), port->in);
		else if (!n->current->ports[p].inner && port->out != NULL)
			scan_wire(scan, n->current, port->out);
	}
}

// What other ranks have found. If one of them is gone, the run ends at its next exchange.
static void
add_ranks(const struct fabric *f, struct scan *scan, unsigned drains)
{
	uint64_t *sums;

	if (!ranks_many(f->ranks))
		return;
	sums = memory_array(2 * drains + 1, sizeof(*sums), "drains");
	for (unsigned i = 0; i < drains; i++) {
		sums[2 * i] = scan->found[i].old;
		sums[2 * i + 1] = scan->found[i].moved;
	}
	sums[2 * drains] = scan->dropped;
	if (ranks_reduce(f->ranks, RANKS_SUM, sums, 2 * drains + 1) == 0) {
		for (unsigned i = 0; i < drains; i++)
			scan->found[i] =
				(struct found){.old = sums[2 * i], .moved = sums[2 * i + 1]};
		scan->dropped = sums[2 * drains];
	}
	free(sums);
}

static struct scan
scan_all(const struct change_env *env)
{
	struct fabric *f = env->fabric;
	struct scan scan = {.f = f};
	unsigned count = 0, i = 0;

	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		count++;
	scan.found = memory_array(count, sizeof(*scan.found), "drains");
	scan.moved = memory_array(count, sizeof(struct stale_hosts *), "drains");
	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		scan.moved[i++] = moved_hosts_of(f, d);
	env->hooks->at_nodes(env->hooks->context, scan_node, &scan);
	add_ranks(f, &scan, count);
	return scan;
}

static void
free_scan(const struct fabric *f, struct scan *scan)
{
	unsigned i = 0;

	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		stale_hosts_destroy(scan->moved[i++]);
	free(scan->moved);
	free(scan->found);
}

// ---- what follows -------------------------------------------------------------------------------

// Workers are scanned one after the other, and a packet may pass from a worker that is still to be
// scanned to one that has been. It only moves forward, and no path is longer than this: so many
// clean scans in a row have missed nothing.
static unsigned
polls_needed(const struct change_env *env)
{
	return env->hooks->many_workers ? 6 : 1;
}

static void
report(const struct change_env *env, struct drain *d, uint64_t dropped)
{
	uint64_t lost = dropped - d->dropped_before, drained;
	char *text;

	if (d->reported || env->hooks->tell == NULL)
		return;
	d->reported = true;
	lost = lost < d->in_flight ? lost : d->in_flight;
	drained = d->in_flight - lost;
	text = memory_format("%s%s%s; %" PRIu64 " packet%s drained, %" PRIu64 " dropped",
			     d->command != NULL ? d->command : "", d->command != NULL ? ": " : "",
			     d->summary, drained, drained == 1 ? "" : "s", lost);
	env->hooks->tell(env->hooks->context, env->now, text);
	free(text);
}

// Whether a list of indices has one.
static bool
has_index(const uint16_t *indices, uint16_t count, uint16_t index)
{
	for (uint16_t i = 0; i < count; i++)
		if (indices[i] == index)
			return true;
	return false;
}

// Frees the indices that a drain has held, unless a later drain holds them too.
static void
free_indices(struct fabric *f, const struct drain *ended)
{
	struct topology *t = f->topology;

	for (uint16_t i = 0; i < ended->held_vrf_count; i++) {
		struct topo_vrf *vrf = &t->vrfs[ended->held_vrfs[i]];
		bool held = vrf->held;

		for (const struct drain *d = f->drains; d != NULL; d = d->next)
			held &= !has_index(d->held_vrfs, d->held_vrf_count, ended->held_vrfs[i]);
		if (held)
			*vrf = (struct topo_vrf){.tenant = TENANT_NONE};
	}
	for (uint16_t i = 0; i < ended->held_tenant_count; i++) {
		uint16_t tenant = ended->held_tenants[i];
		bool held = t->tenants[tenant].held;

		for (const struct drain *d = f->drains; d != NULL; d = d->next)
			held &= !has_index(d->held_tenants, d->held_tenant_count, tenant);
		if (held)
			t->tenants[tenant] = (struct topo_tenant){0};
	}
}

// Takes a drain out of the list.
static void
end_drain(struct fabric *f, struct drain *ended)
{
	struct drain **link = &f->drains;

	while (*link != ended)
		link = &(*link)->next;
	*link = ended->next;
	free_indices(f, ended);
	drain_destroy(ended, f->topology);
}

// Drops the routes to hosts that have moved.
static void
expire(struct fabric *f, struct drain *d)
{
	d->expired = true;
	for (uint32_t n = 0; n < f->topology->first_host; n++)
		routes_clear(&d->lists[n][1]);
}

static void
set_next_poll(struct drain *d, ps_t now)
{
	ps_t passed = now - d->began;
	ps_t wait = passed / DRAIN_BACK_OFF > DRAIN_POLL ? passed / DRAIN_BACK_OFF : DRAIN_POLL;

	// The end is near: only wires still hold packets that are to be dropped.
	if (d->expired && !d->done)
		wait = DRAIN_POLL;
	d->next_poll = (now + wait) / DRAIN_POLL * DRAIN_POLL;
	if (!d->expired && !d->done && d->next_poll > d->began + DRAIN_LIMIT)
		d->next_poll = d->began + DRAIN_LIMIT;
	if (d->next_poll <= now)
		d->next_poll = now + DRAIN_POLL;
}

// Updates one drain. *ended: remove it; *anew: rebuild the tables.
static void
poll_drain(const struct change_env *env, struct drain *d, const struct found *found,
	   uint64_t dropped, bool *ended, bool *anew)
{
	if (d->clean_polls == 0 && d->next_poll == d->began)
		d->in_flight = found->moved;
	d->clean_polls = found->old == 0 ? d->clean_polls + 1 : 0;
	d->clean_polls_moved = found->moved == 0 ? d->clean_polls_moved + 1 : 0;
	if (d->clean_polls >= polls_needed(env)) {
		d->done = true;
		*ended = *anew = true;
		report(env, d, dropped);
		return;
	}
	if (!d->expired && !d->done && env->now >= d->began + DRAIN_LIMIT) {
		expire(env->fabric, d);
		d->clean_polls_moved = 0;
		*anew = true;
	} else if (d->expired && !d->done && d->clean_polls_moved >= polls_needed(env)) {
		d->done = true;
		report(env, d, dropped);
	}
	set_next_poll(d, env->now);
}

void
drains_begin(struct drain *d, ps_t now)
{
	d->began = d->next_poll = now;
}

// Rebuilds tables after a drain has ended or expired.
static int
rebuild(const struct change_env *env, struct diag *diag)
{
	struct fabric *f = env->fabric;

	in_flight_routes_release(f);
	stale_hosts_destroy(f->moved);
	f->moved = moved_hosts_in_force(f);
	return change_rebuild(env, diag);
}

int
drains_poll(const struct change_env *env, struct diag *diag)
{
	struct fabric *f = env->fabric;
	struct scan scan = scan_all(env);
	struct drain *next;
	unsigned i = 0;
	bool anew = false;

	for (struct drain *d = f->drains; d != NULL; d = d->next, i++) {
		d->ended = false;
		if (d->next_poll <= env->now)
			poll_drain(env, d, &scan.found[i], scan.dropped, &d->ended, &anew);
	}
	free_scan(f, &scan);
	for (struct drain *d = f->drains; d != NULL; d = next) {
		next = d->next;
		if (d->ended)
			end_drain(f, d);
	}
	return anew ? rebuild(env, diag) : 0;
}
