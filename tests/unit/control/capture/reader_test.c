// SPDX-License-Identifier: BSD-3-Clause
// Every file is built byte by byte here, from the format documents, so that the reader is not
// tested against our own writer.
#include "control/capture/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du
#define ETHERNET 1u

static char directory[64];
static char path[128];
static char err[512];

// The file under construction.
static uint8_t bytes[4096];
static size_t length;
static bool big_endian;

static void
add16(uint16_t value)
{
	bytes[length++] = (uint8_t)(big_endian ? value >> 8 : value);
	bytes[length++] = (uint8_t)(big_endian ? value : value >> 8);
}

static void
add32(uint32_t value)
{
	add16((uint16_t)(big_endian ? value >> 16 : value));
	add16((uint16_t)(big_endian ? value : value >> 16));
}

static void
add_fill(uint8_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[length++] = (uint8_t)(first + i);
}

static void
pcap_begin(uint32_t magic, uint32_t link)
{
	length = 0;
	add32(magic);
	add16(2);
	add16(4);
	add32(0);
	add32(0);
	add32(65535);
	add32(link);
}

// A whole packet whose bytes count up from `first`.
static void
pcap_packet(uint32_t s, uint32_t fraction, uint32_t len, uint8_t first)
{
	add32(s);
	add32(fraction);
	add32(len);
	add32(len);
	add_fill(first, len);
}

static void
pcapng_begin(uint8_t resolution)
{
	length = 0;
	add32(0x0a0d0d0a);
	add32(28);
	add32(0x1a2b3c4d);
	add16(1);
	add16(0);
	add32(UINT32_MAX);
	add32(UINT32_MAX);
	add32(28);
	add32(1);
	add32(32);
	add16(ETHERNET);
	add16(0);
	add32(0);
	add16(9); // if_tsresol
	add16(1);
	add_fill(resolution, 1);
	add_fill(0, 1);
	add16(0);
	add32(0); // opt_endofopt
	add32(32);
}

static void
pcapng_packet(uint64_t stamp, uint32_t len, uint8_t first)
{
	uint32_t total = 32 + ((len + 3) & ~3u);

	add32(6);
	add32(total);
	add32(0);
	add32((uint32_t)(stamp >> 32));
	add32((uint32_t)stamp);
	add32(len);
	add32(len);
	add_fill(first, len);
	while (length % 4)
		add_fill(0, 1);
	add32(total);
}

static void
save(const char *name)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static struct capture_reader *
open_file(void)
{
	struct capture_reader *reader;

	save("in.pcap");
	if (capture_reader_open(&reader, path, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	return reader;
}

static void
expect_packet(struct capture_reader *reader, uint64_t number, ps_t stamp, uint32_t len,
	      uint8_t first)
{
	struct capture_packet packet;

	if (capture_reader_next(reader, &packet, err, sizeof(err)) != 1)
		fail_msg("no packet %d", (int)number);
	assert_int_equal(packet.number, number);
	assert_int_equal(packet.stamp, stamp);
	assert_int_equal(packet.data_len, len);
	assert_int_equal(packet.orig_len, len);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(packet.data[i], (uint8_t)(first + i));
}

static void
expect_end(struct capture_reader *reader)
{
	struct capture_packet packet;

	assert_int_equal(capture_reader_next(reader, &packet, err, sizeof(err)), 0);
	assert_int_equal(capture_reader_next(reader, &packet, err, sizeof(err)), 0);
	capture_reader_close(reader);
}

// The message is the path, then `what` as it stands.
static void
expect_message(const char *what)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s: %s", path, what);
	assert_string_equal(err, whole);
}

// The error comes, and comes again with the same message.
static void
expect_fault(struct capture_reader *reader, int status, const char *what)
{
	struct capture_packet packet;
	uint64_t stamp_ns;

	for (int i = 0; i < 2; i++) {
		memset(err, 0, sizeof(err));
		assert_int_equal(capture_reader_next(reader, &packet, err, sizeof(err)), status);
		expect_message(what);
	}
	memset(err, 0, sizeof(err));
	assert_int_equal(capture_reader_peek(reader, &stamp_ns, err, sizeof(err)), status);
	expect_message(what);
	capture_reader_close(reader);
}

static void
expect_refused(int status, const char *what)
{
	struct capture_reader *reader = (struct capture_reader *)&length;

	assert_int_equal(capture_reader_open(&reader, path, err, sizeof(err)), status);
	assert_null(reader);
	expect_message(what);
}

// 10 us is 0.000010000 in fabric time, whichever way the file writes it.
static void
test_pcap_resolutions_and_orders(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct capture_reader *reader;

		big_endian = order;
		pcap_begin(MAGIC_US, ETHERNET);
		pcap_packet(0, 10, 60, 1);
		pcap_packet(3, 999999, 61, 7);
		reader = open_file();
		expect_packet(reader, 1, 10 * PS_PER_US, 60, 1);
		expect_packet(reader, 2, 3 * PS_PER_S + 999999 * PS_PER_US, 61, 7);
		expect_end(reader);

		pcap_begin(MAGIC_NS, ETHERNET);
		pcap_packet(0, 10, 60, 1);
		pcap_packet(0, 10, 60, 2); // equal stamps keep the file's order
		pcap_packet(2, 999999999, 14, 3);
		reader = open_file();
		expect_packet(reader, 1, 10 * PS_PER_NS, 60, 1);
		expect_packet(reader, 2, 10 * PS_PER_NS, 60, 2);
		expect_packet(reader, 3, 2 * PS_PER_S + 999999999 * PS_PER_NS, 14, 3);
		expect_end(reader);
	}
}

