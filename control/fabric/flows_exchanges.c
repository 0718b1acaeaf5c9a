// SPDX-License-Identifier: BSD-3-Clause
// All-to-alls whose pairs are generated: the plans from which the NICs make queue pairs while the
// fabric runs. What depends on both ends of a pair, such as its round-trip time, depends only on
// their places: a place is a leaf, and what a host's port there is like.
#include "flows_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/nic_exchange.h"
#include "ideal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Where ends of a place are found.
struct place {
	uint32_t ends[2]; // the first, and one at another host; TOPOLOGY_NONE
	uint32_t number;  // in its component
	uint32_t next;    // of the leaf's, or TOPOLOGY_NONE
};

struct flow_exchanges {
	uint32_t *host_ends; // by host: its first in `ends`
	uint32_t *end_hosts;
	struct nic_exchange_end *ends;
	struct nic_exchange_component *components;
	uint32_t component_count;
	uint32_t *component_nodes; // topology.component of each
	struct place *places;
	uint32_t place_count;
	bool congestion;       // some host has congestion control, and needs to know its paths
	uint32_t *leaf_places; // by node: the last, or TOPOLOGY_NONE
	struct nic_exchange_plan *plans; // by workload.collectives
	uint8_t *priorities;             // the same: a bit for each that a rank sends at
};

static const struct topo_port *
port_of(const struct fabric *f, const struct flow_exchanges *x, uint32_t end)
{
	return topology_host_port(f->topology, x->end_hosts[end], x->ends[end].port);
}

// Whether paths from and to two ends at one leaf are alike.
static bool
alike(const struct fabric *f, const struct flow_exchanges *x, uint32_t a, uint32_t b)
{
	const struct topo_port *p = port_of(f, x, a), *q = port_of(f, x, b);
	const struct host_config *g = &f->hosts[x->end_hosts[a]], *h = &f->hosts[x->end_hosts[b]];

	return p->vrf == q->vrf && p->mtu == q->mtu && p->rate_bps == q->rate_bps &&
	       p->delay_ps == q->delay_ps && p->cable_mm == q->cable_mm &&
	       g->path_mtu == h->path_mtu && g->ip_version == h->ip_version &&
	       g->header_bytes == h->header_bytes && g->ack_bytes == h->ack_bytes &&
	       g->ack_every == h->ack_every && g->transport == h->transport &&
	       g->uet.credits == h->uet.credits && g->mrc.denied == h->mrc.denied &&
	       g->reorder_window == h->reorder_window;
}

static uint16_t
find_component(struct flow_exchanges *x, uint32_t node)
{
	uint32_t i = 0;

	while (i < x->component_count && x->component_nodes[i] != node)
		i++;
	if (i < x->component_count)
		return (uint16_t)i;
	x->component_nodes = memory_grow(x->component_nodes, i, sizeof(uint32_t), "planes");
	x->components = memory_grow(x->components, i, sizeof(*x->components), "planes");
	x->components[i] = (struct nic_exchange_component){0};
	x->component_nodes[x->component_count++] = node;
	return (uint16_t)i;
}

static void
enter_place(const struct fabric *f, struct flow_exchanges *x, uint32_t end)
{
	uint32_t leaf = port_of(f, x, end)->peer_node, i = x->leaf_places[leaf];
	struct nic_exchange_end *e = &x->ends[end];

	e->component = find_component(x, f->topology->component[leaf]);
	while (i != TOPOLOGY_NONE && !alike(f, x, x->places[i].ends[0], end))
		i = x->places[i].next;
	if (i == TOPOLOGY_NONE) {
		i = x->place_count;
		x->places = memory_grow(x->places, i, sizeof(*x->places), "places");
		x->places[x->place_count++] =
			(struct place){.ends = {end, TOPOLOGY_NONE},
				       .number = x->components[e->component].places++,
				       .next = x->leaf_places[leaf]};
		x->leaf_places[leaf] = i;
	} else if (x->places[i].ends[1] == TOPOLOGY_NONE &&
		   x->end_hosts[x->places[i].ends[0]] != x->end_hosts[end]) {
		x->places[i].ends[1] = end;
	}
	e->place = (uint16_t)x->places[i].number;
}

