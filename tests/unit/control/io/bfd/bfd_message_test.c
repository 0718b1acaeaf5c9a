// SPDX-License-Identifier: BSD-3-Clause
// What bfdd says and hears. The bytes are those of FRR 8.4.4.
#include "control/io/bfd/bfd_message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct heard {
	struct bfd_message last;
	unsigned count;
};

static void
take(void *context, const struct bfd_message *message)
{
	struct heard *heard = context;

	heard->last = *message;
	heard->count++;
}

// A session of IPv6 at swp3. Returns its length.
static size_t
add_session(uint8_t *out, uint8_t version)
{
	const size_t length = version == 1 ? 140 : 8 + 348;

	memset(out, 0, length);
	out[0] = version;
	out[3] = BFD_MESSAGE_ADD_SESSION;
	out[6] = (uint8_t)(length >> 8);
	out[7] = (uint8_t)length;
	out[8 + 3] = 0x34; // IPv6, passive, C bit
	inet_pton(AF_INET6, "fe80::1", out + 12);
	inet_pton(AF_INET6, "fe80::2", out + 28);
	memcpy(out + 44, "\x12\x34\x56\x78", 4);
	memcpy(out + 48, "\x00\x04\x93\xe0", 4);
	memcpy(out + 52, "\x00\x03\x0d\x40", 4);
	out[68] = 255;
	out[69] = 5;
	out[75] = 11;
	strcpy((char *)out + 76, "swp3");
	return length;
}

static long
hear(struct heard *heard, const uint8_t *bytes, size_t count)
{
	const char *why = NULL;

	return bfd_take_messages(bytes, count, take, heard, &why);
}

static void
test_add(void **state)
{
	uint8_t bytes[BFD_MESSAGE_MAX];

	(void)state;
	for (uint8_t version = 1; version <= 2; version++) {
		const size_t length = add_session(bytes, version);
		struct heard heard = {0};
		const struct bfd_request *r = &heard.last.session;
		uint8_t address[16];

		assert_int_equal(hear(&heard, bytes, length), length);
		assert_int_equal(heard.count, 1);
		assert_int_equal(heard.last.version, version);
		assert_int_equal(heard.last.type, BFD_MESSAGE_ADD_SESSION);
		assert_int_equal(heard.last.discr, 0x12345678);
		assert_int_equal(r->settings.local_discr, 0x12345678);
		assert_int_equal(r->settings.min_tx_us, 300000);
		assert_int_equal(r->settings.min_rx_us, 200000);
		assert_int_equal(r->settings.detect_mult, 5);
		assert_true(r->settings.passive && r->settings.cpi && !r->settings.shutdown);
		assert_false(r->multihop || r->echo || r->demand);
		assert_int_equal(r->version, 6);
		inet_pton(AF_INET6, "fe80::1", address);
		assert_memory_equal(r->local, address, 16);
		inet_pton(AF_INET6, "fe80::2", address);
		assert_memory_equal(r->peer, address, 16);
		assert_int_equal(r->interface_index, 11);
		assert_string_equal(r->interface, "swp3");
	}
}

// Names that are no interface's count as none.
static void
test_names(void **state)
{
	static const char *const bad[] = {"../x", "a b", "\x1b[2J", "\xc3\xa4"};
	uint8_t bytes[BFD_MESSAGE_MAX];
	struct heard heard = {0};
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		length = add_session(bytes, 1);
		memset(bytes + 76, 0, 64);
		memcpy(bytes + 76, bad[i], strlen(bad[i]));
		assert_int_equal(hear(&heard, bytes, length), length);
		assert_string_equal(heard.last.session.interface, "");
	}
	length = add_session(bytes, 1);
	memset(bytes + 76, 'x', 64); // without an end
	assert_int_equal(hear(&heard, bytes, length), length);
	assert_string_equal(heard.last.session.interface, "");
}

