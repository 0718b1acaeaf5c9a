// SPDX-License-Identifier: BSD-3-Clause
// How much a run is to send, from the workload and the paths at the start alone. A flow's packets
// and their acknowledgements cross each link of their paths once. If the run ends at a time, no
// host sends or receives more until then than its links carry.
#include "flows_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>

#define SAMPLES 256 // of the pairs of a collective that are generated

// What hosts are to send and to receive, in bytes.
struct host_load {
	double out, in;
	ps_t first; // when it first sends
};

struct estimate {
	struct fabric_flows *flows;
	ps_t until;
	struct host_load *loads; // by host
	struct diag ignored;     // warnings that were given when the flows were created
};

static double
divide_up(double bytes, double by)
{
	return bytes > by ? (double)(uint64_t)((bytes - 1) / by + 1) : 1;
}

// The links that packets of a flow and their acknowledgements cross.
static bool
find_links(struct estimate *e, const struct flow_spec *spec, unsigned int *data, unsigned int *acks,
	   uint32_t *path_mtu)
{
	const struct fabric *f = e->flows->fabric;
	const struct ideal_query query = flows_ideal_query(f, spec);

	return fabric_ideal_links(f, &query, data, acks) == 0 &&
	       flows_path_mtu(e->flows, spec, path_mtu, &e->ignored) == 0;
}

// Frames of `messages` messages with so many bytes together, once on each link.
static double
hops_of(struct estimate *e, const struct flow_spec *spec, double messages, double bytes)
{
	double packets, answers;
	unsigned int data, acks;
	uint32_t path_mtu;

	if (messages == 0 || !find_links(e, spec, &data, &acks, &path_mtu))
		return 0;
	packets = messages * divide_up(bytes / messages, path_mtu);
	answers = spec->op == CONFIG_OP_READ
			  ? messages // its requests
			  : messages * divide_up(packets / messages,
						 e->flows->fabric->hosts[spec->dst].ack_every);
	return packets * data + answers * acks;
}

// The share of what a host is to carry that its links can carry until the end.
static double
share_of(const struct estimate *e, uint32_t host, double bytes)
{
	const struct topo_node *node = topology_host(e->flows->fabric->topology, host);
	ps_t first = e->loads[host].first;
	double rate = 0, most;

	if (e->until == PS_NEVER || bytes == 0)
		return 1;
	for (uint16_t p = 0; p < node->port_count; p++)
		rate += (double)node->ports[p].rate_bps;
	most = first < e->until ? rate / 8 * (double)(e->until - first) / (double)PS_PER_S : 0;
	return most < bytes ? most / bytes : 1;
}

static double
share_of_both(const struct estimate *e, uint32_t src, uint32_t dst)
{
	double out = share_of(e, src, e->loads[src].out), in = share_of(e, dst, e->loads[dst].in);

	return out < in ? out : in;
}

static void
add_load(struct estimate *e, uint32_t src, uint32_t dst, double bytes, ps_t start)
{
	struct host_load *from = &e->loads[src], *to = &e->loads[dst];

	from->out += bytes;
	to->in += bytes;
	from->first = start < from->first ? start : from->first;
	to->first = start < to->first ? start : to->first;
}

// ---- flows --------------------------------------------------------------------------------------

static double
flow_hops(struct estimate *e, const struct flow_spec *spec)
{
	double messages = (double)spec->repeat * spec->qps;

	if (spec->collective != WORKLOAD_NONE)
		messages *= spec->messages.count;
	return share_of_both(e, spec->src, spec->dst) *
	       hops_of(e, spec, messages, (double)spec->bytes * spec->repeat);
}

static double
flows_hops(struct estimate *e)
{
	const struct workload *w = e->flows->workload;
	double sum = 0;

	for (uint32_t i = 0; i < w->flow_count; i++)
		if (e->flows->states[i].pair_count != 0)
			sum += flow_hops(e, &w->flows[i]);
	return sum;
}

// ---- pairs that are generated -------------------------------------------------------------------

// A flow between two ranks of a collective.
static struct flow_spec
pair_of(const struct workload *w, const struct collective_spec *c, uint32_t from, uint32_t to)
{
	const struct rank_spec *src = &w->ranks[c->first_rank + from];
	const struct rank_spec *dst = &w->ranks[c->first_rank + to];

	return (struct flow_spec){
		.src = src->host,
		.src_port = src->port,
		.dst = dst->host,
		.dst_port = dst->port,
		.item = c->item,
		.op = CONFIG_OP_WRITE,
	};
}

