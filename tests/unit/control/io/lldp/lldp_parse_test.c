// SPDX-License-Identifier: BSD-3-Clause
// LLDPDUs as others write them, and those that nobody may use.
#include "control/io/lldp/lldp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CHASSIS 0x02, 7, 4, 2, 2, 0, 0, 0, 0
#define PORT 0x04, 5, 5, 'e', 't', 'h', '1'
#define TTL(seconds) 0x06, 2, 0, seconds
#define END 0, 0

// Puts TLVs behind an Ethernet header and reads them.
static int
parse(const uint8_t *tlvs, size_t bytes, struct lldp_pdu *out)
{
	uint8_t frame[LLDP_FRAME_MAX] = {0x01, 0x80, 0xc2, 0, 0, 0x0e, 2,
					 0,    0,    0,    0, 9, 0x88, 0xcc};

	memcpy(frame + 14, tlvs, bytes);
	return lldp_parse(frame, 14 + bytes, out);
}

#define PARSE(out, ...) parse((const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}), out)

static void
test_least(void **state)
{
	char text[LLDP_TEXT_MAX];
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(120), END), 0);
	assert_string_equal(lldp_chassis_text(&p.chassis, text), "02:02:00:00:00:00");
	assert_string_equal(lldp_port_text(&p.port, text), "eth1");
	assert_int_equal(p.ttl, 120);
	assert_string_equal(p.system_name, "");
	assert_false(p.pfc.present || p.ets.present || p.has_ip4 || p.has_ip6);
	// The end may be missing, padding may follow it, and a shutdown says no more.
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(120)), 0);
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(120), END, 0xff, 0xff), 0);
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(0), 0xff), 0);
	assert_int_equal(p.ttl, 0);
}

static void
test_unusable(void **state)
{
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(PARSE(&p, END), -EBADMSG);
	assert_int_equal(PARSE(&p, PORT, CHASSIS, TTL(1), END), -EBADMSG);
	assert_int_equal(PARSE(&p, CHASSIS, PORT, END), -EBADMSG);
	assert_int_equal(PARSE(&p, CHASSIS, TTL(1), PORT, END), -EBADMSG);
	assert_int_equal(PARSE(&p, 0x02, 1, 4, PORT, TTL(1), END), -EBADMSG);       // no identifier
	assert_int_equal(PARSE(&p, 0x02, 2, 0, 1, PORT, TTL(1), END), -EBADMSG);    // no subtype
	assert_int_equal(PARSE(&p, CHASSIS, PORT, 0x06, 1, 9, END), -EBADMSG);      // half a TTL
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), TTL(1), END), -EBADMSG);  // twice
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), CHASSIS, END), -EBADMSG); // twice
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), 0x0a, 9, 'a'), -EBADMSG); // goes on
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), 0x0a), -EBADMSG);
	assert_int_equal(lldp_parse((const uint8_t[14]){0}, 14, &p), -EBADMSG);
	assert_int_equal(lldp_parse((const uint8_t[3]){0}, 3, &p), -EBADMSG);
}

static void
test_identifiers(void **state)
{
	char text[LLDP_TEXT_MAX];
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(
		PARSE(&p, 0x02, 6, 5, 1, 10, 0, 0, 1, 0x04, 7, 3, 2, 0, 0, 0, 0, 9, TTL(1)), 0);
	assert_string_equal(lldp_chassis_text(&p.chassis, text), "10.0.0.1");
	assert_string_equal(lldp_port_text(&p.port, text), "02:00:00:00:00:09");
	// What is no address is a text, fit to be printed.
	assert_int_equal(PARSE(&p, 0x02, 6, 4, 'a', 0x1b, 0xff, 0, 'b', 0x04, 3, 7, 'x', 0, TTL(1)),
			 0);
	assert_string_equal(lldp_chassis_text(&p.chassis, text), "a???b");
	assert_string_equal(lldp_port_text(&p.port, text), "x");
}

static void
test_texts(void **state)
{
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), 0x08, 2, 'p', 'd', 0x0a, 3, 'b', 'o', 'x',
			       0x0c, 4, 0xc3, 0xa4, '\n', 0xc3, 0x0a, 1, 'z', 0x0e, 4, 0, 0x14, 0,
			       0x90, 0x0e, 4, 0, 1, 0, 1, END),
			 0);
	assert_string_equal(p.port_description, "pd");
	assert_string_equal(p.system_name, "box"); // the first
	assert_string_equal(p.system_description, "\xc3\xa4??");
	assert_int_equal(p.capabilities, LLDP_CAPABLE_BRIDGE | LLDP_CAPABLE_ROUTER);
	assert_int_equal(p.enabled, LLDP_CAPABLE_ROUTER); // only what it is capable of
	// TLVs that are wrong in themselves say nothing.
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), 0x0e, 3, 0, 4, 0, 0x0a, 0, 0x10, 0, END),
			 0);
	assert_int_equal(p.capabilities, 0);
	assert_string_equal(p.system_name, "");
}

