// SPDX-License-Identifier: BSD-3-Clause
// A flow has one queue pair, or several that share its bytes. Both ends are created together, so
// that they agree on numbers. Source ports and first PSNs come from random numbers of the flow's
// own, seeded by the fabric's seed, so the path that a hash gives a flow does not depend on other
// flows.
#include "flows_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/base/uet_headers.h"
#include "dataplane/roce/nic_exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INSIDE_MTU 4096 // has no effect there

void
flows_copy_address(uint8_t to[4], const struct topo_port *port, uint8_t ip_version)
{
	if (ip_version != 0) {
		memcpy(to, port->ip4, 4);
		return;
	}
	to[0] = (uint8_t)(port->lid >> 8);
	to[1] = (uint8_t)port->lid;
}

void
flows_set_peer(struct nic_endpoint *e, const struct fabric *f, uint32_t peer, uint8_t peer_port,
	       uint8_t ip_version)
{
	const struct topo_port *port = topology_host_port(f->topology, peer, peer_port);

	e->ip_version = ip_version;
	if (ip_version == 6)
		memcpy(e->peer_ip, port->ip6, 16);
	else
		flows_copy_address(e->peer_ip, port, ip_version);
}

void
flows_set_marking(struct nic_endpoint *e, const struct fabric_marking *m)
{
	e->dscp = m->dscp;
	e->priority = m->priority;
	e->tc = m->tc;
}

int
flows_refuse_priority(const struct fabric *f, uint32_t item, uint32_t host, uint8_t priority,
		      struct diag *diag)
{
	diag_error(diag, f->config->file, f->config->workload[item].pos, "workload.priority",
		   "no DSCP stands for priority %u at the leaf of %s", priority,
		   topology_host(f->topology, host)->name);
	return -EINVAL;
}

uint32_t
flows_next_qpn(const struct fabric_flows *flows, uint32_t host)
{
	const struct nic *nic = flows->fabric->nics[host];

	return nic != NULL ? nic_next_qpn(nic) : NIC_QPN_FIRST + flows->far[host].queue_pairs;
}

// The receiver of a READ requests the data, so its flow starts there. An end at another rank is
// only counted.
static int
add_ends(const struct fabric_flows *flows, const struct flow_spec *spec,
	 const struct nic_flow *flow, const struct nic_endpoint *far, uint32_t inbox)
{
	struct nic *src = flows->fabric->nics[spec->src], *dst = flows->fabric->nics[spec->dst];
	struct nic_flow reader = *flow;
	int rc = 0;

	if (src != NULL)
		rc = nic_add_sender(src, flow);
	else
		flows->far[spec->src].queue_pairs++;
	if (dst == NULL)
		flows->far[spec->dst].queue_pairs++;
	if (rc != 0 || dst == NULL)
		return rc;
	if (spec->op != CONFIG_OP_READ)
		return nic_add_receiver(dst, far, inbox);
	reader.endpoint = *far;
	return nic_add_reader(dst, &reader);
}

// One of the NICs has no number left for a queue pair.
static int
refuse_number(const struct fabric *f, const struct flow_spec *spec, const struct queue_pair *pair,
	      struct diag *diag)
{
	uint32_t limit = f->hosts[spec->src].transport == NIC_TRANSPORT_UET ? UET_PDCID_EXCHANGES
									    : NIC_QPN_EXCHANGES;
	uint32_t host = pair->src_qpn >= limit ? spec->src : spec->dst;

	diag_error(diag, f->config->file, f->config->workload[spec->item].pos, "workload",
		   "%s has more queue pairs than its NIC has numbers for: %u",
		   topology_host(f->topology, host)->name, limit - NIC_QPN_FIRST);
	return -EINVAL;
}

// The planes in which both ends of a flow have a port, if they are several. Returns how many.
static uint8_t
find_planes(const struct fabric *f, const struct flow_spec *spec, bool back,
	    struct nic_plane planes[NIC_PORTS_MAX])
{
	uint16_t ports = topology_host(f->topology, spec->src)->port_count;
	uint32_t peer = back ? spec->src : spec->dst;
	uint8_t count = 0;

