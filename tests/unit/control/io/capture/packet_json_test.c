// SPDX-License-Identifier: BSD-3-Clause
#include "control/io/capture/packet_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MACS 0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2
#define IP4(protocol)                                                                            \
	0x08, 0x00, 0x45, 26 << 2 | 3, 0, 60, 0, 0, 0, 0, 64, (protocol), 0, 0, 10, 0, 1, 2, 10, \
		0, 2, 1
#define ROCE \
	0xc0, 0x01, 0x12, 0xb7, 0, 40, 0, 0, 0x07, 0, 0xff, 0xff, 0, 0, 1, 2, 0x80, 0x01, 0x02, 0x03

static const uint8_t roce[] = {MACS, IP4(17), ROCE};
static const uint8_t vxlan[] = {MACS, IP4(17), 0xc0, 0x02, 0x12, 0xb5, 0, 90,   0,       0,   8,
				0,    0,       0,    0,    0x13, 0x89, 0, MACS, IP4(17), ROCE};
static const uint8_t tagged[] = {MACS, 0x81, 0x00, 0x60, 0x0a, 0x08, 0x06};
static const uint8_t pfc[] = {0x01, 0x80, 0xc2, 0,    0, 1,    2,    0,    0, 0, 0, 9,
			      0x88, 0x08, 0x01, 0x01, 0, 0x09, 0xff, 0xff, 0, 0, 0, 0,
			      0,    7,    0,    0,    0, 0,    0,    0,    0, 0};

static json_t *
describe(const uint8_t *data, uint32_t count)
{
	json_t *to = json_object();
	uint8_t *copy = malloc(count + 1); // so that a sanitizer sees what is read behind it

	memcpy(copy, data, count);
	packet_json_add(to, copy, count);
	free(copy);
	return to;
}

static void
check(const uint8_t *data, uint32_t count, const char *expected)
{
	json_t *found = describe(data, count), *wanted = json_loads(expected, 0, NULL);
	char *text = json_dumps(found, JSON_COMPACT | JSON_SORT_KEYS);

	assert_non_null(wanted);
	if (!json_equal(found, wanted))
		fail_msg("%s\n instead of\n%s", text, expected);
	free(text);
	json_decref(found);
	json_decref(wanted);
}

static void
test_kinds(void **state)
{
	(void)state;
	check(roce, sizeof(roce),
	      "{\"protocol\":\"roce\",\"src\":\"10.0.1.2\",\"dst\":\"10.0.2.1\",\"dscp\":26,"
	      "\"ecn\":3,\"sport\":49153,\"dport\":4791,\"opcode\":\"WRITE_MIDDLE\",\"qp\":258,"
	      "\"psn\":66051}");
	check(vxlan, sizeof(vxlan),
	      "{\"protocol\":\"roce\",\"src\":\"10.0.1.2\",\"dst\":\"10.0.2.1\",\"dscp\":26,"
	      "\"ecn\":3,\"sport\":49153,\"dport\":4791,\"opcode\":\"WRITE_MIDDLE\",\"qp\":258,"
	      "\"psn\":66051,\"vni\":5001,\"tunnel_src\":\"10.0.1.2\","
	      "\"tunnel_dst\":\"10.0.2.1\"}");
	check(tagged, sizeof(tagged),
	      "{\"protocol\":\"arp\",\"src\":\"02:00:00:00:00:02\",\"dst\":\"02:00:00:00:00:01\","
	      "\"vlan\":10}");
	check(pfc, sizeof(pfc),
	      "{\"protocol\":\"pfc\",\"src\":\"02:00:00:00:00:09\",\"dst\":\"01:80:c2:00:00:01\","
	      "\"quanta\":{\"0\":65535,\"3\":7}}");
	check(roce, 13, "{\"protocol\":\"ethernet\"}");
}

// SL 3 on VL 5, LID 5 to 7, partition 1.
static const uint8_t infiniband[] = {0x50, 0x32, 0, 7, 0, 8, 0, 5, 0x11, 0x40, 0x80, 1,
				     0,    0,    1, 2, 0, 1, 2, 3, 0x1f, 0,    0,    9};

static void
test_infiniband(void **state)
{
	(void)state;
	for (uint32_t count = 0; count <= sizeof(infiniband); count++) {
		const char *wanted =
			count < 8    ? "{\"protocol\":\"infiniband\"}"
			: count < 20 ? "{\"protocol\":\"infiniband\",\"src\":\"lid 5\",\"dst\":"
				       "\"lid 7\",\"sl\":3,\"vl\":5}"
			: count == 20
				? "{\"protocol\":\"infiniband\",\"src\":\"lid 5\",\"dst\":\"lid "
				  "7\","
				  "\"sl\":3,\"vl\":5,\"pkey\":32769,\"opcode\":\"ACK\",\"qp\":258,"
				  "\"psn\":66051}"
				: "{\"protocol\":\"infiniband\",\"src\":\"lid 5\",\"dst\":\"lid "
				  "7\","
				  "\"sl\":3,\"vl\":5,\"pkey\":32769,\"opcode\":\"ACK\",\"qp\":258,"
				  "\"psn\":66051,\"syndrome\":31}";
		json_t *found = json_object(), *expected = json_loads(wanted, 0, NULL);
		uint8_t *copy = malloc(count + 1);

		memcpy(copy, infiniband, count);
		packet_json_add_infiniband(found, copy, count);
		if (!json_equal(found, expected))
			fail_msg("%u bytes: %s", count, json_dumps(found, 0));
		json_decref(found);
		json_decref(expected);
		free(copy);
	}
}

static void
test_cut_anywhere(void **state)
{
	static const struct {
		const uint8_t *data;
		uint32_t count;
	} packets[] = {{roce, sizeof(roce)},
		       {vxlan, sizeof(vxlan)},
		       {tagged, sizeof(tagged)},
		       {pfc, sizeof(pfc)}};

	(void)state;
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		for (uint32_t count = 0; count < packets[i].count; count++)
			json_decref(describe(packets[i].data, count));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_infiniband),
		cmocka_unit_test(test_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
