// SPDX-License-Identifier: BSD-3-Clause
// Frames against bytes written out by hand from the standards.
#include "control/io/lldp/lldp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t source[6] = {2, 1, 0, 0, 0, 1};

static struct lldp_pdu
leaf(void)
{
	return (struct lldp_pdu){
		.chassis = {.subtype = LLDP_CHASSIS_MAC, .length = 6, .bytes = {2, 2, 0, 0, 0, 0}},
		.port = {.subtype = LLDP_PORT_INTERFACE, .length = 4, .bytes = "swp1"},
		.ttl = 120,
	};
}

static void
assert_frame(const struct lldp_pdu *pdu, const uint8_t *expected, size_t length)
{
	uint8_t frame[LLDP_FRAME_MAX];

	assert_int_equal(lldp_build(pdu, source, frame), length);
	assert_memory_equal(frame, expected, length);
}

#define ETHERNET 0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 1, 0, 0, 0, 1, 0x88, 0xcc
#define MANDATORY(ttl)                                                              \
	0x02, 7, 4, 2, 2, 0, 0, 0, 0, /* chassis */ 0x04, 5, 5, 's', 'w', 'p', '1', \
		/* port */ 0x06, 2, 0, ttl

static void
test_least(void **state)
{
	static const uint8_t expected[] = {ETHERNET, MANDATORY(120), 0, 0};
	const struct lldp_pdu pdu = leaf();

	(void)state;
	assert_frame(&pdu, expected, sizeof(expected));
}

// Who stops says nothing else.
static void
test_shutdown(void **state)
{
	static const uint8_t expected[] = {ETHERNET, MANDATORY(0), 0, 0};
	struct lldp_pdu pdu = leaf();

	(void)state;
	pdu.ttl = 0;
	strcpy(pdu.system_name, "leaf1");
	pdu.pfc.present = true;
	assert_frame(&pdu, expected, sizeof(expected));
}

// 802.1AB section 8.5, and 802.1Q annex D.2.8 to D.2.11.
static void
test_all(void **state)
{
	// clang-format off
	static const uint8_t expected[] = {
		ETHERNET, MANDATORY(120),
		0x08, 5, 't', 'o', ' ', 'h', '1',
		0x0a, 5, 'l', 'e', 'a', 'f', '1',
		0x0c, 5, 'R', 'o', 'o', 's', 't',
		0x0e, 4, 0, 0x10, 0, 0x10,
		0x10, 12, 5, 1, 172, 16, 0, 1, 1, 0, 0, 0, 0, 0,
		0x10, 24, 17, 2, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0,
		0xfe, 25, 0, 0x80, 0xc2, 9, 0, 0x00, 0x03, 0x00, 0x60, 50, 0, 0, 50, 0, 0, 0, 0,
			2, 0, 0, 2, 0, 0, 0, 0,
		0xfe, 25, 0, 0x80, 0xc2, 10, 0, 0x00, 0x03, 0x00, 0x60, 50, 0, 0, 50, 0, 0, 0, 0,
			2, 0, 0, 2, 0, 0, 0, 0,
		0xfe, 6, 0, 0x80, 0xc2, 11, 0x08, 0x08,
		0xfe, 8, 0, 0x80, 0xc2, 12, 0, 0x63, 0x12, 0xb7,
		0, 0,
	};
	// clang-format on
	struct lldp_pdu pdu = leaf();

	(void)state;
	strcpy(pdu.port_description, "to h1");
	strcpy(pdu.system_name, "leaf1");
	strcpy(pdu.system_description, "Roost");
	pdu.capabilities = pdu.enabled = LLDP_CAPABLE_ROUTER;
	pdu.has_ip4 = pdu.has_ip6 = true;
	memcpy(pdu.ip4, (uint8_t[]){172, 16, 0, 1}, 4);
	pdu.ip6[0] = 0xfd;
	pdu.ip6[15] = 1;
	pdu.ets = (struct lldp_ets){.present = true,
				    .classes = 8,
				    .priority_to_class = {[3] = 3, [6] = 6},
				    .bandwidth = {[0] = 50, [3] = 50},
				    .algorithm = {[0] = LLDP_ETS, [3] = LLDP_ETS}};
	pdu.pfc = (struct lldp_pfc){.present = true, .classes = 8, .enabled = 1 << 3};
	pdu.applications[0] =
		(struct lldp_application){.priority = 3, .selector = LLDP_UDP, .protocol = 4791};
	pdu.application_count = 1;
	assert_frame(&pdu, expected, sizeof(expected));
}

// The longest of everything still is a frame that can be read.
static void
test_longest(void **state)
{
	struct lldp_pdu pdu = leaf(), back;
	uint8_t frame[LLDP_FRAME_MAX];
	size_t length;

	(void)state;
	pdu.chassis.length = pdu.port.length = LLDP_ID_MAX;
	memset(pdu.port_description, 'p', LLDP_TEXT_MAX - 1);
	memset(pdu.system_name, 'n', LLDP_TEXT_MAX - 1);
	memset(pdu.system_description, 'd', LLDP_TEXT_MAX - 1);
	pdu.capabilities = pdu.enabled = LLDP_CAPABLE_ROUTER;
	pdu.has_ip4 = pdu.has_ip6 = pdu.ets.present = pdu.pfc.present = true;
	pdu.ets.classes = 8;
	pdu.application_count = LLDP_APPLICATIONS_MAX;
	length = lldp_build(&pdu, source, frame);
	assert_in_range(length, 1300, LLDP_FRAME_MAX);
	assert_int_equal(lldp_parse(frame, length, &back), 0);
	assert_true(lldp_same_sender(&pdu, &back));
	assert_string_equal(back.system_description, pdu.system_description);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_shutdown),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