static void
test_management(void **state)
{
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1),                     //
			       0x10, 12, 5, 6, 9, 9, 9, 9, 2, 0, 0, 0, 1, 0,  // a MAC's family
			       0x10, 12, 5, 1, 10, 0, 0, 7, 2, 0, 0, 0, 1, 0, //
			       0x10, 12, 5, 1, 10, 0, 0, 8, 2, 0, 0, 0, 1, 0, // the second
			       0x10, 24, 17, 2, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
			       2, 0, 0, 0, 1, 0, END),
			 0);
	assert_true(p.has_ip4 && p.has_ip6);
	assert_int_equal(p.ip4[3], 7);
	assert_int_equal(p.ip6[15], 5);
	// An address longer than its TLV, or of a wrong length.
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1), 0x10, 6, 5, 1, 10, 0, 0, 7, 0x10, 11, 4,
			       1, 10, 0, 0, 2, 0, 0, 0, 1, 0, 0x10, 1, 255, 0x10, 0, END),
			 0);
	assert_false(p.has_ip4 || p.has_ip6);
}

static void
test_dcbx(void **state)
{
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1),                                //
			       0xfe, 25, 0, 0x80, 0xc2, 9, 0xc3, 0x01, 0x23, 0x45, 0x67, //
			       10, 20, 70, 0, 0, 0, 0, 0, 0, 1, 2, 255, 3, 0, 0, 0,      //
			       0xfe, 6, 0, 0x80, 0xc2, 11, 0xc8, 0x18,                   //
			       0xfe, 11, 0, 0x80, 0xc2, 12, 0, 0x63, 0x12, 0xb7, 0xa5, 0,
			       26, // UDP, DSCP
			       0xfe, 4, 0, 0x12, 0x0f, 1, END),
			 0);
	assert_true(p.ets.present && p.ets.willing && p.ets.credit_shaper);
	assert_int_equal(p.ets.classes, 3);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(p.ets.priority_to_class[i], i);
	assert_int_equal(p.ets.bandwidth[2], 70);
	assert_int_equal(p.ets.algorithm[1], LLDP_CREDIT_SHAPER);
	assert_int_equal(p.ets.algorithm[3], LLDP_VENDOR);
	assert_true(p.pfc.present && p.pfc.willing && p.pfc.bypass);
	assert_int_equal(p.pfc.classes, 8);
	assert_int_equal(p.pfc.enabled, 1 << 3 | 1 << 4);
	assert_int_equal(p.application_count, 2);
	assert_int_equal(p.applications[0].priority, 3);
	assert_int_equal(p.applications[0].selector, LLDP_UDP);
	assert_int_equal(p.applications[0].protocol, 4791);
	assert_int_equal(p.applications[1].priority, 5);
	assert_string_equal(lldp_selector_name(p.applications[1].selector), "dscp");
	assert_null(lldp_selector_name(7));
	assert_null(lldp_selector_name(0));
}

// Of a wrong length, or a class that does not exist.
static void
test_dcbx_that_is_wrong(void **state)
{
	struct lldp_pdu p;

	(void)state;
	assert_int_equal(PARSE(&p, CHASSIS, PORT, TTL(1),                                //
			       0xfe, 24, 0, 0x80, 0xc2, 9, 0, 0x01, 0x23, 0x45, 0x67,    //
			       10, 20, 70, 0, 0, 0, 0, 0, 0, 1, 2, 255, 3, 0, 0,         //
			       0xfe, 25, 0, 0x80, 0xc2, 9, 0, 0x01, 0x23, 0x45, 0x68,    //
			       10, 20, 70, 0, 0, 0, 0, 0, 0, 1, 2, 255, 3, 0, 0, 0,      //
			       0xfe, 5, 0, 0x80, 0xc2, 11, 0xc8, 0xfe, 6, 0, 0x80, 0xc2, //
			       12, 0, 0x63, 0xfe, 4, 0, 0x80, 0xc2, 12, 0xfe, 3, 0, 0x80, 0xc2,
			       END),
			 0);
	assert_false(p.ets.present);
	assert_false(p.pfc.present);
	assert_int_equal(p.application_count, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_unusable),
		cmocka_unit_test(test_identifiers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_management),
		cmocka_unit_test(test_dcbx),
		cmocka_unit_test(test_dcbx_that_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