// A stream in any pieces.
static void
test_stream(void **state)
{
	uint8_t bytes[3 * BFD_MESSAGE_MAX];
	size_t length = add_session(bytes, 1), total;
	struct heard heard = {0};

	(void)state;
	memcpy(bytes + length, "\x01\x00\x00\x05\x00\x2a\x00\x0c\x12\x34\x56\x78", 12);
	total = length + 12;
	memcpy(bytes + total, "\x01\x00\x00\x63\x00\x00\x00\x09\xff", 9); // of an unknown type
	total += 9;
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(hear(&heard, bytes, cut), 0);
	assert_int_equal(heard.count, 0);
	assert_int_equal(hear(&heard, bytes, length + 11), length);
	heard.count = 0;
	assert_int_equal(hear(&heard, bytes, total), total);
	assert_int_equal(heard.count, 3);
	assert_int_equal(hear(&heard, bytes + length, 12), 12);
	assert_int_equal(heard.last.type, BFD_MESSAGE_REQUEST_COUNTERS);
	assert_int_equal(heard.last.id, 42);
	assert_int_equal(heard.last.discr, 0x12345678);
}

static void
test_wrong(void **state)
{
	static const struct {
		const char *bytes, *why;
	} rows[] = {
		{"\x00\x00\x00\x05\x00\x01\x00\x0c", "unknown protocol version"},
		{"\x03\x00\x00\x05\x00\x01\x00\x0c", "unknown protocol version"},
		{"\x01\x00\x00\x05\x00\x01\x00\x07", "a message is shorter than its header"},
		{"\x01\x00\x00\x05\x00\x01\x04\x01", "a message is too long"},
		{"\x01\x00\x00\x05\x00\x01\x00\x08", "a message is too short for its type"},
		{"\x01\x00\x00\x02\x00\x01\x00\x08", "a message is too short for its type"},
		{"\x01\x00\x00\x00\x00\x01\x00\x08", "a message is too short for its type"},
	};
	struct heard heard = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *why = NULL;

		assert_int_equal(
			bfd_take_messages((const uint8_t *)rows[i].bytes, 8, take, &heard, &why),
			-EPROTO);
		assert_string_equal(why, rows[i].why);
	}
	assert_int_equal(heard.count, 0);
}

static void
test_answers(void **state)
{
	static const uint8_t change[36] = {1, 0, 0, 4, 0, 0, 0, 36, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0,
					   0, 1, 0, 0, 1, 0, 0, 0,  2, 0, 0, 0, 3, 0, 3, 1, 4, 0};
	const struct bfd_session s = {.settings = {.local_discr = 8}, // as in packets
				      .state = BFD_UP,
				      .remote = {.discr = 9,
						 .diag = 1,
						 .detect_mult = 4,
						 .cpi = true,
						 .desired_min_tx_us = 0x100,
						 .required_min_rx_us = 0x200,
						 .required_min_echo_rx_us = 0x300}};
	const struct bfd_counts counts = {
		.rx_packets = 1, .rx_bytes = 2, .tx_packets = 3, .tx_bytes = 4};
	const struct bfd_message request = {
		.version = 2, .id = 0x102, .discr = 7, .bfdd_time_us = 5};
	uint8_t out[BFD_REPLY_MAX], wanted[BFD_REPLY_MAX] = {2, 0, 0, 6, 1, 2, 0, 80};

	(void)state;
	assert_int_equal(bfd_build_state(1, 7, &s, out), sizeof(change));
	assert_memory_equal(out, change, sizeof(change));
	wanted[11] = 7;
	wanted[23] = 2;
	wanted[31] = 1;
	wanted[39] = 4;
	wanted[47] = 3;
	assert_int_equal(bfd_build_counters(&request, &counts, out), 80);
	assert_memory_equal(out, wanted, 80);
	assert_int_equal(bfd_build_echo(&request, 6, out), 24);
	assert_int_equal(out[3], BFD_MESSAGE_ECHO_REPLY);
	assert_int_equal(out[15], 6);
	assert_int_equal(out[23], 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),     cmocka_unit_test(test_names),
		cmocka_unit_test(test_stream),  cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
