// SPDX-License-Identifier: BSD-3-Clause
//
// Full checksums against published ones, and the incremental update against the full one: every
// TTL and every DSCP and ECN rewrite of many headers, and every checksum that a header can have.

#include "dataplane/base/checksum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TOS = 1, TTL = 8 };

static uint64_t random_state;

// SplitMix64 (Steele, Lea, Flood 2014).
static uint64_t
random_u64(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned int
sample_size(unsigned int usual, unsigned int full)
{
	const char *all = getenv("ROOST_TEST_FULL");

	return all != NULL && strcmp(all, "1") == 0 ? full : usual;
}

static void
store_checksum(uint8_t *ip, uint16_t checksum)
{
	memcpy(ip + CHECKSUM_IPV4_OFFSET, &checksum, sizeof(checksum));
}

static uint16_t
stored_checksum(const uint8_t *ip)
{
	uint16_t checksum;

	memcpy(&checksum, ip + CHECKSUM_IPV4_OFFSET, sizeof(checksum));
	return checksum;
}

// The definition, bytes in network order and one carry at a time: RFC 791, "the 16 bit one's
// complement of the one's complement sum of all 16 bit words in the header".
static void
store_by_definition(uint8_t *ip, size_t header_bytes)
{
	unsigned int sum = 0;

	ip[10] = ip[11] = 0;
	for (size_t i = 0; i < header_bytes; i += 2) {
		sum += ip[i] << 8 | ip[i + 1];
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	sum = ~sum & 0xffff;
	ip[10] = sum >> 8;
	ip[11] = sum & 0xff;
}

// A header of random content with a checksum that is right; returns its length.
static size_t
random_header(uint8_t ip[60])
{
	unsigned int ihl = 5 + random_u64() % 11;

	for (unsigned int i = 0; i < 60; i++)
		ip[i] = random_u64();
	ip[0] = 0x40 | ihl;
	store_by_definition(ip, ihl * 4);
	return ihl * 4;
}

static void
test_known_answers(void **state)
{
	(void)state;
	// 10.0.0.1 > 10.0.0.2 UDP, 28 B, TTL 64: 4500+001c+0001+0000+4011+0a00+0001+0a00+0002 =
	// 9931, and its complement 66ce.
	uint8_t plain[20] = {0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
	// The sum is 4500+0014+baeb = ffff, so the checksum is 0000.
	uint8_t zero[20] = {0x45, 0, 0, 20, 0xba, 0xeb};

	store_checksum(plain, checksum_ipv4_header(plain, sizeof(plain)));
	assert_int_equal(plain[10], 0x66);
	assert_int_equal(plain[11], 0xce);
	// The field itself is not counted.
	assert_int_equal(checksum_ipv4_header(plain, sizeof(plain)), stored_checksum(plain));

	assert_int_equal(checksum_ipv4_header(zero, sizeof(zero)), 0);
	// With TTL 1 it is feff; the decrement leads back to 0000.
	zero[TTL] = 1;
	store_checksum(zero, checksum_ipv4_header(zero, sizeof(zero)));
	checksum_ipv4_set_byte(zero, TTL, 0);
	assert_int_equal(stored_checksum(zero), 0);
}

// RFC 1624 section 4: HC = dd2f, m = 5555, m' = 3285 must give 0000, where RFC 1141 gave ffff.
static void
test_rfc1624_example(void **state)
{
	(void)state;
	assert_int_equal(checksum_ipv4_update16(0xdd2f, 0x5555, 0x3285), 0x0000);
}

static void
test_full_equals_definition(void **state)
{
	(void)state;
	random_state = 791;
	for (unsigned int i = 0; i < 20000; i++) {
		uint8_t ip[60];
		size_t header_bytes = random_header(ip);

		assert_int_equal(checksum_ipv4_header(ip, header_bytes), stored_checksum(ip));
	}
}

static void
test_ttl_decrement(void **state)
{
	(void)state;
	random_state = 1624;
	for (unsigned int i = 0; i < sample_size(2000, 50000); i++) {
		uint8_t ip[60];
		size_t header_bytes = random_header(ip);

		// From 255 to 0 by ones: updates on top of updates.
		ip[TTL] = 255;
		store_by_definition(ip, header_bytes);
		for (int ttl = 254; ttl >= 0; ttl--) {
			uint8_t byte_set[60];

			memcpy(byte_set, ip, sizeof(byte_set));
			checksum_ipv4_set_byte(byte_set, TTL, ttl);
			checksum_ipv4_decrement_ttl(ip);
			assert_memory_equal(ip, byte_set, sizeof(byte_set));
			assert_int_equal(ip[TTL], ttl);
			assert_int_equal(stored_checksum(ip),
					 checksum_ipv4_header(ip, header_bytes));
		}
	}
}

// Every byte to every byte: that is each DSCP rewrite and each ECN mark.
static void
test_tos_rewrite(void **state)
{
	(void)state;
	random_state = 3168;
	for (unsigned int i = 0; i < sample_size(20, 500); i++) {
		uint8_t ip[60];
		size_t header_bytes = random_header(ip);

		for (unsigned int from = 0; from < 256; from++) {
			for (unsigned int to = 0; to < 256; to++) {
				ip[TOS] = from;
				store_checksum(ip, checksum_ipv4_header(ip, header_bytes));
				checksum_ipv4_set_byte(ip, TOS, to);
				assert_int_equal(stored_checksum(ip),
						 checksum_ipv4_header(ip, header_bytes));
			}
		}
	}
}

// Takes one from the TTL in both ways, which must agree.
static void
decrement_ttl(uint8_t ip[20])
{
	uint8_t byte_set[20];

	memcpy(byte_set, ip, sizeof(byte_set));
	checksum_ipv4_set_byte(byte_set, TTL, byte_set[TTL] - 1);
	checksum_ipv4_decrement_ttl(ip);
	assert_memory_equal(ip, byte_set, sizeof(byte_set));
}

// Each of the 65535 checksums there are, before a change, and the 0xffff that some stacks send in
// place of 0: the identification word brings the header to it.
static void
test_every_checksum(void **state)
{
	(void)state;
	uint8_t ip[20] = {0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17};
	bool zero_seen = false;

	for (unsigned int id = 0; id <= 0xffff; id++) {
		uint16_t checksum;

		ip[TTL] = 64;
		ip[4] = id >> 8;
		ip[5] = id & 0xff;
		checksum = checksum_ipv4_header(ip, sizeof(ip));
		assert_int_not_equal(checksum, 0xffff);
		store_checksum(ip, checksum);
		decrement_ttl(ip);
		assert_int_equal(stored_checksum(ip), checksum_ipv4_header(ip, sizeof(ip)));
		if (checksum != 0)
			continue;

		zero_seen = true;
		ip[TTL] = 64;
		store_checksum(ip, 0xffff);
		decrement_ttl(ip);
		assert_int_equal(stored_checksum(ip), checksum_ipv4_header(ip, sizeof(ip)));
	}
	assert_true(zero_seen);
}

// A word of ones that becomes zeros changes no sum: 0000 stays, in its other form ffff too.
static void
test_ones_to_zeros(void **state)
{
	(void)state;
	uint8_t ip[20] = {0x45, 0, 0, 20, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xba, 0xeb};

	assert_int_equal(checksum_ipv4_header(ip, sizeof(ip)), 0);
	ip[4] = ip[5] = 0;
	assert_int_equal(checksum_ipv4_header(ip, sizeof(ip)), 0);
	assert_int_equal(checksum_ipv4_update16(0, 0xffff, 0), 0);
	assert_int_equal(checksum_ipv4_update16(0, 0, 0xffff), 0);
	assert_int_equal(checksum_ipv4_update16(0xffff, 0xffff, 0), 0);
	assert_int_equal(checksum_ipv4_update16(0xffff, 0, 0xffff), 0);
}

// The update must not mend what was broken: the error stays the same.
static void
test_wrong_stays_wrong(void **state)
{
	(void)state;
	random_state = 1071;
	for (unsigned int i = 0; i < 1000; i++) {
		uint8_t ip[60];
		size_t header_bytes = random_header(ip);

		ip[CHECKSUM_IPV4_OFFSET] ^= 0x10;
		checksum_ipv4_set_byte(ip, TTL, ip[TTL] - 1);
		assert_int_not_equal(stored_checksum(ip), checksum_ipv4_header(ip, header_bytes));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_rfc1624_example),
		cmocka_unit_test(test_full_equals_definition),
		cmocka_unit_test(test_ttl_decrement),
		cmocka_unit_test(test_tos_rewrite),
		cmocka_unit_test(test_every_checksum),
		cmocka_unit_test(test_ones_to_zeros),
		cmocka_unit_test(test_wrong_stays_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
