// SPDX-License-Identifier: BSD-3-Clause
// Flows with one end at an attached host. The programs behind its device send as they like, so no
// run waits for such a flow. But a NIC that they would send to, or read from, has the queue pairs
// that answer: numbered as usual, from PSN 0, to the host's address and, unless set otherwise
// later, to a queue pair with the same number there.
#include "flows_internal.h"

#include "dataplane/roce/nic_exchange.h"

// The queue pair at host `at` that answers the attached host `peer`.
static struct nic_endpoint
answering_end(const struct fabric_flows *flows, uint32_t at, uint8_t port, uint32_t peer,
	      uint8_t peer_port, struct random *random)
{
	const struct fabric *f = flows->fabric;
	uint32_t qpn = flows_next_qpn(flows, at);
	struct nic_endpoint e = {
		.qpn = qpn,
		.peer_qpn = qpn,
		.udp_sport = nic_draw_source_port(random),
		.port = port,
	};

	flows_set_peer(&e, f, peer, peer_port, f->hosts[peer].ip_version);
	return e;
}

static int
add_receiver(const struct fabric_flows *flows, const struct flow_spec *spec, struct random *random,
	     struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	struct nic_endpoint e =
		answering_end(flows, spec->dst, spec->dst_port, spec->src, spec->src_port, random);
	struct fabric_marking answers;

	if (fabric_ack_marking(f, spec->dst, spec->priority, &answers) != 0)
		return flows_refuse_priority(f, spec->item, spec->dst, spec->priority, diag);
	flows_set_marking(&e, &answers);
	return nic_add_receiver(f->nics[spec->dst], &e, NIC_NONE);
}

static int
add_responder(struct fabric_flows *flows, const struct flow_spec *spec, struct random *random,
	      struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	struct nic_flow flow = {
		.op = NIC_OP_READ,
		.program = NIC_NONE,
		.gate = NIC_NONE,
		.endpoint = answering_end(flows, spec->src, spec->src_port, spec->dst,
					  spec->dst_port, random),
	};
	struct fabric_marking data;
	uint32_t path_mtu;
	int rc = flows_path_mtu(flows, spec, &path_mtu, diag);

	if (rc != 0)
		return rc;
	if (fabric_data_marking(f, spec->src, spec->priority, &data) != 0)
		return flows_refuse_priority(f, spec->item, spec->src, spec->priority, diag);
	flow.path_mtu = (uint16_t)path_mtu;
	flows_set_marking(&flow.endpoint, &data);
	return nic_add_sender(f->nics[spec->src], &flow);
}

int
flows_add_attached(struct fabric_flows *flows, const struct flow_spec *spec, struct random *random,
		   struct diag *diag)
{
	bool read = spec->op == CONFIG_OP_READ;
	int rc = 0;

	if (spec->collective != WORKLOAD_NONE || spec->inside ||
	    flows->fabric->nics[read ? spec->src : spec->dst] == NULL)
		return 0;
	for (uint32_t i = 0; rc == 0 && i < spec->qps; i++)
		rc = read ? add_responder(flows, spec, random, diag)
			  : add_receiver(flows, spec, random, diag);
	return rc;
}
