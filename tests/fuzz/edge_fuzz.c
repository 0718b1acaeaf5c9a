// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame at an edge NIC, from the host and from its leaf. Nothing is read behind the
// frame, what is counted adds up, no priority holds more than it may, and a pause ends when it
// says.
//
// Input: a byte of flags, then the frame.
#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/roce/edged.h"

#include "dataplane/base/headers.h"

#define FRAME_MAX 400u
#define COPIES 20u                       // more than a priority holds of the largest
#define LONGEST (65535 * UINT64_C(5120)) // quanta of 512 bit times at 100 Gb/s

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	MAKE_CONTROL = 1 << 0, // to the address of pauses, MAC control
	MAKE_IP4 = 1 << 1,
	MAKE_IP6 = 1 << 2,
	LINK_PAUSE = 1 << 3, // flow control is 802.3x
	SLOW_HOST = 1 << 4,
};

static struct harness nics[2];

static struct harness *
open_once(uint8_t flags)
{
	struct harness *h = &nics[(flags & LINK_PAUSE) != 0];
	struct tables *t;

	if (h->node != NULL)
		return h;
	t = harness_tables(2);
	harness_profile(t)->link_pause = flags & LINK_PAUSE;
	edge_open(h, t);
	return h;
}

static void
make_frame(uint8_t *frame, uint32_t bytes, uint8_t flags)
{
	if (flags & MAKE_CONTROL && bytes >= 14) {
		memcpy(frame, "\x01\x80\xc2\x00\x00\x01", 6);
		header_put16(frame + 12, HEADER_TYPE_MAC_CONTROL);
	} else if (flags & (MAKE_IP4 | MAKE_IP6) && bytes >= 14) {
		header_put16(frame + 12, flags & MAKE_IP4 ? HEADER_TYPE_IP4 : HEADER_TYPE_IP6);
	}
}

// Hands a frame to the stages by hand.
static void
hand_over(struct harness *h, unsigned int port, const uint8_t *frame, uint32_t bytes)
{
	struct rte_mbuf *m = poison_packet(h->pool, frame, bytes);
	struct port *in = &h->node->ports[port];
	int verdict = STAGE_NEXT;

	packet_meta(m)->in_port = (uint8_t)port;
	packet_meta(m)->tenant = TENANT_NONE;
	if (bytes < 14 || !header_reserved_address(frame))
		verdict = stage_edge_classify(h->node, in, m, h->now);
	poison_end(m, bytes);
	require(verdict == STAGE_NEXT);
	require(bytes < 14 || header_reserved_address(frame) || packet_meta(m)->tc < PRIORITIES);
	packet_free(h->pool, m);
}

static void
let_arrive(struct harness *h, unsigned int port, const uint8_t *frame, uint32_t bytes)
{
	for (unsigned int i = 0; i < COPIES; i++)
		harness_put(h, port, plain_packet(h->pool, frame, bytes), h->now + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX];
	uint32_t bytes = (uint32_t)size - 1;
	struct harness *h;

	if (size < 2 || bytes > FRAME_MAX)
		return 0;
	h = open_once(data[0]);
	memcpy(frame, data + 1, bytes);
	make_frame(frame, bytes, data[0]);
	h->out[HOST]->limit = data[0] & SLOW_HOST ? 0 : UINT32_MAX;
	for (unsigned int port = LINK; port <= HOST; port++) {
		hand_over(h, port, frame, bytes);
		let_arrive(h, port, frame, bytes);
	}
	harness_run(h, h->now + 4 * PS_PER_US);
	edge_check(h);
	for (unsigned int i = 0; i < 2 * PRIORITIES; i++)
		require(h->node->depth[i] <= LIMIT);
	h->out[HOST]->limit = UINT32_MAX;
	harness_run(h, h->now + LONGEST + PS_PER_US);
	harness_drain(h, LINK);
	harness_drain(h, HOST);
	require(node_queued(h->node) == 0 && h->node->ports[LINK].paused == 0);
	edge_check(h);
	return 0;
}
