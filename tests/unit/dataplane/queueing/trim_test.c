// SPDX-License-Identifier: BSD-3-Clause
// What a full queue's packets become, byte by byte, and what counts where.
#include "trimmed.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/icrc.h"
#include "dataplane/roce/payload.h"
#include "dataplane/node/ports.h"

#include <string.h>

// Frees the queues and returns the packet that leaves behind the first.
static struct rte_mbuf *
second(struct harness *h)
{
	struct rte_mbuf *first, *trimmed;

	harness_check(h);
	node_set_tx_off(h->node, &h->node->ports[OUT], 0, h->now);
	harness_run(h, h->now + PS_PER_US);
	first = harness_take(h, OUT, NULL);
	trimmed = harness_take(h, OUT, NULL);
	assert_non_null(trimmed);
	if (packet_meta(trimmed)->wire_bytes == 1000) { // whichever turn it was
		struct rte_mbuf *swap = first;

		first = trimmed;
		trimmed = swap;
	}
	packet_free(h->pool, first);
	harness_check(h);
	return trimmed;
}

// The frame before it was routed and trimmed, with what both change put right.
static void
expected_frame(uint8_t *data, const struct frame *f, struct rte_mbuf *trimmed)
{
	uint32_t l3 = f->vlan_pcp != 0 ? 18 : 14;
	uint8_t *ip = data + l3;
	uint16_t checksum;

	harness_write_frame(data, f);
	memcpy(data, packet_data(trimmed), 12);
	if (f->ip6) {
		ip[0] = 0x60 | DSCP_TRIMMED >> 2;
		ip[1] = (uint8_t)((DSCP_TRIMMED & 3) << 6 | f->ecn << 4);
		ip[4] = (uint8_t)((SIZE - l3 - 40) >> 8);
		ip[5] = (uint8_t)(SIZE - l3 - 40);
		ip[7]--;
	} else {
		ip[1] = (uint8_t)(DSCP_TRIMMED << 2 | f->ecn);
		ip[2] = (uint8_t)((SIZE - l3) >> 8);
		ip[3] = (uint8_t)(SIZE - l3);
		ip[8]--;
		checksum = checksum_ipv4_header(ip, 20);
		memcpy(ip + 10, &checksum, 2);
	}
}

// The first 256 bytes of the frame: lengths, DSCP, TTL and IPv4 checksum follow, UDP's length and
// all else stays.
static void
expect_trimmed(const struct frame *f)
{
	uint8_t expected[PACKET_FRAME_MAX];
	const struct packet_meta *meta;
	struct rte_mbuf *m;
	struct harness h;

	open_full(&h, make_tables());
	put(&h, f);
	assert_int_equal(node_queued(h.node), 2);
	m = second(&h);
	meta = packet_meta(m);
	assert_int_equal(meta->wire_bytes, SIZE);
	assert_int_equal(meta->data_len, SIZE);
	assert_int_equal(meta->tc, 4);
	assert_int_equal(meta->priority, 1);
	assert_int_equal(meta->dscp, f->dscp); // as it came in
	expected_frame(expected, f, m);
	assert_memory_equal(packet_data(m), expected, SIZE);
	packet_free(h.pool, m);
	harness_close(&h);
}

static void
test_bytes(void **state)
{
	static const uint32_t sizes[] = {257, 300, 1000, 1024};

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int k = 0; k < 8; k++) {
			const struct frame f = {
				.to = OUT,
				.bytes = sizes[i],
				.dscp = 8 + (uint8_t)k,
				.ecn = (uint8_t)(k & 3),
				.ip6 = k & 1,
				.vlan_pcp = k & 2 ? 8 + 5 : 0,
				.dport = k & 4 ? ROCE_UDP_PORT : 0,
				.opcode = ROCE_OP_WRITE_MIDDLE,
			};

			expect_trimmed(&f);
		}
	}
}

