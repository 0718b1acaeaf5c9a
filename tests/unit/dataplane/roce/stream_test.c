// SPDX-License-Identifier: BSD-3-Clause
//
// Streams: when their packets leave, what they look like, where they end.

#include "pair.h"

static struct nic_stream
stream_settings(const struct pair *w)
{
	struct nic_stream s = {
		.udp_sport = 0xd000,
		.ip_version = 4,
		.dscp = 10,
		.priority = 1,
		.tc = 1,
		.ttl = 16,
		.packet_bytes = 1000,
		.interval = UINT64_C(1000000) << BYTE_TIME_FRACTION_BITS,
		.until = PS_NEVER,
	};

	memcpy(s.peer_ip, w->config[B].ports[0].ip4, 4);
	return s;
}

#define SEEN_MAX 20000

struct seen {
	ps_t at[SEEN_MAX];
	unsigned int count;
	unsigned int wrong;
};

static unsigned int
see(void *context, struct rte_mbuf *m, ps_t at)
{
	static const uint8_t want[42] = {
		2,    0,  0,    0,    0, 2, 2,    0, 0,  0,  0,    1,    8,  0,
		0x45, 40, 0x03, 0xda, 0, 0, 0x40, 0, 16, 17, 0,    0,    10, 0,
		0,    1,  10,   0,    0, 2, 0xd0, 0, 0,  9,  0x03, 0xc6, 0,  0,
	};
	struct seen *s = context;
	uint8_t frame[42];

	memcpy(frame, packet_data(m), sizeof(frame));
	s->wrong += memcmp(frame + 24, &(uint16_t){checksum_ipv4_header(frame + 14, 20)}, 2) != 0;
	memset(frame + 18, 0, 2);
	memset(frame + 24, 0, 2);
	s->wrong += memcmp(frame, want, sizeof(want)) != 0 || packet_meta(m)->data_len != 42 ||
		    packet_meta(m)->wire_bytes != 1000 || packet_meta(m)->flags & PACKET_ROCE;
	if (s->count < SEEN_MAX)
		s->at[s->count++] = at;
	return PAIR_PASS;
}

#define TO_RELAY (1012 * PAIR_BYTE + PAIR_DELAY)

static void
test_constant_rate(void **state)
{
	static struct seen seen;
	struct nic_stream settings;
	struct nic_totals totals;
	struct pair w;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	pair_init(&w, 1);
	pair_start(&w);
	w.relays[A][0].hook = see;
	w.relays[A][0].context = &seen;
	settings = stream_settings(&w);
	settings.interval = UINT64_C(1333333) << (BYTE_TIME_FRACTION_BITS - 1);
	settings.start = PS_PER_US;
	settings.until = PS_PER_US + 1500 * UINT64_C(1333333) / 2; // when the 1501st would come
	assert_int_equal(nic_add_stream(w.nics[A], &settings), 0);
	pair_pass(&w, 2 * PS_PER_MS);
	// One each 666.6665 ns, about 12 Gb/s.
	assert_int_equal(seen.count, 1500);
	assert_int_equal(seen.wrong, 0);
	for (unsigned int i = 0; i < 1500; i++)
		assert_int_equal(seen.at[i], PS_PER_US + i * UINT64_C(1333333) / 2 + TO_RELAY);
	nic_totals(w.nics[A], &totals);
	assert_int_equal(totals.stream_sent, 1500);
	nic_totals(w.nics[B], &totals);
	assert_int_equal(totals.stream_received, 1500);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_NOT_FOR_HOST], 0);
	pair_stop(&w);
}

static void
test_faster_than_the_line(void **state)
{
	static struct seen seen;
	struct nic_stream settings;
	struct pair w;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	pair_init(&w, 1);
	pair_start(&w);
	w.relays[A][0].hook = see;
	w.relays[A][0].context = &seen;
	settings = stream_settings(&w);
	settings.interval = UINT64_C(40960) << BYTE_TIME_FRACTION_BITS; // half of 1024 byte times
	settings.until = 100 * 40960;
	assert_int_equal(nic_add_stream(w.nics[A], &settings), 0);
	pair_pass(&w, PS_PER_MS);
	// All 100 wait their turn and are sent back to back, the later ones after `until`.
	assert_int_equal(seen.count, 100);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(seen.at[i], i * 1024 * PAIR_BYTE + TO_RELAY);
	pair_stop(&w);
}

static void
test_poisson(void **state)
{
	static struct seen seen[2];
	double mean, square = 0;

	(void)state;
	memset(seen, 0, sizeof(seen));
	for (unsigned int run = 0; run < 2; run++) {
		struct nic_stream settings;
		struct pair w;

		pair_init(&w, 1);
		w.window = PAIR_DELAY / (1 + run); // the same arrivals whatever the window
		pair_start(&w);
		w.relays[A][0].hook = see;
		w.relays[A][0].context = &seen[run];
		settings = stream_settings(&w);
		settings.arrivals = NIC_ARRIVALS_POISSON;
		// A hundredth of the line, so that hardly any waits.
		settings.interval = UINT64_C(8192000) << BYTE_TIME_FRACTION_BITS;
		assert_int_equal(nic_add_stream(w.nics[A], &settings), 0);
		pair_pass(&w, 10000 * UINT64_C(8192000));
		pair_stop(&w);
	}
	assert_int_equal(seen[0].count, seen[1].count);
	assert_memory_equal(seen[0].at, seen[1].at, seen[0].count * sizeof(seen[0].at[0]));
	// 10000 arrivals with a standard deviation of 100; the gaps' square is twice their mean's.
	assert_in_range(seen[0].count, 9600, 10400);
	mean = (double)seen[0].at[seen[0].count - 1] / seen[0].count;
	for (unsigned int i = 1; i < seen[0].count; i++) {
		double gap = (double)(seen[0].at[i] - seen[0].at[i - 1]) / mean;

		square += gap * gap;
	}
	assert_true(square / seen[0].count > 1.8 && square / seen[0].count < 2.2);
}

static void
test_shares_with_a_flow(void **state)
{
	struct nic_stream settings;
	struct nic_totals totals;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	settings = stream_settings(&w);
	settings.interval = 1; // always something to send
	assert_int_equal(nic_add_stream(w.nics[A], &settings), 0);
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 1000000});
	pair_run(&w, PS_PER_MS);
	// Turns: one of the stream's for each of the flow's 1000, and some until the last is
	// acknowledged.
	nic_totals(w.nics[A], &totals);
	assert_in_range(totals.stream_sent, 1000, 1070);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant_rate),
		cmocka_unit_test(test_faster_than_the_line),
		cmocka_unit_test(test_poisson),
		cmocka_unit_test(test_shares_with_a_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
