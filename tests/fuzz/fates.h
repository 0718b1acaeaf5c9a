// SPDX-License-Identifier: BSD-3-Clause
// What fuzz targets of transports share: a script of what becomes of each packet on the way, and
// frames of the input's own.
//
// Input: a byte of flags, then the script: for each packet that passes either way three bytes: what
// is done to it, where, and how. Or, with FATES_SPURIOUS, one more frame for either NIC.
#pragma once

#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/roce/pair.h"

#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/congestion.h"

#define FATES_MESSAGE_BYTES 20000u
#define FATES_RTO (20 * PS_PER_US)
#define FATES_END (100 * PS_PER_MS)
// A message of which a changed packet was believed may be sent again at each timeout for ever, its
// two times 20 packets and their answers: so long, and so many packets of one input.
#define FATES_END_CHANGED (10 * PS_PER_MS)
#define FATES_PACKETS_MAX 40000u
#define FATES_FRAME_MAX 1200u
#define FATES_TRIMMED_BYTES 256u
#define FATES_INPUT_MAX 4000u

// The other flags are the target's own.
enum fates_flags {
	FATES_SPURIOUS = 1 << 0, // the rest of the input is a frame by itself
	FATES_NARROW = 1 << 1,   // few PSNs in flight
	FATES_WINDOW = 1 << 2,   // NSCC, of a transport that has it
};
#define FATES_OWN(n) (1 << (3 + (n)))

enum fate { PASSES, MARKED, DROPPED, OVERTAKEN, CHANGED, CHANGED_SOUND, TRIMMED, CUT, FATES };

struct fates {
	const uint8_t *at;
	size_t left;
	unsigned int packets;
	bool changed; // so that perhaps nobody can tell
};

// One direction.
struct fates_way {
	struct fates *fates;
	bool holds; // a packet that the next one that passes overtakes
};

// Its MACs stay, so that it arrives. `sound`: with right checksums, as far as it may have them.
static inline void
fates_change(struct rte_mbuf *m, uint8_t where, uint8_t how, bool sound)
{
	uint8_t *frame = packet_data(m);
	uint32_t length = packet_meta(m)->data_len;
	uint16_t sum = 0;

	frame[12 + where % (length > 12 ? length - 12 : 1)] ^= how;
	if (!sound || length < 34)
		return;
	memcpy(frame + 24, &sum, 2);
	if (frame[14] == 0x45) {
		sum = checksum_ipv4_header(frame + 14, 20);
		memcpy(frame + 24, &sum, 2);
	}
	(void)icrc_write(frame, length);
}

static inline void
fates_cut(struct rte_mbuf *m, uint8_t where)
{
	struct packet_meta *meta = packet_meta(m);

	meta->data_len = (uint16_t)(14 + where % (meta->data_len > 14 ? meta->data_len - 13 : 1));
	meta->wire_bytes = meta->data_len < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : meta->data_len;
}

// What the script does to the next packet: a verdict of pair.h.
static inline unsigned int
fates_next(struct fates *f, struct rte_mbuf *m)
{
	uint8_t fate, where, how;

	require(f->packets++ < FATES_PACKETS_MAX);
	if (f->left < 3)
		return PAIR_PASS;
	fate = f->at[0] % FATES;
	where = f->at[1];
	how = f->at[2];
	f->at += 3;
	f->left -= 3;
	switch (fate) {
	case MARKED:
		pair_mark(m);
		return PAIR_PASS;
	case DROPPED:
		return PAIR_DROP;
	case OVERTAKEN:
		return PAIR_HOLD + 1;
	case CHANGED:
	case CHANGED_SOUND:
		f->changed = true;
		fates_change(m, where, how, fate == CHANGED_SOUND);
		return PAIR_PASS;
	case TRIMMED:
		if (packet_meta(m)->wire_bytes > FATES_TRIMMED_BYTES)
			pair_trim(m, FATES_TRIMMED_BYTES);
		return PAIR_PASS;
	case CUT:
		fates_cut(m, where);
		return PAIR_PASS;
	default:
		return PAIR_PASS;
	}
}

