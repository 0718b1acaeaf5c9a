// SPDX-License-Identifier: BSD-3-Clause
// What ends at the MAC, and what the MAC lets pass.
#include "../harness.h"

#include "dataplane/base/punt.h"
#include "dataplane/stages/control_frames.h"

#include <string.h>

static const uint16_t quanta_3[PRIORITIES] = {[3] = 100};

// Sends the frame into port 0 after changing `count` bytes at `at`, and returns how many frames
// left.
static unsigned int
pass(struct harness *h, struct rte_mbuf *m, unsigned int at, const char *bytes, size_t count)
{
	unsigned int left = 0;

	memcpy(packet_data(m) + at, bytes, count);
	harness_put(h, 0, m, h->now);
	harness_run(h, h->now + PS_PER_US);
	for (unsigned int i = 0; i < h->tables->port_count; i++)
		left += harness_drain(h, i);
	harness_check(h);
	return left;
}

static uint64_t
all_drops(const struct harness *h)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < DROP_COUNT; i++)
		sum += h->node->ports[0].drops[i];
	return sum;
}

static struct rte_mbuf *
udp(struct harness *h)
{
	return harness_frame(h, &(struct frame){.to = 1});
}

// None of the sixteen reserved addresses passes, whatever is behind them; the next one is
// multicast.
static void
test_reserved_addresses(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	for (unsigned int last = 0; last < 16; last++) {
		char address[6] = {0x01, (char)0x80, (char)0xc2, 0, 0, (char)last};

		assert_int_equal(pass(&h, udp(&h), 0, address, 6), 0);
		assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), last + 1);
	}
	assert_int_equal(pass(&h, udp(&h), 0, "\x01\x80\xc2\x00\x00\x10", 6), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_MULTICAST), 1);
	assert_int_equal(all_drops(&h), 17);
	harness_close(&h);
}

static void
test_mac_filter(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	assert_int_equal(pass(&h, udp(&h), 0, "\x02\x00\x00\x00\x00\x01", 6), 1);
	assert_int_equal(pass(&h, udp(&h), 0, "\x02\x00\x00\x00\x00\x02", 6), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_WRONG_MAC), 1);
	assert_int_equal(pass(&h, udp(&h), 0, "\xff\xff\xff\xff\xff\xff", 6), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_MULTICAST), 1);
	assert_int_equal(pass(&h, udp(&h), 6, "\x02\x00\x00\x00\x00\x01", 6), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_LOOPED), 1);
	assert_int_equal(
		pass(&h, udp(&h), 0, "\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01", 12), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_LOOPED), 2);
	harness_close(&h);
}

// Frames that are nearly PFC pause nothing and are dropped by name; so are those that end too
// early.
static void
test_near_pfc(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	harness_open(&h, harness_tables(2));
	pass(&h, harness_pfc(&h, 8, quanta_3), 5, "\x02", 1);      // LACP's address
	pass(&h, harness_pfc(&h, 8, quanta_3), 12, "\x88\x09", 2); // another EtherType
	pass(&h, harness_pfc(&h, 8, quanta_3), 14, "\x01\x02", 2); // another opcode
	pass(&h, harness_pfc(&h, 8, quanta_3), 12, "\x81\x00\x00\x64\x88\x08\x01\x01", 8); // tagged
	assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), 4);
	m = harness_pfc(&h, 8, quanta_3);
	packet_meta(m)->data_len = 33; // the last quanta are cut
	pass(&h, m, 0, "\x01", 1);
	assert_int_equal(harness_drops(&h, 0, DROP_TRUNCATED), 1);
	m = harness_pfc(&h, 8, quanta_3);
	packet_meta(m)->data_len = 15;
	pass(&h, m, 0, "\x01", 1);
	assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), 5);
	m = harness_pfc(&h, 8, quanta_3);
	packet_meta(m)->data_len = 17;
	pass(&h, m, 14, "\x00\x01", 2); // a pause without its time
	assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), 6);
	assert_int_equal(h.node->ports[0].pfc_rx[3], 0);
	assert_int_equal(h.node->ports[0].pause_rx, 0);
	assert_int_equal(h.node->ports[0].control_rx, 0);
	assert_int_equal(h.node->held[0], 0);
	// And a real one; the high byte of its vector means nothing.
	pass(&h, harness_pfc(&h, 8, quanta_3), 16, "\xff", 1);
	assert_int_equal(h.node->ports[0].pfc_rx[3], 1);
	assert_int_equal(h.node->ports[0].control_rx, 1);
	assert_int_equal(h.node->ports[0].rx_pause[3].total, 100 * 5120);
	harness_close(&h);
}

