// SPDX-License-Identifier: BSD-3-Clause
// The address plan by hand, and there and back for every place.
#include "control/topology/addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void
test_by_hand(void **state)
{
	static const uint8_t ip4[4] = {10, 33, 3, 7};
	static const uint8_t mac[6] = {2, 0, 10, 33, 3, 7};
	static const uint8_t port_mac[6] = {2, 1, 1, 2, 3, 9};
	const struct place place = {.plane = 1, .pod = 1, .leaf = 3, .port = 7};
	char text[ADDRESSES_TEXT_MAX];
	uint8_t out[16];

	(void)state;
	addresses_ip4(&place, out);
	assert_memory_equal(out, ip4, 4);
	addresses_host_mac(&place, out);
	assert_memory_equal(out, mac, 6);
	addresses_ip6(&place, out);
	assert_string_equal(inet_ntop(AF_INET6, out, text, sizeof(text)), "fd00::1:1:3:7");
	addresses_switch_mac(0x010203, 9, out);
	assert_memory_equal(out, port_mac, 6);
}

static void
assert_found(const char *text, const struct place *place)
{
	struct place found;

	assert_int_equal(addresses_find_place(text, &found), 0);
	assert_memory_equal(&found, place, sizeof(found));
}

static void
test_there_and_back(void **state)
{
	(void)state;
	for (uint16_t plane = 0; plane < ADDRESSES_PLANES; plane += 7) {
		for (uint32_t leaf = 1; leaf <= ADDRESSES_PODS * 256;
		     leaf += leaf < 600 ? 1 : 511) {
			for (uint16_t port = 1; port <= 256; port += port < 8 ? 1 : 31) {
				const struct place place = {plane, (uint16_t)((leaf - 1) / 256),
							    (uint16_t)((leaf - 1) % 256 + 1), port};
				uint8_t a[16];
				char text[ADDRESSES_TEXT_MAX];

				addresses_ip4(&place, a);
				assert_found(inet_ntop(AF_INET, a, text, sizeof(text)), &place);
				addresses_ip6(&place, a);
				assert_found(inet_ntop(AF_INET6, a, text, sizeof(text)), &place);
				addresses_host_mac(&place, a);
				snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02X:%02X", a[0],
					 a[1], a[2], a[3], a[4], a[5]);
				assert_found(text, &place);
			}
		}
	}
}

static void
test_no_place(void **state)
{
	static const char *const elsewhere[] = {
		"11.0.0.1",        "192.0.2.1",         "fe80::1",          "fd00::8:0:1:1",
		"fd00::0:32:1:1",  "fd00::1:0:0:1",     "fd00::1:0:1:0",    "fd00::1:0:101:1",
		"fd00:0:0:1::1:1", "02:01:0a:00:01:01", "02:00:0b:00:01:01"};
	static const char *const nothing[] = {"",
					      "10.1.3",
					      "10.1.3.256",
					      "h1",
					      "02:00:0a",
					      "02:00:0a:00:01:0g",
					      "02-00-0a-00-01-01",
					      "10.1.3.7 ",
					      "fd00::1::1"};
	struct place place;

	(void)state;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		assert_int_equal(addresses_find_place(elsewhere[i], &place), -ENOENT);
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		assert_int_equal(addresses_find_place(nothing[i], &place), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
