// SPDX-License-Identifier: BSD-3-Clause
// What is refused: damaged files, stamps without a place in fabric time, and what is no capture.
#include "built_file.h"

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
	assert_int_equal(capture_reader_open(&readers[1], path, fresh()), 0);
	assert_int_equal(capture_reader_align(readers, 2, NULL, fresh()), -EINVAL);
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
		status = capture_reader_open(&reader, path, fresh());
		assert_int_equal(status, length < 24 ? -EINVAL : 0);
		if (status != 0)
			continue;
		while ((status = capture_reader_next(reader, &packet, fresh())) == 1)
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
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
