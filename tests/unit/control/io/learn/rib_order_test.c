// SPDX-License-Identifier: BSD-3-Clause
// The order of prefixes, however they came, and which of a prefix's routes counts.
#include "said.h"

#include "dataplane/base/random.h"

static const struct topo_node place;

// As a route_list has them: bytes of addresses have no sign, and shorter is before longer.
static const char *const sorted[] = {
	"0.0.0.0/0",   "9.255.255.255/32", "10.0.0.0/8",  "10.0.0.0/16",        "10.0.0.0/32",
	"10.0.0.1/32", "127.0.0.0/8",      "128.0.0.0/8", "255.255.255.255/32", "::/0",
	"a00::/8",     "fd00::/8",         "fd00::/64",   "fd00::/128",         "fd00::1/128"};
#define COUNT (sizeof(sorted) / sizeof(sorted[0]))

// The prefixes are those of `sorted` whose bit is set, each once.
static void
expect(struct rib *rib, uint32_t wanted)
{
	uint32_t at = 0;

	rib_sort(rib);
	for (unsigned i = 0; i < COUNT; i++) {
		const struct config_prefix prefix = prefix_of(sorted[i]);

		if ((wanted >> i & 1) == 0)
			continue;
		assert_true(at < rib->listed);
		assert_memory_equal(&rib->order[at++]->prefix, &prefix, sizeof(prefix));
	}
	assert_int_equal(rib->listed, at);
	assert_int_equal(rib->added, 0);
	assert_int_equal(rib->prefixes, at);
	assert_int_equal(rib->facts.count, 2 * at); // and a route of each
}

// All come in any order, and are sorted at any time in between.
static void
test_any_order(void **state)
{
	struct random r = random_stream(11, 1);

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		uint32_t there = 0;
		struct rib *rib;

		rib = rib_create(&place);
		expect(rib, 0);
		while (there != (1u << COUNT) - 1) {
			unsigned i = random_below(&r, COUNT);

			say(rib, RIB_FPM, route_to(sorted[i], 20, 5), false);
			there |= 1u << i;
			if (random_below(&r, 4) == 0)
				expect(rib, there);
		}
		expect(rib, there);
		rib_destroy(rib);
	}
}

// Those that lose their routes go, sorted or not yet; one that has another by then stays.
static void
test_come_and_go(void **state)
{
	struct random r = random_stream(12, 1);
	uint32_t there = 0;
	struct rib *rib;

	(void)state;
	rib = rib_create(&place);
	for (unsigned turn = 0; turn < 20000; turn++) {
		unsigned i = random_below(&r, COUNT);
		struct learn_message m = route_to(sorted[i], 20, 5);

		say(rib, RIB_FPM, (there >> i & 1) != 0 ? gone(m) : m, false);
		there ^= 1u << i;
		if (random_below(&r, 8) == 0)
			expect(rib, there);
	}
	rib_destroy(rib);
}

static const struct rib_route *
best_of(const struct rib *rib, const char *text)
{
	struct rib_key key = {.kind = RIB_PREFIX};
	const struct config_prefix prefix = prefix_of(text);
	const struct rib_fact *fact;

	key.version = prefix.version;
	key.length = prefix.length;
	memcpy(key.address, prefix.address, sizeof(key.address));
	fact = rib_find(rib, &key);
	assert_non_null(fact);
	return rib_best((const struct rib_prefix *)fact);
}

// The least metric, then the kernel before zebra, then the first interface: whoever came first.
static void
test_best(void **state)
{
	static const struct {
		enum rib_source source;
		uint32_t metric, device;
	} falling[] = {{RIB_NETLINK, 0, 9},         {RIB_NETLINK, 20, 3}, {RIB_NETLINK, 20, 4},
		       {RIB_NETLINK, 20, 7},        {RIB_FPM, 20, 1},     {RIB_NETLINK, 1024, 2},
		       {RIB_NETLINK, UINT32_MAX, 1}};
	const unsigned count = sizeof(falling) / sizeof(falling[0]);
	static const char prefix[] = "fd00::/64";

	(void)state;
	for (unsigned first = 0; first < count; first++) {
		struct rib *rib;

		rib = rib_create(&place);
		for (unsigned k = 0; k < count; k++) {
			unsigned i = (first + k) % count;

			say(rib, falling[i].source,
			    route_to(prefix, falling[i].metric, falling[i].device), false);
		}
		for (unsigned i = 0; i < count; i++) {
			const struct rib_route *best = best_of(rib, prefix);

			assert_non_null(best);
			assert_int_equal(best->fact.key.source, falling[i].source);
			assert_int_equal(best->metric, falling[i].metric);
			assert_int_equal(best->way->hops[0].device, falling[i].device);
			say(rib, falling[i].source,
			    gone(route_to(prefix, falling[i].metric, falling[i].device)), false);
		}
		assert_null(best_of(rib, prefix));
		rib_destroy(rib);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_come_and_go),
		cmocka_unit_test(test_best),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
