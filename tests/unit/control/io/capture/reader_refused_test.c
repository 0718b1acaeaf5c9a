// SPDX-License-Identifier: BSD-3-Clause
// What is refused: damaged files, stamps without a place in fabric time, and what is no capture.
#include "built_file.h"

#include "control/io/capture/sorter.h"

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
	expect_message("packet 1: truncated: the file ends 10 bytes too early");
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
		     "packet 3: stamp 1.499999999 s goes back: packet 2 has 1.500000000 s; --sort "
		     "puts them in order");
}

static void
test_invalid_stamps(void **state)
{
	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	pcap_packet(1, 1000000000, 60, 1);
	expect_fault(open_file(), -EINVAL, "packet 1: no valid time stamp; --pace line needs none");
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(1, 1000000, 60, 1);
	expect_fault(open_file(), -EINVAL, "packet 1: no valid time stamp; --pace line needs none");
	pcapng_begin(0); // whole seconds: past what 64 bits of nanoseconds hold
	pcapng_packet(18446744074, 60, 1);
	expect_fault(open_file(), -EINVAL, "packet 1: no valid time stamp; --pace line needs none");
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
		     "packet 1: truncated: 60 of 1500 bytes captured, cannot be replayed; capture "
		     "without a snap length (tcpdump -s 0)");
	pcap_begin(MAGIC_US, ETHERNET);
	add32(0);
	add32(0);
	add32(60);
	add32(59);
	add_fill(0, 60);
	expect_fault(open_file(), -EINVAL, "packet 1: 60 bytes captured of a packet of 59");
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
	expect_fault(reader, -EINVAL, "packet 2: truncated: the file ends 20 bytes too early");
}

static void
test_link_type(void **state)
{
	(void)state;
	pcap_begin(MAGIC_US, 127);
	pcap_packet(0, 0, 60, 1);
	expect_fault(
		open_file(), -EINVAL,
		"packet 1: link type IEEE802_11_RADIO (127), must be EN10MB (Ethernet), cooked "
		"(LINUX_SLL, LINUX_SLL2), RAW or loopback; capture on the wired side of the "
		"access point");
	pcap_begin(MAGIC_US, 0xfff0);
	pcap_packet(0, 0, 60, 1);
	expect_fault(open_file(), -EINVAL,
		     "packet 1: link type unknown (65520), must be EN10MB (Ethernet), cooked "
		     "(LINUX_SLL, LINUX_SLL2), RAW or loopback; capture on an Ethernet interface");
	pcap_begin(MAGIC_US, ETHERNET | 0x24000000); // two 16-bit words of FCS
	pcap_packet(0, 0, 60, 1);
	expect_fault(open_file(), -EINVAL,
		     "packet 1: frames end in an FCS; strip it (editcap -L -C -4)");
}

// What ends inside a gzip member, and what is compressed otherwise.
static void
test_compressed(void **state)
{
	static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0, 0, 0};
	static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (31 - 10) << 3, 1, 0, 0};
	struct capture_reader *reader;
	size_t whole;

	(void)state;
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(0, 5, 60, 1);
	compress_gzip();
	whole = length;
	for (size_t cut = 1; cut < 9; cut++) { // of the checksum and the length at its end
		length = whole - cut;
		reader = open_file();
		expect_packet(reader, 1, 5 * PS_PER_US, 60, 1);
		expect_fault(reader, -EINVAL, "packet 2: the gzip data ends too early");
	}
	pcap_begin(MAGIC_US, ETHERNET);
	pcap_packet(0, 5, 60, 1);
	compress_zstd();
	length--;
	save("in.pcap");
	expect_refused(-EINVAL, "not a pcap or pcapng file: the zstd data ends too early");
	memcpy(bytes, xz, sizeof(xz));
	length = sizeof(xz);
	save("in.pcap");
	expect_refused(-EINVAL,
		       "compressed with xz; decompress it first (xz -d), or use gzip or zstd");
	memcpy(bytes, window, sizeof(window));
	length = sizeof(window);
	save("in.pcap");
	expect_refused(-EINVAL, "not a pcap or pcapng file: zstd: Frame requires too much memory "
				"for decoding; decompress it first (zstd -d --long=31)");
}

// A sorter holds so much; a packet that belongs before what has left it is an error.
static void
test_sorting_too_far(void **state)
{
	const uint32_t count = SORTER_BYTES_MAX / 262144 + 1;
	struct capture_packet packet;
	struct capture_reader *reader;
	FILE *file;
	int status;

	(void)state;
	pcap_begin(MAGIC_NS, ETHERNET);
	save("in.pcap");
	file = fopen(path, "r+b");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t head[4] = {2, i, 262144, 262144};

		fwrite(head, sizeof(head), 1, file);
		assert_int_equal(fseek(file, 262144 - 1, SEEK_CUR), 0);
		fputc(0, file);
	}
	fwrite((const uint32_t[4]){1}, 16, 1, file); // after 64 MB, a second before the rest
	assert_int_equal(fclose(file), 0);
	assert_int_equal(capture_reader_open(&reader, path, fresh()), 0);
	capture_reader_sort(reader);
	for (uint32_t i = 0; i < 2; i++) {
		status = capture_reader_next(reader, &packet, fresh());
		if (status != 1)
			break;
		assert_int_equal(packet.number, i + 1);
	}
	expect_fault(reader, -EINVAL,
		     "packet 258: stamp 1.000000000 s goes back: packet 2 has 2.000000001 s; that "
		     "is too far for --sort: sort the file first (reordercap)");
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
		       "not a pcap or pcapng file: truncated: the file ends 4 bytes too early");
	snprintf(path, sizeof(path), "/dev/null");
	expect_refused(-EINVAL,
		       "not a pcap or pcapng file: truncated: the file ends 4 bytes too early");
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
		TEST(test_compressed),
		TEST(test_sorting_too_far),
		TEST(test_not_a_capture),
		TEST(test_files_that_do_not_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
