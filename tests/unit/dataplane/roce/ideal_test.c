// SPDX-License-Identifier: BSD-3-Clause
//
// Ideal completion times: known answers, then against every packet taken through one by one.

#include "dataplane/roce/ideal.h"

#include "dataplane/base/random.h"
#include "dataplane/roce/nic.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define G UINT64_C(1000000000)

// `hops` links of 100G and 1 us; framing of Ethernet or none.
static ps_t
uniform(unsigned int hops, bool framing, int32_t header_bytes, int32_t ack_bytes, uint32_t path_mtu,
	uint64_t bytes)
{
	struct ideal_hop path[4];
	struct ideal_flow flow = {
		.sizes = {.header_bytes = header_bytes, .ack_bytes = ack_bytes},
		.bytes = bytes,
		.path_mtu = path_mtu,
		.ack_every = 1,
		.data = path,
		.acks = path,
		.data_hops = hops,
		.ack_hops = hops,
	};
	ps_t out;

	for (unsigned int i = 0; i < hops; i++)
		path[i] = (struct ideal_hop){
			.byte_time = time_byte_time(100 * G),
			.preamble = framing ? 8 : 0,
			.fcs = framing ? 4 : 0,
			.gap = framing ? 12 : 0,
			.delay = PS_PER_US,
		};
	assert_int_equal(ideal_completion(&flow, &out), 0);
	return out;
}

static void
test_real_sizes(void **state)
{
	(void)state;
	// One packet, two hops: 2 x (4182 x 80 ps + 1 us) and back 2 x (74 x 80 ps + 1 us).
	assert_int_equal(uniform(2, true, -1, -1, 4096, 4096), 4680960);
	// Four hops: 1 us each; 245 packets, 244 of 4096 B. All but the first leave the first hop
	// in 4178 byte times each; the last, of 576 B, waits behind a large one on each further
	// hop.
	assert_int_equal(uniform(4, true, -1, -1, 4096, 1000000), 90634880);
}

static void
test_simulator_sizes(void **state)
{
	(void)state;
	// 48 B of headers, 60 B ACKs, 1000 B packets, no framing. 4490 B is four of 1048 B and one
	// of 538. One leaf: 5 x 1048 + 538 B, ACK 2 x 60, four links.
	assert_int_equal(uniform(2, false, 48, 60, 1000, 4490),
			 (5 * 1048 + 538 + 120) * 80 + 4000000);
	assert_int_equal(uniform(2, false, 48, 60, 1000, 4490), 4471840);
	assert_int_equal(uniform(4, false, 48, 60, 1000, 4490), 8649120);
	assert_int_equal(uniform(4, false, 48, 60, 1000, 1), 8034880);
	assert_int_equal(uniform(4, false, 48, 60, 1000, 1000000), 92110720);
}

// The same model, without a thought of speed: all packets' times on a hop, hop after hop.
static ps_t
naive(const struct ideal_flow *f)
{
	uint64_t packets = (f->bytes + f->path_mtu - 1) / f->path_mtu, acks = 0;
	ps_t *at = calloc(packets, sizeof(*at)), last;
	uint32_t *size = calloc(packets, sizeof(*size));
	uint32_t ack = f->sizes.ack_bytes != -1 ? (uint32_t)f->sizes.ack_bytes
		       : f->sizes.network       ? 82
						: 62;

	assert_true(at != NULL && size != NULL);
	for (uint64_t i = 0; i < packets; i++) {
		uint32_t payload = i + 1 == packets ? (uint32_t)(f->bytes - i * f->path_mtu)
						    : f->path_mtu;

		size[i] = f->sizes.header_bytes != -1
				  ? payload + (uint32_t)f->sizes.header_bytes
				  : 14 + (f->sizes.network ? 40 : 20) + 8 + 12 +
					    (i % NIC_WRITE_PACKETS == 0 ? 16 : 0) +
					    (payload + 3) / 4 * 4 + 4;
		if (f->sizes.header_bytes == -1 && size[i] < 60)
			size[i] = 60;
	}
	for (unsigned int h = 0; h < f->data_hops; h++) {
		const struct ideal_hop *hop = &f->data[h];
		ps_t free_at = 0;

		for (uint64_t i = 0; i < packets; i++) {
			ps_t start = at[i] > free_at ? at[i] : free_at;
			uint32_t frame = size[i] + hop->encap_bytes + hop->preamble + hop->fcs;

			free_at = start + time_of_bytes(hop->byte_time, frame + hop->gap);
			at[i] = start + time_of_bytes(hop->byte_time, frame) + hop->delay;
		}
	}
	for (uint64_t i = 0, count = 0; i < packets; i++)
		if (++count == f->ack_every || i + 1 == packets ||
		    (i + 1) % NIC_WRITE_PACKETS == 0) {
			at[acks++] = at[i];
			count = 0;
		}
	for (unsigned int h = 0; h < f->ack_hops; h++) {
		const struct ideal_hop *hop = &f->acks[h];
		ps_t free_at = 0;

		for (uint64_t i = 0; i < acks; i++) {
			ps_t start = at[i] > free_at ? at[i] : free_at;
			uint32_t frame = ack + hop->encap_bytes + hop->preamble + hop->fcs;

			free_at = start + time_of_bytes(hop->byte_time, frame + hop->gap);
			at[i] = start + time_of_bytes(hop->byte_time, frame) + hop->delay;
		}
	}
	last = at[acks - 1];
	free(at);
	free(size);
	return last;
}