// The ends of all hosts, by host and port.
static void
create_ends(const struct fabric *f, struct flow_exchanges *x)
{
	const struct topology *t = f->topology;
	uint32_t count = 0;

	x->host_ends = memory_array(t->host_count, sizeof(*x->host_ends), "hosts");
	for (uint32_t h = 0; h < t->host_count; h++) {
		x->host_ends[h] = count;
		count += topology_host(t, h)->port_count;
	}
	x->ends = memory_array(count, sizeof(*x->ends), "NICs");
	x->end_hosts = memory_array(count, sizeof(*x->end_hosts), "NICs");
	x->leaf_places = memory_array(t->node_count, sizeof(*x->leaf_places), "leaves");
	for (uint32_t n = 0; n < t->node_count; n++)
		x->leaf_places[n] = TOPOLOGY_NONE;
	for (uint32_t h = 0; h < t->host_count; h++) {
		const struct topo_node *host = topology_host(t, h);

		for (uint8_t p = 0; p < host->port_count; p++) {
			uint32_t end = x->host_ends[h] + p;
			struct nic_exchange_end *e = &x->ends[end];

			x->end_hosts[end] = h;
			x->congestion |= f->hosts[h].congestion != CONGESTION_NONE;
			e->ip_version = f->hosts[h].ip_version;
			e->priority = f->hosts[h].priority;
			e->port = p;
			e->ports = (uint8_t)host->port_count;
			e->crosses_inside = f->hosts[h].pxn;
			flows_copy_address(e->ip4, &host->ports[p], e->ip_version);
			memcpy(e->ip6, host->ports[p].ip6, sizeof(e->ip6));
			if (fabric_has_nic(f, h))
				enter_place(f, x, end);
		}
	}
}

// Ends of two hosts. False if both places are of one host: it sends nothing to itself.
static bool
choose_ends(const struct flow_exchanges *x, const struct place *from, const struct place *to,
	    uint32_t *src, uint32_t *dst)
{
	for (unsigned i = 0; i < 4; i++) {
		*src = from->ends[i / 2];
		*dst = to->ends[i % 2];
		if (*src != TOPOLOGY_NONE && *dst != TOPOLOGY_NONE &&
		    x->end_hosts[*src] != x->end_hosts[*dst])
			return true;
	}
	return false;
}

// From one place to another of its component.
static int
create_path(struct fabric_flows *flows, const struct place *from, const struct place *to,
	    struct flow_spec spec, struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	struct flow_exchanges *x = flows->exchanges;
	struct nic_exchange_component *c = &x->components[x->ends[from->ends[0]].component];
	struct nic_exchange_path *path = &c->paths[from->number * c->places + to->number];
	struct nic_flow flow = {0};
	uint32_t src, dst;
	int rc;

	if (!choose_ends(x, from, to, &src, &dst))
		return 0;
	spec.src = x->end_hosts[src];
	spec.src_port = x->ends[src].port;
	spec.dst = x->end_hosts[dst];
	spec.dst_port = x->ends[dst].port;
	if (f->hosts[spec.src].transport == NIC_TRANSPORT_MRC &&
	    f->hosts[spec.src].mrc.denied != 0) {
		diag_error(diag, f->config->file, f->config->workload[spec.item].pos, "workload",
			   "hosts.mrc.deny-planes is not supported with an all-to-all of so many "
			   "ranks that its queue pairs are made as they are needed");
		return -EINVAL;
	}
	path->window = f->hosts[spec.dst].reorder_window;
	rc = flows_path_mtu(flows, &spec, &path->path_mtu, diag);
	if (rc == 0 && x->congestion) {
		flows_set_path(f, &spec, path->path_mtu, &flow);
		path->base_rtt = flow.base_rtt;
		path->bdp_bytes = flow.bdp_bytes;
	}
	return rc;
}

// Paths between all places of each component. spec: of the collective, for errors.
static int
create_paths(struct fabric_flows *flows, const struct flow_spec *spec, struct diag *diag)
{
	struct flow_exchanges *x = flows->exchanges;
	int rc = 0;

	for (uint32_t i = 0; i < x->component_count; i++) {
		struct nic_exchange_component *c = &x->components[i];

		c->paths = memory_array((size_t)c->places * c->places, sizeof(*c->paths), "paths");
	}
	for (uint32_t i = 0; rc == 0 && i < x->place_count; i++)
		for (uint32_t k = 0; rc == 0 && k < x->place_count; k++)
			if (x->ends[x->places[i].ends[0]].component ==
			    x->ends[x->places[k].ends[0]].component)
				rc = create_path(flows, &x->places[i], &x->places[k], *spec, diag);
	return rc;
}

