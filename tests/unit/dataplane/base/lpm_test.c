// SPDX-License-Identifier: BSD-3-Clause
// The trie by tables made by hand.
#include "lpm_build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

// "10.1.0.0/16" with a value.
static struct lpm_prefix
prefix(const char *text, uint32_t value)
{
	struct lpm_prefix p = {.value = value};
	char addr[64];
	unsigned int len;

	assert_int_equal(sscanf(text, "%63[^/]/%u", addr, &len), 2);
	assert_int_equal(inet_pton(strchr(addr, ':') ? AF_INET6 : AF_INET, addr, p.addr), 1);
	p.len = len;
	return p;
}

static uint32_t
look_up(const struct lpm *lpm, const char *text)
{
	uint8_t addr[16];

	assert_int_equal(inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, addr), 1);
	return strchr(text, ':') ? lpm_lookup6(lpm, addr) : lpm_lookup4(lpm, addr);
}

static void
test_empty(void **state)
{
	(void)state;
	struct lpm *v4 = build(NULL, 0, 32), *v6 = build(NULL, 0, 128);

	assert_int_equal(look_up(NULL, "10.0.0.1"), LPM_NONE);
	assert_int_equal(look_up(v4, "0.0.0.0"), LPM_NONE);
	assert_int_equal(look_up(v4, "255.255.255.255"), LPM_NONE);
	assert_int_equal(look_up(v6, "::"), LPM_NONE);
	assert_int_equal(look_up(v6, "ffff::1"), LPM_NONE);
	lpm_destroy(v4);
	lpm_destroy(v6);
	lpm_destroy(NULL);
}

static void
test_default_route(void **state)
{
	(void)state;
	struct lpm_prefix v4_routes[] = {prefix("0.0.0.0/0", 7), prefix("255.255.255.255/32", 8)};
	struct lpm_prefix v6_routes[] = {prefix("::/0", 9)};
	struct lpm *v4 = build(v4_routes, 2, 32), *v6 = build(v6_routes, 1, 128);

	assert_int_equal(look_up(v4, "0.0.0.0"), 7);
	assert_int_equal(look_up(v4, "255.255.255.254"), 7);
	assert_int_equal(look_up(v4, "255.255.255.255"), 8);
	assert_int_equal(look_up(v6, "::"), 9);
	assert_int_equal(look_up(v6, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), 9);
	lpm_destroy(v4);
	lpm_destroy(v6);
}

static void
test_host_routes(void **state)
{
	(void)state;
	struct lpm_prefix v4_routes[] = {prefix("10.0.0.1/32", 1), prefix("10.0.0.2/32", 2),
					 prefix("0.0.0.0/32", 3)};
	struct lpm_prefix v6_routes[] = {prefix("2001:db8::1/128", 1), prefix("2001:db8::2/127", 2),
					 prefix("::/128", 3)};
	struct lpm *v4 = build(v4_routes, 3, 32), *v6 = build(v6_routes, 3, 128);

	assert_int_equal(look_up(v4, "10.0.0.0"), LPM_NONE);
	assert_int_equal(look_up(v4, "10.0.0.1"), 1);
	assert_int_equal(look_up(v4, "10.0.0.2"), 2);
	assert_int_equal(look_up(v4, "10.0.0.3"), LPM_NONE);
	assert_int_equal(look_up(v4, "0.0.0.0"), 3);
	assert_int_equal(look_up(v4, "0.0.0.1"), LPM_NONE);
	assert_int_equal(look_up(v6, "2001:db8::"), LPM_NONE);
	assert_int_equal(look_up(v6, "2001:db8::1"), 1);
	assert_int_equal(look_up(v6, "2001:db8::2"), 2);
	assert_int_equal(look_up(v6, "2001:db8::3"), 2);
	assert_int_equal(look_up(v6, "2001:db8::4"), LPM_NONE);
	assert_int_equal(look_up(v6, "::"), 3);
	assert_int_equal(look_up(v6, "::1"), LPM_NONE);
	lpm_destroy(v4);
	lpm_destroy(v6);
}