	if (f->hosts[spec->src].transport != NIC_TRANSPORT_MRC ||
	    spec->src_port != spec->dst_port ||
	    topology_host(f->topology, spec->dst)->port_count != ports)
		return 0;
	for (uint8_t p = 0; p < ports && p < NIC_PORTS_MAX; p++) {
		struct nic_endpoint end;

		if (!topology_joined(f->topology, spec->src, p, spec->dst, p))
			continue;
		flows_set_peer(&end, f, peer, p, f->hosts[spec->src].ip_version);
		planes[count].port = p;
		memcpy(planes[count++].peer_ip, end.peer_ip, sizeof(end.peer_ip));
	}
	return count > 1 ? count : 0;
}

// Adds queue pair `index` of `count` of a flow.
static int
add_pair(struct fabric_flows *flows, const struct flow_spec *spec, const struct nic_flow *template,
	 struct random *random, uint32_t index, uint32_t count, struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	struct queue_pair *pair = &flows->pairs[flows->pair_count++];
	struct nic_flow flow = *template;
	struct nic_plane ways[NIC_PORTS_MAX], back[NIC_PORTS_MAX];
	struct fabric_marking answers;
	struct nic_endpoint far;
	uint32_t inbox = NIC_NONE;
	int rc = spec->op == CONFIG_OP_READ
			 ? fabric_data_marking(f, spec->dst, spec->priority, &answers)
			 : fabric_ack_marking(f, spec->dst, spec->priority, &answers);

	if (rc != 0)
		return flows_refuse_priority(f, spec->item, spec->dst, spec->priority, diag);
	pair->src_qpn = flows_next_qpn(flows, spec->src);
	pair->dst_qpn = flows_next_qpn(flows, spec->dst);
	flow.bytes = workload_share(spec->bytes, index, count);
	flow.endpoint.qpn = pair->src_qpn;
	flow.endpoint.peer_qpn = pair->dst_qpn;
	flow.endpoint.first_psn = random_u32(random) & ROCE_PSN_MASK;
	flow.endpoint.udp_sport = nic_draw_source_port(random);
	flow.endpoint.planes = ways;
	flow.endpoint.plane_count = find_planes(f, spec, false, ways);
	far = (struct nic_endpoint){
		.qpn = pair->dst_qpn,
		.peer_qpn = pair->src_qpn,
		.first_psn = flow.endpoint.first_psn,
		.udp_sport = flow.endpoint.udp_sport,
		.port = spec->dst_port,
		.planes = back,
		.plane_count = find_planes(f, spec, true, back),
	};
	flows_set_marking(&far, &answers);
	flows_set_peer(&far, f, spec->src, spec->src_port, flow.endpoint.ip_version);
	if (spec->collective != WORKLOAD_NONE)
		flows_join_program(flows, spec, index, count, &flow, &inbox);
	rc = add_ends(flows, spec, &flow, &far, inbox);
	if (rc == -ENOSPC)
		return refuse_number(f, spec, pair, diag);
	if (rc == -EINVAL)
		diag_error(
			diag, f->config->file, f->config->workload[spec->item].pos, "workload.size",
			"%" PRIu64 " bytes in packets of %u are more than a queue pair can number",
			flow.bytes, flow.path_mtu);
	return rc;
}

// The completion time of one repetition alone. 0: unknown, because the messages of a collective
// wait for other flows, or because it takes several planes.
static ps_t
ideal_time(const struct fabric *f, const struct flow_spec *spec, struct ideal_query query)
{
	ps_t ideal;

	struct nic_plane planes[NIC_PORTS_MAX];

	if ((spec->collective != WORKLOAD_NONE && spec->messages.count != 1) ||
	    find_planes(f, spec, false, planes) != 0)
		return 0;
	query.bytes = spec->bytes;
	query.immediate = spec->collective != WORKLOAD_NONE;
	return fabric_ideal(f, &query, &ideal) == 0 ? ideal : 0;
}

struct ideal_query
flows_ideal_query(const struct fabric *f, const struct flow_spec *spec)
{
	return (struct ideal_query){
		.src = spec->src,
		.dst = spec->dst,
		.src_port = spec->src_port,
		.dst_port = spec->dst_port,
		.from = &f->hosts[spec->src],
		.to = &f->hosts[spec->dst],
	};
}

void
flows_set_path(const struct fabric *f, const struct flow_spec *spec, uint32_t path_mtu,
	       struct nic_flow *flow)
{
	struct ideal_query query = flows_ideal_query(f, spec);

