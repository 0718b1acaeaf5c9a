// SPDX-License-Identifier: BSD-3-Clause
//
// In which order the parts of a program run: what waits for what, and computing one at a time.

#include "ring.h"

#include <errno.h>

static void
add_parts(struct nic *nic, struct nic_program program, const ps_t *compute, unsigned int count)
{
	uint32_t id;

	assert_int_equal(nic_add_program(nic, &program, &id), 0);
	assert_int_equal(id, 0);
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(
			nic_add_part(nic, 0, &(struct nic_part){.compute = compute[i]}, &id), 0);
}

static void
assert_times(const struct nic *nic, uint32_t part, uint32_t time, ps_t start, ps_t end)
{
	struct nic_time t;

	assert_int_equal(nic_part_time(nic, 0, part, time, &t), 0);
	assert_int_equal(t.start, start);
	assert_int_equal(t.end, end);
}

// A diamond: 0, then 1 and 2, which compute one after the other, then 3, which does not compute;
// 4 waits for nothing and computes behind 0. Twice, with a gap.
static void
test_diamond(void **state)
{
	static const ps_t compute[] = {10, 5, 7, 0, 100};
	struct ring w;

	(void)state;
	ring_init(&w, 1);
	ring_start(&w);
	add_parts(w.nics[0], (struct nic_program){.start = 1000, .gap = 50, .repeat = 2}, compute,
		  5);
	assert_int_equal(nic_add_order(w.nics[0], 0, 0, 1), 0);
	assert_int_equal(nic_add_order(w.nics[0], 0, 0, 2), 0);
	assert_int_equal(nic_add_order(w.nics[0], 0, 1, 3), 0);
	assert_int_equal(nic_add_order(w.nics[0], 0, 2, 3), 0);
	assert_int_equal(nic_add_order(w.nics[0], 0, 0, 5), -EINVAL);
	assert_int_equal(nic_add_order(w.nics[0], 1, 0, 1), -EINVAL);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	for (uint32_t time = 0; time < 2; time++) {
		ps_t at = 1000 + time * (122 + 50);

		assert_times(w.nics[0], 0, time, at + 10, at + 10);
		assert_times(w.nics[0], 4, time, at + 110, at + 110);
		assert_times(w.nics[0], 1, time, at + 115, at + 115);
		assert_times(w.nics[0], 2, time, at + 122, at + 122);
		assert_times(w.nics[0], 3, time, at + 122, at + 122);
	}
	ring_stop(&w);
}

// A message of NIC 0 beside its computing; NIC 1 computes once it has it.
static void
test_overlap(void **state)
{
	static const ps_t beside[] = {0, 9 * PS_PER_US}, behind[] = {0, 3 * PS_PER_US};
	struct nic_flow flow = {
		.path_mtu = 1024, .gate = NIC_NONE, .messages = {.count = 1, .base = 1024}};
	ps_t arrival = (14 + 20 + 8 + 12 + 20 + 1024 + 4 + 12) * RING_BYTE + RING_DELAY;
	struct nic_program once = {.repeat = 1};
	struct ring w;
	uint32_t inbox;

	(void)state;
	ring_init(&w, 2);
	ring_start(&w);
	ring_join(&w, 0, 0, 1, 0);
	add_parts(w.nics[0], once, beside, 2);
	add_parts(w.nics[1], once, behind, 2);
	assert_int_equal(nic_add_order(w.nics[1], 0, 0, 1), 0);
	assert_int_equal(nic_add_inbox(w.nics[1], 0, 0, &(struct nic_inbox){.messages = 1}, &inbox),
			 0);
	ring_add(&w, 0, 0, 1, 0, flow, inbox);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	assert_times(w.nics[0], 0, 0, 0, arrival + (62 + 12) * RING_BYTE + RING_DELAY);
	assert_times(w.nics[0], 1, 0, 9 * PS_PER_US, 9 * PS_PER_US);
	assert_times(w.nics[1], 0, 0, 0, arrival);
	assert_times(w.nics[1], 1, 0, arrival + 3 * PS_PER_US, arrival + 3 * PS_PER_US);
	ring_stop(&w);
}

// Parts that wait for one another never begin, and the program stays open.
static void
test_circle(void **state)
{
	static const ps_t compute[] = {0, 0};
	struct ring w;

	(void)state;
	ring_init(&w, 1);
	ring_start(&w);
	add_parts(w.nics[0], (struct nic_program){.repeat = 1}, compute, 2);
	assert_int_equal(nic_add_order(w.nics[0], 0, 0, 1), 0);
	assert_int_equal(nic_add_order(w.nics[0], 0, 1, 0), 0);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 1);
	assert_times(w.nics[0], 0, 0, PS_NEVER, PS_NEVER);
	ring_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diamond),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