// Prefixes inside one another at one address, given from the longest to the shortest.
static void
test_nested(void **state)
{
	(void)state;
	struct lpm_prefix routes[33];

	for (unsigned int len = 0; len <= 32; len++)
		routes[32 - len] = (struct lpm_prefix){.len = len, .value = len};
	struct lpm *lpm = build(routes, ARRAY_LEN(routes), 32);

	assert_int_equal(look_up(lpm, "0.0.0.0"), 32);
	for (unsigned int bit = 0; bit < 32; bit++) {
		// The first set bit, counted from the top, bounds what covers the address.
		uint32_t addr = htonl(UINT32_C(1) << (31 - bit));

		assert_int_equal(lpm_lookup4(lpm, (const uint8_t *)&addr), bit);
	}
	lpm_destroy(lpm);
}

// Neighbours, a hole between them, and neighbours that share a value.
static void
test_adjacent(void **state)
{
	(void)state;
	struct lpm_prefix routes[] = {prefix("10.1.1.0/24", 11), prefix("10.1.0.0/24", 10),
				      prefix("10.1.3.0/24", 13), prefix("10.1.4.0/24", 13),
				      prefix("10.2.0.0/15", 20), prefix("192.0.0.0/2", 30)};
	struct lpm *lpm = build(routes, ARRAY_LEN(routes), 32);

	assert_int_equal(look_up(lpm, "10.0.255.255"), LPM_NONE);
	assert_int_equal(look_up(lpm, "10.1.0.0"), 10);
	assert_int_equal(look_up(lpm, "10.1.0.255"), 10);
	assert_int_equal(look_up(lpm, "10.1.1.0"), 11);
	assert_int_equal(look_up(lpm, "10.1.1.255"), 11);
	assert_int_equal(look_up(lpm, "10.1.2.0"), LPM_NONE);
	assert_int_equal(look_up(lpm, "10.1.3.0"), 13);
	assert_int_equal(look_up(lpm, "10.1.4.255"), 13);
	assert_int_equal(look_up(lpm, "10.1.5.0"), LPM_NONE);
	assert_int_equal(look_up(lpm, "10.1.255.255"), LPM_NONE);
	assert_int_equal(look_up(lpm, "10.3.255.255"), 20);
	assert_int_equal(look_up(lpm, "10.4.0.0"), LPM_NONE);
	assert_int_equal(look_up(lpm, "191.255.255.255"), LPM_NONE);
	assert_int_equal(look_up(lpm, "192.0.0.0"), 30);
	assert_int_equal(look_up(lpm, "255.255.255.255"), 30);
	lpm_destroy(lpm);
}

// A child between two halves of a run must not break the run, nor lend it its own values.
static void
test_run_across_child(void **state)
{
	(void)state;
	struct lpm_prefix routes[] = {prefix("0.0.0.0/0", 1), prefix("128.0.0.0/7", 2),
				      prefix("252.0.0.0/6", 3)};
	struct lpm *lpm = build(routes, ARRAY_LEN(routes), 32);

	assert_int_equal(look_up(lpm, "127.255.255.255"), 1);
	assert_int_equal(look_up(lpm, "129.255.255.255"), 2);
	assert_int_equal(look_up(lpm, "130.0.0.0"), 1);
	assert_int_equal(look_up(lpm, "132.0.0.0"), 1);
	assert_int_equal(look_up(lpm, "251.255.255.255"), 1);
	assert_int_equal(look_up(lpm, "252.0.0.0"), 3);
	lpm_destroy(lpm);
}

// All 64 slots of the root lead to children: the root has no leaf.
static void
test_node_without_leaves(void **state)
{
	(void)state;
	struct lpm_prefix routes[256];

	for (unsigned int i = 0; i < 256; i++)
		routes[i] = (struct lpm_prefix){.addr = {i}, .len = 8, .value = i};
	struct lpm *lpm = build(routes, 256, 32);

	for (unsigned int i = 0; i < 256; i++) {
		uint8_t addr[4] = {i, 1, 2, 3};

		assert_int_equal(lpm_lookup4(lpm, addr), i);
	}
	lpm_destroy(lpm);
}

static void
test_shared(void **state)
{
	(void)state;
	struct lpm_prefix one = prefix("10.0.0.0/8", 1);
	uint8_t address[4] = {10, 1, 2, 3};
	struct lpm *lpm = NULL, *second;

	assert_int_equal(lpm_build(&lpm, &one, 1, 32), 0);
	second = lpm_share(lpm);
	lpm_destroy(lpm);
	assert_int_equal(lpm_lookup4(second, address), 1);
	lpm_destroy(second); // frees it, which a leak check sees
}