	query.bytes = query.path_mtu = path_mtu;
	query.op = NIC_OP_WRITE;
	if (fabric_ideal(f, &query, &flow->base_rtt) != 0)
		return;
	flow->bdp_bytes = fabric_ideal_bytes(f, &query, flow->base_rtt);
}

// A flow within a host does not use the network.
static int
add_inside(const struct fabric_flows *flows, const struct flow_spec *spec)
{
	struct nic *nic = flows->fabric->nics[spec->src];
	struct nic_flow flow = {
		.path_mtu = INSIDE_MTU, .op = NIC_OP_WRITE, .handover = spec->handover_ps};
	uint32_t inbox;

	if (nic == NULL)
		return 0; // at another rank
	flows_join_program(flows, spec, 0, 1, &flow, &inbox);
	return nic_add_local(nic, &flow, inbox);
}

// ---- flows and streams --------------------------------------------------------------------------

static int
add_flow(struct fabric_flows *flows, uint32_t id, struct diag *diag)
{
	static const enum nic_op ops[] = {
		[CONFIG_OP_WRITE] = NIC_OP_WRITE,
		[CONFIG_OP_SEND] = NIC_OP_SEND,
		[CONFIG_OP_READ] = NIC_OP_READ,
	};
	const struct fabric *f = flows->fabric;
	const struct flow_spec *spec = &flows->workload->flows[id];
	struct flow_state *state = &flows->states[id];
	struct random random = random_stream(f->seed, FLOW_RANDOM << 32 | (id + flows->generated));
	const struct host_config *h = &f->hosts[spec->src];
	struct fabric_marking data;
	struct nic_flow flow = {
		.op = ops[spec->op],
		.repeat = spec->repeat,
		.start = spec->start_ps,
		.gap = spec->gap_ps,
		.handover = spec->handover_ps,
		.window = f->hosts[spec->dst].reorder_window,
		.program = NIC_NONE,
		.gate = NIC_NONE,
		.endpoint.port = spec->src_port,
	};
	struct ideal_query query = flows_ideal_query(f, spec);
	uint32_t pairs = spec->qps;
	int rc;

	if (!fabric_has_nic(f, spec->src) || !fabric_has_nic(f, spec->dst) ||
	    flows_program_left_out(flows, spec)) {
		flows->left_out++;
		return flows_add_attached(flows, spec, &random, diag);
	}
	if (spec->inside)
		return add_inside(flows, spec);
	// Outside of collectives no queue pair has nothing to send.
	if (spec->collective == WORKLOAD_NONE && pairs > spec->bytes)
		pairs = (uint32_t)spec->bytes;
	rc = flows_path_mtu(flows, spec, &query.path_mtu, diag);
	if (rc != 0)
		return rc;
	if (fabric_data_marking(f, spec->src, spec->priority, &data) != 0)
		return flows_refuse_priority(f, spec->item, spec->src, spec->priority, diag);
	flow.path_mtu = (uint16_t)query.path_mtu;
	flows_set_marking(&flow.endpoint, &data);
	flows_set_peer(&flow.endpoint, f, spec->dst, spec->dst_port, h->ip_version);
	query.op = flow.op;
	query.handover = spec->handover_ps;
	state->ideal = ideal_time(f, spec, query);
	if (h->congestion != CONGESTION_NONE)
		flows_set_path(f, spec, query.path_mtu, &flow);
	state->first_pair = flows->pair_count;
	for (uint32_t i = 0; rc == 0 && i < pairs; i++)
		rc = add_pair(flows, spec, &flow, &random, i, pairs, diag);
	state->pair_count = pairs;
	if (rc == 0)
		flows_warn_window(flows, spec, &flow, diag);
	return rc;
}

