// SPDX-License-Identifier: BSD-3-Clause
// The address plan by hand, and there and back for every place.
#include "fixture.h"

#include <arpa/inet.h>

static void
test_by_hand(void **state)
{
	static const uint8_t ip4[4] = {10, 33, 3, 7};
	static const uint8_t mac[6] = {2, 0, 10, 33, 3, 7};
	static const uint8_t port_mac[6] = {2, 1, 1, 2, 3, 9};
	const struct place place = {.plane = 1, .pod = 1, .number = 3, .port = 7};
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

	assert_int_equal(fixture_find_place(text, &found), 0);
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
		"11.0.0.1",        "192.0.2.1",         "fe80::1",           "fd00::8:0:1:1",
		"fd00::0:32:1:1",  "fd00::1:0:0:1",     "fd00::1:0:1:0",     "fd00::1:0:101:1",
		"fd00:0:0:1::1:1", "02:01:0a:00:01:01", "02:00:0b:00:01:01", "172.16.0.1"};
	static const char *const nothing[] = {"",
					      "10.1.3",
					      "10.1.3.256",
					      "h1",
					      "02:00:0a",
					      "02:00:0a:00:01:0g",
					      "02-00-0a-00-01-01",
					      "10.1.3.7 ",
					      "fd00::1::1",
					      "02: 0:0a:00:01:01",
					      "+2:00:0a:00:01:01"};
	struct place place;

	(void)state;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		assert_int_equal(fixture_find_place(elsewhere[i], &place), -ENOENT);
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		assert_int_equal(fixture_find_place(nothing[i], &place), -EINVAL);
}

// ---- switches -----------------------------------------------------------------------------------

static void
test_switches_by_hand(void **state)
{
	static const uint8_t loopback4[4] = {172, 17, 33, 0}, mac[6] = {2, 2, 1, 2, 3, 0};
	const struct place spine = {.tier = 1, .plane = 1, .pod = 1, .number = 256, .port = 7};
	char text[ADDRESSES_TEXT_MAX];
	uint8_t out[16];

	(void)state;
	addresses_loopback4(&spine, out);
	assert_memory_equal(out, loopback4, 4);
	addresses_loopback6(&spine, out);
	assert_string_equal(inet_ntop(AF_INET6, out, text, sizeof(text)), "fd00::2:1:1:100:0");
	addresses_link_local(&spine, out);
	assert_string_equal(inet_ntop(AF_INET6, out, text, sizeof(text)), "fe80::201:1:100:7");
	addresses_router_mac(0x010203, out);
	assert_memory_equal(out, mac, 6);
}

static void
test_no_switch(void **state)
{
	static const char *const elsewhere[] = {
		"172.15.0.1",       "172.19.0.1",        "fd00:0:0:4::1:0",   "fd00::1:8:0:1:0",
		"fd00::1:0:32:1:0", "fd00::1:0:0:101:0", "fd00::1:0:0:0:0",   "fd00::1:0:0:1:1",
		"fe80::400:0:1:1",  "fe80::108:0:1:1",   "fe80::100:20:1:1",  "fe80::100:0:0:1",
		"fe80::100:0:1:0",  "fe80:1::100:0:1:1", "fe80::100:0:101:1", "fe80::100:0:1:101",
		"fec0::100:0:1:1",  "02:02:00:00:00:01", "02:03:00:00:00:00", "03:02:00:00:00:00"};
	struct addresses_found found;

	(void)state;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		assert_int_equal(addresses_find(elsewhere[i], &found), -ENOENT);
	assert_int_equal(addresses_find("fe80::", &found), -ENOENT);
	assert_int_equal(addresses_find("172.16.0", &found), -EINVAL);
}

// ---- the largest plan ---------------------------------------------------------------------------

// Eight planes of 32 pods with 128 leaves of 128 ports each: 524,288 hosts with eight NICs, on
// paper.
#define LARGE_LEAVES 128
#define LARGE_PORTS 128
#define LARGE_SPINES 256
#define LARGE_SUPERS 16

// A bit for each IPv4 address of 10.0.0.0/8, or of 172.16.0.0/14.
static uint8_t seen[1u << 24 >> 3];

static void
assert_new(uint32_t address)
{
	uint32_t bit = address & 0xffffff;

	assert_false(seen[bit >> 3] & 1 << (bit & 7));
	seen[bit >> 3] |= (uint8_t)(1 << (bit & 7));
}