static void
test_refused(void **state)
{
	(void)state;
	struct lpm_prefix ok = prefix("10.0.0.0/8", 1);
	struct lpm_prefix host_bits[] = {ok, prefix("10.1.0.0/15", 2)};
	struct lpm_prefix last_bit[] = {prefix("10.0.0.1/31", 2)};
	struct lpm_prefix last_bit6[] = {prefix("::1/127", 2)};
	struct lpm_prefix too_long[] = {ok, {.len = 33, .value = 1}};
	struct lpm_prefix too_long6[] = {{.len = 129, .value = 1}};
	struct lpm_prefix twice[] = {ok, prefix("11.0.0.0/8", 1), ok};
	struct lpm_prefix no_value[] = {prefix("10.0.0.0/8", LPM_NONE)};
	struct lpm *lpm = NULL;

	assert_int_equal(lpm_build(&lpm, &ok, 1, 64), -EINVAL);
	assert_int_equal(lpm_build(&lpm, &ok, 1, 0), -EINVAL);
	assert_int_equal(lpm_build(&lpm, host_bits, 2, 32), -EINVAL);
	assert_int_equal(lpm_build(&lpm, last_bit, 1, 32), -EINVAL);
	assert_int_equal(lpm_build(&lpm, last_bit6, 1, 128), -EINVAL);
	assert_int_equal(lpm_build(&lpm, too_long, 2, 32), -EINVAL);
	assert_int_equal(lpm_build(&lpm, too_long6, 1, 128), -EINVAL);
	assert_int_equal(lpm_build(&lpm, twice, 3, 32), -EEXIST);
	assert_int_equal(lpm_build(&lpm, no_value, 1, 32), -EINVAL);
	assert_null(lpm);
}

// What lies behind the four bytes of an IPv4 address must not matter, to duplicates either.
static void
test_ipv4_ignores_rest(void **state)
{
	(void)state;
	struct lpm_prefix routes[] = {prefix("10.0.0.0/8", 1), prefix("10.64.0.0/10", 2)};
	struct lpm *lpm = NULL;

	memset(routes[0].addr + 4, 0xa5, 12);
	memset(routes[1].addr + 4, 0x5a, 12);
	lpm = build(routes, 2, 32);
	assert_int_equal(look_up(lpm, "10.63.255.255"), 1);
	assert_int_equal(look_up(lpm, "10.64.0.0"), 2);
	lpm_destroy(lpm);

	routes[1] = prefix("10.0.0.0/8", 2);
	lpm = NULL;
	assert_int_equal(lpm_build(&lpm, routes, 2, 32), -EEXIST);
	assert_null(lpm);
}

// A VRF with few routes stays small enough to have thousands.
static void
test_bytes(void **state)
{
	(void)state;
	struct lpm_prefix subnet = prefix("10.1.3.0/24", 1);
	struct lpm_prefix subnet6 = prefix("2001:db8:1:3::/64", 1);
	struct lpm *empty = build(NULL, 0, 32), *v4 = build(&subnet, 1, 32);
	struct lpm *v6 = build(&subnet6, 1, 128);
	struct lpm_prefix covered[] = {prefix("0.0.0.0/0", 1), prefix("128.0.0.0/6", 2),
				       prefix("128.0.0.0/8", 3)};
	struct lpm *hidden = build(covered, 3, 32);

	// A node is 24 B; one with a child has a leaf, the last of a /24 three: none, it, none.
	assert_int_equal(lpm_bytes(NULL), 0);
	assert_int_equal(lpm_bytes(empty), sizeof(struct lpm) + 24 + 4);
	assert_true(lpm_bytes(empty) <= 96);
	assert_true(lpm_bytes(v4) <= 160);
	assert_true(lpm_bytes(v6) <= 384);
	// The /6 fills just the root's slot that the /8 makes a child: no leaf of the root is its.
	assert_int_equal(lpm_bytes(hidden), sizeof(struct lpm) + 2 * 24 + (1 + 2) * 4);
	lpm_destroy(hidden);
	lpm_destroy(empty);
	lpm_destroy(v4);
	lpm_destroy(v6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_default_route),
		cmocka_unit_test(test_host_routes),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_adjacent),
		cmocka_unit_test(test_run_across_child),
		cmocka_unit_test(test_node_without_leaves),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ipv4_ignores_rest),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
