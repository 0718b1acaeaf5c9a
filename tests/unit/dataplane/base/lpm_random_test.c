// SPDX-License-Identifier: BSD-3-Clause
// The trie against a linear search over random tables of both families, and against rte_lpm.
// ROOST_TEST_FULL=1 tries more of them.
#include "lpm_build.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
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

static uint32_t
look_up(const struct lpm *lpm, unsigned int addr_bits, lpm_address address)
{
	uint8_t addr[16];

	for (unsigned int i = 0; i < 16; i++)
		addr[i] = (uint8_t)(address >> (120 - 8 * i));
	return addr_bits == 32 ? lpm_lookup4(lpm, addr) : lpm_lookup6(lpm, addr);
}

// Goes over all addresses, from run to run: the ends of each give what it says, and there are no
// more runs than leaves and children can make.
static void
check_runs(const struct lpm *lpm, unsigned int addr_bits)
{
	const lpm_address all = ~(lpm_address)0;
	lpm_address first = 0, last = 0;
	size_t runs = 0;

	for (bool more = true; more; more = last != all, first = last + 1, runs++) {
		uint32_t value = lpm_lookup_to(lpm, first, &last);

		assert_true(last >= first);
		assert_int_equal(look_up(lpm, addr_bits, first), value);
		assert_int_equal(look_up(lpm, addr_bits, first + (last - first) / 2), value);
		assert_int_equal(look_up(lpm, addr_bits, last), value);
	}
	assert_in_range(runs, 1, lpm->n_leaves + lpm->n_nodes + 2);
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
			lpm_address last;

			probe_address(&table, k, addr);
			uint32_t want = look_up_linear(&table, addr);
			lpm_address address = lpm_address_of(addr, addr_bits / 8);

			assert_int_equal(addr_bits == 32 ? lpm_lookup4(lpm, addr)
							 : lpm_lookup6(lpm, addr),
					 want);
			assert_int_equal(lpm_lookup_to(lpm, address, &last), want);
			assert_int_equal(look_up(lpm, addr_bits, last), want);
			answered += want != LPM_NONE;
		}
		check_runs(lpm, addr_bits);
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
		cmocka_unit_test(test_equals_linear_ipv4),
		cmocka_unit_test(test_equals_linear_ipv6),
		cmocka_unit_test_setup_teardown(test_equals_rte_lpm, start_eal, stop_eal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
