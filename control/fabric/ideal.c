// SPDX-License-Identifier: BSD-3-Clause
// The path of a flow by the tables in force: at the first leaf in the VRF of the port by which
// packets arrive, then by their encapsulation.
#include "ideal.h"

#include "dataplane/base/mrc_headers.h"
#include "dataplane/base/uet_headers.h"
#include "dataplane/roce/frame.h"
#include "dataplane/roce/ideal.h"

#include <errno.h>
#include <string.h>

#define VLAN_TAG_BYTES 4

// A packet on its way to a host, with the encapsulation that the last switch gave it.
struct walk {
	const struct topo_port *to;
	bool ip6;
	const struct encap *encap; // NULL: none
	bool outer_ip6;            // of VXLAN
};

// Whether the packet's tunnel ends at a switch.
static bool
tunnel_ends(const struct tables *t, const struct walk *w)
{
	return t->tunnels != NULL &&
	       memcmp(w->encap->remote, t->tunnels->local, w->outer_ip6 ? 16 : 4) == 0;
}

static uint32_t
lookup(const struct vrf *vrf, bool ip6, const uint8_t *address)
{
	return ip6 ? lpm_lookup6(vrf->ip6, address) : lpm_lookup4(vrf->ip4, address);
}

// The port by which a switch forwards a packet that arrived at `in_port`: the first member of the
// route's group, since all are equally short. Behind the first leaf, an encapsulated packet is in
// the VRF of its destination.
static int
next_port(const struct tables *t, uint16_t in_port, struct walk *w)
{
	bool through = w->encap != NULL && w->encap->kind == ENCAP_VXLAN && !tunnel_ends(t, w);
	uint16_t vrf = w->encap != NULL && !through ? w->to->vrf : t->ports[in_port].vrf;
	uint32_t group;

	if (t->lids != NULL)
		return t->lids[w->to->lid] < LID_OWN
			       ? t->next_hops[t->groups[t->lids[w->to->lid]].first].port
			       : -ENOENT;
	group = through ? lookup(&t->vrfs[vrf], w->outer_ip6, w->encap->remote)
			: lookup(&t->vrfs[vrf], w->ip6, w->ip6 ? w->to->ip6 : w->to->ip4);
	if (group == LPM_NONE || t->groups[group].count == 0)
		return -ENOENT;
	if (!through) {
		w->encap = t->groups[group].encap != 0 ? &t->tunnels->encaps[t->groups[group].encap]
						       : NULL;
		w->outer_ip6 = t->tunnels != NULL && t->tunnels->version == 6;
	}
	return t->next_hops[t->groups[group].first].port;
}

static uint32_t
encap_bytes(const struct walk *w)
{
	if (w->encap == NULL)
		return 0;
	return w->encap->kind == ENCAP_VLAN
		       ? VLAN_TAG_BYTES
		       : config_encap_mtu_bytes(CONFIG_ENCAP_VXLAN, w->outer_ip6 ? 6 : 4);
}

// One end of a path.
struct end {
	uint32_t host;
	uint8_t port;
};

// The tables in force, at this rank or another, where they are the same.
static const struct tables *
tables_at(const struct fabric *f, uint32_t node)
{
	return f->nodes[node] != NULL ? f->nodes[node]->current : f->tables[node];
}

// From the last bit's departure until it has passed the far node's pipeline. 0: no wire is there.
static ps_t
wire_delay(const struct fabric *f, uint32_t node, uint16_t port)
{
	const struct topo_port *place = &f->topology->nodes[node].ports[port];
	uint32_t far = place->peer_node;

	if (f->nodes[node] != NULL)
		return f->nodes[node]->ports[port].out == NULL
			       ? 0
			       : f->nodes[node]->ports[port].out->delay;
	return far == TOPOLOGY_NONE
		       ? 0
		       : place->delay_ps +
				 (far < f->topology->first_host ? f->switches[far].latency_ps : 0);
}