static inline unsigned int
fates_meet(void *context, struct rte_mbuf *m, ps_t at)
{
	struct fates_way *way = context;
	unsigned int verdict = fates_next(way->fates, m);

	(void)at;
	if (verdict > PAIR_HOLD && way->holds)
		verdict = PAIR_PASS; // a relay holds one
	if (verdict != PAIR_DROP)
		way->holds = verdict > PAIR_HOLD;
	return verdict;
}

// A frame of the input's own for a NIC, once on memory that ends with it: to a UDP port, with a
// right ICRC if packets of that port have one. 0: as it stands.
static inline void
fates_send(struct pair *w, unsigned int to, uint16_t port, const uint8_t *data, size_t size)
{
	uint8_t frame[FATES_FRAME_MAX];
	uint32_t length = (uint32_t)(size < FATES_FRAME_MAX ? size : FATES_FRAME_MAX);
	struct rte_mbuf *m;
	int rc;

	memcpy(frame, data, length);
	if (length >= 12)
		memcpy(frame, w->config[to].ports[0].mac, 6);
	if (length >= 38 && port != 0)
		roce_put16(frame + 36, port);
	if (port == ROCE_UDP_PORT)
		(void)icrc_write(frame, length);
	m = poison_packet(w->packets, frame, length);
	rc = icrc_verify(packet_data(m), length);
	poison_end(m, length);
	require(port != ROCE_UDP_PORT || rc != -EBADMSG);
	require(wire_put(w->nodes[to]->ports[0].in, m, w->now + PAIR_DELAY + 1) == 0);
}

static const struct nscc_parameters fates_nscc = {.decrease = 0.8,
						  .delay_gain = 1.0 / 80,
						  .fair_packets = 5,
						  .proportional_packets = 4,
						  .fast_gain = 0.25,
						  .periodic_gain = 0.15,
						  .adjust_packets = 8,
						  .quick_adapt = true,
						  .quick_gate = 3};

// Two NICs of a transport; a target changes settings, then calls fates_run().
static inline void
fates_prepare(struct pair *w, enum nic_transport transport, uint8_t flags)
{
	pair_init(w, 1);
	for (unsigned int side = A; side <= B; side++) {
		struct nic_config *c = &w->config[side];

		c->transport = transport;
		c->rto = FATES_RTO;
		c->reorder_window = flags & FATES_NARROW ? 8 : 1024;
		if (flags & FATES_WINDOW && transport != NIC_TRANSPORT_ROCE) {
			c->congestion = &congestion_nscc;
			c->congestion_parameters = &fates_nscc;
		}
	}
}

// Two messages between the NICs, by an input behind its flags. `port`: to which a spurious frame
// goes. Without one and without changes the messages are complete once nothing happens to packets
// any more.
static inline void
fates_run(struct pair *w, enum nic_op op, uint16_t port, const uint8_t *input, size_t size)
{
	const struct nic_flow flow = {.path_mtu = 1024,
				      .op = op,
				      .bytes = FATES_MESSAGE_BYTES,
				      .repeat = 2,
				      .base_rtt = 4 * PS_PER_US,
				      .bdp_bytes = 50000};
	const bool spurious = input[0] & FATES_SPURIOUS;
	struct fates fates = {input + 1, spurious ? 0 : size - 1, 0, false};
	struct fates_way ways[2] = {{&fates, false}, {&fates, false}};

	pair_start(w);
	for (unsigned int side = A; side <= B; side++) {
		w->relays[side][0].hook = fates_meet;
		w->relays[side][0].context = &ways[side];
	}
	pair_add_flow(w, flow);
	for (unsigned int side = A; spurious && side <= B; side++)
		fates_send(w, side, port, input + 1, size - 1);
	pair_run(w, FATES_END_CHANGED);
	if (!fates.changed)
		pair_run(w, FATES_END);
	require(spurious || fates.changed ||
		nic_open_flows(w->nics[A]) + nic_open_flows(w->nics[B]) == 0);
	pair_stop(w);
}
