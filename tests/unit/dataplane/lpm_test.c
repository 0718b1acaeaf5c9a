// SPDX-License-Identifier: BSD-3-Clause
//
// The trie by hand-made tables, against a linear search over random ones of both families, and
// against rte_lpm. ROOST_TEST_FULL=1 tries more of them.

#include "dataplane/lpm.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lpm.h>

#define MAX_PREFIXES 2000
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct table {
	struct lpm_prefix prefixes[MAX_PREFIXES];
	size_t n;
	unsigned int addr_bits;
};

static uint64_t random_state;

// SplitMix64 (Steele, Lea, Flood 2014): the same draws on every machine.
static uint64_t
random_u64(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned int
random_below(unsigned int n)
{
	return random_u64() % n;
}

static unsigned int
sample_size(unsigned int usual, unsigned int full)
{
	const char *all = getenv("ROOST_TEST_FULL");

	return all != NULL && strcmp(all, "1") == 0 ? full : usual;
}

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

static struct lpm *
build(const struct lpm_prefix *prefixes, size_t n, unsigned int addr_bits)
{
	struct lpm *lpm = NULL;

	assert_int_equal(lpm_build(&lpm, prefixes, n, addr_bits), 0);
	assert_non_null(lpm);
	return lpm;
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

static bool
covers(const struct lpm_prefix *p, const uint8_t *addr)
{
	for (unsigned int bit = 0; bit < p->len; bit++) {
		if (((p->addr[bit / 8] ^ addr[bit / 8]) & 0x80 >> bit % 8) != 0)
			return false;
	}
	return true;
}

static uint32_t
look_up_linear(const struct table *table, const uint8_t *addr)
{
	const struct lpm_prefix *best = NULL;

	for (size_t i = 0; i < table->n; i++) {
		const struct lpm_prefix *p = &table->prefixes[i];

		if ((best == NULL || p->len > best->len) && covers(p, addr))
			best = p;
	}
	return best == NULL ? LPM_NONE : best->value;
}

static void
random_address(uint8_t addr[16])
{
	for (unsigned int i = 0; i < 16; i++)
		addr[i] = random_u64();
}

// Sets every bit of `addr` from `len` on to `bit`.
static void
fill_host_bits(uint8_t addr[16], unsigned int len, bool set)
{
	for (unsigned int bit = len; bit < 128; bit++) {
		uint8_t mask = 0x80 >> bit % 8;

		addr[bit / 8] = set ? addr[bit / 8] | mask : addr[bit / 8] & ~mask;
	}
}

// `n` draws of prefixes, many of them inside or beside an earlier one; values are distinct with
// few exceptions, and below 2^24, which is what rte_lpm can hold.
static void
random_table(struct table *table, size_t n, unsigned int addr_bits)
{
	table->n = 0;
	table->addr_bits = addr_bits;
	for (size_t draw = 0; draw < n; draw++) {
		struct lpm_prefix *p = &table->prefixes[table->n];
		unsigned int keep = 0;
		bool known = false;

		random_address(p->addr);
		if (table->n > 0 && random_below(4) != 0) {
			const struct lpm_prefix *near = &table->prefixes[random_below(table->n)];
			uint8_t tail[16];

			keep = random_below(addr_bits + 1);
			memcpy(tail, p->addr, 16);
			memcpy(p->addr, near->addr, 16);
			for (unsigned int bit = keep; bit < 128; bit++) {
				uint8_t mask = 0x80 >> bit % 8;

				p->addr[bit / 8] &= ~mask;
				p->addr[bit / 8] |= tail[bit / 8] & mask;
			}
		}
		p->len = keep + random_below(addr_bits + 1 - keep);
		p->value = random_below(8) == 0 ? 5 : draw;
		fill_host_bits(p->addr, p->len, false);
		for (size_t i = 0; i < table->n && !known; i++)
			known = table->prefixes[i].len == p->len &&
				memcmp(table->prefixes[i].addr, p->addr, 16) == 0;
		table->n += !known;
	}
}

// Adds -1 or 1 to an address, around its ends.
static void
step_address(uint8_t *addr, unsigned int addr_bits, int by)
{
	for (int byte = (int)addr_bits / 8 - 1; byte >= 0; byte--) {
		addr[byte] += by;
		if (addr[byte] != (by > 0 ? 0 : 0xff))
			return;
	}
}

// The k-th of the addresses worth asking for: the first and last of a prefix, those just outside
// it, one inside, then any at all.
static void
probe_address(const struct table *table, size_t k, uint8_t addr[16])
{
	size_t which = k / 5;

	random_address(addr);
	if (which >= table->n)
		return;
	const struct lpm_prefix *p = &table->prefixes[which];
	uint8_t inside[16];

	memcpy(inside, p->addr, 16);
	if (k % 5 == 4) {
		for (unsigned int bit = p->len; bit < 128; bit++)
			inside[bit / 8] |= addr[bit / 8] & 0x80 >> bit % 8;
	} else {
		fill_host_bits(inside, p->len, k % 5 >= 2);
		if (k % 5 == 1)
			step_address(inside, table->addr_bits, -1);
		if (k % 5 == 3)
			step_address(inside, table->addr_bits, 1);
	}
	memcpy(addr, inside, 16);
}

static void
check_against_linear(unsigned int addr_bits, uint64_t seed)
{
	static struct table table;
	unsigned int rounds = sample_size(60, 1500);
	size_t answered = 0, asked = 0;

	random_state = seed;
	for (unsigned int round = 0; round < rounds; round++) {
		random_table(&table, 1 + random_below(round % 10 == 0 ? 600 : 60), addr_bits);
		struct lpm *lpm = build(table.prefixes, table.n, addr_bits);

		for (size_t k = 0; k < table.n * 5 + 200; k++, asked++) {
			uint8_t addr[16];

			probe_address(&table, k, addr);
			uint32_t want = look_up_linear(&table, addr);

			assert_int_equal(addr_bits == 32 ? lpm_lookup4(lpm, addr) : lpm_lookup6(lpm, addr), want);
			answered += want != LPM_NONE;
		}
		lpm_destroy(lpm);
	}
	// The sample means something only if both answers were common.
	assert_in_range(answered, asked / 10, asked - asked / 50);
}

static void
test_equals_linear_ipv4(void **state)
{
	(void)state;
	check_against_linear(32, 4);
}

static void
test_equals_linear_ipv6(void **state)
{
	(void)state;
	check_against_linear(128, 6);
}

// Starts an EAL of this process's own; *state is its error, or 0.
static int
start_eal(void **state)
{
	static int error;
	static char prefix_arg[64];
	static char *argv[] = {"lpm_test", "--no-huge", "--no-shconf",    "-m",
			       "256",      "--no-pci",  "--no-telemetry", "--log-level=*:alert",
			       prefix_arg};

	snprintf(prefix_arg, sizeof(prefix_arg), "--file-prefix=roost-lpm-test-%d", (int)getpid());
	error = rte_eal_init(ARRAY_LEN(argv), argv) < 0 ? rte_errno : 0;
	*state = &error;
	return 0;
}

// Ends the EAL, as far as it came, with the runtime directory that rte_eal_cleanup() leaves.
static int
stop_eal(void **state)
{
	char dir[256];

	(void)state;
	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	rmdir(dir);
	return 0;
}

// rte_lpm knows no prefix of length 0: the default route is what a miss gives.
static uint32_t
fill_oracle(struct rte_lpm *oracle, const struct table *table)
{
	uint32_t miss = LPM_NONE;

	rte_lpm_delete_all(oracle);
	for (size_t i = 0; i < table->n; i++) {
		const struct lpm_prefix *p = &table->prefixes[i];
		uint32_t addr;

		memcpy(&addr, p->addr, sizeof(addr));
		if (p->len == 0)
			miss = p->value;
		else
			assert_int_equal(rte_lpm_add(oracle, ntohl(addr), p->len, p->value), 0);
	}
	return miss;
}

static void
test_equals_rte_lpm(void **state)
{
	static struct table table;
	unsigned int rounds = sample_size(10, 200), probes = sample_size(20000, 100000);
	struct rte_lpm_config config = {.max_rules = MAX_PREFIXES, .number_tbl8s = 4096};
	int error = *(int *)*state;

	if (error != 0) {
		print_message("skipped: the EAL does not start here: %s\n", rte_strerror(error));
		skip();
	}
	struct rte_lpm *oracle = rte_lpm_create("oracle", SOCKET_ID_ANY, &config);
	assert_non_null(oracle);

	random_state = 2211;
	for (unsigned int round = 0; round < rounds; round++) {
		random_table(&table, 1 + random_below(MAX_PREFIXES), 32);
		struct lpm *lpm = build(table.prefixes, table.n, 32);
		uint32_t miss = fill_oracle(oracle, &table);

		for (size_t k = 0; k < table.n * 5 + probes; k++) {
			uint8_t addr[16];
			uint32_t word, want;

			probe_address(&table, k, addr);
			memcpy(&word, addr, sizeof(word));
			if (rte_lpm_lookup(oracle, ntohl(word), &want) != 0)
				want = miss;
			assert_int_equal(lpm_lookup4(lpm, addr), want);
		}
		lpm_destroy(lpm);
	}
	rte_lpm_free(oracle);
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
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ipv4_ignores_rest),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_equals_linear_ipv4),
		cmocka_unit_test(test_equals_linear_ipv6),
		cmocka_unit_test_setup_teardown(test_equals_rte_lpm, start_eal, stop_eal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
