// SPDX-License-Identifier: BSD-3-Clause
// A probe enters a leaf as if the host behind a port had sent it, and leaves a NIC as its
// acknowledgements do. Where it cannot be sent, its packet is free again.
#include "dataplane/roce/probe.h"

#include "../harness.h"
#include "pair.h"

// The frame, of whose bytes only the first ones are there, as a probe that is marked.
static struct probe
make_probe(struct rte_mbuf *m)
{
	struct probe probe = {.meta = *packet_meta(m)};

	if (probe.meta.data_len > PROBE_BYTES_MAX)
		probe.meta.data_len = PROBE_BYTES_MAX;
	memcpy(probe.data, packet_data(m), probe.meta.data_len);
	probe.meta.data_off = 0;
	probe.meta.flags |= PACKET_PROBE | PACKET_BAD_PAYLOAD;
	return probe;
}

static struct probe
make_leaf_probe(struct harness *h, const struct frame *f)
{
	struct rte_mbuf *m = harness_frame(h, f);
	struct probe probe = make_probe(m);

	packet_free(h->pool, m);
	return probe;
}

static void
expect_probe(struct harness *h, unsigned int port, const struct probe *probe, ps_t at)
{
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_non_null(m);
	assert_true(packet_meta(m)->flags & PACKET_PROBE);
	assert_int_equal(packet_meta(m)->wire_bytes, probe->meta.wire_bytes);
	assert_int_equal(left, at + harness_frame_time(probe->meta.wire_bytes));
	packet_free(h->pool, m);
}

// As any packet of the host: counted where it comes in, forwarded, and dropped without a route.
static void
test_into_a_leaf(void **state)
{
	static const struct frame ip4 = {.to = 1}, ip6 = {.to = 1, .ip6 = true};
	struct harness h;
	struct probe probe;

	(void)state;
	harness_open(&h, harness_tables(2));
	for (unsigned int i = 0; i < 2; i++) {
		const ps_t sent = h.now + 1000;

		probe = make_leaf_probe(&h, i == 0 ? &ip4 : &ip6);
		assert_int_equal(probe_send(h.node, &h.node->ports[0], &probe, sent), 0);
		harness_run(&h, h.now + 10 * PS_PER_US);
		expect_probe(&h, 1, &probe, sent);
	}
	assert_int_equal(h.node->ports[0].rx_packets, 2);
	probe = make_leaf_probe(&h, &(struct frame){.to = 200});
	assert_int_equal(probe_send(h.node, &h.node->ports[0], &probe, h.now), 0);
	harness_run(&h, h.now + 10 * PS_PER_US);
	assert_int_equal(harness_drops(&h, 0, DROP_NO_ROUTE), 1);
	harness_check(&h);
	harness_close(&h);
}

static void
test_no_link_at_a_leaf(void **state)
{
	struct harness h;
	struct probe probe;
	struct wire *in;

	(void)state;
	harness_open(&h, harness_tables(2));
	probe = make_leaf_probe(&h, &(struct frame){.to = 1});
	h.node->ports[0].up = false;
	assert_int_equal(probe_send(h.node, &h.node->ports[0], &probe, h.now), -ENETDOWN);
	h.node->ports[0].up = true;
	in = h.node->ports[0].in;
	h.node->ports[0].in = NULL;
	assert_int_equal(probe_send(h.node, &h.node->ports[0], &probe, h.now), -ENETDOWN);
	h.node->ports[0].in = in;
	harness_run(&h, h.now + 10 * PS_PER_US);
	assert_int_equal(h.node->ports[0].rx_packets, 0);
	harness_close(&h);
}

struct seen {
	unsigned int probes;
	ps_t at;
};

static unsigned int
look(void *context, struct rte_mbuf *m, ps_t at)
{
	struct seen *seen = context;

	assert_true(packet_meta(m)->flags & PACKET_PROBE);
	assert_int_equal(packet_meta(m)->wire_bytes, 200);
	*seen = (struct seen){seen->probes + 1, at};
	return PAIR_DROP;
}

// By the port that was named, one after the other at the rate of its link; never without a wire.
static void
test_from_a_nic(void **state)
{
	const ps_t frame = (200 + 12) * PAIR_BYTE;
	struct probe probe = {.meta = {.wire_bytes = 200,
				       .data_len = 64,
				       .flags = PACKET_PROBE | PACKET_BAD_PAYLOAD}};
	struct seen seen = {0};
	struct pair w;
	struct wire *out;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	w.relays[A][0].hook = look;
	w.relays[A][0].context = &seen;
	pair_step(&w, PAIR_DELAY);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(probe_send(w.nodes[A], &w.nodes[A]->ports[0], &probe, w.now), 0);
	while (w.now < 5 * PAIR_DELAY)
		pair_step(&w, PS_NEVER);
	assert_int_equal(seen.probes, 2);
	assert_int_equal(seen.at, 2 * PAIR_DELAY + 2 * frame + 12 * PAIR_BYTE);
	out = w.nodes[A]->ports[0].out;
	w.nodes[A]->ports[0].out = NULL;
	assert_int_equal(probe_send(w.nodes[A], &w.nodes[A]->ports[0], &probe, w.now), -ENETDOWN);
	w.nodes[A]->ports[0].out = out;
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_into_a_leaf),
		cmocka_unit_test(test_no_link_at_a_leaf),
		cmocka_unit_test(test_from_a_nic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