static void
test_pcapng_resolutions_and_orders(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct capture_reader *reader;

		big_endian = order;
		pcapng_begin(9);
		pcapng_packet(5000000001, 61, 9);
		reader = open_file();
		expect_packet(reader, 1, 5000000001 * PS_PER_NS, 61, 9);
		expect_end(reader);

		pcapng_begin(6);
		pcapng_packet(5000001, 64, 9);
		reader = open_file();
		expect_packet(reader, 1, 5000001 * PS_PER_US, 64, 9);
		expect_end(reader);

		pcapng_begin(12); // finer than libpcap gives: down to the ns
		pcapng_packet(1999, 64, 9);
		reader = open_file();
		expect_packet(reader, 1, 1 * PS_PER_NS, 64, 9);
		expect_end(reader);

		pcapng_begin(0x80 | 1); // halves of a second
		pcapng_packet(3, 64, 9);
		reader = open_file();
		expect_packet(reader, 1, PS_PER_S + 500 * PS_PER_MS, 64, 9);
		expect_end(reader);
	}
}

static void
test_no_packets(void **state)
{
	struct capture_reader *reader;
	uint64_t stamp_ns = 1, shift_ns = 1;

	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	reader = open_file();
	assert_int_equal(capture_reader_peek(reader, &stamp_ns, err, sizeof(err)), 0);
	assert_int_equal(capture_reader_align(&reader, 1, &shift_ns, err, sizeof(err)), 0);
	assert_int_equal(shift_ns, 0);
	expect_end(reader);
	pcapng_begin(9);
	expect_end(open_file());
	capture_reader_close(NULL);
}

static void
test_peek_takes_nothing(void **state)
{
	struct capture_reader *reader;
	uint64_t stamp_ns = 0;

	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(1, 5, 60, 1);
	pcap_packet(1, 6, 60, 2);
	reader = open_file();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(capture_reader_peek(reader, &stamp_ns, err, sizeof(err)), 1);
		assert_int_equal(stamp_ns, 1000000005);
	}
	expect_packet(reader, 1, PS_PER_S + 5 * PS_PER_NS, 60, 1);
	assert_int_equal(capture_reader_peek(reader, &stamp_ns, err, sizeof(err)), 1);
	assert_int_equal(stamp_ns, 1000000006);
	expect_packet(reader, 2, PS_PER_S + 6 * PS_PER_NS, 60, 2);
	expect_end(reader);
}

// Two inputs with packets, and an empty one that has no say.
static void
align_two(uint32_t first_s, uint32_t first_ns, uint32_t second_s, uint64_t expected_shift_ns)
{
	struct capture_reader *readers[3];
	uint64_t shift_ns = 1, base;

	pcap_begin(MAGIC_NS, ETHERNET);
	readers[0] = open_file();
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(first_s, first_ns, 60, 1);
	save("first.pcap");
	assert_int_equal(capture_reader_open(&readers[1], path, err, sizeof(err)), 0);
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(second_s, 0, 60, 2);
	save("second.pcap");
	assert_int_equal(capture_reader_open(&readers[2], path, err, sizeof(err)), 0);

	assert_int_equal(capture_reader_align(readers, 3, &shift_ns, err, sizeof(err)), 0);
	assert_int_equal(shift_ns, expected_shift_ns);
	base = first_s * UINT64_C(1000000000) + first_ns - shift_ns;
	expect_packet(readers[1], 1, base * PS_PER_NS, 60, 1);
	base = second_s * UINT64_C(1000000000) - shift_ns;
	expect_packet(readers[2], 1, base * PS_PER_NS, 60, 2);
	for (int i = 0; i < 3; i++)
		expect_end(readers[i]);
}

