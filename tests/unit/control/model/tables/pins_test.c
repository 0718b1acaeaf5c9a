// SPDX-License-Identifier: BSD-3-Clause
// `routing.pinned` in a switch's tables.
#include "built.h"

#include <arpa/inet.h>
#include <string.h>

#define FABRIC                                                                               \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n" \
	"leaf:\n  routing:\n    pinned:\n"

static uint16_t
find(const struct built *b, const char *from, const char *to)
{
	uint8_t source[16], destination[16];
	int family = strchr(from, ':') != NULL ? AF_INET6 : AF_INET;

	if (b->t->pins == NULL)
		return PINS_NONE;
	assert_int_equal(inet_pton(family, from, source), 1);
	assert_int_equal(inet_pton(family, to, destination), 1);
	return pins_find(b->t->pins, family == AF_INET6 ? 6 : 4, source, destination);
}

// Hosts, a host's port, a leaf, an address; a neighbour, a port of any switch, a port of one.
static void
test_names(void **state)
{
	struct built b;

	(void)state;
	built_load(&b,
		   FABRIC "      - {src: h1, dst: h3, via: spine2}\n"
			  "      - {src: leaf1, dst: h4.eth1, via: swp3}\n"
			  "      - {src: h1, dst: h3, via: spine1}\n" // the first counts
			  "      - {src: 192.0.2.1, dst: h2, via: leaf1.swp2}\n"
			  "      - {src: h2, dst: h3, via: leaf2.swp4}\n",
		   "leaf1");
	built_good(&b);
	assert_int_equal(find(&b, "10.0.1.1", "10.0.2.1"), 3);
	assert_int_equal(find(&b, "fd00::1:1", "fd00::2:1"), 3);
	assert_int_equal(find(&b, "10.0.2.1", "10.0.1.1"), PINS_NONE);
	assert_int_equal(find(&b, "10.0.1.1", "10.0.2.2"), 2);
	assert_int_equal(find(&b, "10.0.1.2", "10.0.2.2"), 2);
	assert_int_equal(find(&b, "192.0.2.1", "10.0.1.2"), 1);
	assert_int_equal(find(&b, "10.0.1.2", "10.0.2.1"), PINS_NONE);
	assert_int_equal(b.t->pins->count, 2 + 4 + 1);
	for (uint32_t i = 0; i < b.t->group_count; i++)
		assert_true(b.t->groups[i].pinned);
	built_drop(&b);
}

// A switch of which `via` is no neighbour has no pins at all; another section may say otherwise.
static void
test_ignored(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, FABRIC "      - {src: h1, dst: h3, via: leaf2}\n", "leaf1");
	built_good(&b);
	assert_null(b.t->pins);
	assert_false(b.t->groups[0].pinned);
	built_drop(&b);
	built_load(&b,
		   FABRIC "      - {src: h1, dst: h3, via: spine1}\n"
			  "leaf1: {routing: {pinned: none}}\n",
		   "leaf1");
	built_good(&b);
	assert_null(b.t->pins);
	built_drop(&b);
}

static void
test_mistakes(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, FABRIC "      - {src: h9, dst: h3, via: spine1}\n", "leaf1");
	built_refused(&b, ":6:15: routing.pinned: there is no node h9");
	built_load(&b, FABRIC "      - {src: h1, dst: spine1, via: spine1}\n", "leaf1");
	built_refused(&b, ":6:24: routing.pinned: spine1 is not a host and has no address");
	built_load(&b, FABRIC "      - {src: h1, dst: h3, via: spine7}\n", "leaf1");
	built_refused(&b, ":6:33: routing.pinned: there is no node spine7");
	built_load(&b, FABRIC "      - {src: h1, dst: leaf2.swp1, via: spine1}\n", "leaf1");
	built_refused(&b, ":6:24: routing.pinned: leaf2.swp1 is not a host's port");
	built_load(&b, FABRIC "      - {src: 10.0.1.1, dst: fd00::2:1, via: spine1}\n", "leaf1");
	built_refused(
		&b, ":6:15: routing.pinned: 10.0.1.1 and fd00::2:1 cannot be pinned: one is IPv4");
	built_load(&b,
		   "switch:\n  name: dut\n  ports: {swp1: {}, swp2: {}}\n"
		   "  routing: {pinned: [{src: h1, dst: 10.0.0.1, via: swp2}]}\n",
		   "dut");
	built_refused(
		&b,
		":4:28: routing.pinned: h1 is not an address, and a single switch has no hosts");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