static int
find_path(const struct fabric *f, struct end src, struct end dst, bool ip6, struct ideal_hop *hops,
	  unsigned int *count)
{
	const struct topology *t = f->topology;
	struct walk walk = {.to = topology_host_port(t, dst.host, dst.port), .ip6 = ip6};
	uint32_t node = t->first_host + src.host;
	uint16_t port = src.port;

	for (*count = 0; *count < IDEAL_HOPS_MAX;) {
		const struct port_profile *p = tables_at(f, node)->ports[port].profile;
		const struct topo_port *place = &t->nodes[node].ports[port];
		ps_t delay = wire_delay(f, node, port);
		bool ends;
		int next;

		if (delay == 0)
			return -ENOENT;
		hops[(*count)++] = (struct ideal_hop){
			.byte_time = p->byte_time,
			.preamble = p->preamble,
			.fcs = p->fcs,
			.gap = p->gap,
			.encap_bytes = encap_bytes(&walk),
			.delay = delay,
		};
		node = place->peer_node;
		if (node == t->first_host + dst.host)
			return 0;
		ends = walk.encap != NULL && walk.encap->kind == ENCAP_VXLAN &&
		       tunnel_ends(tables_at(f, node), &walk);
		next = next_port(tables_at(f, node), place->peer_port, &walk);
		if (next < 0)
			return next;
		port = (uint16_t)next;
		// As stage_cut_through() decides.
		if (!ends && tables_at(f, node)->ports[port].profile->byte_time == p->byte_time)
			hops[*count - 1].header = fabric_header_bytes(f, node);
	}
	return -ENOENT;
}

// Of other transports than RoCEv2 headers differ; frames of a size that the file sets do not.
static struct frame_sizes
sizes_of(const struct ideal_query *q)
{
	struct frame_sizes sizes = {.header_bytes = q->from->header_bytes,
				    .ack_bytes = q->to->ack_bytes,
				    .network = frame_network_of(q->from->ip_version)};

	if (q->from->transport == NIC_TRANSPORT_MRC && sizes.ack_bytes == FRAME_SIZE_REAL)
		sizes.ack_bytes = (int32_t)frame_bytes(sizes.network, MRC_SACK_BEHIND_UDP);
	if (q->from->transport != NIC_TRANSPORT_UET)
		return sizes;
	if (sizes.header_bytes == FRAME_SIZE_REAL)
		sizes.header_bytes = (int32_t)frame_bytes(sizes.network, UET_DATA_BEHIND_UDP);
	if (sizes.ack_bytes == FRAME_SIZE_REAL)
		sizes.ack_bytes = (int32_t)frame_bytes(sizes.network, sizeof(struct uet_ack_cc));
	return sizes;
}

static uint32_t
ack_every(const struct host_config *h)
{
	return h->transport == NIC_TRANSPORT_ROCE ? h->ack_every
						  : h->sprayed[h->transport].ack_every;
}

int
fabric_ideal(const struct fabric *f, const struct ideal_query *q, ps_t *out)
{
	struct ideal_hop data[IDEAL_HOPS_MAX], acks[IDEAL_HOPS_MAX];
	bool ip6 = q->from->ip_version == 6;
	struct end src = {q->src, q->src_port}, dst = {q->dst, q->dst_port};
	struct ideal_flow flow = {
		.op = q->op,
		.immediate = q->immediate,
		.handover = q->handover,
		.sizes = sizes_of(q),
		.bytes = q->bytes,
		.path_mtu = q->path_mtu,
		.ack_every = ack_every(q->to),
		.every_extra = q->from->transport == NIC_TRANSPORT_MRC
				       ? sizeof(struct mrc_message) + sizeof(struct roce_reth)
				       : 0,
		.data = data,
		.acks = acks,
	};
	int rc = find_path(f, src, dst, ip6, data, &flow.data_hops);

	if (rc == 0)
		rc = find_path(f, dst, src, ip6, acks, &flow.ack_hops);
	return rc != 0 ? rc : ideal_completion(&flow, out);
}

uint64_t
fabric_ideal_bytes(const struct fabric *f, const struct ideal_query *q, ps_t time)
{
	struct end src = {q->src, q->src_port}, dst = {q->dst, q->dst_port};
	struct ideal_hop hops[IDEAL_HOPS_MAX];
	uint64_t slowest = 0;
	unsigned int count;

	if (find_path(f, src, dst, q->from->ip_version == 6, hops, &count) != 0)
		return 0;
	for (unsigned int i = 0; i < count; i++)
		slowest = hops[i].byte_time > slowest ? hops[i].byte_time : slowest;
	return slowest == 0 ? 0 : (time << BYTE_TIME_FRACTION_BITS) / slowest;
}

int
fabric_ideal_links(const struct fabric *f, const struct ideal_query *q, unsigned int *data,
		   unsigned int *acks)
{
	struct end src = {q->src, q->src_port}, dst = {q->dst, q->dst_port};
	bool ip6 = q->from->ip_version == 6;
	struct ideal_hop hops[IDEAL_HOPS_MAX];
	int rc = find_path(f, src, dst, ip6, hops, data);

	return rc != 0 ? rc : find_path(f, dst, src, ip6, hops, acks);
}