static void
test_align_shifts_times_of_day(void **state)
{
	(void)state;
	align_two(86401, 0, 86400, UINT64_C(86400000000000)); // at the bound
	align_two(86500, 3, 86501, UINT64_C(86500000000003)); // the first file the earlier
	align_two(86400, 0, 86399, 0);                        // one file before it
	align_two(1700000000, 5, 1700000000, UINT64_C(1700000000000000000)); // today
	align_two(4294967295, 7, 4294967294,
		  UINT64_C(4294967294000000000)); // unsigned seconds: 2106
}

static void
test_align_reports_the_damaged_file(void **state)
{
	struct capture_reader *readers[2];

	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(0, 0, 60, 1);
	readers[0] = open_file();
	length -= 10;
	save("cut.pcap");
	assert_int_equal(capture_reader_open(&readers[1], path, err, sizeof(err)), 0);
	assert_int_equal(capture_reader_align(readers, 2, NULL, err, sizeof(err)), -EINVAL);
	expect_message(
		"packet 1: truncated dump file; tried to read 60 captured bytes, only got 50");
	capture_reader_close(readers[0]);
	capture_reader_close(readers[1]);
}

// 64 bits of picoseconds end 18446744.073709551 s after time 0; the largest value means never.
static void
test_stamp_past_picoseconds(void **state)
{
	struct capture_reader *reader;

	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(18446744, 73709551, 60, 1);
	pcap_packet(18446744, 73709552, 60, 1);
	reader = open_file();
	expect_packet(reader, 1, UINT64_C(18446744073709551000), 60, 1);
	expect_fault(
		reader, -EINVAL,
		"packet 2: stamp 18446744.073709552 s is over 213 days past time 0, shifted by "
		"0.000000000 s");
}

static void
test_stamps_going_back(void **state)
{
	struct capture_reader *reader;

	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(1, 500000000, 60, 1);
	pcap_packet(1, 500000000, 60, 1);
	pcap_packet(1, 499999999, 60, 1);
	reader = open_file();
	expect_packet(reader, 1, 1500 * PS_PER_MS, 60, 1);
	expect_packet(reader, 2, 1500 * PS_PER_MS, 60, 1);
	expect_fault(reader, -EINVAL,
		     "packet 3: stamp 1.499999999 s goes back: packet 2 has 1.500000000 s");
}

static void
test_invalid_stamps(void **state)
{
	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(1, 1000000000, 60, 1);
	expect_fault(open_file(), -EINVAL, "packet 1: no valid time stamp: 1 s and 1000000000 ns");
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(1, UINT32_MAX, 60, 1);
	expect_fault(open_file(), -EINVAL, "packet 1: no valid time stamp: 1 s and -1000 ns");
	pcapng_begin(0); // whole seconds: past what 64 bits of nanoseconds hold
	pcapng_packet(18446744073, 60, 1);
	expect_fault(open_file(), -EINVAL, "packet 1: no valid time stamp: 18446744073 s and 0 ns");
}

static void
test_cut_packets(void **state)
{
	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	add32(0);
	add32(0);
	add32(60);
	add32(1500);
	add_fill(0, 60);
	expect_fault(open_file(), -EINVAL,
		     "packet 1: truncated: 60 of 1500 bytes captured, cannot be replayed");
	pcap_begin(MAGIC_US, ETHERNET);
	add32(0);
	add32(0);
	add32(60);
	add32(59);
	add_fill(0, 60);
	expect_fault(open_file(), -EINVAL, "packet 1: 60 bytes captured of a packet of 59");
	pcap_begin(MAGIC_US, ETHERNET);
	bytes[16] = 64; // the file's snap length: longer packets in it are cut by libpcap
	bytes[17] = 0;
	pcap_packet(0, 0, 80, 1);
	expect_fault(open_file(), -EINVAL,
		     "packet 1: truncated: 64 of 80 bytes captured, cannot be replayed");
}

static void
test_length_limit(void **state)
{
	struct capture_reader *reader;

	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(0, 0, 100, 1);
	pcap_packet(0, 0, 101, 1);
	reader = open_file();
	capture_reader_limit(reader, 100);
	expect_packet(reader, 1, 0, 100, 1);
	expect_fault(reader, -EINVAL, "packet 2: 101 bytes, longer than the 100 allowed");
}

