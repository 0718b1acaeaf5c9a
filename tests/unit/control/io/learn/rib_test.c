// SPDX-License-Identifier: BSD-3-Clause
// A rib against a kernel that is played: changes are told in order, and dumps of it overlap them.
#include "said.h"

#include "dataplane/base/random.h"

#include <errno.h>

static struct topo_port ports[] = {{.name = "swp1"}, {.name = "swp2"}};
static const struct topo_node place = {.port_count = 2, .ports = ports};

static struct learn_message
route(uint32_t third, uint32_t metric, uint32_t device, bool gone)
{
	struct learn_message m = {.kind = LEARN_ROUTE, .gone = gone, .metric = metric};

	m.prefix = (struct config_prefix){
		.version = 4, .length = 24, .address = {10, 0, (uint8_t)third}};
	m.way.count = 1;
	m.way.hops[0] = (struct learn_hop){
		.device = device, .weight = 1, .gateway = {.version = 4, .bytes = {10, 9, 9, 9}}};
	return m;
}

// "10.0.3 m20 d7;" of all, sorted.
static char *
text_of(struct rib *rib)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	rib_sort(rib);
	for (uint32_t i = 0; i < rib->listed; i++) {
		const struct rib_route *best = rib_best(rib->order[i]);

		fprintf(to, "%u m%u d%u s%u;", rib->order[i]->prefix.address[2], best->metric,
			best->way->hops[0].device, best->fact.key.source);
	}
	fclose(to);
	return text;
}

static void
expect(struct rib *rib, const char *wanted)
{
	char *text = text_of(rib);

	assert_string_equal(text, wanted);
	free(text);
}

static void
test_preference(void **state)
{
	struct rib *rib;

	(void)state;
	rib = rib_create(&place);
	say(rib, RIB_FPM, route(1, 20, 5, false), false);
	expect(rib, "1 m20 d5 s1;");
	say(rib, RIB_NETLINK, route(1, 20, 6, false), false);
	expect(rib, "1 m20 d6 s0;"); // the kernel's on a tie
	say(rib, RIB_FPM, route(1, 10, 5, false), false);
	expect(rib, "1 m10 d5 s1;");
	say(rib, RIB_NETLINK, route(1, 5, 7, false), false); // another metric is another route
	expect(rib, "1 m5 d7 s0;");
	say(rib, RIB_NETLINK, route(1, 5, 7, true), false);
	say(rib, RIB_FPM, route(1, 99, 5, true), false); // zebra's metric is no part of the key
	expect(rib, "1 m20 d6 s0;");
	say(rib, RIB_NETLINK, route(1, 20, 6, true), false);
	expect(rib, "");
	rib_destroy(rib);
}

static void
test_says_again(void **state)
{
	struct rib *rib;
	uint64_t changes;

	(void)state;
	rib = rib_create(&place);
	say(rib, RIB_NETLINK, route(1, 20, 6, false), false);
	changes = rib->changes;
	say(rib, RIB_NETLINK, route(1, 20, 6, false), false);
	assert_int_equal(rib->changes, changes);
	rib_begin(rib, RIB_NETLINK);
	say(rib, RIB_NETLINK, route(1, 20, 6, false), true);
	rib_end(rib, RIB_NETLINK);
	assert_int_equal(rib->changes, changes);
	assert_false(rib->doubtful);
	rib_begin(rib, RIB_NETLINK);
	rib_end(rib, RIB_NETLINK);
	assert_true(rib->changes != changes);
	expect(rib, "");
	rib_destroy(rib);
}

// Sources are swept apart.
static void
test_sweep(void **state)
{
	struct rib *rib;

	(void)state;
	rib = rib_create(&place);
	say(rib, RIB_NETLINK, route(1, 20, 6, false), false);
	say(rib, RIB_FPM, route(2, 20, 6, false), false);
	say(rib, RIB_FPM, route(3, 20, 6, false), false);
	rib_begin(rib, RIB_FPM);
	say(rib, RIB_FPM, route(3, 20, 6, false), false);
	rib_end(rib, RIB_FPM);
	expect(rib, "1 m20 d6 s0;3 m20 d6 s1;");
	rib_destroy(rib);
}

