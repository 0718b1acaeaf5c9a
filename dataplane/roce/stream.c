// SPDX-License-Identifier: BSD-3-Clause
// A source of packets that nothing acknowledges. Packets arrive at the host's transmitter at times
// of their own and wait for it; those that wait are not stored: `next_at` is the first's arrival,
// and while that is not after now the stream stands in its ring. Arrival times are kept to 2^-20
// ps, so that a constant rate is met exactly in the long run.
#include "stream.h"

#include "arrivals.h"

void
stream_init(struct stream *s, const struct nic_stream *settings, const struct frame_template *from)
{
	bool ip6 = settings->ip_version == 6;
	uint8_t *headers = s->template.headers;

	s->headers_bytes = FRAME_ETHERNET_BYTES + (ip6 ? FRAME_IP6_BYTES : FRAME_IP4_BYTES) +
			   FRAME_UDP_BYTES;
	s->template = *from;
	headers[FRAME_ETHERNET_BYTES + (ip6 ? 7 : 8)] = settings->ttl;
	headers[s->headers_bytes - FRAME_UDP_BYTES + 2] = NIC_STREAM_UDP_PORT >> 8;
	headers[s->headers_bytes - FRAME_UDP_BYTES + 3] = NIC_STREAM_UDP_PORT & 0xff;
	s->address = (struct frame_address){
		.udp_sport = rte_cpu_to_be_16(settings->udp_sport),
		.traffic_class = (uint8_t)(settings->dscp << 2),
		.priority = settings->priority,
		.tc = settings->tc,
		.network = ip6 ? FRAME_IP6 : FRAME_IP4,
	};
	memcpy(s->address.peer_ip, settings->peer_ip, sizeof(s->address.peer_ip));
	frame_address_init(&s->address, &s->template);
	s->source.kind = SOURCE_STREAM;
	s->next_at = settings->start;
	s->interval = settings->interval;
	s->until = settings->until;
	s->packet_bytes = settings->packet_bytes;
	s->arrivals = (uint8_t)settings->arrivals;
	s->tc = settings->tc;
	s->port = settings->port;
}

static void
stream_advance(struct nic *nic, struct stream *s)
{
	uint64_t gap = s->interval;

	if (s->arrivals == NIC_ARRIVALS_POISSON)
		gap = exponential_gap(&nic->node->random, gap);
	s->fraction += gap;
	s->next_at += s->fraction >> BYTE_TIME_FRACTION_BITS;
	s->fraction &= (UINT64_C(1) << BYTE_TIME_FRACTION_BITS) - 1;
}

struct rte_mbuf *
stream_make(struct nic *nic, struct stream *s, ps_t now)
{
	struct rte_mbuf *m = packet_alloc(nic->node->packets);
	uint32_t wire = s->packet_bytes < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : s->packet_bytes;
	uint8_t *payload;

	if (likely(m != NULL))
		frame_start(m, &s->template, &s->address, PACKET_NO_PAYLOAD,
			    s->packet_bytes - s->headers_bytes, 0, wire, &payload);
	s->sent++;
	stream_advance(nic, s);
	if (s->next_at > now || s->next_at >= s->until) {
		source_idle(&nic->ports[s->port], &s->source, s->tc);
		if (s->next_at < s->until)
			nic_set_timer(nic, &s->timer, s->next_at);
	}
	return m;
}

void
stream_timeout(struct nic *nic, struct stream *s)
{
	source_ready(&nic->ports[s->port], &s->source, s->tc);
}