static void
create_plan(struct fabric_flows *flows, uint32_t collective)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *c = &w->collectives[collective];
	struct flow_exchanges *x = flows->exchanges;
	uint32_t *ends = memory_array(c->rank_count, sizeof(*ends), "ranks");

	for (uint32_t r = 0; r < c->rank_count; r++) {
		const struct rank_spec *rank = &w->ranks[c->first_rank + r];

		ends[r] = x->host_ends[rank->host] + rank->port;
		x->priorities[collective] |=
			(uint8_t)(1u << (c->priority >= 0 ? (uint8_t)c->priority
							  : x->ends[ends[r]].priority));
	}
	x->plans[collective] = (struct nic_exchange_plan){
		.ranks = c->rank_count,
		.bytes = c->bytes,
		.priority = c->priority,
		.in_turns = c->in_turns,
		.seed = flows->fabric->seed,
		.first_stream = FLOW_RANDOM << 32 |
				(c->first_flow + workload_generated_before(w, collective)),
		.ends = x->ends,
		.rank_ends = ends,
		.components = x->components,
		.first_qpns = memory_array(c->rank_count, sizeof(uint32_t), "ranks"),
	};
}

int
flows_create_exchanges(struct fabric_flows *flows, struct diag *diag)
{
	const struct workload *w = flows->workload;
	struct flow_exchanges *x;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->collective_count; i++) {
		const struct collective_spec *c = &w->collectives[i];

		if (!c->generated)
			continue;
		if (flows->exchanges == NULL) {
			const struct flow_spec spec = {.item = c->item, .op = CONFIG_OP_WRITE};

			x = flows->exchanges = memory_new(sizeof(*x), "exchanges");
			x->plans = memory_array(w->collective_count, sizeof(*x->plans), "plans");
			x->priorities = memory_array(w->collective_count, 1, "priorities");
			create_ends(flows->fabric, x);
			rc = create_paths(flows, &spec, diag);
		}
		create_plan(flows, i);
	}
	return rc;
}

void
flows_free_exchanges(struct fabric_flows *flows)
{
	struct flow_exchanges *x = flows->exchanges;

	if (x == NULL)
		return;
	for (uint32_t i = 0; i < flows->workload->collective_count; i++) {
		free((uint32_t *)(uintptr_t)x->plans[i].rank_ends);
		free(x->plans[i].first_qpns);
	}
	for (uint32_t i = 0; i < x->component_count; i++)
		free(x->components[i].paths);
	free(x->plans);
	free(x->priorities);
	free(x->leaf_places);
	free(x->places);
	free(x->component_nodes);
	free(x->components);
	free(x->end_hosts);
	free(x->ends);
	free(x->host_ends);
	free(x);
}

static struct nic_exchange_marking
marking_of(const struct fabric_marking *m)
{
	return (struct nic_exchange_marking){.dscp = m->dscp, .priority = m->priority, .tc = m->tc};
}

// The numbers that a NIC at another rank takes (dataplane/roce/exchange_add.c).
static int
note_far_exchange(const struct fabric_flows *flows, const struct nic_exchange_plan *plan,
		  uint32_t rank, uint32_t host)
{
	struct far_numbers *far = &flows->far[host];
	uint32_t first = NIC_QPN_EXCHANGES + far->exchanges, count = 2 * plan->ranks;

	if (count > ROCE_PSN_MASK + 1 - first)
		return -ENOSPC;
	plan->first_qpns[rank] = first;
	far->exchanges += count;
	return 0;
}

