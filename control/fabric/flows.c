// SPDX-License-Identifier: BSD-3-Clause
// A flow is one queue pair, or several that share its bytes. Both ends are made together, so that
// they agree on numbers; source ports and first PSNs are drawn from a stream of the flow's own by
// the fabric's seed, so that a flow's path by hash does not depend on which other flows there are.
#include "flows.h"

#include "dataplane/roce/headers.h"
#include "host.h"
#include "ideal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLOW_RANDOM UINT64_C(0x666c6f77) // "flow"
#define FLOW_SPORT_FIRST 0xc000u          // dynamic ports (RFC 6335)

struct queue_pair {
	uint32_t src_qpn;
	uint32_t dst_qpn;
};

struct flow_state {
	uint32_t first_pair;
	uint32_t pair_count; // 0: left out
	ps_t ideal;
};

struct fabric_flows {
	const struct fabric *fabric;
	const struct workload *workload;
	struct flow_state *states;
	struct queue_pair *pairs;
	uint32_t pair_count;
	uint32_t left_out;
};

// Headers and ICRC of a data packet within IP (the first carries a RETH).
static uint32_t
ip_overhead(const struct host_config *h)
{
	return (h->ip_version == 6 ? 40 : 20) + 8 + 12 + 16 + 4;
}

// The largest standard path MTU that fits from end to end.
static int
path_mtu(const struct fabric_flows *flows, const struct flow_spec *spec, uint32_t *out,
	 struct config_diag *diag)
{
	static const uint32_t sizes[] = {4096, 2048, 1024, 512, 256};
	const struct topology *t = flows->fabric->topology;
	const struct host_config *h = &flows->fabric->hosts[spec->src];
	uint32_t room = topology_path_mtu(t, spec->src, spec->dst);

	*out = h->path_mtu;
	for (unsigned i = 0; *out == 0 && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] + ip_overhead(h) <= room)
			*out = sizes[i];
	if (*out != 0 && *out + ip_overhead(h) <= room)
		return 0;
	if (h->header_bytes >= 0 && *out != 0)
		return 0; // frames of a size by decree
	config_error(diag, t->config->file, t->config->workload[spec->item].pos, "workload",
		     "%s to %s: the path carries %u bytes of IP, too few for a path MTU of %u and "
		     "its headers",
		     topology_host(t, spec->src)->name, topology_host(t, spec->dst)->name, room,
		     *out == 0 ? 256 : *out);
	return -EINVAL;
}

static void
set_peer(struct nic_endpoint *e, const struct fabric *f, uint32_t peer, uint8_t ip_version)
{
	const struct topo_port *port = &topology_host(f->topology, peer)->ports[0];

	e->ip_version = ip_version;
	if (ip_version == 6)
		memcpy(e->peer_ip, port->ip6, 16);
	else
		memcpy(e->peer_ip, port->ip4, 4);
}

// Says why a flow or stream cannot be marked: a DSCP must stand for its priority at the sender's
// leaf, and for acknowledgements at the receiver's.
static int
refuse_priority(const struct fabric *f, uint32_t item, uint32_t host, uint8_t priority,
		struct config_diag *diag)
{
	config_error(diag, f->config->file, f->config->workload[item].pos, "workload.priority",
		     "no DSCP stands for priority %u at the leaf of %s", priority,
		     topology_host(f->topology, host)->name);
	return -EINVAL;
}

static int
add_pair(struct fabric_flows *flows, const struct flow_spec *spec, const struct nic_flow *template,
	 struct random *random, uint64_t bytes, struct queue_pair *pair, struct config_diag *diag)
{
	const struct fabric *f = flows->fabric;
	struct nic *src = f->nics[spec->src], *dst = f->nics[spec->dst];
	struct nic_flow flow = *template;
	struct nic_endpoint receiver;
	struct fabric_marking ack;
	int rc;

	if (fabric_ack_marking(f, spec->dst, spec->priority, &ack) != 0)
		return refuse_priority(f, spec->item, spec->dst, spec->priority, diag);
	pair->src_qpn = nic_next_qpn(src);
	pair->dst_qpn = nic_next_qpn(dst);
	flow.bytes = bytes;
	flow.endpoint.qpn = pair->src_qpn;
	flow.endpoint.peer_qpn = pair->dst_qpn;
	flow.endpoint.first_psn = random_u32(random) & ROCE_PSN_MASK;
	flow.endpoint.udp_sport =
		(uint16_t)(FLOW_SPORT_FIRST | random_below(random, 0x10000 - FLOW_SPORT_FIRST));
	receiver = (struct nic_endpoint){
		.qpn = pair->dst_qpn,
		.peer_qpn = pair->src_qpn,
		.first_psn = flow.endpoint.first_psn,
		.udp_sport = flow.endpoint.udp_sport,
		.dscp = ack.dscp,
		.priority = ack.priority,
		.tc = ack.tc,
	};
	set_peer(&receiver, f, spec->src, flow.endpoint.ip_version);
	rc = nic_add_sender(src, &flow);
	if (rc == -EINVAL)
		config_error(
			diag, f->config->file, f->config->workload[spec->item].pos, "workload.size",
			"%" PRIu64 " bytes in packets of %u are more than a queue pair can number",
			bytes, flow.path_mtu);
	return rc != 0 ? rc : nic_add_receiver(dst, &receiver);
}

