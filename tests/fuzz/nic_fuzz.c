// SPDX-License-Identifier: BSD-3-Clause
// A NIC whose packets meet any fate on the way, and to which anybody sends anything: nothing is
// read behind a frame, it answers a frame by no more than a few, whatever is done to its packets
// ends, and no packet is lost or kept for ever.
//
// Input: a byte of flags, then for each packet that passes either way three bytes: what is done to
// it, where, and how. What is left of the input is one more frame for either NIC.
#include "poison.h"
#include "require.h"

#include "tests/unit/dataplane/roce/pair.h"

#define MESSAGE_BYTES 20000u
#define PACKETS_MAX 20000u // of one input: of a message that is sent again and again
#define END (20 * PS_PER_MS)
#define FRAME_MAX 1200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	IS_READ = 1 << 0,
	IS_SEND = 1 << 1,
	OUT_OF_ORDER = 1 << 2,
	SELECTIVE = 1 << 3,
	SPURIOUS = 1 << 4, // the rest of the input is a frame by itself
	FIX = 1 << 5,      // that frame gets a right ICRC
};

enum deed { PASSES, MARKED, DROPPED, OVERTAKEN, CHANGED, CHANGED_SOUND, CUT, DEEDS };

struct script {
	const uint8_t *at;
	size_t left;
	unsigned int packets;
	bool holds; // one waits to be overtaken
};

static void
change(struct rte_mbuf *m, uint8_t where, uint8_t how, bool sound)
{
	uint8_t *frame = packet_data(m);
	uint32_t length = packet_meta(m)->data_len;
	uint16_t sum = 0;

	frame[12 + where % (length > 13 ? length - 12 : 1)] ^= how;
	if (!sound || length < 34)
		return;
	memcpy(frame + 24, &sum, 2);
	if (frame[14] == 0x45) {
		sum = checksum_ipv4_header(frame + 14, 20);
		memcpy(frame + 24, &sum, 2);
	}
	(void)icrc_write(frame, length);
}

static unsigned int
meddle(void *context, struct rte_mbuf *m, ps_t at)
{
	struct script *s = context;
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
	case CHANGED_SOUND:
		change(m, where, how, deed == CHANGED_SOUND);
		return PAIR_PASS;
	case CUT:
		packet_meta(m)->data_len =
			(uint16_t)(14 + where % (packet_meta(m)->data_len > 14
							 ? packet_meta(m)->data_len - 13
							 : 1));
		packet_meta(m)->wire_bytes = packet_meta(m)->data_len < PACKET_FRAME_MIN
						     ? PACKET_FRAME_MIN
						     : packet_meta(m)->data_len;
		return PAIR_PASS;
	default:
		return PAIR_PASS;
	}
}

// A frame of the input's own for a NIC, once on memory that ends with it.
static void
send_spurious(struct pair *w, unsigned int to, const uint8_t *data, size_t size, bool fix)
{
	uint8_t frame[FRAME_MAX];
	uint32_t length = (uint32_t)(size < FRAME_MAX ? size : FRAME_MAX);
	struct rte_mbuf *m;
	int rc;

	memcpy(frame, data, length);
	if (length >= 12)
		memcpy(frame, w->config[to].ports[0].mac, 6);
	if (fix)
		(void)icrc_write(frame, length);
	m = poison_packet(w->packets, frame, length);
	rc = icrc_verify(packet_data(m), length);
	poison_end(m, length);
	require(!fix || rc != -EBADMSG);
	require(wire_put(w->nodes[to]->ports[0].in, m, w->now + PAIR_DELAY + 1) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair w;
	struct script script;
	struct nic_flow flow = {.path_mtu = 1024, .bytes = MESSAGE_BYTES, .repeat = 2};
	uint8_t flags;

	if (size < 2 || size > 4000)
		return 0;
	flags = data[0];
	script = (struct script){data + 1, flags & SPURIOUS ? 0 : size - 1};
	flow.op = flags & IS_READ ? NIC_OP_READ : flags & IS_SEND ? NIC_OP_SEND : NIC_OP_WRITE;
	pair_init(&w, 1);
	for (unsigned int side = A; side <= B; side++)
		w.config[side].placement = flags & OUT_OF_ORDER ? NIC_PLACEMENT_OUT_OF_ORDER
								: NIC_PLACEMENT_IN_ORDER;
	pair_start(&w);
	for (unsigned int side = A; side <= B; side++) {
		w.relays[side][0].hook = meddle;
		w.relays[side][0].context = &script;
	}
	pair_add_flow(&w, flow);
	if (flags & SPURIOUS) {
		send_spurious(&w, A, data + 1, size - 1, flags & FIX);
		send_spurious(&w, B, data + 1, size - 1, flags & FIX);
	}
	pair_run(&w, END);
	pair_stop(&w);
	return 0;
}