static void
test_counts(void **state)
{
	struct tables *t = make_tables();
	struct harness h;
	struct port *in, *out;

	(void)state;
	open_full(&h, t);
	in = &h.node->ports[IN];
	out = &h.node->ports[OUT];
	put(&h, &(struct frame){.to = OUT, .bytes = 900, .dscp = 8});
	assert_int_equal(out->queue_cold[1].trimmed, 1);
	assert_int_equal(out->queues[1].dropped, 0);
	assert_int_equal(out->queues[4].usage.own, SIZE);
	assert_int_equal(out->queues[4].depth_max, SIZE);
	assert_int_equal(*node_depth(h.node, out, 4), SIZE);
	assert_int_equal(in->groups[1].usage.own, 1000 + SIZE);
	assert_int_equal(in->groups[1].packets, 2);
	assert_int_equal(in->groups[1].bytes, 1900);
	assert_int_equal(in->groups[1].dropped, 0);
	assert_int_equal(in->rx_bytes, 1900);
	assert_int_equal(out->queue_cold[4].trim_sent, 0);
	packet_free(h.pool, second(&h));
	assert_int_equal(out->queue_cold[4].trim_sent, 1);
	assert_int_equal(out->queue_cold[1].trim_sent, 0);
	assert_int_equal(out->queues[4].packets, 1);
	assert_int_equal(out->queues[4].bytes, SIZE);
	assert_int_equal(out->tx_bytes, 1000 + SIZE);
	harness_close(&h);
}

// A trimmed packet that finds its port idle goes at once: the queue refuses all there is.
static void
test_idle_port(void **state)
{
	struct tables *t = make_tables();
	struct harness h;
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	harness_profile(t)->tc[1].threshold.fixed = 0;
	harness_open(&h, t);
	harness_put(&h, IN, harness_frame(&h, &(struct frame){.to = OUT, .bytes = 500, .dscp = 8}),
		    5000);
	harness_run(&h, PS_PER_US);
	m = harness_take(&h, OUT, &left);
	assert_non_null(m);
	assert_int_equal(left, 5000 + harness_frame_time(SIZE));
	assert_int_equal(h.node->ports[OUT].queue_cold[4].trim_sent, 1);
	packet_free(h.pool, m);
	harness_check(&h);
	harness_close(&h);
}

// A packet of whose payload nothing is written: only the headers are there, before and after, and a
// capture of what leaves shows the first bytes of the whole packet, of its ICRC too where that is
// cut in two.
static void
test_unsent(void **state)
{
	static const uint32_t sizes[] = {257, 258, 260, 261, 1500, 4170};

	(void)state;
	for (unsigned int i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct frame f = {.to = OUT,
					.bytes = sizes[i / 2],
					.dscp = 8,
					.ip6 = i & 1,
					.dport = ROCE_UDP_PORT,
					.opcode = ROCE_OP_WRITE_MIDDLE};
		const uint32_t headers = 14 + (f.ip6 ? 40 : 20) + 8 + 12;
		uint8_t whole[PACKET_FRAME_MAX], expected[PACKET_FRAME_MAX], seen[SIZE];
		struct harness h;
		struct rte_mbuf *m;

		open_full(&h, make_tables());
		m = harness_frame(&h, &f);
		packet_meta(m)->data_len = (uint16_t)headers;
		packet_meta(m)->flags = PACKET_NO_PAYLOAD;
		harness_put(&h, IN, m, h.now);
		harness_run(&h, h.now + 1);
		m = second(&h);
		assert_int_equal(packet_meta(m)->wire_bytes, SIZE);
		assert_int_equal(packet_meta(m)->data_len, headers);

		harness_write_frame(whole, &f);
		assert_int_equal(icrc_write(whole, f.bytes), 0);
		expected_frame(expected, &f, m);
		memcpy(expected + headers, whole + headers, SIZE - headers);
		assert_int_equal(payload_copy(m, seen, SIZE), 0);
		assert_memory_equal(seen, expected, SIZE);
		assert_int_equal(payload_write(m, 2048), 0);
		assert_memory_equal(packet_data(m), expected, SIZE);
		assert_int_equal(packet_meta(m)->data_len, SIZE);
		packet_free(h.pool, m);
		harness_close(&h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_idle_port),
		cmocka_unit_test(test_unsent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
