// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame that ends at the MAC: a pause, PFC, a congestion notice, credits or none of
// them, at a leaf and at a spine that believes notices. Nothing is read behind the frame, nothing
// passes on, a pause ends when it says, no credit is more than the far end can have, and what is
// counted adds up.
//
// Input: a byte of flags, one for the port, then the frame behind its destination.
#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/harness.h"
#include "tests/unit/dataplane/queueing/credited.h"

#include "dataplane/base/credit.h"
#include "dataplane/base/headers.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/notice.h"
#include "dataplane/stages/parse.h"

#define PORTS 4u
#define FRAME_MAX 200u
#define LONGEST (65535 * UINT64_C(5120)) // quanta of 512 bit times at 100 Gb/s

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	MAKE_PFC = 1 << 0,
	MAKE_PAUSE = 1 << 1,
	MAKE_NOTICE = 1 << 2,
	AT_SPINE = 1 << 3,
	LINK_PAUSE = 1 << 4, // flow control is 802.3x
	BUSY = 1 << 5,       // a packet leaves by the port, which may keep it
	CREDITS = 1 << 6,    // flow control is by credits, and so is the frame
	CBFC = 1 << 7,       // those of Ultra Ethernet
};

static struct harness switches[4], credited[2];

#define BLOCKS 100

static struct harness *
open_credited(bool cbfc)
{
	struct harness *h = &credited[cbfc];

	if (h->node == NULL)
		harness_open(h, credited_tables(PORTS, cbfc ? CREDIT_CBFC : CREDIT_INFINIBAND,
						BLOCKS, 100 * PS_PER_MS));
	return h;
}

static struct harness *
open_once(uint8_t flags)
{
	const bool spine = flags & AT_SPINE, link = flags & LINK_PAUSE;
	struct harness *h = &switches[spine + 2 * link];
	struct tables *t;

	if (flags & CREDITS)
		return open_credited(flags & CBFC);
	if (h->node != NULL)
		return h;
	t = harness_tables(PORTS);
	harness_profile(t)->link_pause = link;
	if (spine)
		t->notices =
			(struct notice_profile){.on = true, .depth = 1000, .hold = 10 * PS_PER_US};
	for (unsigned int i = 0; i < PORTS; i++)
		t->ports[i].inner = spine;
	harness_open(h, t);
	if (spine)
		h->node->role = NODE_SPINE;
	return h;
}

// The frame that the input asks for; its length.
static uint32_t
make_frame(uint8_t *frame, const uint8_t *data, uint32_t bytes, uint8_t flags)
{
	memcpy(frame, "\x01\x80\xc2\x00\x00\x01", 6);
	memcpy(frame + 6, data, bytes);
	bytes += 6;
	if (flags & CREDITS && bytes >= 24) {
		memcpy(frame + 12, "\x88\x08\xff\xfe\x02\x00\x00", 7);
	} else if (flags & MAKE_NOTICE && bytes >= 18) {
		frame[5] = NOTICE_ADDRESS_LAST;
		memcpy(frame + 12, "\x88\xb5RN\x01", 5);
	} else if (flags & (MAKE_PFC | MAKE_PAUSE) && bytes >= 16) {
		memcpy(frame + 12, "\x88\x08", 2);
		memcpy(frame + 14, flags & MAKE_PFC ? "\x01\x01" : "\x00\x01", 2);
	}
	return bytes;
}

// Hands a frame to the stages by hand.
static void
hand_over(struct harness *h, unsigned int port, const uint8_t *frame, uint32_t bytes)
{
	struct rte_mbuf *m = poison_packet(h->pool, frame, bytes);
	struct port *in = &h->node->ports[port];
	const uint64_t control_rx = in->control_rx;
	int verdict = stage_parse(h->node, in, m, h->now);

	if (verdict == STAGE_NEXT)
		verdict = stage_control_frames(h->node, in, m, h->now);
	poison_end(m, bytes);
	require(verdict != STAGE_NEXT);
	require(in->control_rx == control_rx + (verdict == STAGE_CONSUMED));
	if (verdict != STAGE_CONSUMED)
		packet_free(h->pool, m);
	else // a frame that is consumed counts as received
		in->rx_packets++;
}

// One that arrives, with a packet that leaves by the same port.
static void
let_arrive(struct harness *h, unsigned int port, const uint8_t *frame, uint32_t bytes, bool busy)
{
	const struct frame other = {.to = port, .dscp = frame[6] & 0x3f};

	harness_put(h, port, plain_packet(h->pool, frame, bytes), h->now + 1);
	if (busy)
		harness_put(h, (port + 1) % PORTS, harness_frame(h, &other),
			    h->now + 2 * PS_PER_US);
	harness_run(h, h->now + 4 * PS_PER_US);
	for (unsigned int i = 0; h->node->credits == NULL && i < PORTS; i++)
		require(i == port || harness_drain(h, i) == 0);
	harness_check(h);
}

// A frame may have taken all credit of a lane, whose packets then wait; the next fuzzed frame that
// grants some lets them go.
static void
check_credits(struct harness *h)
{
	for (unsigned int i = 0; i < PORTS; i++) {
		harness_drain(h, i);
		for (unsigned int lane = 0; lane < PRIORITIES; lane++) {
			const struct credit_lane *l = &h->node->ports[i].credits->lanes[lane];

			require(credit_available(l) >= 0);
			require(credit_available(l) <= (int32_t)h->node->current->credits->most);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX + 6];
	struct harness *h;
	unsigned int port, left;
	uint32_t bytes;
	bool busy;

	if (size < 8 || size - 2 > FRAME_MAX)
		return 0;
	h = open_once(data[0]);
	port = data[1] % PORTS;
	busy = data[0] & BUSY;
	bytes = make_frame(frame, data + 2, (uint32_t)size - 2, data[0]);
	hand_over(h, port, frame, bytes);
	let_arrive(h, port, frame, bytes, busy);
	if (h->node->credits != NULL) {
		check_credits(h);
		return 0;
	}
	left = harness_drain(h, port);
	harness_run(h, h->now + LONGEST + PS_PER_US);
	require(left + harness_drain(h, port) == busy);
	for (unsigned int i = 0; i < PORTS; i++)
		require(h->node->held[i] == 0);
	return 0;
}
