// SPDX-License-Identifier: BSD-3-Clause
// Blocks are compared with bytes written out by hand from draft-ietf-opsawg-pcapng, and files are
// read back through libpcap.
#include "control/io/capture/reader.h"
#include "control/io/capture/writer.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

// The head of every file: section header, then interface "swp1" with the snap length at byte 56.
#define HEAD_LEN 84
#define HEAD_SNAPLEN 56

static const uint8_t head[HEAD_LEN] = {
	0x0a, 0x0d, 0x0d, 0x0a, 44,   0,    0,    0,                  // Section Header Block
	0x4d, 0x3c, 0x2b, 0x1a, 1,    0,    0,    0,                  // little-endian, version 1.0
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,               // section length not given
	4,    0,    5,    0,    'R',  'o',  'o',  's',  't', 0, 0, 0, // shb_userappl
	0,    0,    0,    0,    44,   0,    0,    0,                  // opt_endofopt
	1,    0,    0,    0,    40,   0,    0,    0,                  // Interface Description Block
	1,    0,    0,    0,    0,    0,    0,    0,                  // Ethernet, snaplen
	2,    0,    4,    0,    's',  'w',  'p',  '1',                // if_name
	9,    0,    1,    0,    9,    0,    0,    0,                  // if_tsresol: 10^-9
	0,    0,    0,    0,    40,   0,    0,    0,                  // opt_endofopt
};

static char path[64];
static struct diag diag;
static uint8_t bytes[8192];

static struct capture_writer *
open_file(uint32_t snaplen)
{
	struct capture_writer *writer;

	assert_int_equal(
		capture_writer_open(&writer, path, PCAPNG_LINKTYPE_ETHERNET, "swp1", snaplen), 0);
	return writer;
}

static int
put(struct capture_writer *writer, ps_t stamp, const void *data, uint32_t length,
    const char *comment)
{
	return capture_writer_packet(writer, &(struct capture_record){.stamp = stamp,
								      .data = data,
								      .data_len = length,
								      .orig_len = length,
								      .comment = comment});
}

// A text as the first bytes of a packet of orig_len.
static int
put_cut(struct capture_writer *writer, ps_t stamp, const char *data, uint32_t orig_len)
{
	return capture_writer_packet(writer,
				     &(struct capture_record){.stamp = stamp,
							      .data = data,
							      .data_len = (uint32_t)strlen(data),
							      .orig_len = orig_len});
}

static int
put_directed(struct capture_writer *writer, enum capture_direction direction, ps_t stamp,
	     const char *comment)
{
	return capture_writer_packet(writer, &(struct capture_record){.stamp = stamp,
								      .direction = direction,
								      .data = "",
								      .comment = comment});
}

static size_t
load(void)
{
	FILE *file = fopen(path, "rb");
	size_t length;

	assert_non_null(file);
	length = fread(bytes, 1, sizeof(bytes), file);
	assert_true(length < sizeof(bytes));
	fclose(file);
	return length;
}

static void
expect_blocks(const uint8_t *blocks, size_t length, uint8_t snaplen)
{
	uint8_t expected_head[HEAD_LEN];

	memcpy(expected_head, head, HEAD_LEN);
	expected_head[HEAD_SNAPLEN] = snaplen;
	assert_int_equal(load(), HEAD_LEN + length);
	assert_memory_equal(bytes, expected_head, HEAD_LEN);
	if (length > 0)
		assert_memory_equal(bytes + HEAD_LEN, blocks, length);
}

static void
test_empty_file(void **state)
{
	struct capture_packet packet;
	struct capture_reader *reader;

	(void)state;
	assert_int_equal(capture_writer_close(open_file(128)), 0);
	expect_blocks(NULL, 0, 128);
	assert_int_equal(capture_reader_open(&reader, path, &diag), 0);
	assert_int_equal(capture_reader_next(reader, &packet, &diag), 0);
	capture_reader_close(reader);
	assert_int_equal(capture_writer_close(NULL), 0);
}

// 2^32 + 5 ns and 999 ps: both halves of the stamp, rounded down.
static void
test_packet_bytes(void **state)
{
	static const uint8_t expected[] = {
		6,    0,   0,   0,   40,  0, 0, 0, // Enhanced Packet Block
		0,    0,   0,   0,   1,   0, 0, 0, // interface 0, stamp's upper half
		5,    0,   0,   0,   5,   0, 0, 0, // lower half, captured
		0x2c, 1,   0,   0,                 // 300 on the wire
		'a',  'b', 'c', 'd', 'e', 0, 0, 0, // padded
		40,   0,   0,   0,
	};
	struct capture_writer *writer = open_file(0);

	(void)state;
	assert_int_equal(put_cut(writer, UINT64_C(4294967301999), "abcde", 300), 0);
	assert_int_equal(capture_writer_close(writer), 0);
	expect_blocks(expected, sizeof(expected), 0);
}