// A pcap cut anywhere is never read as a whole one: an error, or fewer packets at a packet's
// border.
static void
test_pcap_cut_anywhere(void **state)
{
	struct capture_packet packet;
	struct capture_reader *reader;
	size_t whole;

	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(0, 1, 60, 1);
	pcap_packet(0, 2, 60, 1);
	whole = length;
	for (length = 0; length < whole; length++) {
		int status, count = 0;

		save("cut.pcap");
		status = capture_reader_open(&reader, path, err, sizeof(err));
		assert_int_equal(status, length < 24 ? -EINVAL : 0);
		if (status != 0)
			continue;
		while ((status = capture_reader_next(reader, &packet, err, sizeof(err))) == 1)
			count++;
		assert_int_equal(count, (length - 24) / 76);
		assert_int_equal(status, (length - 24) % 76 == 0 ? 0 : -EINVAL);
		capture_reader_close(reader);
	}
}

static void
test_pcapng_cut(void **state)
{
	struct capture_reader *reader;

	(void)state;
	pcapng_begin(9);
	pcapng_packet(1, 60, 1);
	pcapng_packet(2, 60, 1);
	length -= 20;
	reader = open_file();
	expect_packet(reader, 1, PS_PER_NS, 60, 1);
	expect_fault(reader, -EINVAL,
		     "packet 2: truncated pcapng dump file; tried to read 84 bytes, only got 64");
}

static void
test_link_type(void **state)
{
	(void)state;
	pcap_begin(MAGIC_US, 113);
	save("cooked.pcap");
	expect_refused(-EINVAL, "link type LINUX_SLL (113), must be EN10MB (Ethernet)");
	pcap_begin(MAGIC_US, 0xfff0);
	save("unknown.pcap");
	expect_refused(-EINVAL, "link type unknown (65520), must be EN10MB (Ethernet)");
	pcap_begin(MAGIC_US, ETHERNET | 0x24000000); // two 16-bit words of FCS
	save("fcs.pcap");
	expect_refused(-EINVAL, "frames end in an FCS; strip it (editcap -L -C -4)");
}

static void
test_not_a_capture(void **state)
{
	(void)state;
	length = (size_t)snprintf((char *)bytes, sizeof(bytes), "switch:\n  name: dut\n");
	save("dut.yaml");
	expect_refused(-EINVAL, "not a pcap or pcapng file: unknown file format");
	length = 0;
	save("empty");
	expect_refused(-EINVAL,
		       "not a pcap or pcapng file: truncated dump file; tried to read 4 file "
		       "header bytes, only got 0");
	snprintf(path, sizeof(path), "/dev/null");
	expect_refused(-EINVAL,
		       "not a pcap or pcapng file: truncated dump file; tried to read 4 file "
		       "header bytes, only got 0");
}

static void
test_files_that_do_not_open(void **state)
{
	uid_t user = geteuid();

	(void)state;
	snprintf(path, sizeof(path), "%s", directory);
	expect_refused(-EISDIR, "Is a directory");
	snprintf(path, sizeof(path), "%s/missing", directory);
	expect_refused(-ENOENT, "No such file or directory");
	pcap_begin(MAGIC_US, ETHERNET);
	save("unreadable.pcap");
	assert_int_equal(chmod(path, 0), 0);
	if (user == 0) // root reads anything
		assert_int_equal(seteuid(65534), 0);
	expect_refused(-EACCES, "Permission denied");
	assert_int_equal(seteuid(user), 0);
}

static int
make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/roost-reader-XXXXXX");
	big_endian = false;
	return mkdtemp(directory) ? chmod(directory, 0755) : -1;
}

static int
remove_directory(void **state)
{
	static const char *const names[] = {
		"in.pcap",      "first.pcap", "second.pcap", "cut.pcap", "cooked.pcap",
		"unknown.pcap", "fcs.pcap",   "dut.yaml",    "empty",    "unreadable.pcap",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	return rmdir(directory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pcap_resolutions_and_orders),
		TEST(test_pcapng_resolutions_and_orders),
		TEST(test_no_packets),
		TEST(test_peek_takes_nothing),
		TEST(test_align_shifts_times_of_day),
		TEST(test_align_reports_the_damaged_file),
		TEST(test_stamp_past_picoseconds),
		TEST(test_stamps_going_back),
		TEST(test_invalid_stamps),
		TEST(test_cut_packets),
		TEST(test_length_limit),
		TEST(test_pcap_cut_anywhere),
		TEST(test_pcapng_cut),
		TEST(test_link_type),
		TEST(test_not_a_capture),
		TEST(test_files_that_do_not_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