// LLDP goes to the control plane where there is one, up to what it may hold of a port; elsewhere,
// and to other addresses, it ends here like the rest.
static void
test_lldp(void **state)
{
	static const char lldp[14] = "\x01\x80\xc2\x00\x00\x0e\x02\x00\x00\x00\x00\x09\x88\xcc";
	const struct punt_frame *frame;
	struct harness h;
	struct punt *punt;

	(void)state;
	assert_int_equal(punt_create(&punt), 0);
	harness_open(&h, harness_tables(2));
	assert_int_equal(pass(&h, udp(&h), 0, lldp, sizeof(lldp)), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), 1);
	h.node->punt = punt;
	assert_int_equal(pass(&h, udp(&h), 0, lldp, sizeof(lldp)), 0);
	assert_int_equal(h.node->ports[0].control_rx, 1);
	frame = punt_peek(punt);
	assert_non_null(frame);
	assert_int_equal(frame->port, 0);
	assert_int_equal(frame->length, 300);
	assert_memory_equal(frame->data, lldp, sizeof(lldp));
	for (unsigned int i = 0; i < PUNT_PORT_FRAMES; i++)
		pass(&h, udp(&h), 0, lldp, sizeof(lldp));
	assert_int_equal(h.node->ports[0].control_rx, PUNT_PORT_FRAMES);
	assert_int_equal(harness_drops(&h, 0, DROP_CONTROL_PLANE), 1);
	punt_release(punt);
	pass(&h, udp(&h), 0, "\x01\x80\xc2\x00\x00\x03", 6);
	pass(&h, udp(&h), 0, "\x01\x80\xc2\x00\x00\x0e", 6); // IPv4
	assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), 3);
	assert_int_equal(all_drops(&h), 4);
	harness_close(&h);
	punt_destroy(punt);
}

// BFD, which the XDP program has given a destination of its own, has another ring.
static void
test_bfd(void **state)
{
	static const char address[6] = {0x01, (char)0x80, (char)0xc2, 0, 0, PUNT_BFD_ADDRESS_LAST};
	const struct punt_frame *frame;
	struct harness h;
	struct punt *punt;

	(void)state;
	assert_int_equal(punt_create(&punt), 0);
	harness_open(&h, harness_tables(2));
	assert_int_equal(pass(&h, udp(&h), 0, address, sizeof(address)), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_RESERVED_ADDRESS), 1);
	h.node->bfd_punt = punt;
	assert_int_equal(pass(&h, udp(&h), 0, address, sizeof(address)), 0);
	frame = punt_peek(punt);
	assert_non_null(frame);
	assert_int_equal(frame->length, 300);
	for (unsigned int i = 0; i < PUNT_PORT_FRAMES; i++)
		pass(&h, udp(&h), 0, address, sizeof(address));
	assert_int_equal(h.node->ports[0].control_rx, PUNT_PORT_FRAMES);
	assert_int_equal(harness_drops(&h, 0, DROP_CONTROL_PLANE), 1);
	assert_int_equal(all_drops(&h), 2);
	harness_close(&h);
	punt_destroy(punt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reserved_addresses),
		cmocka_unit_test(test_mac_filter),
		cmocka_unit_test(test_near_pfc),
		cmocka_unit_test(test_lldp),
		cmocka_unit_test(test_bfd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