int
flows_add_exchange(struct fabric_flows *flows, uint32_t collective, uint32_t rank,
		   struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	const struct workload *w = flows->workload;
	const struct collective_spec *c = &w->collectives[collective];
	const struct rank_spec *place = &w->ranks[c->first_rank + rank];
	const struct rank_part *part = &flows->parts[c->first_rank + rank];
	uint8_t own = c->priority >= 0 ? (uint8_t)c->priority : f->hosts[place->host].priority;
	uint32_t priorities = flows->exchanges->priorities[collective];
	struct nic_exchange exchange = {
		.plan = &flows->exchanges->plans[collective],
		.program = part->program,
		.part = part->part,
		.rank = rank,
		.peers = c->peers,
		.handover = place->handover_ps,
		.forward = place->forward_ps,
	};
	struct fabric_marking marking;
	int rc;

	if (fabric_data_marking(f, place->host, own, &marking) != 0)
		return flows_refuse_priority(f, c->item, place->host, own, diag);
	exchange.data = marking_of(&marking);
	for (uint8_t p = 0; p < CONFIG_PRIORITIES; p++) {
		if (!(priorities >> p & 1))
			continue;
		if (fabric_ack_marking(f, place->host, p, &marking) != 0)
			return flows_refuse_priority(f, c->item, place->host, p, diag);
		exchange.answers[p] = marking_of(&marking);
	}
	rc = f->nics[place->host] != NULL
		     ? nic_add_exchange(f->nics[place->host], &exchange)
		     : note_far_exchange(flows, exchange.plan, rank, place->host);
	if (rc != -ENOSPC)
		return rc;
	diag_error(diag, f->config->file, f->config->workload[c->item].pos, "workload",
		   "the NICs of %s have too few queue pair numbers for this many all-to-alls",
		   topology_host(f->topology, place->host)->name);
	return -EINVAL;
}

static uint64_t
acknowledged_here(const struct fabric_flows *flows, const struct collective_spec *c)
{
	const struct workload *w = flows->workload;
	uint64_t sum = 0;

	for (uint32_t r = 0; r < c->rank_count; r++) {
		const struct rank_part *part = &flows->parts[c->first_rank + r];
		const struct nic *nic = flows->fabric->nics[w->ranks[c->first_rank + r].host];

		if (nic != NULL)
			sum += nic_part_acknowledged(nic, part->program, part->part);
	}
	return sum;
}

static void
add_collective(const struct fabric_flows *flows, uint32_t collective, uint64_t arrived,
	       struct report_pairs *out)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *c = &w->collectives[collective];
	uint64_t messages = c->pair_count * w->programs[c->program].repeat;
	double bytes = (double)collective_wire_bytes(c) * w->programs[c->program].repeat;

	out->pairs += c->pair_count;
	out->messages += messages;
	out->arrived += arrived;
	out->bytes += bytes;
	out->arrived_bytes += bytes * ((double)arrived / (double)messages);
}

// What the NICs here know: packets sent again and bytes of messages under way, then the messages
// that have arrived, by collective.
static void
read_pairs(const struct fabric_flows *flows, uint64_t *sums)
{
	const struct workload *w = flows->workload;

	for (uint32_t h = 0; h < flows->fabric->topology->host_count; h++) {
		const struct nic *nic = flows->fabric->nics[h];

		if (nic == NULL)
			continue;
		sums[0] += nic_exchange_retransmitted(nic);
		sums[1] += nic_exchange_acknowledged(nic);
	}
	for (uint32_t i = 0; i < w->collective_count; i++)
		if (w->collectives[i].generated &&
		    !flows->program_left_out[w->collectives[i].program])
			sums[2 + i] = acknowledged_here(flows, &w->collectives[i]);
}

int
fabric_flows_pairs(const struct fabric_flows *flows, struct report_pairs *out)
{
	const struct workload *w = flows->workload;
	uint64_t *sums;
	int rc;

	*out = (struct report_pairs){0};
	if (flows->exchanges == NULL)
		return 0;
	sums = memory_array(2 + (size_t)w->collective_count, sizeof(*sums), "sums of pairs");
	read_pairs(flows, sums);
	rc = ranks_reduce(flows->fabric->ranks, RANKS_SUM, sums, 2 + w->collective_count);
	for (uint32_t i = 0; i < w->collective_count; i++)
		if (w->collectives[i].generated &&
		    !flows->program_left_out[w->collectives[i].program])
			add_collective(flows, i, sums[2 + i], out);
	if (out->pairs != 0) {
		out->retransmitted = sums[0];
		out->arrived_bytes += (double)sums[1];
	}
	free(sums);
	return rc;
}
