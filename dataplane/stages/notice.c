// SPDX-License-Identifier: BSD-3-Clause
// Congestion notices. The model: a notice is about one destination, one priority and the link that
// it comes by. A switch sends at most one for each pair of ports within half the time that a notice
// counts, so that lasting congestion is reported without a gap and the links between switches carry
// little of it. Notices go ahead of all queues and are never paused, as PFC frames are, and end at
// the next switch. The receiver looks up its own route to the destination and, until the time has
// passed, ranks the member of that group by which the notice came one grade worse (or as held). It
// accepts notices only from a switch, and only if the file has switched notices on.
//
// The frame, 60 bytes without FCS, all numbers big-endian:
//    0  destination 01:80:c2:00:00:0e, source the port's MAC, EtherType 0x88b5
//   14  "RN", version 1 (a byte), flags (a byte; bit 0: nothing goes on behind this link)
//   18  priority (a byte), IP version (a byte: 4 or 6), two bytes 0
//   22  hold, in ns (4 bytes)
//   26  the destination address (16 bytes; of IPv4 the first 4), then zeros
#include "notice.h"

#include "dataplane/queueing/pause_frame.h"

#define NOTICE_VERSION 1
#define NOTICE_BYTES 42u
#define NOTICE_FLAG_HELD 0x01
#define NOTICE_HOLD_MAX_PS PS_PER_S // of what is believed

static void
write_notice(const struct node *n, const struct port *to, struct rte_mbuf *m, bool held,
	     uint8_t *frame)
{
	static const uint8_t address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, NOTICE_ADDRESS_LAST};
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	const bool ip6 = meta->flags & PACKET_IPV6;

	memset(frame, 0, PACKET_FRAME_MIN);
	memcpy(frame, address, 6);
	memcpy(frame + 6, n->current->ports[to->index].mac, 6);
	header_put16(frame + 12, NOTICE_ETHERTYPE);
	frame[14] = 'R';
	frame[15] = 'N';
	frame[16] = NOTICE_VERSION;
	frame[17] = held ? NOTICE_FLAG_HELD : 0;
	frame[18] = meta->priority;
	frame[19] = ip6 ? 6 : 4;
	header_put32(frame + 22, (uint32_t)(n->current->notices.hold / PS_PER_NS));
	memcpy(frame + 26, ip + (ip6 ? 24 : 16), ip6 ? 16 : 4);
}

// Sends a notice about a packet that came in by a port and leaves, or would, by another.
static void
send_notice(struct node *n, struct port *in, unsigned int out, struct rte_mbuf *m, bool held,
	    ps_t now)
{
	ps_t *due = &n->paths.notice_due[in->index * n->port_count + out];
	struct rte_mbuf *notice;

	if (now < *due || in->out == NULL || !in->up)
		return;
	notice = packet_alloc(n->packets);
	if (notice == NULL)
		return;
	*due = now + n->current->notices.hold / 2;
	packet_init_frame(notice, 0, PACKET_FRAME_MIN);
	packet_meta(notice)->in_port = in->index;
	packet_meta(notice)->tenant = TENANT_NONE;
	write_notice(n, in, m, held, packet_data(notice));
	in->notices_tx++;
	pause_frame_send_other(n, in, notice, now);
}

void
notice_check_egress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const unsigned int out = meta->out_port;
	const uint32_t depth = n->depth[meta->tc * n->port_count + out] +
			       (meta->flags & PACKET_CHARGED ? meta->cells : 0);

	if (depth > n->current->notices.depth || n->held[out] >> meta->tc & 1 ||
	    n->port_penalty[out] & PATH_DEGRADED)
		send_notice(n, in, out, m, false, now);
}

void
notice_refused(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	const struct next_hop_group *group = &t->groups[packet_meta(m)->group];

	if (spray_eligible(t, m, true))
		send_notice(n, in, t->next_hops[group->first].port, m, true, now);
}

// Notes it of every member of a group that the notice came by. Notices of several priorities add up
// while the first of them counts.
static void
note(struct node *n, const struct next_hop_group *group, uint16_t port, uint8_t tc, bool held,
     ps_t until, ps_t now)
{
	for (uint32_t i = group->first; i < group->first + group->count; i++) {
		struct path_notice *notice = &n->paths.notices[i];
		ps_t *noticed = &n->paths.noticed[i / NOTICED_TOGETHER];

		if (n->current->next_hops[i].port != port)
			continue;
		if (notice->until <= now)
			*notice = (struct path_notice){0};
		notice->until = until > notice->until ? until : notice->until;
		if (notice->until > *noticed)
			*noticed = notice->until;
		if (held)
			notice->held |= (uint8_t)(1u << tc);
		else
			notice->congested |= (uint8_t)(1u << tc);
	}
}

int
notice_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	const uint8_t *data = packet_data(m);
	uint8_t version, tc;
	ps_t hold;

	if (!t->notices.on || !t->ports[in->index].inner || n->role == NODE_NIC)
		return DROP_RESERVED_ADDRESS;
	if (packet_meta(m)->data_len < NOTICE_BYTES)
		return DROP_TRUNCATED;
	version = data[19];
	if (data[14] != 'R' || data[15] != 'N' || data[16] != NOTICE_VERSION ||
	    data[18] >= PRIORITIES || (version != 4 && version != 6))
		return DROP_MALFORMED;
	in->notices_rx++;
	tc = t->priority_to_tc[data[18]];
	hold = time_min(header_get32(data + 22) * PS_PER_NS, NOTICE_HOLD_MAX_PS);
	for (unsigned int v = 0; v < t->vrf_count; v++) {
		const struct vrf *vrf = &t->vrfs[v];
		uint32_t group = version == 6 ? lpm_lookup6(vrf->ip6, data + 26)
					      : lpm_lookup4(vrf->ip4, data + 26);

		if (group != LPM_NONE)
			note(n, &t->groups[group], in->index, tc, data[17] & NOTICE_FLAG_HELD,
			     now + hold, now);
	}
	return STAGE_CONSUMED;
}