// A comment gets its newline once; an empty one is none.
static void
test_comment_bytes(void **state)
{
	static const uint8_t expected[] = {
		6,   0,   0,   0,   52,  0,    0, 0, // Enhanced Packet Block
		0,   0,   0,   0,   0,   0,    0, 0, // interface 0, stamp's upper half
		1,   0,   0,   0,                    // lower half
		4,   0,   0,   0,   4,   0,    0, 0, // captured, on the wire
		'a', 'b', 'c', 'd',                  // data
		1,   0,   6,   0,                    // opt_comment
		'p', 'o', 'r', 't', '1', '\n', 0, 0, // padded
		0,   0,   0,   0,   52,  0,    0, 0, // opt_endofopt
	};
	static const uint8_t bare[] = {
		6,   0,   0,   0,   36, 0, 0, 0, // Enhanced Packet Block
		0,   0,   0,   0,   0,  0, 0, 0, // interface 0, stamp's upper half
		1,   0,   0,   0,                // lower half
		4,   0,   0,   0,   4,  0, 0, 0, // captured, on the wire
		'a', 'b', 'c', 'd',              // data
		36,  0,   0,   0,                // total length
	};
	static const char *const same[] = {"port1", "port1\n"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct capture_writer *writer = open_file(0);

		assert_int_equal(put(writer, 1000, "abcd", 4, same[i]), 0);
		assert_int_equal(capture_writer_close(writer), 0);
		expect_blocks(expected, sizeof(expected), 0);
	}
	struct capture_writer *writer = open_file(0);

	assert_int_equal(put(writer, 1000, "abcd", 4, ""), 0);
	assert_int_equal(capture_writer_close(writer), 0);
	expect_blocks(bare, sizeof(bare), 0);
}

static void
test_direction_bytes(void **state)
{
	static const uint8_t expected[] = {
		6, 0, 0, 0, 52,  0,    0, 0, // Enhanced Packet Block
		0, 0, 0, 0, 0,   0,    0, 0, // interface 0, stamp's upper half
		1, 0, 0, 0,                  // lower half
		0, 0, 0, 0, 0,   0,    0, 0, // captured, on the wire
		2, 0, 4, 0, 2,   0,    0, 0, // epb_flags: outbound
		1, 0, 2, 0, 'x', '\n', 0, 0, // opt_comment
		0, 0, 0, 0, 52,  0,    0, 0, // opt_endofopt
	};
	static const uint8_t inbound[] = {
		6, 0, 0, 0, 44, 0, 0, 0, // Enhanced Packet Block
		0, 0, 0, 0, 0,  0, 0, 0, // interface 0, stamp's upper half
		1, 0, 0, 0,              // lower half
		0, 0, 0, 0, 0,  0, 0, 0, // captured, on the wire
		2, 0, 4, 0, 1,  0, 0, 0, // epb_flags: inbound
		0, 0, 0, 0, 44, 0, 0, 0, // opt_endofopt
	};
	struct capture_writer *writer = open_file(0);

	(void)state;
	assert_int_equal(put_directed(writer, CAPTURE_DIRECTION_OUT, 1000, "x"), 0);
	assert_int_equal(capture_writer_close(writer), 0);
	expect_blocks(expected, sizeof(expected), 0);
	writer = open_file(0);
	assert_int_equal(put_directed(writer, CAPTURE_DIRECTION_IN, 1999, NULL), 0);
	assert_int_equal(capture_writer_close(writer), 0);
	expect_blocks(inbound, sizeof(inbound), 0);
}

static void
test_snaplen_cuts(void **state)
{
	static const uint8_t expected[] = {
		6,   0,   0,   0, 36, 0, 0, 0, // Enhanced Packet Block
		0,   0,   0,   0, 0,  0, 0, 0, // interface 0, stamp's upper half
		0,   0,   0,   0,              // lower half
		3,   0,   0,   0, 9,  0, 0, 0, // captured, on the wire
		'a', 'b', 'c', 0,              // padded
		36,  0,   0,   0,              // total length
	};
	struct capture_writer *writer = open_file(3);

	(void)state;
	assert_int_equal(put_cut(writer, 999, "abcde", 9), 0);
	assert_int_equal(capture_writer_close(writer), 0);
	expect_blocks(expected, sizeof(expected), 3);
}

// Every length in 0..200, with and without a comment, read back by libpcap.
static void
test_read_back(void **state)
{
	struct capture_writer *writer = open_file(0);
	struct capture_packet packet;
	struct capture_reader *reader;
	uint8_t data[200];

	(void)state;
	for (uint32_t len = 0; len <= sizeof(data); len++) {
		memset(data, (int)len, sizeof(data));
		assert_int_equal(put(writer, len * UINT64_C(12345678901) + 999, data, len,
				     len % 3 ? "reason=no-route" : NULL),
				 0);
	}
	assert_int_equal(capture_writer_close(writer), 0);

	assert_int_equal(capture_reader_open(&reader, path, &diag), 0);
	for (uint32_t len = 0; len <= sizeof(data); len++) {
		ps_t stamp = len * UINT64_C(12345678901) + 999;

		memset(data, (int)len, sizeof(data));
		assert_int_equal(capture_reader_next(reader, &packet, &diag), 1);
		assert_int_equal(packet.stamp, stamp / PS_PER_NS * PS_PER_NS);
		assert_int_equal(packet.data_len, len);
		assert_memory_equal(packet.data, data, len);
	}
	assert_int_equal(capture_reader_next(reader, &packet, &diag), 0);
	capture_reader_close(reader);
}

