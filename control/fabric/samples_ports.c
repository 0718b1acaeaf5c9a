// SPDX-License-Identifier: BSD-3-Clause
// Series about ports: loads.csv and pauses.csv.
#include "samples_internal.h"

#include "result.h"

#include <string.h>

// ---- ports --------------------------------------------------------------------------------------

// Adds a port, unless it has no node or no wire.
static void
add_port(struct sample_places *s, uint32_t node, uint16_t port)
{
	const struct node *n = s->fabric->nodes[node];
	bool wired = n != NULL ? n->ports[port].out != NULL
			       : !fabric_is_here(s->fabric, node) &&
					 s->fabric->topology->nodes[node].ports[port].peer_node !=
						 TOPOLOGY_NONE;

	if (wired)
		sample_places_add(s, node, port, 0);
}

static void
add_all(struct sample_places *s)
{
	const struct topology *t = s->fabric->topology;

	for (uint32_t i = 0; i < t->node_count; i++)
		for (uint16_t k = 0; k < t->nodes[i].port_count; k++)
			add_port(s, i, k);
}

static int
add_name(struct sample_places *s, const struct config_name *name, const char *key,
	 struct diag *diag)
{
	struct topo_ref ref;
	int rc = topology_resolve_port(s->fabric->topology, name, key, &ref, diag);

	if (rc == 0)
		add_port(s, ref.node, ref.port);
	return rc;
}

// The name of a port, or of a link for both of its ends.
static int
add_link(struct sample_places *s, const struct config_name *name, const char *key,
	 struct diag *diag)
{
	const struct topology *t = s->fabric->topology;
	struct topo_ref ref;
	uint32_t link;
	int rc;

	if (topology_find_port(t, name->text, &ref) == 0 || strchr(name->text, '-') == NULL)
		return add_name(s, name, key, diag);
	rc = topology_resolve_link(t, name, key, &link, diag);
	if (rc != 0)
		return rc;
	add_port(s, t->links[link].a.node, t->links[link].a.port);
	add_port(s, t->links[link].b.node, t->links[link].b.port);
	return 0;
}

static const struct port *
begin_line(const struct sample_places *s, unsigned int place, ps_t now, FILE *to)
{
	samples_put_time(now, to);
	fputc(',', to);
	samples_put_port(s, place, to);
	return &s->fabric->nodes[s->items[place].node]->ports[s->items[place].port];
}

static double
percent(ps_t part, ps_t interval)
{
	return 100.0 * (double)part / (double)interval;
}

// ---- loads.csv ----------------------------------------------------------------------------------
// The share of an interval in which a port's transmitter was busy, preamble, FCS and gap included.
// A frame counts when it starts; the rest of it that is still to be sent at a sample belongs to the
// next interval.

struct sent {
	uint64_t bytes; // framing included
	ps_t left;      // of a frame that has started
};

// How long the transmitter has been busy since the previous sample.
static ps_t
busy(const struct port *p, struct sent *before, ps_t now)
{
	struct sent at = {
		.bytes = report_framed_bytes(p, p->profile),
		.left = p->tx_free > now ? p->tx_free - now : 0,
	};
	ps_t time = before->left + time_of_bytes(p->profile->byte_time, at.bytes - before->bytes);

	*before = at;
	return time > at.left ? time - at.left : 0;
}

static void
take_link(struct sample_places *s, unsigned int place, ps_t now, FILE *to)
{
	ps_t interval = now - s->since, time;
	const struct port *p;

	if (interval == 0)
		return;
	p = begin_line(s, place, now, to);
	time = busy(p, (struct sent *)s->before + place, now);
	fprintf(to, ",%.4f\n", percent(time_min(time, interval), interval));
}

const struct series series_links = {
	.file = "loads.csv",
	.heading = "time_ns,port,tx_percent",
	.key = "record.links",
	.names = offsetof(struct config_record, links),
	.size = sizeof(struct sent),
	.sorted = true,
	.add = add_link,
	.add_all = add_all,
	.take = take_link,
};

// ---- pauses.csv ---------------------------------------------------------------------------------
// The share of an interval in which pauses held a priority of a port (rx), and in which the port
// held the far side's (tx). Pauses begin and end with frames or expire, so a share is exact. Only
// priorities that PFC may pause at the port have lines, or `link` if pauses hold the port as a
// whole. With credits, a lane in use has a line: its wait for credit. What the port withholds from
// the far side is known there.

struct paused {
	ps_t rx[PAUSES];
	ps_t tx[PAUSES];
};

// Whether it may be paused there, or has been.
static bool
has_line(const struct port *p, unsigned int i, const struct paused *at)
{
	bool may = i == PAUSE_LINK ? p->profile->link_pause
				   : !p->profile->link_pause && (p->profile->obeyed >> i & 1) != 0;

	if (p->credits != NULL)
		return i < PRIORITIES && p->credits->profile->peer[i] != 0;
	return may || at->rx[i] != 0 || at->tx[i] != 0;
}

static void
take_pauses(struct sample_places *s, unsigned int place, ps_t now, FILE *to)
{
	const struct sample_place *ref = &s->items[place];
	const struct port *p = &s->fabric->nodes[ref->node]->ports[ref->port];
	struct paused *at = (struct paused *)s->before + place, before = *at;
	ps_t interval = now - s->since;

	for (unsigned int i = 0; i < PAUSES; i++) {
		at->rx[i] = counters_stopped(p, i, now);
		at->tx[i] = counters_tx_pause(p, i, now).total;
		if (interval == 0 || !has_line(p, i, at))
			continue;
		begin_line(s, place, now, to);
		if (i == PAUSE_LINK)
			fputs(",link", to);
		else
			fprintf(to, ",%u", i);
		fprintf(to, ",%.4f,%.4f\n", percent(at->rx[i] - before.rx[i], interval),
			percent(at->tx[i] - before.tx[i], interval));
	}
}

const struct series series_pauses = {
	.file = "pauses.csv",
	.heading = "time_ns,port,priority,rx_percent,tx_percent",
	.key = "record.pauses",
	.names = offsetof(struct config_record, pauses),
	.size = sizeof(struct paused),
	.sorted = true,
	.add = add_name,
	.add_all = add_all,
	.take = take_pauses,
};