static int
add_flow(struct fabric_flows *flows, uint32_t id, struct config_diag *diag)
{
	const struct fabric *f = flows->fabric;
	const struct flow_spec *spec = &flows->workload->flows[id];
	struct flow_state *state = &flows->states[id];
	struct random random = random_stream(f->seed, FLOW_RANDOM << 32 | id);
	const struct host_config *h = &flows->fabric->hosts[spec->src];
	uint32_t pairs = spec->qps < spec->bytes ? spec->qps : (uint32_t)spec->bytes;
	struct fabric_marking data;
	struct nic_flow flow = {
		.repeat = spec->repeat, .start = spec->start_ps, .gap = spec->gap_ps};
	struct ideal_query query = {
		.src = spec->src,
		.dst = spec->dst,
		.bytes = spec->bytes,
		.from = h,
		.to = &flows->fabric->hosts[spec->dst],
	};
	int rc;

	if (f->nics[spec->src] == NULL || f->nics[spec->dst] == NULL) {
		flows->left_out++;
		return 0;
	}
	rc = path_mtu(flows, spec, &query.path_mtu, diag);
	if (rc != 0)
		return rc;
	if (fabric_data_marking(f, spec->src, spec->priority, &data) != 0)
		return refuse_priority(f, spec->item, spec->src, spec->priority, diag);
	flow.path_mtu = (uint16_t)query.path_mtu;
	flow.endpoint.dscp = data.dscp;
	flow.endpoint.priority = data.priority;
	flow.endpoint.tc = data.tc;
	set_peer(&flow.endpoint, f, spec->dst, h->ip_version);
	if (fabric_ideal(f, &query, &state->ideal) != 0)
		state->ideal = 0;
	state->first_pair = flows->pair_count;
	for (uint32_t i = 0; rc == 0 && i < pairs; i++) {
		uint64_t bytes = spec->bytes / pairs + (i < spec->bytes % pairs);

		rc = add_pair(flows, spec, &flow, &random, bytes,
			      &flows->pairs[flows->pair_count++], diag);
	}
	state->pair_count = pairs;
	return rc;
}