// The longest of everything: 255 bytes of name, a 65534-byte comment, the largest packet.
static void
test_limits(void **state)
{
	char name[257], *comment = malloc(65536);
	uint8_t *data = calloc(1, CAPTURE_PACKET_MAX + 1);
	struct capture_writer *writer;
	struct capture_packet packet;
	struct capture_reader *reader;

	(void)state;
	assert_non_null(data);
	assert_non_null(comment);
	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	assert_int_equal(capture_writer_open(&writer, path, PCAPNG_LINKTYPE_ETHERNET, name, 0),
			 -EINVAL);
	assert_null(writer);
	assert_int_equal(capture_writer_open(&writer, path, PCAPNG_LINKTYPE_ETHERNET, "", 0),
			 -EINVAL);
	name[255] = '\0';
	assert_int_equal(capture_writer_open(&writer, path, PCAPNG_LINKTYPE_ETHERNET, name, 0), 0);
	memset(comment, 'c', 65536);
	comment[65534] = '\0';
	assert_int_equal(put(writer, 0, data, CAPTURE_PACKET_MAX, comment), 0);
	// Refused, and the refusal is not forgotten at the end.
	assert_int_equal(put(writer, 0, data, CAPTURE_PACKET_MAX + 1, NULL), -EMSGSIZE);
	assert_int_equal(put(writer, 0, data, 60, NULL), -EMSGSIZE);
	assert_int_equal(capture_writer_close(writer), -EMSGSIZE);
	assert_int_equal(capture_reader_open(&reader, path, &diag), 0);
	assert_int_equal(capture_reader_next(reader, &packet, &diag), 1);
	assert_int_equal(packet.data_len, CAPTURE_PACKET_MAX);
	assert_int_equal(capture_reader_next(reader, &packet, &diag), 0);
	capture_reader_close(reader);

	writer = open_file(0);
	comment[65534] = 'c';
	comment[65535] = '\0';
	assert_int_equal(put(writer, 0, data, 60, comment), -EMSGSIZE);
	assert_int_equal(capture_writer_close(writer), -EMSGSIZE);
	writer = open_file(0);
	assert_int_equal(put_cut(writer, 0, "abc", 2), -EINVAL);
	assert_int_equal(capture_writer_close(writer), -EINVAL);
	expect_blocks(NULL, 0, 0);
	free(data);
	free(comment);
}

static void
expect_refused(const char *where, int status)
{
	struct capture_writer *writer = (struct capture_writer *)bytes;

	assert_int_equal(capture_writer_open(&writer, where, PCAPNG_LINKTYPE_ETHERNET, "swp1", 0),
			 status);
	assert_null(writer);
}

static void
test_places_that_take_no_file(void **state)
{
	struct capture_writer *writer;

	(void)state;
	expect_refused("/tmp", -EISDIR);
	expect_refused("/nonexistent/x", -ENOENT);
	expect_refused("/dev/full", -ENOSPC);
	assert_int_equal(
		capture_writer_open(&writer, "/dev/null", PCAPNG_LINKTYPE_ETHERNET, "swp1", 0), 0);
	assert_int_equal(put(writer, 0, "abc", 3, NULL), 0);
	assert_int_equal(capture_writer_close(writer), 0);
}

// A file that may not grow stands for a full disk, in the midst of a block and in the last flush.
static void
test_full_disk(void **state)
{
	static const uint8_t data[1000];
	struct rlimit old, small;
	struct capture_writer *writer;
	int status = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	writer = open_file(0);
	for (int i = 0; i < 200 && status == 0; i++)
		status = put(writer, 0, data, sizeof(data), NULL);
	assert_int_equal(status, -EFBIG);
	assert_int_equal(put(writer, 0, data, 60, NULL), -EFBIG);
	assert_int_equal(capture_writer_close(writer), -EFBIG);

	small.rlim_cur = HEAD_LEN + 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	writer = open_file(0);
	assert_int_equal(put(writer, 0, data, 60, NULL), 0); // buffered
	assert_int_equal(capture_writer_close(writer), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static int
make_file(void **state)
{
	int file;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/roost-writer-XXXXXX");
	file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static int
remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_file, remove_file)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty_file),    TEST(test_packet_bytes),
		TEST(test_comment_bytes), TEST(test_direction_bytes),
		TEST(test_snaplen_cuts),  TEST(test_read_back),
		TEST(test_limits),        TEST(test_places_that_take_no_file),
		TEST(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