static uint32_t
number4(const uint8_t *ip)
{
	return (uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 | (uint32_t)ip[2] << 8 | ip[3];
}

static void
test_half_a_million_hosts(void **state)
{
	uint32_t hosts = 0;

	(void)state;
	memset(seen, 0, sizeof(seen));
	for (uint16_t plane = 0; plane < ADDRESSES_PLANES; plane++) {
		for (uint32_t host = 0; host < ADDRESSES_PODS * LARGE_LEAVES * LARGE_PORTS;
		     host++) {
			const struct place place = {
				plane, (uint16_t)(host / LARGE_PORTS / LARGE_LEAVES),
				(uint16_t)(host / LARGE_PORTS % LARGE_LEAVES + 1),
				(uint16_t)(host % LARGE_PORTS + 1)};
			char text[ADDRESSES_TEXT_MAX];
			struct place found;
			uint8_t a[16], mac[6];

			// Distinct by a bit for each; IPv6 and MAC because they lead back.
			addresses_ip4(&place, a);
			assert_int_equal(a[0], 10);
			assert_new(number4(a));
			addresses_host_mac(&place, mac);
			assert_memory_equal(mac + 2, a, 4);
			assert_int_equal(fixture_find_place(
						 inet_ntop(AF_INET, a, text, sizeof(text)), &found),
					 0);
			assert_memory_equal(&found, &place, sizeof(place));
			addresses_ip6(&place, a);
			assert_int_equal(
				fixture_find_place(inet_ntop(AF_INET6, a, text, sizeof(text)),
						   &found),
				0);
			assert_memory_equal(&found, &place, sizeof(place));
			hosts += plane == 0;
		}
	}
	assert_int_equal(hosts, 524288);
}

static void
assert_switch(const struct place *place, uint32_t ports)
{
	struct place bare = *place;
	char text[ADDRESSES_TEXT_MAX];
	struct addresses_found found;
	uint8_t a[16];

	addresses_loopback4(place, a);
	assert_int_equal(a[0], 172);
	assert_new(number4(a));
	assert_int_equal(addresses_find(inet_ntop(AF_INET, a, text, sizeof(text)), &found), 0);
	assert_int_equal(found.kind, ADDRESSES_LOOPBACK);
	assert_memory_equal(&found.place, &bare, sizeof(bare));
	addresses_loopback6(place, a);
	assert_int_equal(addresses_find(inet_ntop(AF_INET6, a, text, sizeof(text)), &found), 0);
	assert_int_equal(found.kind, ADDRESSES_LOOPBACK);
	assert_memory_equal(&found.place, &bare, sizeof(bare));
	for (bare.port = 1; bare.port <= ports; bare.port++) {
		addresses_link_local(&bare, a);
		assert_int_equal(addresses_find(inet_ntop(AF_INET6, a, text, sizeof(text)), &found),
				 0);
		assert_int_equal(found.kind, ADDRESSES_LINK_LOCAL);
		assert_memory_equal(&found.place, &bare, sizeof(bare));
	}
}

// The switches of that fabric and the ends of all links between them.
static void
test_their_switches_and_links(void **state)
{
	static const struct {
		uint16_t per_pod, links;
	} tiers[ADDRESSES_TIERS] = {{LARGE_LEAVES, 16}, {LARGE_SPINES, 8}, {LARGE_SUPERS, 32}};
	uint32_t node = 0;

	(void)state;
	memset(seen, 0, sizeof(seen));
	for (uint16_t tier = 0; tier < ADDRESSES_TIERS; tier++) {
		for (uint32_t i = 0; i < (uint32_t)ADDRESSES_PLANES * ADDRESSES_PODS; i++) {
			for (uint16_t n = 1; n <= tiers[tier].per_pod; n++, node++) {
				const struct place place = {
					.tier = tier,
					.plane = (uint16_t)(i / ADDRESSES_PODS),
					.pod = i % ADDRESSES_PODS,
					.number = n,
				};
				struct addresses_found found;
				char text[ADDRESSES_TEXT_MAX];
				uint8_t mac[6];

				assert_switch(&place, tiers[tier].links);
				addresses_router_mac(node, mac);
				snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x",
					 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
				assert_int_equal(addresses_find(text, &found), 0);
				assert_int_equal(found.kind, ADDRESSES_ROUTER_MAC);
				assert_int_equal(found.node, node);
			}
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_no_place),
		cmocka_unit_test(test_switches_by_hand),
		cmocka_unit_test(test_no_switch),
		cmocka_unit_test(test_half_a_million_hosts),
		cmocka_unit_test(test_their_switches_and_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