// The mean over a sample of the pairs, times their number.
static double
collective_hops(struct estimate *e, const struct collective_spec *c)
{
	const struct workload *w = e->flows->workload;
	uint32_t repeat = w->programs[c->program].repeat, n = c->rank_count, found = 0;
	uint64_t between = c->pair_count - c->inside_count;
	double size = between != 0 ? (double)collective_wire_bytes(c) / (double)between : 0;
	double sum = 0;

	for (uint32_t k = 0; k < SAMPLES && between != 0; k++) {
		uint32_t from = (uint32_t)((uint64_t)k * n / SAMPLES);
		uint32_t to = (uint32_t)((from + 1 + (uint64_t)k * 7919 % (n - 1)) % n);
		struct flow_spec spec = pair_of(w, c, from, to);
		double hops = spec.src != spec.dst ? hops_of(e, &spec, 1, size) : 0;

		if (hops == 0) // inside a host, or of two planes
			continue;
		found++;
		sum += hops * share_of_both(e, spec.src, spec.dst);
	}
	return found != 0 ? sum / found * (double)between * repeat : 0;
}

static double
generated_hops(struct estimate *e)
{
	const struct workload *w = e->flows->workload;
	double sum = 0;

	for (uint32_t i = 0; i < w->collective_count; i++)
		if (w->collectives[i].generated &&
		    !e->flows->program_left_out[w->collectives[i].program])
			sum += collective_hops(e, &w->collectives[i]);
	return sum;
}

// ---- streams ------------------------------------------------------------------------------------

static double
stream_hops(struct estimate *e, const struct stream_spec *spec)
{
	const struct flow_spec flow = {
		.src = spec->src,
		.dst = spec->dst,
		.src_port = spec->src_port,
		.dst_port = spec->dst_port,
		.item = spec->item,
	};
	ps_t end = spec->until_ps < e->until ? spec->until_ps : e->until;
	unsigned int data, acks;
	uint32_t path_mtu;

	if (!fabric_has_nic(e->flows->fabric, spec->src) || end <= spec->start_ps ||
	    end == PS_NEVER || !find_links(e, &flow, &data, &acks, &path_mtu))
		return 0;
	return (double)spec->rate_bps / 8 / spec->packet_bytes * (double)(end - spec->start_ps) /
	       (double)PS_PER_S * data;
}

// ---- all of it ----------------------------------------------------------------------------------

static void
add_loads(struct estimate *e)
{
	const struct workload *w = e->flows->workload;

	for (uint32_t h = 0; h < e->flows->fabric->topology->host_count; h++)
		e->loads[h].first = PS_NEVER;
	for (uint32_t i = 0; i < w->flow_count; i++)
		if (e->flows->states[i].pair_count != 0)
			add_load(e, w->flows[i].src, w->flows[i].dst,
				 (double)w->flows[i].bytes * w->flows[i].repeat,
				 w->flows[i].start_ps);
	for (uint32_t i = 0; i < w->collective_count; i++) {
		const struct collective_spec *c = &w->collectives[i];
		const struct program_spec *p = &w->programs[c->program];

		for (uint32_t r = 0; c->generated && r < c->rank_count; r++) {
			const struct rank_spec *rank = &w->ranks[c->first_rank + r];

			add_load(e, rank->host, rank->host,
				 (double)collective_wire_bytes(c) / c->rank_count * p->repeat,
				 w->members[p->first_member + rank->member].start_ps);
		}
	}
}

double
fabric_flows_estimate_hops(struct fabric_flows *flows, ps_t until)
{
	const struct workload *w = flows->workload;
	struct estimate e = {
		.flows = flows,
		.until = until,
		.loads = memory_array(flows->fabric->topology->host_count, sizeof(*e.loads),
				      "loads of hosts"),
	};
	double sum;

	add_loads(&e);
	sum = flows_hops(&e) + generated_hops(&e);
	for (uint32_t i = 0; i < w->stream_count; i++)
		sum += stream_hops(&e, &w->streams[i]);
	diag_free(&e.ignored);
	free(e.loads);
	return sum;
}