// The kernel does not tell of IPv4 routes that go with an interface, an address or a nexthop
// object.
static void
test_doubts(void **state)
{
	struct learn_message link = {
		.kind = LEARN_LINK, .device = 6, .usable = true, .name = "swp1"};
	struct learn_message second = route(1, 20, 7, false);
	struct rib *rib;

	(void)state;
	rib = rib_create(&place);
	say(rib, RIB_NETLINK, link, false);
	assert_false(rib->doubtful);
	link.usable = false;
	say(rib, RIB_NETLINK, link, false);
	assert_true(rib->doubtful);
	rib_begin(rib, RIB_NETLINK);
	assert_false(rib->doubtful);
	rib_end(rib, RIB_NETLINK);
	// `ip route append`: the first stays in force, and when it goes nobody says who follows.
	say(rib, RIB_NETLINK, route(1, 20, 6, false), false);
	second.appends = true;
	say(rib, RIB_NETLINK, second, false);
	expect(rib, "1 m20 d6 s0;");
	assert_false(rib->doubtful);
	say(rib, RIB_NETLINK, route(1, 20, 6, true), false);
	assert_true(rib->doubtful);
	rib_destroy(rib);
}

// An IPv6 withdrawal takes away the next hops that it names.
static void
test_partial_withdrawal(void **state)
{
	struct learn_message m = {.kind = LEARN_ROUTE, .metric = 1024};
	struct rib *rib;

	(void)state;
	rib = rib_create(&place);
	m.prefix = (struct config_prefix){.version = 6, .length = 64, .address = {0xfd}};
	m.way.count = 3;
	for (uint32_t i = 0; i < 3; i++)
		m.way.hops[i] = (struct learn_hop){
			.device = i + 1, .weight = 1, .gateway = {.version = 6, .bytes = {0xfe}}};
	say(rib, RIB_NETLINK, m, false);
	m.gone = true;
	m.way.count = 1;
	m.way.hops[0].device = 2;
	say(rib, RIB_NETLINK, m, false);
	rib_sort(rib);
	assert_int_equal(rib_best(rib->order[0])->way->count, 2);
	assert_int_equal(rib_best(rib->order[0])->way->hops[1].device, 3);
	m.way.count = 2;
	m.way.hops[0].device = 1;
	m.way.hops[1] = m.way.hops[0];
	m.way.hops[1].device = 3;
	say(rib, RIB_NETLINK, m, false);
	expect(rib, "");
	rib_destroy(rib);
}

// ---- a kernel --------------------------------------------------------------------------------

#define PREFIXES 12
#define CHANGES 40

// What was told, and what a dump that began before change `from` and went on reads: each prefix as
// it was at an instant of its own between `from` and the end.
struct played {
	struct learn_message told[CHANGES];
	uint32_t devices[CHANGES + 1][PREFIXES]; // by instant: 0: no route
};

static void
play(struct played *p, struct random *r)
{
	memset(p->devices, 0, sizeof(p->devices));
	for (uint32_t t = 0; t < CHANGES; t++) {
		uint32_t prefix = random_below(r, PREFIXES);
		uint32_t before = p->devices[t][prefix];
		uint32_t after = random_below(r, 3) == 0 ? 0 : 1 + random_below(r, 4);

		memcpy(p->devices[t + 1], p->devices[t], sizeof(p->devices[t]));
		p->devices[t + 1][prefix] = after;
		p->told[t] = route(prefix, 20, after != 0 ? after : before, after == 0);
		p->told[t].replaces = before != 0;
	}
}

static void
read_one(const struct played *p, struct rib *rib, struct random *r, uint32_t prefix, uint32_t from)
{
	uint32_t at = from + random_below(r, CHANGES + 1 - from);

	if (p->devices[at][prefix] != 0)
		say(rib, RIB_NETLINK, route(prefix, 20, p->devices[at][prefix], false), true);
}

// However a dump and what is told interleave, once all of both has been read the rib is what the
// kernel is. The rib may hold anything before: what an overflow left.
static void
test_any_order(void **state)
{
	struct random r = random_stream(4711, 1);
	struct played p;

	(void)state;
	for (unsigned round = 0; round < 5000; round++) {
		uint32_t from = 0, told = 0, read = 0;
		struct rib *rib, *fresh;
		char *got, *wanted;

		play(&p, &r);
		rib = rib_create(&place);
		fresh = rib_create(&place);
		for (uint32_t i = random_below(&r, 20); i > 0; i--)
			say(rib, RIB_NETLINK,
			    route(random_below(&r, PREFIXES), 20, 1 + random_below(&r, 4), false),
			    false);
		rib_begin(rib, RIB_NETLINK);
		from = random_below(&r, CHANGES);
		told = random_below(&r, from + 1); // changes before it are lost
		while (told < CHANGES || read < PREFIXES) {
			bool tell = read == PREFIXES ||
				    (told < CHANGES && random_below(&r, CHANGES) > PREFIXES);

			if (tell)
				say(rib, RIB_NETLINK, p.told[told++], false);
			else
				read_one(&p, rib, &r, read++, from);
			if (read == PREFIXES && rib->reading[RIB_NETLINK])
				rib_end(rib, RIB_NETLINK);
		}
		for (uint32_t i = 0; i < PREFIXES; i++)
			if (p.devices[CHANGES][i] != 0)
				say(fresh, RIB_NETLINK, route(i, 20, p.devices[CHANGES][i], false),
				    false);
		got = text_of(rib);
		wanted = text_of(fresh);
		assert_string_equal(got, wanted);
		free(got);
		free(wanted);
		rib_destroy(rib);
		rib_destroy(fresh);
	}
}