// Through a tunnel on the two links in the middle: 50 B more of every packet there, both ways.
static void
test_encapsulated(void **state)
{
	struct ideal_hop path[4];
	struct ideal_flow flow = {
		.sizes = {-1, -1, false},
		.bytes = 4096,
		.path_mtu = 4096,
		.ack_every = 1,
		.data = path,
		.acks = path,
		.data_hops = 4,
		.ack_hops = 4,
	};
	ps_t out;

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		path[i] = (struct ideal_hop){
			.byte_time = time_byte_time(100 * G),
			.preamble = 8,
			.fcs = 4,
			.gap = 12,
			.encap_bytes = i == 1 || i == 2 ? 50 : 0,
			.delay = PS_PER_US,
		};
	// 2 x 4182 and 2 x 4232 B there, 2 x 74 and 2 x 124 B back.
	assert_int_equal(ideal_completion(&flow, &out), 0);
	assert_int_equal(out, (2 * 4182 + 2 * 4232 + 2 * 74 + 2 * 124) * 80 + 8 * PS_PER_US);
	// The last of 245 packets waits for 244 on the slowest link: 50 B of each.
	flow.bytes = 1000000;
	assert_int_equal(ideal_completion(&flow, &out), 0);
	assert_int_equal(out, naive(&flow));
}

static void
random_path(struct random *r, struct ideal_hop *path, unsigned int hops)
{
	static const uint32_t encap_bytes[] = {0, 0, 4, 50, 70};
	static const uint64_t rates[] = {G / 10,  10 * G,  25 * G,  40 * G, 99 * G,
					 100 * G, 101 * G, 400 * G, 800 * G};

	for (unsigned int i = 0; i < hops; i++) {
		bool framing = random_below(r, 4) != 0;

		path[i] = (struct ideal_hop){
			.byte_time = time_byte_time(rates[random_below(r, 9)]),
			.preamble = framing ? 8 : 0,
			.fcs = framing ? 4 : 0,
			.gap = framing ? 12 : 0,
			.encap_bytes = encap_bytes[random_below(r, 5)],
			.delay = 1 + random_below(r, 2000000),
		};
	}
}

static void
test_against_every_packet(void **state)
{
	struct random r = random_stream(7, 7);

	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		static const uint32_t ack_every[] = {1, 1, 2, 3, 16, 100, 1024};
		struct ideal_hop data[6], acks[6];
		struct ideal_flow flow = {
			.sizes = {-1, -1, random_below(&r, 2)},
			.path_mtu = 256 + random_below(&r, 3841),
			.ack_every = ack_every[random_below(&r, 7)],
			.data = data,
			.acks = acks,
			.data_hops = 1 + random_below(&r, 6),
			.ack_hops = 1 + random_below(&r, 6),
		};
		ps_t got;

		if (random_below(&r, 3) == 0) {
			flow.sizes.header_bytes = 1 + (int32_t)random_below(&r, 100);
			flow.sizes.ack_bytes = 1 + (int32_t)random_below(&r, 3000);
		}
		flow.bytes = 1 +
			     random_below(&r, random_below(&r, 2) ? 10000 : 3000 * flow.path_mtu);
		random_path(&r, data, flow.data_hops);
		random_path(&r, acks, flow.ack_hops);
		assert_int_equal(ideal_completion(&flow, &got), 0);
		assert_int_equal(got, naive(&flow));
	}
}

static void
test_long_flow_of_several_writes(void **state)
{
	struct ideal_hop data[3], acks[3];
	struct random r = random_stream(8, 8);

	(void)state;
	for (unsigned int round = 0; round < 4; round++) {
		struct ideal_flow flow = {
			.sizes = {-1, -1, false},
			.bytes = UINT64_C(256) * (2 * NIC_WRITE_PACKETS + 10 * round) + 17,
			.path_mtu = 256,
			.ack_every = 1 + 6 * round,
			.data = data,
			.acks = acks,
			.data_hops = 3,
			.ack_hops = 3,
		};
		ps_t got;

		random_path(&r, data, 3);
		random_path(&r, acks, 3);
		assert_int_equal(ideal_completion(&flow, &got), 0);
		assert_int_equal(got, naive(&flow));
	}
}

static void
test_refusals(void **state)
{
	struct ideal_hop hop[1] = {{.byte_time = 1, .delay = 1}};
	struct ideal_flow good = {
		.bytes = 1,
		.path_mtu = 1,
		.ack_every = 1,
		.data = hop,
		.acks = hop,
		.data_hops = 1,
		.ack_hops = 1,
	};
	struct ideal_flow f;
	ps_t out;

	(void)state;
	assert_int_equal(ideal_completion(&good, &out), 0);
	f = good, f.bytes = 0;
	assert_int_equal(ideal_completion(&f, &out), -EINVAL);
	f = good, f.path_mtu = 0;
	assert_int_equal(ideal_completion(&f, &out), -EINVAL);
	f = good, f.ack_every = 0;
	assert_int_equal(ideal_completion(&f, &out), -EINVAL);
	f = good, f.data_hops = 0;
	assert_int_equal(ideal_completion(&f, &out), -EINVAL);
	f = good, f.ack_hops = IDEAL_HOPS_MAX + 1;
	assert_int_equal(ideal_completion(&f, &out), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_sizes),
		cmocka_unit_test(test_simulator_sizes),
		cmocka_unit_test(test_encapsulated),
		cmocka_unit_test(test_against_every_packet),
		cmocka_unit_test(test_long_flow_of_several_writes),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
