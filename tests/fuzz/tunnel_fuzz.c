// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame from another switch, at a leaf where tunnels end: nothing is read behind
// what is there, whatever the stages make of it, and what leaves by a host's port is the IP packet
// that stood inside, sound.
//
// Input: a byte of flags, then the frame. Random bytes seldom are a tunnel; flags make them one.
#include "require.h"
#include "tests/unit/dataplane/stages/exact.h"
#include "tests/unit/dataplane/stages/tunnels.h"

#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/tunnel.h"
#include "dataplane/base/headers.h"
#include "dataplane/stages/parse.h"

#define FRAME_MAX 1500u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	OUTER_IP6 = 1 << 0,
	WRAP = 1 << 1,      // the bytes are the packet in the tunnel
	INSIDE_IP = 1 << 2, // and look like IP
	INSIDE_SUM = 1 << 3,
	CUT = 1 << 4, // the frame was longer
	TAG = 1 << 5,
	WHOLE = 1 << 6,
	IPIP = 1 << 7, // the tunnel is IP-in-IP
};

static struct harness leaves[4];

static struct harness *
open_once(uint8_t flags)
{
	const bool ip6 = flags & OUTER_IP6, whole = flags & WHOLE;
	struct harness *h = &leaves[ip6 + 2 * whole];

	if (h->node == NULL)
		open_leaf(h,
			  &(struct leaf){.version = ip6 ? 6 : 4,
					 .full = whole,
					 .ipip = &(struct ipip_tables){.count = 2,
								       .addresses = {ipip4, ipip6},
								       .pipe = ip6,
								       .maps_dscp = whole,
								       .uniform_ttl = whole}});
	return h;
}

static void
make_inside(uint8_t *ip, uint32_t bytes, uint8_t flags)
{
	if (flags & INSIDE_IP && bytes >= 40) {
		if (ip[0] & 1) {
			ip[0] = 0x60;
			write16(ip + 4, bytes - 40);
		} else {
			ip[0] = 0x45;
			write16(ip + 2, bytes);
			ip[6] &= 0xc0;
			ip[7] = 0;
		}
	}
	if (flags & INSIDE_SUM && bytes >= 60 && ip[0] >> 4 == 4)
		fix_checksum(ip, 0);
}

// The frame that the input asks for; its length.
static uint32_t
make_frame(uint8_t *frame, const uint8_t *data, uint32_t bytes, uint8_t flags)
{
	const struct wrapped w = wrap_to_near(flags & OUTER_IP6 ? 6 : 4);
	uint8_t inside[FRAME_MAX];

	memcpy(inside, data, bytes);
	if (flags & WRAP && bytes != 0) {
		make_inside(inside, bytes, flags);
		if (flags & IPIP)
			bytes = wrap_ip(frame, flags & OUTER_IP6 ? &ipip6 : &ipip4, data[0], inside,
					bytes);
		else
			bytes = wrap(frame, &w, inside, bytes);
	} else {
		memcpy(frame, data, bytes);
	}
	if (flags & TAG && bytes > 14) {
		memmove(frame + 16, frame + 12, bytes - 12);
		write16(frame + 12, 0x8100);
		write16(frame + 14, data[0] % 2 ? VLAN_RED : 0);
		bytes += 4;
	}
	return bytes;
}

// The stages that look, on memory that ends with the frame.
static void
look(struct harness *h, const uint8_t *frame, uint32_t present, uint32_t wire)
{
	struct rte_mbuf *m = exact(frame, present, wire);
	struct port *in = &h->node->ports[UPLINK];

	if (stage_parse(h->node, in, m, 0) == STAGE_NEXT && !header_reserved_address(frame) &&
	    stage_control_frames(h->node, in, m, 0) == STAGE_NEXT)
		stage_tunnel(h->node, in, m, 0);
	free(m);
}

// Chains of IPv6 extensions are followed as far as offsets reach: within a tunnel less far than by
// themselves, so that what stands at their end may be seen, and be wrong, only then.
static bool
has_chain(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	return meta->flags & PACKET_IPV6 &&
	       parse_ip6_is_extension(packet_data(m)[meta->l3_off + 6]);
}

static void
check_left(struct harness *h, unsigned int port)
{
	struct rte_mbuf *m;

	while ((m = harness_take(h, port, NULL)) != NULL) {
		struct packet_meta *meta = packet_meta(m);
		const int verdict = header_reserved_address(packet_data(m))
					    ? STAGE_NEXT
					    : stage_parse(h->node, &h->node->ports[port], m, 0);

		// What was cut off is missing still.
		require(verdict == STAGE_NEXT || verdict == DROP_TRUNCATED ||
			(verdict == DROP_MALFORMED && has_chain(m)));
		require(meta->data_len <= meta->wire_bytes);
		packet_free(h->pool, m);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX + 100];
	struct harness *h;
	struct rte_mbuf *m;
	uint32_t bytes, wire;

	if (size < 2 || size - 1 > FRAME_MAX)
		return 0;
	h = open_once(data[0]);
	bytes = make_frame(frame, data + 1, (uint32_t)size - 1, data[0]);
	wire = data[0] & CUT ? bytes + data[1] : bytes;
	look(h, frame, bytes, wire);
	m = packet_of(h, frame, bytes);
	if (wire > packet_meta(m)->wire_bytes)
		packet_meta(m)->wire_bytes = wire;
	harness_put(h, UPLINK, m, h->now + 1);
	harness_run(h, h->now + PS_PER_US);
	for (unsigned int port = 0; port < LEAF_PORTS; port++)
		check_left(h, port);
	harness_check(h);
	return 0;
}