// Thousands come and go; the list stays sorted and has each once.
static void
test_many(void **state)
{
	struct random r = random_stream(7, 7);
	static bool there[65536];
	struct rib *rib;
	uint32_t count = 0;

	(void)state;
	rib = rib_create(&place);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t which = random_below(&r, 65536);
		struct learn_message m = route(0, 20, 1 + which % 7, there[which]);

		m.prefix.address[1] = (uint8_t)(which >> 8);
		m.prefix.address[2] = (uint8_t)which;
		say(rib, RIB_NETLINK, m, false);
		count += there[which] ? -1u : 1u;
		there[which] = !there[which];
		if (i % 5000 == 0)
			rib_sort(rib);
	}
	rib_sort(rib);
	assert_int_equal(rib->listed, count);
	assert_int_equal(rib->prefixes, count);
	assert_int_equal(rib->ways.count, 7);
	for (uint32_t i = 1; i < rib->listed; i++)
		assert_true(memcmp(rib->order[i - 1]->prefix.address, rib->order[i]->prefix.address,
				   4) < 0);
	rib_destroy(rib);
}

static int
say_nexthop(struct rib *rib, uint32_t id, uint32_t count)
{
	static struct learn_message m;

	m = (struct learn_message){.kind = LEARN_NEXTHOP, .id = id};
	m.way.count = count;
	for (uint32_t i = 0; i < count; i++)
		m.way.hops[i] = (struct learn_hop){.id = count == 1 ? 1 : id, .weight = 1 + i};
	return rib_apply(rib, RIB_FPM, &m, false);
}

// Whoever speaks FPM cannot have all of memory: neither by what it says nor by what it takes back.
static void
test_bounds(void **state)
{
	struct learn_message gone = {.kind = LEARN_NEXTHOP, .gone = true, .id = 200000};
	struct rib *rib;
	uint32_t id = 1, count;
	int rc = 0;

	(void)state;
	rib = rib_create(&place);
	for (; rc == 0 && id < 100000; id++)
		rc = say_nexthop(rib, id, LEARN_HOPS_MAX);
	assert_int_equal(rc, -ENOSPC);
	assert_true(rib->hops > RIB_HOPS_MAX - LEARN_HOPS_MAX && rib->hops <= RIB_HOPS_MAX);
	assert_int_equal(say_nexthop(rib, 1, 1), 0); // one makes room
	assert_int_equal(say_nexthop(rib, id, LEARN_HOPS_MAX), 0);
	rib_begin(rib, RIB_FPM);
	count = rib->facts.count;
	rib->facts.count = RIB_FACTS_MAX; // as if they were there
	assert_int_equal(rib_apply(rib, RIB_FPM, &gone, false), -ENOSPC);
	rib->facts.count--;
	assert_int_equal(rib_apply(rib, RIB_FPM, &gone, false), 0);
	rib->facts.count -= RIB_FACTS_MAX - 1 - count;
	rib_end(rib, RIB_FPM);
	assert_int_equal(rib->facts.count, 0);
	assert_int_equal(rib->hops, 0);
	assert_int_equal(say_nexthop(rib, 1, LEARN_HOPS_MAX), 0);
	rib_destroy(rib);
}

static void
test_own_addresses(void **state)
{
	struct learn_message m = {.kind = LEARN_ADDRESS,
				  .device = 6,
				  .address = {.version = 4, .bytes = {10, 0, 1, 1}}};
	struct rib *rib;

	(void)state;
	rib = rib_create(&place);
	say(rib, RIB_NETLINK, m, false);
	assert_true(rib_is_own(rib, 6, &m.address));
	assert_false(rib_is_own(rib, 7, &m.address));
	m.gone = true;
	say(rib, RIB_NETLINK, m, false);
	assert_false(rib_is_own(rib, 6, &m.address));
	rib_destroy(rib);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preference),
		cmocka_unit_test(test_says_again),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_partial_withdrawal),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_own_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
