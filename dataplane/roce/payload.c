// SPDX-License-Identifier: BSD-3-Clause
// A switch may have trimmed the packet (queueing/trim.c). Then the frame ends before the packet
// that the NIC made does; its ICRC is that packet's, of which the frame holds what lies before its
// end: nothing, as a rule. UDP's length, which stays, says how long the packet was.
#include "payload.h"

#include "frame.h"
#include "icrc.h"

#include <errno.h>
#include <string.h>

#define UNSENT_HEADERS_MAX 256u // more than a NIC ever writes, and a tunnel's before it
#define UNSENT_ETHERNET_BYTES 14u

static uint32_t
get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

// Gives the IP header at `ip`, UDP's at `udp`, the length that UDP claims. What is not trimmed has
// it already.
static void
make_whole(uint8_t *ip, const uint8_t *udp, bool ip6)
{
	uint32_t bytes = get16(udp + 4) + (ip6 ? 0 : (uint32_t)(udp - ip));
	uint8_t *length = ip + (ip6 ? 4 : 2);

	length[0] = (uint8_t)(bytes >> 8);
	length[1] = (uint8_t)bytes;
}

// Where the NIC's packet stands in the frame, without the Ethernet header before it: inside a
// tunnel, if it is in one.
struct place {
	uint32_t frame; // from where its own frame can be told
	uint32_t l3;
	uint32_t l4;
};

static struct place
find_place(const struct packet_meta *meta)
{
	if (meta->flags & PACKET_TUNNEL)
		return (struct place){.frame = meta->inner_l3_off - UNSENT_ETHERNET_BYTES,
				      .l3 = meta->inner_l3_off,
				      .l4 = meta->inner_l4_off};
	return (struct place){
		.frame = meta->flags & PACKET_DECAPPED ? meta->l3_off - UNSENT_ETHERNET_BYTES : 0,
		.l3 = meta->l3_off,
		.l4 = meta->l4_off};
}

// The ICRC of the packet as its NIC made it, and where in the frame it begins. The IPv4 checksum,
// which the copy has wrong, does not count.
static int
find_icrc(struct rte_mbuf *m, uint8_t icrc[ROCE_ICRC_BYTES], size_t *at)
{
	const struct packet_meta *meta = packet_meta(m);
	const struct place place = find_place(meta);
	const uint32_t length = meta->data_len - place.frame;
	uint8_t headers[UNSENT_HEADERS_MAX];
	struct icrc_span span;
	uint32_t value;

	if (meta->data_len > sizeof(headers) || place.l4 + FRAME_UDP_BYTES > meta->data_len)
		return -EINVAL;
	memcpy(headers, packet_data(m), meta->data_len);
	make_whole(headers + place.l3, headers + place.l4, headers[place.l3] >> 4 == 6);
	if (icrc_find(headers + place.frame, length, &span) != 0 ||
	    icrc_compute(headers + place.frame, length, &value) != 0)
		return -EINVAL;
	icrc_store(icrc, meta->flags & PACKET_BAD_PAYLOAD ? ~value : value);
	*at = place.frame + span.icrc;
	return 0;
}

// The same of an InfiniBand packet, which is never trimmed.
static int
find_infiniband_icrc(struct rte_mbuf *m, uint8_t icrc[ROCE_ICRC_BYTES], size_t *at)
{
	const struct packet_meta *meta = packet_meta(m);
	uint32_t value;

	if (icrc_compute_infiniband(packet_data(m), meta->data_len, meta->wire_bytes, &value) != 0)
		return -EINVAL;
	icrc_store(icrc, meta->flags & PACKET_BAD_PAYLOAD ? ~value : value);
	*at = meta->wire_bytes - ROCE_ICRC_BYTES;
	return 0;
}

int
payload_copy(struct rte_mbuf *m, uint8_t *to, size_t length)
{
	const struct packet_meta *meta = packet_meta(m);
	size_t there = meta->data_len < length ? meta->data_len : length, at;
	uint8_t icrc[ROCE_ICRC_BYTES];
	int rc;

	memmove(to, packet_data(m), there);
	memset(to + there, 0, length - there);
	if (!(meta->flags & PACKET_NO_PAYLOAD) || !(meta->flags & PACKET_ROCE))
		return 0; // nothing but zeros is missing
	rc = meta->flags & PACKET_INFINIBAND ? find_infiniband_icrc(m, icrc, &at)
					     : find_icrc(m, icrc, &at);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < sizeof(icrc) && at + i < length; i++)
		to[at + i] = icrc[i];
	return 0;
}

int
payload_write(struct rte_mbuf *m, uint32_t data_room)
{
	struct packet_meta *meta = packet_meta(m);
	int rc;

	if (meta->data_off + meta->wire_bytes > data_room)
		return -EMSGSIZE;
	rc = payload_copy(m, packet_data(m), meta->wire_bytes);
	if (rc != 0)
		return rc;
	meta->data_len = (uint16_t)meta->wire_bytes;
	meta->flags &= ~(uint32_t)PACKET_NO_PAYLOAD;
	return 0;
}

int
payload_capture(struct rte_mbuf *m, uint8_t *to, size_t length)
{
	const struct packet_meta *meta = packet_meta(m);
	const size_t bytes = length < meta->wire_bytes ? length : meta->wire_bytes;
	int rc = payload_copy(m, to, bytes);
	uint16_t vcrc;

	if (length == bytes)
		return rc;
	vcrc = icrc_vcrc(0, to, bytes);
	if (meta->flags & PACKET_BAD_FCS)
		vcrc = (uint16_t)~vcrc;
	to[bytes] = (uint8_t)vcrc;
	if (length > bytes + 1)
		to[bytes + 1] = (uint8_t)(vcrc >> 8);
	return rc;
}