static int
add_stream(struct fabric_flows *flows, uint32_t id, struct config_diag *diag)
{
	const struct fabric *f = flows->fabric;
	const struct stream_spec *spec = &flows->workload->streams[id];
	struct random random = random_stream(f->seed, FLOW_RANDOM << 32 | 1u << 31 | id);
	const struct host_config *h = &flows->fabric->hosts[spec->src];
	struct nic_endpoint peer;
	struct nic_stream stream;
	struct fabric_marking data;
	int rc;

	if (f->nics[spec->src] == NULL) {
		flows->left_out++;
		return 0;
	}
	if (fabric_data_marking(f, spec->src, spec->priority, &data) != 0)
		return refuse_priority(f, spec->item, spec->src, spec->priority, diag);
	set_peer(&peer, f, spec->dst, h->ip_version);
	stream = (struct nic_stream){
		.udp_sport = (uint16_t)(FLOW_SPORT_FIRST |
					random_below(&random, 0x10000 - FLOW_SPORT_FIRST)),
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
	rc = nic_add_stream(f->nics[spec->src], &stream);
	if (rc == -EINVAL)
		config_error(diag, f->config->file, f->config->workload[spec->item].pos,
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

int
fabric_flows_create(struct fabric_flows **out, struct fabric *f, const struct workload *workload,
		    struct config_diag *diag)
{
	struct fabric_flows *flows = calloc(1, sizeof(*flows));
	int rc = 0;

	if (flows == NULL)
		return -ENOMEM;
	flows->fabric = f;
	flows->workload = workload;
	flows->states = calloc(workload->flow_count + 1, sizeof(*flows->states));
	flows->pairs = calloc(count_pairs(workload) + 1, sizeof(*flows->pairs));
	if (flows->states == NULL || flows->pairs == NULL)
		rc = -ENOMEM;
	for (uint32_t i = 0; rc == 0 && i < workload->flow_count; i++)
		rc = add_flow(flows, i, diag);
	for (uint32_t i = 0; rc == 0 && i < workload->stream_count; i++)
		rc = add_stream(flows, i, diag);
	if (rc != 0) {
		fabric_flows_destroy(flows);
		return rc;
	}
	*out = flows;
	return 0;
}

void
fabric_flows_destroy(struct fabric_flows *flows)
{
	if (flows == NULL)
		return;
	free(flows->pairs);
	free(flows->states);
	free(flows);
}

uint32_t
fabric_flows_left_out(const struct fabric_flows *flows)
{
	return flows->left_out;
}

static const char *
item_name(const struct config_work *work)
{
	static const char *const kinds[] = {
		[CONFIG_WORK_FLOW] = "flow",
		[CONFIG_WORK_FLOWS] = "flows",
		[CONFIG_WORK_STREAM] = "stream",
		[CONFIG_WORK_INCAST] = "incast",
		[CONFIG_WORK_PERMUTATION] = "permutation",
		[CONFIG_WORK_ALL_TO_ALL] = "all-to-all",
	};

	return work->name.text != NULL ? work->name.text : kinds[work->kind];
}

// A flow is complete when its last queue pair is. Of repetitions the mean is told.
static void
report_flow(const struct fabric_flows *flows, uint32_t id, struct report_flow *out)
{
	const struct flow_spec *spec = &flows->workload->flows[id];
	const struct flow_state *state = &flows->states[id];
	const struct fabric *f = flows->fabric;
	const struct topology *t = f->topology;

	*out = (struct report_flow){
		.id = id,
		.item = item_name(&t->config->workload[spec->item]),
		.src = topology_host(t, spec->src)->name,
		.dst = topology_host(t, spec->dst)->name,
		.tenant = spec->tenant == TENANT_NONE ? NULL : t->tenants[spec->tenant].name,
		.bytes = spec->bytes,
		.start = spec->start_ps,
		.ideal = state->ideal,
	};
	for (uint32_t i = 0; i < state->pair_count; i++) {
		const struct queue_pair *pair = &flows->pairs[state->first_pair + i];
		struct nic_flow_result sent;
		struct nic_receiver_result received;
		ps_t fct;

		nic_flow_result(f->nics[spec->src], pair->src_qpn, &sent);
		nic_receiver_result(f->nics[spec->dst], pair->dst_qpn, &received);
		fct = sent.completed == PS_NEVER ? PS_NEVER : sent.busy / sent.repetitions;
		out->fct = fct > out->fct ? fct : out->fct;
		out->retransmitted += sent.retransmitted;
		out->reorder_max = received.reorder_max > out->reorder_max ? received.reorder_max
									   : out->reorder_max;
	}
}

struct report_flow *
fabric_flows_report(const struct fabric_flows *flows, uint32_t *count)
{
	struct report_flow *report = calloc(flows->workload->flow_count + 1, sizeof(*report));

	*count = 0;
	for (uint32_t i = 0; report != NULL && i < flows->workload->flow_count; i++)
		if (flows->states[i].pair_count != 0)
			report_flow(flows, i, &report[(*count)++]);
	return report;
}

struct report_collective *
fabric_flows_collectives(const struct fabric_flows *flows, uint32_t *count)
{
	const struct workload *w = flows->workload;
	struct report_collective *report = calloc(w->collective_count + 1, sizeof(*report));

	*count = 0;
	for (uint32_t i = 0; report != NULL && i < w->collective_count; i++) {
		const struct collective_spec *spec = &w->collectives[i];
		struct report_collective *out = &report[*count];
		ps_t end = 0;

		*out = (struct report_collective){
			.name = spec->name,
			.kind = REPORT_ALL_TO_ALL,
			.ranks = spec->ranks,
			.bytes = spec->bytes,
			.start = PS_NEVER,
		};
		for (uint32_t k = 0; k < spec->flow_count; k++) {
			struct report_flow flow;

			if (flows->states[spec->first_flow + k].pair_count == 0)
				break;
			report_flow(flows, spec->first_flow + k, &flow);
			out->start = time_min(out->start, flow.start);
			end = flow.fct == PS_NEVER || end == PS_NEVER ? PS_NEVER :
			      flow.start + flow.fct > end             ? flow.start + flow.fct :
									end;
		}
		out->step = end == PS_NEVER ? PS_NEVER : end - out->start;
		if (out->start != PS_NEVER)
			(*count)++;
	}
	return report;
}
