// SPDX-License-Identifier: BSD-3-Clause
// Attributes as anybody may send them. What is parsed ends where its memory does, as far as the
// sanitizer sees.
#include "messages.h"

#include "control/io/learn/message.h"

#include <errno.h>
#include <libmnl/libmnl.h>

static struct made made;
static struct attributes got;

static void
start(void)
{
	made_start(&made, RTM_NEWROUTE, 0, NULL, 0);
}

// The attributes made since start(), of which the first `bytes` are there.
static int
parse(size_t bytes)
{
	void *copy = test_malloc(bytes);
	int rc;

	memcpy(copy, made.bytes + NLMSG_HDRLEN, bytes);
	rc = attributes_parse(copy, bytes, &got);
	test_free(copy);
	return rc;
}

static int
parse_all(void)
{
	return attributes_parse(made.bytes + NLMSG_HDRLEN, made.length - NLMSG_HDRLEN, &got);
}

static void
test_by_type(void **state)
{
	uint32_t value = 0;

	(void)state;
	start();
	assert_int_equal(parse_all(), 0);
	for (unsigned i = 0; i < ATTRIBUTES_MAX; i++)
		assert_null(got.by_type[i]);
	made_number(&made, 5, 50);
	made_number(&made, 6, 60);
	made_number(&made, 5, 51);
	made_number(&made, ATTRIBUTES_MAX - 1, 63);
	made_number(&made, ATTRIBUTES_MAX, 64); // of no concern, as is what follows
	made_number(&made, 0x3fff, 65);
	made_number(&made, NLA_F_NESTED | 7, 70);
	assert_int_equal(parse_all(), 0);
	for (unsigned i = 0; i < ATTRIBUTES_MAX; i++)
		assert_int_equal(got.by_type[i] != NULL,
				 i == 5 || i == 6 || i == 7 || i == ATTRIBUTES_MAX - 1);
	assert_int_equal(attributes_take(&got, 5, &value, 4), 0);
	assert_int_equal(value, 51); // the last
	assert_int_equal(attributes_take(&got, 7, &value, 4), 0);
	assert_int_equal(value, 70);
}

// Every length that an attribute of eight bytes may claim, with zeros in it: they are no attribute.
static void
test_lengths_that_lie(void **state)
{
	static const uint8_t zeros[8];

	(void)state;
	for (uint32_t lie = 0; lie <= UINT16_MAX; lie++) {
		uint16_t length = (uint16_t)lie;

		start();
		made_attr(&made, 1, zeros, 8);
		memcpy(made.bytes + NLMSG_HDRLEN, &length, 2);
		assert_int_equal(parse(12), lie >= 9 && lie <= 12 ? 0 : -EBADMSG);
		assert_int_equal(got.by_type[1] != NULL, lie >= 4 && lie <= 12);
	}
}

// Only the padding of the last may be missing.
static void
test_cut(void **state)
{
	(void)state;
	start();
	made_number(&made, 1, 7);
	made_attr(&made, 2, "swp1", 5);
	for (size_t bytes = 0; bytes <= 20; bytes++) {
		bool whole = bytes == 0 || bytes == 8 || bytes >= 17;

		assert_int_equal(parse(bytes), whole ? 0 : -EBADMSG);
		assert_int_equal(got.by_type[1] != NULL, bytes >= 8);
		assert_int_equal(got.by_type[2] != NULL, bytes >= 17);
	}
}

// Behind a header, which is padded as attributes are.
static void
test_messages(void **state)
{
	static const uint8_t header[5] = {1, 2, 3, 4, 5};
	const struct nlmsghdr *message = made_message(&made);
	uint32_t value = 0;

	(void)state;
	made_start(&made, RTM_NEWROUTE, 0, header, sizeof(header));
	made_number(&made, 3, 33);
	assert_int_equal(attributes_parse_message(message, sizeof(header), &got), 0);
	assert_int_equal(attributes_take(&got, 3, &value, 4), 0);
	assert_int_equal(value, 33);
	for (uint32_t bytes = 0; bytes <= 16; bytes++) {
		bool whole = (bytes >= 5 && bytes <= 8) || bytes == 16;

		((struct nlmsghdr *)made.bytes)->nlmsg_len = NLMSG_HDRLEN + bytes;
		assert_int_equal(attributes_parse_message(message, sizeof(header), &got),
				 whole ? 0 : -EBADMSG);
	}
}

static void
test_values(void **state)
{
	uint8_t value[8] = {9, 9, 9, 9, 9, 9, 9, 9};

	(void)state;
	start();
	made_attr(&made, 1, "abcd", 4);
	made_attr(&made, 2, NULL, 0);
	assert_int_equal(parse_all(), 0);
	assert_int_equal(attributes_take(&got, 3, value, 4), 0); // not there
	for (size_t bytes = 0; bytes <= 8; bytes++) {
		assert_int_equal(attributes_take(&got, 2, value, bytes), bytes == 0 ? 0 : -EBADMSG);
		if (bytes != 4)
			assert_int_equal(attributes_take(&got, 1, value, bytes), -EBADMSG);
		assert_int_equal(value[0], 9);
	}
	assert_int_equal(attributes_take(&got, 1, value, 4), 0);
	assert_memory_equal(value, "abcd\x09\x09\x09\x09", 8);
}

static void
test_addresses(void **state)
{
	static const uint8_t bytes[16] = {0xfd, [15] = 1};
	static const struct {
		unsigned family;
		uint8_t version, length;
	} rows[] = {{AF_INET, 4, 4}, {AF_INET6, 6, 16}, {AF_BRIDGE, 0, 99}, {AF_UNSPEC, 0, 99}};

	(void)state;
	for (uint16_t length = 0; length <= 16; length++) {
		start();
		made_attr(&made, 1, bytes, length);
		assert_int_equal(parse_all(), 0);
		for (unsigned i = 0; i < 4; i++) {
			struct learn_address a = {0}, wanted = {.version = rows[i].version};
			bool good = length == rows[i].length;

			assert_int_equal(attributes_version(rows[i].family), rows[i].version);
			assert_int_equal(attributes_take_address(&got, 2, rows[i].family, &a), 0);
			assert_int_equal(a.version, 0); // not there
			assert_int_equal(attributes_take_address(&got, 1, rows[i].family, &a),
					 good ? 0 : -EBADMSG);
			memcpy(wanted.bytes, bytes, good ? length : 0);
			assert_memory_equal(&a, &wanted, sizeof(a));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_type), cmocka_unit_test(test_lengths_that_lie),
		cmocka_unit_test(test_cut),     cmocka_unit_test(test_messages),
		cmocka_unit_test(test_values),  cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