static int
add_stream(struct fabric_flows *flows, uint32_t id, struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	const struct stream_spec *spec = &flows->workload->streams[id];
	struct random random = random_stream(f->seed, FLOW_RANDOM << 32 | 1u << 31 | id);
	const struct host_config *h = &f->hosts[spec->src];
	struct nic_endpoint peer;
	struct nic_stream stream;
	struct fabric_marking data;
	int rc;

	if (!fabric_has_nic(f, spec->src)) {
		flows->left_out++;
		return 0;
	}
	if (fabric_data_marking(f, spec->src, spec->priority, &data) != 0)
		return flows_refuse_priority(f, spec->item, spec->src, spec->priority, diag);
	flows_set_peer(&peer, f, spec->dst, spec->dst_port, h->ip_version);
	stream = (struct nic_stream){
		.port = spec->src_port,
		.udp_sport = nic_draw_source_port(&random),
		.ip_version = h->ip_version,
		.dscp = data.dscp,
		.priority = data.priority,
		.tc = data.tc,
		.ttl = spec->ttl,
		.packet_bytes = spec->packet_bytes,
		.interval = time_byte_time(spec->rate_bps) * spec->packet_bytes,
		.arrivals = spec->arrivals == CONFIG_ARRIVALS_POISSON ? NIC_ARRIVALS_POISSON
								      : NIC_ARRIVALS_CBR,
		.start = spec->start_ps,
		.until = spec->until_ps,
	};
	memcpy(stream.peer_ip, peer.peer_ip, sizeof(stream.peer_ip));
	rc = f->nics[spec->src] != NULL ? nic_add_stream(f->nics[spec->src], &stream) : 0;
	if (rc == -EINVAL)
		diag_error(diag, f->config->file, f->config->workload[spec->item].pos,
			   "workload.packet",
			   "%u bytes do not hold the headers of a UDP packet of IPv%u",
			   spec->packet_bytes, h->ip_version);
	return rc;
}

static uint64_t
count_pairs(const struct workload *w)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < w->flow_count; i++)
		count += w->flows[i].qps;
	return count;
}

// Copies the names of tenants. Indices without a tenant stay NULL.
static void
copy_tenants(struct fabric_flows *flows, const struct topology *t)
{
	flows->tenants = memory_array(t->tenant_count, sizeof(char *), "tenant names");
	flows->tenant_count = t->tenant_count;
	for (uint16_t i = 0; i < t->tenant_count; i++)
		flows->tenants[i] = memory_text(t->tenants[i].name);
}

int
fabric_flows_create(struct fabric_flows **out, struct fabric *f, const struct workload *w,
		    struct diag *diag)
{
	struct fabric_flows *flows = memory_new(sizeof(*flows), "flows");
	uint32_t next = 0; // collective that is not counted yet
	int rc;

	*flows = (struct fabric_flows){
		.fabric = f,
		.workload = w,
		.states = memory_array(w->flow_count, sizeof(*flows->states), "flows"),
		.pairs = memory_array(count_pairs(w), sizeof(*flows->pairs), "queue pairs"),
		.parts = memory_array(w->rank_count, sizeof(*flows->parts), "ranks"),
		.program_left_out = memory_array(w->program_count, sizeof(bool), "programs"),
		.far = memory_array(f->topology->host_count, sizeof(*flows->far), "hosts"),
	};
	copy_tenants(flows, f->topology);
	flows_create_ids(flows);
	rc = flows_create_exchanges(flows, diag);
	if (rc == 0)
		rc = flows_create_programs(flows, diag);
	for (uint32_t i = 0; rc == 0 && i < w->flow_count; i++) {
		for (; next < w->collective_count && w->collectives[next].first_flow <= i; next++)
			flows->generated += w->collectives[next].pair_count;
		rc = add_flow(flows, i, diag);
	}
	for (uint32_t i = 0; rc == 0 && i < w->stream_count; i++)
		rc = add_stream(flows, i, diag);
	if (rc != 0)
		fabric_flows_destroy(flows);
	else
		*out = flows;
	return rc;
}

void
fabric_flows_destroy(struct fabric_flows *flows)
{
	if (flows == NULL)
		return;
	for (uint16_t i = 0; i < flows->tenant_count; i++)
		free(flows->tenants[i]);
	free(flows->tenants);
	flows_free_ids(flows);
	flows_free_exchanges(flows);
	free(flows->far);
	free(flows->program_left_out);
	free(flows->programs);
	free(flows->inboxes);
	free(flows->parts);
	free(flows->pairs);
	free(flows->states);
	free(flows);
}

uint32_t
fabric_flows_left_out(const struct fabric_flows *flows)
{
	return flows->left_out;
}

int
fabric_flows_pair(const struct fabric_flows *flows, uint32_t flow, uint32_t index,
		  struct flow_pair *out)
{
	const struct flow_state *state = &flows->states[flow];

	if (index >= state->pair_count)
		return -ENOENT;
	out->nic = flows->fabric->nics[flows->workload->flows[flow].src];
	out->qpn = flows->pairs[state->first_pair + index].src_qpn;
	return 0;
}
