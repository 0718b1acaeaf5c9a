// SPDX-License-Identifier: BSD-3-Clause
// A NIC that speaks Ultra Ethernet Transport, as nic_fuzz.c is of one that speaks RoCEv2: its
// packets meet any fate on the way, trimming among them, and anybody sends anything to it. Nothing
// is read behind a frame, it answers a frame by no more than a few, whatever is done to its packets
// ends, and no packet is lost or kept for ever.
//
// Input: a byte of flags, then for each packet that passes either way three bytes: what is done to
// it, where, and how. What is left of the input is one more frame for either NIC.
#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/roce/pair.h"

#include "dataplane/base/uet_headers.h"
#include "dataplane/roce/congestion.h"

#define MESSAGE_BYTES 20000u
#define PACKETS_MAX 20000u // of one input: of a message that is sent again and again
#define END (100 * PS_PER_MS)
#define FRAME_MAX 1200u
#define TRIMMED_BYTES 256u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	CREDITS = 1 << 0,
	IS_SEND = 1 << 1,
	WINDOW = 1 << 2,   // NSCC
	NARROW = 1 << 3,   // few PSNs in flight
	SPURIOUS = 1 << 4, // the rest of the input is a frame by itself
};

enum deed { PASSES, MARKED, DROPPED, OVERTAKEN, CHANGED, TRIMMED, CUT, DEEDS };

struct script {
	const uint8_t *at;
	size_t left;
	unsigned int packets;
	bool changed; // so that nobody can tell: there is no CRC
};

// Its addresses stay, so that it arrives, and the checksum is right.
static void
change(struct rte_mbuf *m, uint8_t where, uint8_t how)
{
	uint8_t *frame = packet_data(m);
	uint32_t length = packet_meta(m)->data_len;

	frame[34 + where % (length > 34 ? length - 34 : 1)] ^= how;
}

static void
trim(struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);

	if (meta->wire_bytes <= TRIMMED_BYTES)
		return;
	meta->wire_bytes = TRIMMED_BYTES;
	checksum_ipv4_set_byte(packet_data(m) + 14, 2, 0);
	checksum_ipv4_set_byte(packet_data(m) + 14, 3, TRIMMED_BYTES - 14);
}

static unsigned int
meddle(void *context, struct rte_mbuf *m, ps_t at)
{
	struct script *s = context;
	struct packet_meta *meta = packet_meta(m);
	uint8_t deed, where, how;

	(void)at;
	require(s->packets++ < PACKETS_MAX);
	if (s->left < 3)
		return PAIR_PASS;
	deed = s->at[0] % DEEDS;
	where = s->at[1];
	how = s->at[2];
	s->at += 3;
	s->left -= 3;
	switch (deed) {
	case MARKED:
		checksum_ipv4_set_byte(packet_data(m) + 14, 1, packet_data(m)[15] | 3);
		return PAIR_PASS;
	case DROPPED:
		return PAIR_DROP;
	case CHANGED:
		s->changed = true;
		change(m, where, how);
		return PAIR_PASS;
	case TRIMMED:
		trim(m);
		return PAIR_PASS;
	case CUT:
		meta->data_len =
			(uint16_t)(14 + where % (meta->data_len > 14 ? meta->data_len - 13 : 1));
		meta->wire_bytes = meta->data_len < PACKET_FRAME_MIN ? PACKET_FRAME_MIN
								     : meta->data_len;
		return PAIR_PASS;
	default:
		return PAIR_PASS;
	}
}

// A frame of the input's own for a NIC, once on memory that ends with it. Its UDP port is UET's.
static void
send_spurious(struct pair *w, unsigned int to, const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX];
	uint32_t length = (uint32_t)(size < FRAME_MAX ? size : FRAME_MAX);
	struct rte_mbuf *m;

	memcpy(frame, data, length);
	if (length >= 38) {
		memcpy(frame, w->config[to].ports[0].mac, 6);
		uet_put16(frame + 36, UET_UDP_PORT);
	}
	m = poison_packet(w->packets, frame, length);
	poison_end(m, length);
	require(wire_put(w->nodes[to]->ports[0].in, m, w->now + PAIR_DELAY + 1) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct nscc_parameters nscc = {.decrease = 0.8,
						    .delay_gain = 1.0 / 80,
						    .fair_packets = 5,
						    .proportional_packets = 4,
						    .fast_gain = 0.25,
						    .periodic_gain = 0.15,
						    .adjust_packets = 8,
						    .quick_adapt = true,
						    .quick_gate = 3};
	struct pair w;
	struct script script;
	struct nic_flow flow = {.path_mtu = 1024,
				.bytes = MESSAGE_BYTES,
				.repeat = 2,
				.base_rtt = 4 * PS_PER_US,
				.bdp_bytes = 50000};
	uint8_t flags;

	if (size < 2 || size > 4000)
		return 0;
	flags = data[0];
	script = (struct script){data + 1, flags & SPURIOUS ? 0 : size - 1, 0, false};
	flow.op = flags & IS_SEND ? NIC_OP_SEND : NIC_OP_WRITE;
	pair_init(&w, 1);
	for (unsigned int side = A; side <= B; side++) {
		struct nic_config *c = &w.config[side];

		c->rto = 20 * PS_PER_US;
		c->transport = NIC_TRANSPORT_UET;
		c->reorder_window = flags & NARROW ? 8 : 1024;
		c->uet = (struct uet_config){.paths = 16,
					     .ack_every = 4,
					     .grant = 4,
					     .unsolicited = 1,
					     .credits = flags & CREDITS};
		if (flags & WINDOW) {
			c->congestion = &congestion_nscc;
			c->congestion_parameters = &nscc;
		}
	}
	pair_start(&w);
	for (unsigned int side = A; side <= B; side++) {
		w.relays[side][0].hook = meddle;
		w.relays[side][0].context = &script;
	}
	pair_add_flow(&w, flow);
	if (flags & SPURIOUS) {
		send_spurious(&w, A, data + 1, size - 1);
		send_spurious(&w, B, data + 1, size - 1);
	}
	pair_run(&w, END);
	// Whatever happened, the message is complete once nothing happens to packets any more.
	require(flags & SPURIOUS || script.changed || nic_open_flows(w.nics[A]) == 0);
	pair_stop(&w);
	return 0;
}
