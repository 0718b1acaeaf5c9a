// SPDX-License-Identifier: BSD-3-Clause
// What fuzz targets of transports share that acknowledge packets singly: a script of what becomes
// of each packet on the way, and frames of the input's own.
//
// The script: for each packet that passes either way three bytes: what is done to it, where, and
// how.
#pragma once

#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/roce/pair.h"

#include "dataplane/base/uet_headers.h"
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

enum fate { PASSES, MARKED, DROPPED, CHANGED, CHANGED_SOUND, TRIMMED, CUT, FATES };

struct fates {
	const uint8_t *at;
	size_t left;
	unsigned int packets;
	bool changed; // so that perhaps nobody can tell
};

// Its addresses stay, so that it arrives. `sound`: with a right ICRC, if it may have one.
static inline void
fates_change(struct rte_mbuf *m, uint8_t where, uint8_t how, bool sound)
{
	uint8_t *frame = packet_data(m);
	uint32_t length = packet_meta(m)->data_len;

	frame[34 + where % (length > 34 ? length - 34 : 1)] ^= how;
	if (sound)
		(void)icrc_write(frame, length);
}

static inline void
fates_trim(struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);

	if (meta->wire_bytes <= FATES_TRIMMED_BYTES)
		return;
	meta->wire_bytes = FATES_TRIMMED_BYTES;
	checksum_ipv4_set_byte(packet_data(m) + 14, 2, 0);
	checksum_ipv4_set_byte(packet_data(m) + 14, 3, FATES_TRIMMED_BYTES - 14);
}

static inline void
fates_cut(struct rte_mbuf *m, uint8_t where)
{
	struct packet_meta *meta = packet_meta(m);

	meta->data_len = (uint16_t)(14 + where % (meta->data_len > 14 ? meta->data_len - 13 : 1));
	meta->wire_bytes = meta->data_len < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : meta->data_len;
}

static inline unsigned int
fates_meet(void *context, struct rte_mbuf *m, ps_t at)
{
	struct fates *f = context;
	uint8_t fate, where, how;

	(void)at;
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
		checksum_ipv4_set_byte(packet_data(m) + 14, 1, packet_data(m)[15] | 3);
		return PAIR_PASS;
	case DROPPED:
		return PAIR_DROP;
	case CHANGED:
	case CHANGED_SOUND:
		f->changed = true;
		fates_change(m, where, how, fate == CHANGED_SOUND);
		return PAIR_PASS;
	case TRIMMED:
		fates_trim(m);
		return PAIR_PASS;
	case CUT:
		fates_cut(m, where);
		return PAIR_PASS;
	default:
		return PAIR_PASS;
	}
}

// A frame of the input's own for a NIC, to the transport's UDP port, on memory that ends with it.
static inline void
fates_send(struct pair *w, unsigned int to, uint16_t port, const uint8_t *data, size_t size)
{
	uint8_t frame[FATES_FRAME_MAX];
	uint32_t length = (uint32_t)(size < FATES_FRAME_MAX ? size : FATES_FRAME_MAX);
	struct rte_mbuf *m;

	memcpy(frame, data, length);
	if (length >= 38) {
		memcpy(frame, w->config[to].ports[0].mac, 6);
		roce_put16(frame + 36, port);
	}
	if (port == ROCE_UDP_PORT)
		(void)icrc_write(frame, length);
	m = poison_packet(w->packets, frame, length);
	poison_end(m, length);
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

// Two messages between NICs that are configured, by the rest of the input behind its flags: the
// script, or, if `port` is not 0, a frame to it. Without that and without changes they are complete
// once nothing happens to packets any more.
static inline void
fates_run(struct pair *w, enum nic_op op, uint16_t port, const uint8_t *data, size_t size)
{
	const struct nic_flow flow = {.path_mtu = 1024,
				      .op = op,
				      .bytes = FATES_MESSAGE_BYTES,
				      .repeat = 2,
				      .base_rtt = 4 * PS_PER_US,
				      .bdp_bytes = 50000};
	struct fates fates = {data, port != 0 ? 0 : size, 0, false};

	pair_start(w);
	for (unsigned int side = A; side <= B; side++) {
		w->relays[side][0].hook = fates_meet;
		w->relays[side][0].context = &fates;
	}
	pair_add_flow(w, flow);
	for (unsigned int side = A; port != 0 && side <= B; side++)
		fates_send(w, side, port, data, size);
	pair_run(w, FATES_END_CHANGED);
	if (!fates.changed)
		pair_run(w, FATES_END);
	require(port != 0 || fates.changed || nic_open_flows(w->nics[A]) == 0);
	pair_stop(w);
}
